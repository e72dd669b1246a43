//! The player: options, limits, clocks, pondering, and a search tree kept between moves.

mod limits;
mod options;

pub use limits::Limits;
pub use options::{Effect, OptionError, OptionKind, OptionSpec, Options};
