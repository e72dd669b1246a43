//! How promising a step looks before anything has been searched.
//!
//! A step is judged by where it goes and where it comes from. Of a target it counts how soon the
//! opponent is there (the mover is one move away from every target), how much room is around it,
//! and, for a queen step, how many squares it brings within one move that were further away. Of an
//! origin it counts how shut in the amazon is and how close the opponent is. Each feature has a
//! factor, and the weight of a step is their product.
//!
//! The factors are fitted: in 11,000 positions from self-play every whole turn was tried and its
//! outcome evaluated; the factors are those whose product, as a distribution over the steps, comes
//! closest (in cross-entropy) to one that favours a step by the value of the best turn it begins,
//! mixed with the step that a search of 300 nodes played. In positions held out, the best queen
//! step is among the first eight in 76% (of about 60), the best arrow in 97% (of about 25).

use super::fields::{Fields, Kernel, Layers, Work};
use super::mobility::{length, neighbours, room};
use crate::amazons::{Bitboard, Position, Square, Step};
use crate::game::Colour;

/// The factor of a target by the opponent's queen distance (0 for none, 1, 2, 3, 4 and more) and
/// the number of empty squares around.
type DistanceFactors = [[f32; 9]; 5];

/// The factor of a target by the opponent's king distance: 0 for none, 1, 2, 3, 4, 5 and more.
type KingDistanceFactors = [f32; 6];

/// The factor of a step by the number of king steps from origin to target, less one.
type LengthFactors = [f32; 9];

/// The factors of queen steps.
struct QueenFactors {
    distance: DistanceFactors,
    king_distance: KingDistanceFactors,
    /// By the number of squares that are one move away from the target and were further away from
    /// all the mover's amazons, cut to 14.
    gained: [f32; 15],
    /// By the number of the mover's amazons beside the target, cut to 2.
    friends: [f32; 3],
    /// By the number of empty squares around the origin.
    origin_room: [f32; 9],
    /// By the opponent's least queen distance from the empty squares around the origin (0 for
    /// none, 1, 2, 3, 4 and more), and the number of its amazons beside it, cut to 2.
    origin_pressure: [[f32; 3]; 5],
    length: LengthFactors,
}

static QUEEN: QueenFactors = QueenFactors {
    distance: [
        [0.53, 0.45, 0.38, 0.38, 0.38, 0.36, 0.44, 0.40, 0.61],
        [0.20, 0.55, 0.98, 1.44, 1.75, 2.24, 2.87, 4.46, 12.3],
        [1.00, 0.54, 0.71, 0.93, 1.13, 1.41, 1.84, 2.23, 4.30],
        [1.00, 0.33, 0.39, 0.39, 0.43, 0.41, 0.50, 0.81, 0.85],
        [1.00, 0.20, 0.17, 0.18, 0.17, 0.15, 0.21, 0.23, 0.37],
    ],
    king_distance: [0.17, 2.47, 1.26, 1.05, 0.76, 0.52],
    gained: [
        0.16, 0.30, 0.51, 0.76, 1.00, 1.24, 1.52, 1.73, 1.97, 2.61, 3.47, 4.97, 5.31, 8.62, 16.9,
    ],
    friends: [2.36, 0.62, 0.26],
    origin_room: [1.00, 5.76, 3.36, 2.09, 1.47, 0.83, 0.53, 0.37, 0.22],
    origin_pressure: [
        [1.22, 0.72, 1.07],
        [1.05, 0.46, 0.50],
        [1.80, 0.55, 0.80],
        [2.52, 1.14, 1.31],
        [2.37, 1.20, 0.93],
    ],
    length: [4.03, 0.65, 0.46, 0.48, 0.43, 0.52, 0.78, 0.56, 0.50],
};

/// The factors of arrows.
struct ArrowFactors {
    distance: DistanceFactors,
    king_distance: KingDistanceFactors,
    /// By the mover's king distance from the target: 1, 2, 3, 4, 5 and more.
    own_king_distance: [f32; 5],
    length: LengthFactors,
}

