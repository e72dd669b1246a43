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
/// 60 and comes to 0 when the sides share no square any more.
pub const PHASES: [f32; 5] = [0.0, 8.0, 20.0, 35.0, 50.0];

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

/// Plain guesses: closeness and king distance in the opening, queen territory in the end.
const fn plain(f: [f32; 4], mobility: f32, scale: f32) -> PhaseWeights {
    let [queen_territory, queen_closeness, king_closeness, king_territory] = f;
    PhaseWeights {
        queen_territory,
        queen_closeness,
        king_closeness,
        king_territory,
        mobility,
        tie: 0.1,
        tempo: 0.5,
        scale,
    }
}

impl Default for Weights {
    fn default() -> Weights {
        let phases = [
            plain([1.0, 0.0, 0.0, 0.0], 0.0, 0.35),
            plain([0.6, 0.1, 0.15, 0.15], 0.8, 0.16),
            plain([0.35, 0.2, 0.25, 0.2], 1.2, 0.11),
            plain([0.2, 0.25, 0.25, 0.3], 1.6, 0.09),
            plain([0.1, 0.25, 0.25, 0.4], 2.0, 0.08),
        ];
        Weights { turn_start: phases, arrow_pending: phases, free_mobility: 5.0 }
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
