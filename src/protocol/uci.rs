//! UCI, in the dialect that Fairy-Stockfish speaks for the Game of the Amazons.
//!
//! The protocol is Stefan Meyer-Kahlen's (2006). A move is `d1d7,d7g7`: from and to, then where
//! the arrow starts and where it lands. `mate` counts the engine's own moves.

use super::dialect::{MateUnit, Spelling};

/// How UCI spells what it shares with UGI.
pub(super) const SPELLING: Spelling = Spelling {
    hello: "uci",
    hello_done: "uciok",
    new_game: "ucinewgame",
    time: ["wtime", "btime"],
    increment: ["winc", "binc"],
    mate: MateUnit::OwnMoves,
    expected_reply: true,
};
