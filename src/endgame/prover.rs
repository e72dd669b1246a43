//! The prover of the search: the bound, at every leaf.

use super::bound::{Decision, decide};
use super::filling::Filler;
use crate::amazons::Position;
use crate::game::{Outcome, Proof, Prover};

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

/// The result of a position, if the bound decides it with fillings of at most `budget` nodes each.
pub(super) fn prove(position: &Position, filler: &mut Filler, budget: u64) -> Option<Proof> {
    let mover = position.side_to_move();
    if !position.has_step() {
        return Some(Proof { outcome: Outcome::Win(!mover), turns: 0 });
    }
    let Decision { winner, moves } = decide(&position.into(), filler, budget)?;
    let moves = u16::from(moves);
    let turns = if winner == mover {
        2 * moves + 1
    } else {
        2 * (moves + u16::from(position.shooter().is_some()))
    };
    // No turn can be played without an empty square.
    let turns = turns.min(position.empty().count() as u16);
    Some(Proof { outcome: Outcome::Win(winner), turns })
}
