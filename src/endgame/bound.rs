//! The bound over the whole board: who wins however the contested ground is played.
//!
//! Let one side keep some of its amazons where they stand. Its enemy, moving its own amazons only,
//! gets no further than the squares it can reach past all of this side's amazons as they stand now:
//! it has no more moves than the filling of that ground, its `reach`. The amazons that this ground
//! does not touch are free: what they can get to without it is theirs alone while the others stand
//! still as walls, and they have the moves of its filling, their side's `own`, for certain. A side's
//! one-sided regions are a part of its `own`, but so is ground behind an amazon in a gate. So the
//! side to move
//!
//! - wins if its `own` exceeds the enemy's `reach`,
//! - loses if the enemy's `own` is at least its `reach`.
//!
//! `reach` is never more than the moves in one's own regions and the empty squares of the contested
//! ones together, which is the usual form of the bound; in a settled position it equals `own`, and
//! one of the two cases holds whenever the fillings are exact. Proven bounds do in the place of exact
//! fillings: a lower one for `own`, an upper one for `reach`. Free moves that a side has beside the
//! board count for its `own`, or for its enemy against it.
//!
//! With an arrow pending the side to move is the shooter. After the arrow the enemy is to move, so
//! the comparisons change places: the shooter wins if its `own` is at least the enemy's `reach`,
//! and loses if the enemy's `own` exceeds its `reach`. An arrow flies and lands on ground that the
//! shooter can get to: it belongs to its `reach`, takes no square of the enemy's `own`, and can only
//! lessen the enemy's `reach`. A shooter that is free shoots on its own ground, counted with the best
//! arrow. One that is a wall shoots at the enemy's ground; if none is next to it, its arrow may
//! spoil the ground behind it, which then counts for nothing. All that is proven here therefore holds
//! whatever arrow is shot, but for the shooter's win, where it chooses.

use super::filling::{Filler, Filling};
use super::shape::Shape;
use super::sum::Sum;
use crate::amazons::Bitboard;
use crate::game::Colour;

/// By how many squares the `reach` of a side may exceed what is wanted for its filling to be tried
/// while the game is not settled. On late positions of games, this much proves 2 in 100 positions
/// more than 0 does, and costs a search 1 in 100 instructions; 3 costs 3, for as many again.
const LARGEST_DEFICIT: i16 = 1;

/// Who certainly wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Decision {
    pub(super) winner: Colour,
    /// The loser makes no more moves than so many on the board, after a pending arrow.
    pub(super) moves: u8,
}

/// The winner, if the bound decides it with fillings of at most `budget` nodes each.
#[inline]
pub(super) fn decide(sum: &Sum, filler: &mut Filler, budget: u64) -> Option<Decision> {
    let mover = sum.side_to_move;
    let pending = i16::from(sum.shooter.is_some());
    let mut duel = Duel { sum, filler, budget };
    // The side to move must make one move more than the other, or as many if it is shooting. Its
    // enemy need only make as many, or one more if an arrow is on its way.
    [(mover, 1 - pending), (!mover, pending)].into_iter().find_map(|(winner, more)| {
        duel.outlasts(winner, more).map(|moves| Decision { winner, moves })
    })
}

/// A number of moves that a side has for certain, as long as it is not shooting.
pub(super) fn certain(sum: &Sum, side: Colour, filler: &mut Filler, budget: u64) -> u8 {
    filler.filling(&own(sum, side), budget).lower
}

/// A number of moves that a side cannot exceed while its enemy stands still.
pub(super) fn possible(sum: &Sum, side: Colour) -> u8 {
    let amazons = sum.amazons(side);
    Shape::new(sum.empty | amazons, amazons).most()
}

/// The comparison of what one side has for certain with what the other can get.
struct Duel<'a> {
    sum: &'a Sum,
    filler: &'a mut Filler,
    budget: u64,
}

impl Duel<'_> {
    /// Whether `own` of `side` is at least `reach` of its enemy and `more`, both counted in moves
    /// after a pending arrow; if it is, the bound on `reach` with which it was found.
    #[inline]
    fn outlasts(&mut self, side: Colour, more: i16) -> Option<u8> {
        let own = own(self.sum, side);
        let spare = self.sum.surplus_of(side) - more;
        let limit = i16::from(own.most()) + spare;
        // An enemy that can step at all has a move.
        if limit < 0 || limit == 0 && self.can_step(!side) {
            return None;
        }
        let reach = self.reach(!side, limit + LARGEST_DEFICIT)?;
        self.compare(&own, &reach, spare)
    }

    /// Whether `own` and `spare` moves are at least `reach`. Narrows the bounds of both by turns, no
    /// further than the comparison needs.
    fn compare(&mut self, own: &Shape, reach: &Shape, spare: i16) -> Option<u8> {
        let mut certain = Filling { lower: 0, upper: own.most() };
        let mut possible = Filling { lower: 0, upper: reach.most() };
        loop {
            let wanted = i16::from(possible.upper) - spare;
            if i16::from(certain.lower) >= wanted {
                return Some(possible.upper);
            }
            let too_many = i16::from(certain.upper) + spare + 1;
            if too_many <= i16::from(possible.lower) {
                return None;
            }
            let before = (certain, possible);
            if i16::from(certain.upper) >= wanted {
                certain = certain.and(self.filler.decide(own, wanted as u8, self.budget));
            } else {
                possible = possible.and(self.filler.decide(reach, too_many as u8, self.budget));
            }
            if (certain, possible) == before {
                return None;
            }
        }
    }

    /// The ground that a side can get to while its enemy stands still, unless there are clearly
    /// more than `limit` moves in it. In a settled position nothing is too much to be counted.
    #[inline]
    fn reach(&self, side: Colour, limit: i16) -> Option<Shape> {
        let amazons = self.sum.amazons(side);
        let squares = self.sum.empty | amazons;
        let pending = self.sum.shooter.is_some() && side == self.sum.side_to_move;
        let limit = limit + i16::from(pending);
        let shape = Shape::new_up_to(squares, amazons, limit.unsigned_abs().into())
            .or_else(|| self.sum.is_settled().then(|| Shape::new(squares, amazons)))?;
        Some(shape.with_shooter(self.sum.shooter))
    }

    /// Whether an amazon of this side has an empty square beside it.
    #[inline]
    fn can_step(&self, side: Colour) -> bool {
        self.sum.amazons(side).grown().intersects(self.sum.empty)
    }
}

/// The ground that a side has to itself while those of its amazons that the enemy can get to
/// stand still.
#[inline]
fn own(sum: &Sum, side: Colour) -> Shape {
    let (amazons, enemies) = (sum.amazons(side), sum.amazons(!side));
    let empty = sum.empty;
    // The squares next to the enemy's ground, or on it.
    let mut touched = enemies.grown();
    let enemy_ground = loop {
        if amazons.minus(touched).is_empty() {
            return Shape::NOTHING;
        }
        let ground = touched & empty;
        let grown = touched | ground.grown();
        if grown == touched {
            break ground;
        }
        touched = grown;
    };
    let free = amazons.minus(touched);
    let mut squares = free.flood(empty.minus(enemy_ground) | free);
    if let Some(shooter) = sum.shooter
        && amazons.minus(free).contains(shooter)
        && !Bitboard::neighbours(shooter).intersects(enemy_ground)
    {
        squares = squares.minus(Bitboard::neighbours(shooter).flood(squares));
    }
    Shape::connected(squares, free & squares).with_shooter(sum.shooter)
}
