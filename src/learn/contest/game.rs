//! One game: two players, and a referee who ends it as soon as the result is certain.

use std::sync::atomic::AtomicBool;

use super::ContestError;
use crate::amazons::{Move, Position, Step};
use crate::endgame::{RegionProver, RegionScratch, score};
use crate::game::{Colour, Evaluator, Game, Outcome, Prover};
use crate::search::{Limits, MemoryRefused, Search};

/// Shapes that may be looked at for one filling once only counting is left.
const COUNTING_BUDGET: u64 = 10_000;

/// Bytes of the tree for each node of a search, of which a few are kept from turn to turn.
const BYTES_PER_NODE: u64 = 4096;

/// The smallest tree: enough for any first turn.
const LEAST_BYTES: u64 = 1 << 20;

/// One who plays a game.
pub trait Player {
    /// Chooses a turn in `position`, which has one. `played` are all steps since the game began,
    /// the player's own among them.
    ///
    /// # Errors
    /// When it has none to offer.
    fn choose(&mut self, position: &Position, played: &[Step]) -> Result<Move, ContestError>;
}

/// A player that searches each of its turns with the same number of nodes, and keeps the tree
/// between them.
pub struct Searcher<E: Evaluator<Position>> {
    search: Search<Position, E, RegionProver>,
    nodes: u64,
    /// The steps of the game that lead to the root of the search.
    followed: usize,
}

impl<E: Evaluator<Position>> Searcher<E> {
    /// A player for one game from `start`.
    ///
    /// # Errors
    /// When there is no memory for the tree.
    pub fn new(evaluator: E, nodes: u64, start: &Position) -> Result<Self, MemoryRefused> {
        let bytes = nodes.saturating_mul(BYTES_PER_NODE).clamp(LEAST_BYTES, 1 << 30);
        let search =
            Search::new(evaluator, RegionProver::default(), bytes as usize, start.clone())?;
        Ok(Searcher { search, nodes, followed: 0 })
    }
}

impl<E: Evaluator<Position>> Player for Searcher<E> {
    fn choose(&mut self, position: &Position, played: &[Step]) -> Result<Move, ContestError> {
        self.search.set_root(position.clone(), Some(&played[self.followed..]));
        self.followed = played.len();
        let report = self.search.run(&Limits::nodes(self.nodes), &AtomicBool::new(false), &mut ());
        let best = report.lines.first().and_then(|line| Move::whole_turns(&line.steps).next());
        best.ok_or(ContestError::NoMove { nodes: self.nodes })
    }
}

/// A game that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// Who won.
    pub winner: Colour,
    /// The turns that were played.
    pub moves: Vec<Move>,
}

/// Plays a game from `start`, which is at the start of a turn, until the rules end it or the
/// result is proven. `players` are White and Black; `None` if `interrupted` says so after a turn.
///
/// # Errors
/// When a player has no move to offer.
///
/// # Panics
/// When a player offers a move that is against the rules.
pub fn play(
    start: &Position,
    players: [&mut dyn Player; 2],
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<Finished>, ContestError> {
    let mut position = start.clone();
    let (mut played, mut moves) = (Vec::new(), Vec::new());
    let mut scratch = RegionScratch::default();
    loop {
        if let Some(winner) = winner(&position, &mut scratch) {
            return Ok(Some(Finished { winner, moves }));
        }
        let mv = players[position.side_to_move().index()].choose(&position, &played)?;
        if interrupted() {
            return Ok(None);
        }
        position.try_move(mv).expect("a player moves by the rules");
        played.extend(mv.steps());
        moves.push(mv);
    }
}

/// The winner, if the game is over or only counting is left and it says who wins.
fn winner(position: &Position, scratch: &mut RegionScratch) -> Option<Colour> {
    let outcome = position.outcome().or_else(|| {
        let proof = RegionProver::default().prove(position, scratch);
        let counted = || position.is_settled().then(|| score(position, COUNTING_BUDGET).proof);
        proof.or_else(|| counted().flatten()).map(|proof| proof.outcome)
    });
    outcome.and_then(Outcome::winner)
}
