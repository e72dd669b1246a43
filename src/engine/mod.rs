//! The player: options, limits, clocks, pondering, and a search tree kept between moves.
//!
//! [`Player`] is all that a protocol needs. It never blocks: a search runs on its own thread and
//! tells what it finds as [`Event`]s. The game, the options and the budget of time are decided
//! here; what to think of a position is the evaluator's affair, and how to look ahead the search's.

mod clock;
mod history;
mod limits;
mod options;
mod player;
mod reference;
mod report;
mod selection;
mod settled;
mod solving;
mod verdict;
mod worker;

pub use history::{History, MoveError, NothingToUndo, SetupError};
pub use limits::Limits;
pub use options::{Effect, OptionError, OptionKind, OptionSpec, Options};
pub use player::{Busy, Event, Player};
pub use report::{Line, Report};
pub use selection::{EvalType, Selectable, SelectionError};
pub use verdict::{Verdict, centipawns};
