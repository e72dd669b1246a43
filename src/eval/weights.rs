//! Every number of the classical evaluation that could be another one.

/// What the classical evaluation multiplies its terms with. [`Weights::default`] is the table that
/// the engine plays with.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The weights at the start of a turn, by phase.
    pub turn_start: Phases,
    /// The weights while the arrow of the side to move is pending, by phase.
    pub arrow_pending: Phases,
    /// The mobility at which the penalty of an amazon is a quarter of that of one shut in, in
    /// squares.
    pub free_mobility: f32,
}

/// The weights at each of [`PHASES`]; between two of them they are interpolated.
pub type Phases = [PhaseWeights; PHASES.len()];

/// The values of the phase term w that weights are given for. The standard game begins at about
/// 62 and comes to 0 when the sides share no square any more.
pub const PHASES: [f32; 6] = [0.0, 8.0, 20.0, 35.0, 50.0, 64.0];

/// The weights of one phase.
///
/// The evaluation is `scale * (f1 t1 + f2 c1 + f3 c2 + f4 t2 + mobility * m + tempo)`, and its
/// hyperbolic tangent the value. The four f's sum to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseWeights {
    /// f1: of t1, the queen territory.
    pub queen_territory: f32,
    /// f2: of c1, the queen closeness.
    pub queen_closeness: f32,
    /// f3: of c2, the king closeness.
    pub king_closeness: f32,
    /// f4: of t2, the king territory.
    pub king_territory: f32,
    /// Of the difference in mobility penalties.
    pub mobility: f32,
    /// k: what a square at equal finite distance counts for the side to move in t1 and t2.
    pub tie: f32,
    /// What being to move is worth, in squares.
    pub tempo: f32,
    /// How much of a decision one square is.
    pub scale: f32,
}

const fn phase(f: [f32; 4], mobility: f32, tie: f32, tempo: f32, scale: f32) -> PhaseWeights {
    let [queen_territory, queen_closeness, king_closeness, king_territory] = f;
    PhaseWeights {
        queen_territory,
        queen_closeness,
        king_closeness,
        king_territory,
        mobility,
        tie,
        tempo,
        scale,
    }
}

impl Default for Weights {
    /// Fitted to the results of 4,000 games (359,000 positions) that a search of 300 nodes a turn
    /// with plainer weights played against itself from up to four random moves: logistic
    /// regression, rounded. Fixed by hand are the ties; the free mobility (2 and 5 fit equally
    /// well, 10 worse); where nothing is shared, queen territory alone and half a square for the
    /// other side, since the side to move then needs one move more than its opponent; and the
    /// first moves of a game, of which those results said next to nothing.
    fn default() -> Weights {
        Weights {
            turn_start: [
                phase([1.00, 0.00, 0.00, 0.00], 0.2, 0.05, -0.50, 0.680),
                phase([0.73, 0.05, 0.02, 0.20], 0.2, 0.05, 0.55, 0.276),
                phase([0.44, 0.00, 0.22, 0.34], 2.5, 0.05, 1.20, 0.132),
                phase([0.28, 0.01, 0.51, 0.20], 4.8, 0.05, 1.40, 0.080),
                phase([0.03, 0.03, 0.92, 0.02], 8.8, 0.05, 0.70, 0.060),
                phase([0.05, 0.35, 0.50, 0.10], 7.0, 0.05, 0.50, 0.020),
            ],
            arrow_pending: [
                phase([1.00, 0.00, 0.00, 0.00], 0.5, 0.10, -0.50, 0.740),
                phase([0.76, 0.02, 0.00, 0.22], 0.3, 0.10, -0.75, 0.264),
                phase([0.47, 0.00, 0.07, 0.46], 1.8, 0.10, -1.05, 0.144),
                phase([0.29, 0.01, 0.43, 0.27], 4.6, 0.10, -1.25, 0.079),
                phase([0.04, 0.04, 0.89, 0.03], 7.9, 0.10, -0.30, 0.065),
                phase([0.05, 0.35, 0.50, 0.10], 7.0, 0.10, -0.50, 0.020),
            ],
            free_mobility: 5.0,
        }
    }
}

impl Weights {
    /// The weights for a phase term `w`, at the start of a turn or with an arrow pending.
    #[inline(always)]
    pub(super) fn at(&self, w: f32, arrow_pending: bool) -> PhaseWeights {
        let phases = if arrow_pending { &self.arrow_pending } else { &self.turn_start };
        let mut upper = 1;
        while upper < PHASES.len() - 1 && w > PHASES[upper] {
            upper += 1;
        }
        let [from, to] = [PHASES[upper - 1], PHASES[upper]];
        let share = ((w - from) / (to - from)).min(1.0);
        let (a, b) = (&phases[upper - 1], &phases[upper]);
        let mix = |a: f32, b: f32| a + share * (b - a);
        PhaseWeights {
            queen_territory: mix(a.queen_territory, b.queen_territory),
            queen_closeness: mix(a.queen_closeness, b.queen_closeness),
            king_closeness: mix(a.king_closeness, b.king_closeness),
            king_territory: mix(a.king_territory, b.king_territory),
            mobility: mix(a.mobility, b.mobility),
            tie: mix(a.tie, b.tie),
            tempo: mix(a.tempo, b.tempo),
            scale: mix(a.scale, b.scale),
        }
    }
}