static ARROW: ArrowFactors = ArrowFactors {
    distance: [
        [1.99, 0.89, 0.63, 0.51, 0.52, 0.47, 0.57, 0.62, 0.88],
        [0.71, 0.79, 1.11, 1.57, 1.90, 2.16, 2.27, 2.31, 4.11],
        [1.00, 1.55, 0.90, 0.81, 0.73, 0.63, 0.46, 0.28, 0.28],
        [1.00, 2.00, 1.03, 0.81, 0.64, 0.48, 0.40, 0.41, 0.66],
        [1.00, 2.46, 1.58, 1.00, 1.16, 1.03, 0.71, 0.84, 1.01],
    ],
    king_distance: [0.33, 4.21, 0.66, 0.25, 0.13, 0.10],
    own_king_distance: [0.49, 1.27, 1.56, 1.89, 3.02],
    length: [1.97, 2.06, 1.65, 1.01, 0.71, 0.62, 0.60, 0.56, 0.42],
};

/// The judging of all steps of a position.
pub(super) struct PriorsOf<'a> {
    pub kernel: Kernel,
    pub position: &'a Position,
    pub fields: &'a Fields,
    pub steps: &'a [Step],
    /// Emptied and filled: a weight for each step.
    pub weights: &'a mut Vec<f32>,
}

impl Work for PriorsOf<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.weights.clear();
        self.weights.reserve(self.steps.len());
        match self.position.shooter() {
            Some(shooter) => self.arrows(shooter),
            None => self.queen_steps(),
        }
    }
}

impl PriorsOf<'_> {
    #[inline(always)]
    fn arrows(self, shooter: Square) {
        let (mover, opponent) = (self.position.side_to_move(), !self.position.side_to_move());
        let targets: Bitboard = self.steps.iter().map(|step| step.target()).collect();
        let distances = classes::<4>(&self.fields.queen, opponent, targets);
        let king_distances = classes::<5>(&self.fields.king, opponent, targets);
        let own_king_distances = classes::<5>(&self.fields.king, mover, targets);
        for step in self.steps {
            let to = step.target();
            // The shooter reaches every target, so its own distance is not 0.
            let own = own_king_distances[to.index()].max(1) - 1;
            self.weights.push(
                ARROW.distance[usize::from(distances[to.index()])][room(self.position, to)]
                    * ARROW.king_distance[usize::from(king_distances[to.index()])]
                    * ARROW.own_king_distance[usize::from(own)]
                    * ARROW.length[length(shooter, to)],
            );
        }
    }

    #[inline(always)]
    fn queen_steps(self) {
        let by_target = self.queen_targets();
        let mut by_origin = [0.0; Square::INDICES];
        for from in self.position.amazons(self.position.side_to_move()) {
            by_origin[from.index()] = self.queen_origin(from);
        }
        for &step in self.steps {
            self.weights.push(match step {
                Step::Queen { from, to } => {
                    by_origin[from.index()] * by_target[to.index()] * QUEEN.length[length(from, to)]
                }
                // There are none while no arrow is pending.
                Step::Arrow(_) => 1.0,
            });
        }
    }

    /// The factors of every target, whatever it is reached from.
    #[inline(always)]
    fn queen_targets(&self) -> [f32; Square::INDICES] {
        let (mover, opponent) = (self.position.side_to_move(), !self.position.side_to_move());
        let targets: Bitboard = self.steps.iter().map(|step| step.target()).collect();
        let mut moves = [Bitboard::EMPTY; Square::INDICES];
        self.kernel.queen_moves(targets, self.position.empty(), &mut moves);
        let near = self.fields.queen.within(mover, 1);
        let distances = classes::<4>(&self.fields.queen, opponent, targets);
        let king_distances = classes::<5>(&self.fields.king, opponent, targets);
        let mut factors = [0.0; Square::INDICES];
        for to in targets {
            let gained = moves[to.index()].minus(near).count() as usize;
            let friends = (neighbours(to) & self.position.amazons(mover)).count() as usize;
            factors[to.index()] = QUEEN.distance[usize::from(distances[to.index()])]
                [room(self.position, to)]
                * QUEEN.king_distance[usize::from(king_distances[to.index()])]
                * QUEEN.gained[gained.min(14)]
                * QUEEN.friends[friends.min(2)];
        }
        factors
    }

    #[inline(always)]
    fn queen_origin(&self, from: Square) -> f32 {
        let opponent = !self.position.side_to_move();
        let around = neighbours(from) & self.position.empty();
        let enemies = (neighbours(from) & self.position.amazons(opponent)).count() as usize;
        let near = |distance| self.fields.queen.within(opponent, distance).intersects(around);
        let pressure = match (1..=3).find(|&distance| near(distance)) {
            Some(distance) => distance,
            None if self.fields.queen.reachable(opponent).intersects(around) => 4,
            None => 0,
        };
        QUEEN.origin_room[room(self.position, from)]
            * QUEEN.origin_pressure[pressure][enemies.min(2)]
    }
}

