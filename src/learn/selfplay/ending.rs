//! How games end: settled regions are counted, and nothing is ever guessed.

use crate::amazons::Position;
use crate::endgame::{Filler, Shape};
use crate::game::Colour;
use crate::learn::data::{Ended, is_countable};

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ending {
    pub winner: Colour,
    pub margin: u8,
    pub ended: Ended,
}

/// The binary logarithm of the places in the memory of fillings: half a mebibyte.
const MEMORY_BITS: u32 = 13;

/// How much more may be spent on a game that is over and cannot go on until it can be counted.
const LAST_EFFORT: u64 = 20;

/// Sees whether a game has ended.
pub(super) struct Counter {
    filler: Filler,
    budget: u64,
}

impl Counter {
    /// A counter that may look at so many shapes for one filling.
    pub fn new(budget: u64) -> Counter {
        Counter { filler: Filler::new(MEMORY_BITS), budget }
    }

    /// How a game ends at this position, which is one at the start of a turn; `None` while it must
    /// go on.
    pub fn ending(&mut self, position: &Position) -> Option<Ending> {
        let side = position.side_to_move();
        if !position.has_step() {
            // Its amazons stand still from now on, so the other has whatever it can get to.
            let budget = self.budget.saturating_mul(LAST_EFFORT);
            let moves = self.filler.filling(&ground(position, !side), budget);
            return Some(Ending { winner: !side, margin: moves.lower, ended: Ended::PlayedOut });
        }
        if !is_countable(position) {
            return None;
        }
        let own_moves = self.filler.filling(&ground(position, side), self.budget).exact()?;
        let other_moves = self.filler.filling(&ground(position, !side), self.budget).exact()?;
        // They move in turn, the side to move first, until one of them cannot.
        let (winner, margin) = if own_moves > other_moves {
            (side, own_moves - other_moves - 1)
        } else {
            (!side, other_moves - own_moves)
        };
        Some(Ending { winner, margin, ended: Ended::Counted })
    }
}

/// What a side can get to while the other stands still.
fn ground(position: &Position, side: Colour) -> Shape {
    let amazons = position.amazons(side);
    Shape::new(position.empty() | amazons, amazons)
}
