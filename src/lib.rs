//! Otrera, an engine for the Game of the Amazons.
//!
//! The rooms of the house in the order of their floors; each uses only those above it in this list:
//!
//! - [`game`]: all that the search knows of a game.
//! - [`amazons`]: the rules.
//! - [`search`]: Monte Carlo tree search over any game.
//! - [`engine`]: the player.
//! - [`record`]: game records, read and written.
//! - [`protocol`]: what it says to a GUI, and hears from it.
//! - [`arena`]: matches between engine processes.

pub mod amazons;
#[cfg(unix)]
pub mod arena;
pub mod engine;
pub mod game;
pub mod protocol;
pub mod record;
pub mod search;
