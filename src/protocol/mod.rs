//! The line protocols: text to command, response to text.
//!
//! [`Command`] is what a GUI says to an engine and [`Response`] what the engine says back. A
//! [`Dialect`] reads and prints both, so the same types drive our engine from a GUI and other
//! engines from our match runner. Each dialect is a file that says how it differs. [`serve`] is the
//! engine's end: the loop that hears commands and answers them.

mod command;
mod dialect;
mod journal;
mod lines;
mod response;
mod session;
mod uci;
mod ugi;
mod wording;
mod words;

pub use command::{Command, CommandError, Query, Start};
pub use dialect::Dialect;
pub use lines::{LONGEST_LINE, LineError, Lines};
pub use response::{Answer, Bound, Info, Response, ResponseError, Score};
pub use session::serve;
