//! The bound over all regions: who wins however the contested ground is played.
//!
//! A side that keeps to the regions where its amazons are alone has the moves of their fillings for
//! certain, and its amazons elsewhere stand still. Meanwhile the other side moves its own amazons
//! only, on the squares that these can get to past the standing ones: it has no more moves than the
//! filling of that ground. So with `own` the filling of a side's one-sided regions and `reach` the
//! filling of all that it can get to while its enemy stands still, the side to move
//!
//! - wins if its `own` exceeds the enemy's `reach`,
//! - loses if the enemy's `own` is at least its `reach`.
//!
//! `reach` is never more than `own` and the empty squares of the contested regions together, which
//! is the usual form of the bound; in a settled position it equals `own`, and one of the two cases
//! holds whenever the fillings are exact. Proven bounds do in the place of exact fillings: a lower
//! one for `own`, an upper one for `reach`.
//!
//! With an arrow pending the side to move is the shooter. After the arrow the enemy is to move, so
//! the comparisons change places: the shooter wins if its `own` is at least the enemy's `reach`,
//! and loses if the enemy's `own` exceeds its `reach`. An arrow flies and lands on ground that the
//! shooter can get to. So if the shooter's region is one-sided the arrow belongs to its `own`,
//! counted with the best arrow; in any case it belongs to its `reach`; it takes no square of the
//! enemy's `own`, and can only lessen the enemy's `reach`. All that is proven here therefore holds
//! whatever arrow is shot, but for the shooter's win on ground of its own, where it chooses.

use super::filling::{Filler, Filling};
use super::shape::Shape;
use crate::amazons::Position;
use crate::game::{Colour, Outcome, Proof, Prover};

/// Proves results by counting, at every leaf of a search: cheap while the board is open.
#[derive(Clone, Copy, Debug)]
pub struct RegionProver {
    /// The number of shapes that may be expanded for one filling.
    budget: u64,
}

impl Default for RegionProver {
    fn default() -> RegionProver {
        RegionProver { budget: 100 }
    }
}

/// What one worker knows of fillings.
pub struct RegionScratch {
    filler: Filler,
}

impl Default for RegionScratch {
    /// Half a mebibyte.
    fn default() -> RegionScratch {
        RegionScratch { filler: Filler::new(13) }
    }
}

impl Prover<Position> for RegionProver {
    type Scratch = RegionScratch;

    #[inline]
    fn prove(&self, position: &Position, scratch: &mut RegionScratch) -> Option<Proof> {
        prove(position, &mut scratch.filler, self.budget)
    }
}

/// By how many squares the `reach` of a side may exceed what is wanted for its filling to be tried
/// while the game is not settled. On late positions of games, this much proves 2 in 100 positions
/// more than 0 does, and costs a search 1 in 100 instructions; 3 costs 3, for as many again.
const LARGEST_DEFICIT: u8 = 1;

/// The result of a position, if the bound decides it with fillings of at most `budget` nodes each.
pub(super) fn prove(position: &Position, filler: &mut Filler, budget: u64) -> Option<Proof> {
    let mover = position.side_to_move();
    if !position.has_step() {
        return Some(Proof { outcome: Outcome::Win(!mover), turns: 0 });
    }
    let pending = u8::from(position.shooter().is_some());
    let mut duel = Duel { position, filler, budget };
    // The side to move must make one move more than the other, or as many if it is shooting.
    if let Some(most) = duel.outlasts(mover, 1 - pending) {
        return Some(duel.proof(mover, 2 * u16::from(most) + 1));
    }
    // Its enemy need only make as many, or one more if an arrow is on its way.
    let most = duel.outlasts(!mover, pending)?;
    Some(duel.proof(!mover, 2 * u16::from(most + pending)))
}

/// The comparison of what one side has for certain with what the other can get.
struct Duel<'a> {
    position: &'a Position,
    filler: &'a mut Filler,
    budget: u64,
}

impl Duel<'_> {
    /// Whether `own` of `side` is at least `reach` of its enemy and `more`, both counted in moves
    /// after a pending arrow; if it is, the bound on `reach` with which it was found.
    #[inline]
    fn outlasts(&mut self, side: Colour, more: u8) -> Option<u8> {
        let own = self.own(side);
        // An enemy that can step at all has a move.
        if own.most() == 0 && (more > 0 || self.can_step(!side)) {
            return None;
        }
        let reach = self.reach(!side, own.most().saturating_sub(more) + LARGEST_DEFICIT)?;
        self.compare(&own, &reach, more)
    }

    /// Narrows the bounds of both sides by turns, no further than the comparison needs.
    fn compare(&mut self, own: &Shape, reach: &Shape, more: u8) -> Option<u8> {
        let mut certain = Filling { lower: 0, upper: own.most() };
        let mut possible = Filling { lower: 0, upper: reach.most() };
        loop {
            let wanted = possible.upper + more;
            if certain.lower >= wanted {
                return Some(possible.upper);
            }
            if certain.upper < possible.lower + more {
                return None;
            }
            let before = (certain, possible);
            if certain.upper >= wanted {
                certain = certain.and(self.filler.decide(own, wanted, self.budget));
            } else {
                let too_many = certain.upper - more + 1;
                possible = possible.and(self.filler.decide(reach, too_many, self.budget));
            }
            if (certain, possible) == before {
                return None;
            }
        }
    }

    /// The ground of a side's one-sided regions.
    #[inline]
    fn own(&self, side: Colour) -> Shape {
        let squares = self.position.one_sided(side);
        Shape::connected(squares, self.position.amazons(side) & squares)
            .with_shooter(self.position.shooter())
    }

    /// The ground that a side can get to while its enemy stands still, unless there are clearly
    /// more than `limit` moves in it. In a settled position nothing is too much to be counted.
    #[inline]
    fn reach(&self, side: Colour, limit: u8) -> Option<Shape> {
        let amazons = self.position.amazons(side);
        let squares = self.position.empty() | amazons;
        let pending = self.position.shooter().is_some() && side == self.position.side_to_move();
        let shape = Shape::new_up_to(squares, amazons, u32::from(limit) + u32::from(pending))
            .or_else(|| self.position.is_settled().then(|| Shape::new(squares, amazons)))?;
        Some(shape.with_shooter(self.position.shooter()))
    }

    /// Whether an amazon of this side has an empty square beside it.
    #[inline]
    fn can_step(&self, side: Colour) -> bool {
        self.position.amazons(side).grown().intersects(self.position.empty())
    }

    /// The proof that `winner` wins: no turn can be played without an empty square.
    fn proof(&self, winner: Colour, turns: u16) -> Proof {
        let empty = self.position.empty().count() as u16;
        Proof { outcome: Outcome::Win(winner), turns: turns.min(empty) }
    }
}
