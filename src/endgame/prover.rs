//! The prover of the search: the bound, at every leaf, and near the end what the regions are worth.

use super::bound::{Decision, decide};
use super::filling::Filler;
use super::solver::{Effort, Solver};
use crate::amazons::{Position, Step};
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

/// What one worker knows of fillings and of regions.
pub struct RegionScratch {
    solver: Solver,
}

/// The bytes of the table with which small regions are solved, and the nodes that may be spent on one
/// question about one of them and on all of a position: a search waits for them.
const TABLE: usize = 1 << 19;
const SMALL_NODES: u64 = 150;
const NODES: u64 = 400;

impl Default for RegionScratch {
    /// Somewhat more than a mebibyte.
    fn default() -> RegionScratch {
        let solver = Solver::with(TABLE, Filler::new(13), SMALL_NODES);
        RegionScratch { solver: solver.expect("there is memory for small things") }
    }
}

/// With more empty squares than these the regions are hardly ever small enough to be solved.
const MOST_EMPTY: u32 = 45;

/// The nodes that may be spent on finding the turn that wins a position whose winner is known.
const TURN_NODES: u64 = 100_000;

impl RegionProver {
    /// The steps that end the turn of `winner`, who is to move, and keep what is proven to be won;
    /// none if they are not found.
    pub fn winning_turn(
        &self,
        position: &Position,
        winner: Colour,
        scratch: &mut RegionScratch,
    ) -> Option<Vec<Step>> {
        let effort = &mut Effort { nodes: TURN_NODES, is_enough: &mut |_| false };
        scratch.solver.turn(position, 0, winner, effort)
    }
}

impl Prover<Position> for RegionProver {
    type Scratch = RegionScratch;

    #[inline]
    fn prove(&self, position: &Position, scratch: &mut RegionScratch) -> Option<Proof> {
        let RegionScratch { solver } = scratch;
        prove(position, &mut solver.filler, self.budget).or_else(|| {
            let empty = position.empty().count();
            if empty > MOST_EMPTY || position.shooter().is_some() {
                return None;
            }
            let outcome = Outcome::Win(solver.glance(position, NODES)?);
            // Each turn takes a square.
            Some(Proof { outcome, turns: empty as u16 })
        })
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