/// The distances of a side from these squares, which are empty: cut to `LAST`, 0 where it cannot
/// get to.
#[inline(always)]
fn classes<const LAST: usize>(
    layers: &Layers,
    side: Colour,
    squares: Bitboard,
) -> [u8; Square::INDICES] {
    let mut classes = [0; Square::INDICES];
    let mut left = squares & layers.reachable(side);
    for class in 1..=LAST {
        let here = if class < LAST { left & layers.within(side, class) } else { left };
        for square in here {
            classes[square.index()] = class as u8;
        }
        left = left.minus(here);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amazons::Symmetry;
    use crate::eval::{Classical, Scratch, samples};
    use crate::game::{Evaluator, Game};

    fn priors(position: &Position) -> Vec<(Step, f32)> {
        let (mut steps, mut weights) = (Vec::new(), Vec::new());
        position.steps(&mut steps);
        Classical::default().priors(position, &steps, &mut Scratch::default(), &mut weights);
        steps.into_iter().zip(weights).collect()
    }

    /// White on a1, Black on d1 of a single rank: b1 and c1 are empty.
    #[test]
    fn weights_of_a_strip_by_hand() {
        let set = |file| Bitboard::from(Square::new(file, 0));
        let mut position =
            Position::new(4, 1, [set(0), set(3)], Bitboard::EMPTY, Colour::White).expect("legal");
        let found = priors(&position);
        // The amazon on a1 has one empty square beside it, one queen move from Black's, which is
        // not beside it.
        let origin = QUEEN.origin_room[1] * QUEEN.origin_pressure[1][0];
        // b1: Black is one queen move and two king steps away; c1 is empty beside it and was one
        // move away already; White's own amazon stands beside it; one step from a1.
        let b1 = QUEEN.distance[1][1]
            * QUEEN.king_distance[2]
            * QUEEN.gained[0]
            * QUEEN.friends[1]
            * QUEEN.length[0];
        // c1: Black is beside it; b1 is empty beside it; two steps from a1.
        let c1 = QUEEN.distance[1][1]
            * QUEEN.king_distance[1]
            * QUEEN.gained[0]
            * QUEEN.friends[0]
            * QUEEN.length[1];
        assert_eq!(found.len(), 2);
        assert!((found[0].1 / (origin * b1) - 1.0).abs() < 1e-5);
        assert!((found[1].1 / (origin * c1) - 1.0).abs() < 1e-5);

        // After a1-b1 the arrows are a1, which Black cannot reach, with nothing empty beside it,
        // and c1, beside Black.
        position.play(found[0].0);
        let found = priors(&position);
        let own = ARROW.own_king_distance[0] * ARROW.length[0];
        let a1 = ARROW.distance[0][0] * ARROW.king_distance[0] * own;
        let c1 = ARROW.distance[1][0] * ARROW.king_distance[1] * own;
        assert_eq!(found.len(), 2);
        assert!((found[0].1 / a1 - 1.0).abs() < 1e-5);
        assert!((found[1].1 / c1 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn symmetric_positions_have_equal_priors() {
        for number in 0..300 {
            let position = samples::position(number);
            let found = priors(&position);
            for symmetry in Symmetry::ALL {
                let turned = priors(&symmetry.position(&position));
                assert_eq!(turned.len(), found.len());
                for &(step, weight) in &found {
                    let image = symmetry.step(step, position.files(), position.ranks());
                    assert!(turned.contains(&(image, weight)), "{step:?} {position:?}");
                }
            }
        }
    }
}
