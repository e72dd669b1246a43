//! A game of self-play as training sees it.

use crate::amazons::{Position, Region, Step};
use crate::game::{Colour, Value};

/// A game with what was searched in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// Its number, which with the seed of the run decides everything that happens in it.
    pub number: u64,
    /// Where it began.
    pub start: Position,
    /// Everything played, up to where the result was certain and all regions were settled.
    pub steps: Vec<Step>,
    /// What full searches found, in the order of the game.
    pub records: Vec<Record>,
    /// The winner.
    pub winner: Colour,
    /// The moves that the winner has left over when the loser cannot move, both filling their
    /// regions as well as possible. Exact when the game was counted; when it was played out, the
    /// winner has at least so many, and nearly always exactly.
    pub margin: u8,
    /// How the game ended.
    pub ended: Ended,
}

/// A full search of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The number of steps played before it.
    pub at: u16,
    /// The visits of each step that was visited, with the step's place among all legal ones as
    /// [`Game::steps`](crate::game::Game::steps) lists them, in the order of these places.
    pub visits: Vec<(u16, u16)>,
    /// The value of the root, for its side to move.
    pub value: Value,
}

/// How a game of self-play ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nobody could touch the other any more ([`is_countable`]), and the fillings were exact.
    Counted,
    /// It was played until a side could not move.
    PlayedOut,
}

/// Whether a position is at the start of a turn and no region that has an empty square holds
/// amazons of both sides, so that only counting is left. Where there is no empty square nobody will
/// ever move.
pub fn is_countable(position: &Position) -> bool {
    let alive = |region: &Region| region.is_contested() && !region.empty().is_empty();
    position.shooter().is_none()
        && (position.is_settled() || !position.regions().any(|region| alive(&region)))
}
