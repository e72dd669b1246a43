//! UGI, the universal game interface, as the cutegames runner speaks it.
//!
//! The protocol is kz04px's (2022): UCI without chess in it. The players are p1 and p2, `query`
//! asks the engine about the rules, and `mate` counts the turns of both sides. Its runner reads
//! `bestmove` lines of exactly two words, so the expected reply is never printed.

use super::dialect::{MateUnit, Spelling};

/// How UGI spells what it shares with UCI.
pub(super) const SPELLING: Spelling = Spelling {
    hello: "ugi",
    hello_done: "ugiok",
    new_game: "uginewgame",
    time: ["p1time", "p2time"],
    increment: ["p1inc", "p2inc"],
    mate: MateUnit::Turns,
    expected_reply: false,
};
