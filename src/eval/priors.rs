//! How promising a step looks before anything has been searched.
//!
//! A step is judged by where it goes and where it comes from. Of the target square it counts how
//! soon the opponent is there (the mover itself is one move away from every target), how much room
//! is around it, and which amazons stand beside it; all steps with the same target share that
//! judgement, so it is made once for each square. Each feature has a factor, and the weight of a
//! step is their product.

use super::fields::{Fields, Layers, Work};
use super::mobility::neighbours;
use crate::amazons::{Bitboard, Position, Square, Step};
use crate::game::Colour;

/// Factors of the features of a square, for one kind of step.
#[derive(Clone, Debug)]
struct SquareFactors {
    /// By the opponent's queen distance (0 for none, 1, 2, 3, 4 and more) and the number of empty
    /// squares around.
    distance: [[f32; 9]; 5],
    /// By the opponent's king distance: 0 for none, 1, 2, 3, 4, 5 and more.
    king_distance: [f32; 6],
    /// By the number of the opponent's amazons beside the square: 0, 1, 2 and more.
    enemies: [f32; 3],
    /// By the number of the mover's amazons beside the square, the shooter left out: 0, 1, 2 and
    /// more.
    friends: [f32; 3],
}

/// The factors of queen steps by their target.
static QUEEN: SquareFactors = SquareFactors {
    distance: [
        [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.8, 0.8],
        [0.5, 0.7, 1.0, 1.3, 1.6, 2.0, 2.4, 2.8, 3.0],
        [0.4, 0.6, 0.9, 1.2, 1.4, 1.7, 2.0, 2.2, 2.4],
        [0.3, 0.5, 0.7, 0.9, 1.0, 1.2, 1.4, 1.6, 1.6],
        [0.3, 0.4, 0.5, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0],
    ],
    king_distance: [0.5, 1.0, 1.5, 1.5, 1.2, 1.0],
    enemies: [1.0, 1.3, 1.3],
    friends: [1.0, 0.9, 0.8],
};

/// The factors of queen steps by the number of empty squares around the amazon before it goes.
static ORIGIN: [f32; 9] = [1.0, 2.5, 2.0, 1.6, 1.3, 1.1, 1.0, 0.9, 0.8];

/// The factors of arrows.
static ARROW: SquareFactors = SquareFactors {
    distance: [
        [0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05],
        [0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.2],
        [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0],
        [0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.5, 0.5, 0.5],
        [0.1, 0.2, 0.2, 0.2, 0.3, 0.3, 0.3, 0.3, 0.3],
    ],
    king_distance: [0.5, 2.0, 1.5, 1.0, 0.7, 0.5],
    enemies: [1.0, 2.0, 3.0],
    friends: [1.0, 0.7, 0.5],
};

/// The judging of all steps of a position.
pub(super) struct PriorsOf<'a> {
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
        let PriorsOf { position, fields, steps, weights } = self;
        let factors = if position.shooter().is_some() { &ARROW } else { &QUEEN };
        let targets: Bitboard = steps.iter().map(|step| step.target()).collect();
        let mut by_target = [0.0; Square::INDICES];
        for square in targets {
            by_target[square.index()] = factors.of(square, position, fields);
        }
        let mut by_origin = [0.0; Square::INDICES];
        for square in position.amazons(position.side_to_move()) {
            by_origin[square.index()] = ORIGIN[empty_around(position, square)];
        }
        weights.clear();
        weights.extend(steps.iter().map(|&step| match step {
            Step::Queen { from, to } => by_origin[from.index()] * by_target[to.index()],
            Step::Arrow(square) => by_target[square.index()],
        }));
    }
}

impl SquareFactors {
    /// The product of the factors of a square.
    #[inline(always)]
    fn of(&self, square: Square, position: &Position, fields: &Fields) -> f32 {
        let mover = position.side_to_move();
        let beside = neighbours(square);
        let shooter = position.shooter().map_or(Bitboard::EMPTY, Bitboard::from);
        let enemies = (beside & position.amazons(!mover)).count().min(2);
        let friends = (beside & position.amazons(mover).minus(shooter)).count().min(2);
        self.distance[class::<4>(&fields.queen, !mover, square)][empty_around(position, square)]
            * self.king_distance[class::<5>(&fields.king, !mover, square)]
            * self.enemies[enemies as usize]
            * self.friends[friends as usize]
    }
}

#[inline(always)]
fn empty_around(position: &Position, square: Square) -> usize {
    (neighbours(square) & position.empty()).count() as usize
}

/// The distance of a side from an empty square, cut to `LAST`; 0 if it cannot get there.
#[inline(always)]
fn class<const LAST: usize>(layers: &Layers, side: Colour, square: Square) -> usize {
    if !layers.reachable(side).contains(square) {
        return 0;
    }
    1 + (1..LAST).filter(|&distance| !layers.within(side, distance).contains(square)).count()
}
