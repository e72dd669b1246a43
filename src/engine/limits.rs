//! What ends a search: the limits that a GUI sets.

use std::time::Duration;

/// The limits of one search, and the kind of search it is. All limits that are set hold together:
/// the first one reached ends the search. With none set it runs until it is stopped.
///
/// `M` is a move: text on the wire, and a legal move once it has been read on a position. Arrays
/// are indexed by colour, White (the first mover) first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits<M> {
    /// What is left on the clocks. A clock that has run out or below is zero.
    pub time: [Option<Duration>; 2],
    /// What is added to the clocks after each turn.
    pub increment: [Option<Duration>; 2],
    /// How many own turns the time on the clock is for; 0 means the whole game, as `None` does.
    pub moves_to_go: Option<u32>,
    /// The time for this very turn.
    pub move_time: Option<Duration>,
    /// How many positions may be evaluated.
    pub nodes: Option<u64>,
    /// How many turns deep the best line may grow.
    pub depth: Option<u32>,
    /// Stop when a win within this many turns of both sides together has been proven.
    pub mate: Option<u16>,
    /// Answer only when told to stop.
    pub infinite: bool,
    /// Search on the opponent's time: answer only when told to stop, or under the other limits
    /// once the opponent has played the expected move.
    pub ponder: bool,
    /// Consider only these turns; empty means all.
    pub moves: Vec<M>,
}

impl<M> Default for Limits<M> {
    /// No limit at all.
    fn default() -> Limits<M> {
        Limits {
            time: [None; 2],
            increment: [None; 2],
            moves_to_go: None,
            move_time: None,
            nodes: None,
            depth: None,
            mate: None,
            infinite: false,
            ponder: false,
            moves: Vec::new(),
        }
    }
}

impl<M> Limits<M> {
    /// The same limits with each move put through `read`.
    ///
    /// # Errors
    /// The first error of `read`.
    pub fn try_map<N, E>(self, read: impl FnMut(M) -> Result<N, E>) -> Result<Limits<N>, E> {
        Ok(Limits {
            moves: self.moves.into_iter().map(read).collect::<Result<_, E>>()?,
            time: self.time,
            increment: self.increment,
            moves_to_go: self.moves_to_go,
            move_time: self.move_time,
            nodes: self.nodes,
            depth: self.depth,
            mate: self.mate,
            infinite: self.infinite,
            ponder: self.ponder,
        })
    }
}
