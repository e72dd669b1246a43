//! Otrera, an engine for the Game of the Amazons.
//!
//! The rooms of the house in the order of their floors; each uses only those above it in this list:
//!
//! - [`game`]: all that the search knows of a game.
//! - [`amazons`]: the rules of the Game of the Amazons.
//! - [`eval`]: distance fields, the evaluation and the priors made of them.
//! - [`endgame`]: exact play: fillings and the bound they prove.
//! - [`search`]: Monte Carlo tree search over any game.
//! - [`engine`]: the player: options, limits, clocks, pondering, and the tree kept between moves.
//! - [`record`]: game records, read and written.
//! - [`protocol`]: the line protocols: text to command, response to text.
//! - [`arena`]: matches between engine processes: referee, schedule, statistics.
//! - `learn`: how networks are made: self-play, training, and the loop of both (feature `learn`).
//! - [`cli`]: the command line, and the only place that prints to a terminal.

pub mod amazons;
pub mod arena;
pub mod cli;
pub mod endgame;
pub mod engine;
pub mod eval;
pub mod game;
#[cfg(feature = "learn")]
pub mod learn;
pub mod protocol;
pub mod record;
pub mod search;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
