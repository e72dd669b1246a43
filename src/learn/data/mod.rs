//! The data of self-play: games, and the files they are kept in.

mod game;

pub use game::{Ended, Game, Record};
