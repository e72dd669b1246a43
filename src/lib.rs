//! Otrera, an engine for the Game of the Amazons.
//!
//! The rooms of the house in the order of their floors; each uses only those above it in this list:
//!
//! - [`game`]: all that the search knows of a game.
//! - [`amazons`]: the rules.
//! - [`eval`]: values and priors of positions of the Game of the Amazons.
//! - [`search`]: Monte Carlo tree search over any game.

pub mod amazons;
pub mod eval;
pub mod game;
pub mod search;
