//! The terms of Lieberum's evaluation, counted from the layers of the distance fields.
//!
//! "An evaluation function for the game of Amazons" (Theoretical Computer Science 349, 2005)
//! compares, square by square, how far away the two sides are. Sums over squares become counts of
//! intersections of layers, kept in integers so that no order of summation matters: squares that
//! the mover is closer to by at least `j` are the union, over distances `d`, of the mover's layer
//! `d` without the opponent's layer `d + j - 1`.

use super::fields::{Fields, Kernel, Layers, MAX_DISTANCE};
use super::mobility::mobility;
use crate::amazons::{Bitboard, Position};

/// One over the unit of [`Counts::queen_closeness`] and [`Counts::shared`]: a power of two that
/// all distances divide.
pub(super) const HALVINGS: i32 = 1 << MAX_DISTANCE;

/// The terms as whole numbers. "Ahead" and all differences are from the side to move's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    /// Squares that the mover is closer to, less those that the opponent is closer to, in queen
    /// moves.
    pub queen_lead: i32,
    /// Squares at the same finite distance of both, in queen moves.
    pub queen_ties: i32,
    /// The same as `queen_lead` in king steps.
    pub king_lead: i32,
    /// The same as `queen_ties` in king steps.
    pub king_ties: i32,
    /// The sum of `2^-D` over the mover's queen distances, less that over the opponent's, in
    /// units of 1 / [`HALVINGS`].
    pub queen_closeness: i32,
    /// The sum of the differences of king distance, cut to -6 .. 6.
    pub king_closeness: i32,
    /// The sum of `2^-difference` in queen distance over the squares that both reach, in units of
    /// 1 / [`HALVINGS`].
    pub shared: i32,
    /// The mobility penalties of the opponent's amazons less those of the mover's, in units of
    /// 1 / [`PENALTY_UNIT`](super::mobility::PENALTY_UNIT).
    pub mobility: i32,
}

/// The layers of the mover and the opponent.
#[derive(Clone, Copy)]
struct Pair<'a> {
    layers: &'a Layers,
    mover: usize,
}

impl Pair<'_> {
    #[inline(always)]
    fn mover(self, distance: usize) -> u128 {
        self.layers.both_within(distance)[self.mover]
    }

    #[inline(always)]
    fn opponent(self, distance: usize) -> u128 {
        self.layers.both_within(distance)[1 - self.mover]
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        Pair { mover: 1 - self.mover, ..self }
    }

    /// The squares that the mover is closer to by at least `by`, which is one or more.
    #[inline(always)]
    fn closer_by(self, by: usize) -> u128 {
        // The opponent's last layer holds all it can reach, so further ones add nothing.
        let levels = self.layers.levels();
        let mut closer = self.mover(levels) & !self.opponent(levels);
        let mut distance = 1;
        while distance + by <= levels {
            closer |= self.mover(distance) & !self.opponent(distance + by - 1);
            distance += 1;
        }
        closer
    }
}

#[inline(always)]
fn count(set: u128) -> i32 {
    set.count_ones() as i32
}

impl Counts {
    /// Counts the terms of a position with these fields. `free_mobility` is explained at
    /// [`mobility`].
    #[inline(always)]
    pub(super) fn of(
        kernel: Kernel,
        position: &Position,
        fields: &Fields,
        free_mobility: u32,
    ) -> Counts {
        let mover = position.side_to_move().index();
        let queen = Pair { layers: &fields.queen, mover };
        let king = Pair { layers: &fields.king, mover };
        let (queens, kings) = (Lead::of(queen), Lead::of(king));
        let queen_ties = count(queens.ties);
        Counts {
            queen_lead: count(queens.ahead) - count(queens.behind),
            queen_ties,
            king_lead: count(kings.ahead) - count(kings.behind),
            king_ties: count(kings.ties),
            queen_closeness: closeness(queen) - closeness(queen.swapped()),
            king_closeness: king_closeness(king, kings.shared),
            shared: HALVINGS * queen_ties
                + nearly_shared(queen, queens.ahead, queens.shared)
                + nearly_shared(queen.swapped(), queens.behind, queens.shared),
            mobility: if queens.shared == 0 {
                0
            } else {
                mobility(kernel, position, Bitboard::from_bits(queens.shared), free_mobility)
            },
        }
    }
}

/// Who is closer to which squares.
struct Lead {
    /// Those that the mover is closer to, among them those that only it reaches.
    ahead: u128,
    /// Those that the opponent is closer to.
    behind: u128,
    /// Those that both reach.
    shared: u128,
    /// Those at equal distance of both.
    ties: u128,
}

impl Lead {
    #[inline(always)]
    fn of(pair: Pair) -> Lead {
        let levels = pair.layers.levels();
        let (ahead, behind) = (pair.closer_by(1), pair.swapped().closer_by(1));
        let shared = pair.mover(levels) & pair.opponent(levels);
        Lead { ahead, behind, shared, ties: shared & !ahead & !behind }
    }
}

/// The sum of `2^-D` over the mover's queen distances: each square counts `2^-levels` once it is
/// reached at all, and twice as much as before for each distance it is within.
#[inline(always)]
fn closeness(pair: Pair) -> i32 {
    let levels = pair.layers.levels();
    let mut sum = count(pair.mover(levels)) * (HALVINGS >> levels);
    for distance in 1..levels {
        sum += count(pair.mover(distance)) * (HALVINGS >> (distance + 1));
    }
    sum
}

/// The sum, over the shared squares that the mover is closer to by `j`, of `2^-j`: a square counts
/// a half for `j` of 1 or more, and a quarter, an eighth, ... less for each further distance.
#[inline(always)]
fn nearly_shared(pair: Pair, ahead: u128, shared: u128) -> i32 {
    let mut share = HALVINGS / 2;
    let mut sum = count(ahead & shared) * share;
    for by in 2..pair.layers.levels() {
        let squares = pair.closer_by(by) & shared;
        if squares == 0 {
            break;
        }
        share /= 2;
        sum -= count(squares) * share;
    }
    sum
}

/// The sum of the differences in king distance, cut to -6 .. 6. The sum of uncut differences over
/// the squares that both reach is a difference of counts, layer by layer; differences beyond 6 are
/// rare, and taken off again.
#[inline(always)]
fn king_closeness(pair: Pair, shared: u128) -> i32 {
    let levels = pair.layers.levels();
    let mine = pair.mover(levels) & !shared;
    let theirs = pair.opponent(levels) & !shared;
    let mut sum = 6 * (count(mine) - count(theirs));
    for distance in 1..levels {
        sum += count(pair.mover(distance) & shared) - count(pair.opponent(distance) & shared);
    }
    for by in 7..levels {
        sum -= count(pair.closer_by(by) & shared);
        sum += count(pair.swapped().closer_by(by) & shared);
    }
    sum
}
