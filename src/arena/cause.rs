//! Why games end, and what engines can do wrong.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::Colour;

/// Why a game ended. What an engine did wrong is told in words for people beside it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The side to move has no legal move.
    NoMoves,
    /// The result is proven by counting.
    Adjudicated,
    /// Both engines agree that one is lost.
    Resigned,
    /// The longest game allowed; a draw.
    MaxMoves,
    /// An engine has overrun its time.
    Time,
    /// An engine has played against the rules.
    IllegalMove,
    /// An engine's process has ended.
    Crash,
    /// An engine does not answer.
    Stall,
    /// An engine breaks the protocol.
    ProtocolError,
}

impl Cause {
    /// All causes, the regular ones first.
    pub const ALL: [Cause; 9] = [
        Cause::NoMoves,
        Cause::Adjudicated,
        Cause::Resigned,
        Cause::MaxMoves,
        Cause::Time,
        Cause::IllegalMove,
        Cause::Crash,
        Cause::Stall,
        Cause::ProtocolError,
    ];

    /// Whether the game ended by something that an engine did wrong.
    pub fn is_fault(self) -> bool {
        !matches!(self, Cause::NoMoves | Cause::Adjudicated | Cause::Resigned | Cause::MaxMoves)
    }

    /// What the tag `Termination` of a record says.
    pub fn name(self) -> &'static str {
        match self {
            Cause::NoMoves => "no moves",
            Cause::Adjudicated => "adjudicated",
            Cause::Resigned => "resigned",
            Cause::MaxMoves => "max moves",
            Cause::Time => "time",
            Cause::IllegalMove => "illegal move",
            Cause::Crash => "crash",
            Cause::Stall => "stall",
            Cause::ProtocolError => "protocol error",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an engine did wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It answered later than its time allowed.
    Time {
        /// By how much.
        by: Duration,
    },
    /// It answered with a move that cannot be played.
    IllegalMove {
        /// The move as it wrote it.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Its process ended.
    Crash {
        /// How; `None` when it runs on and has closed its output or its input.
        status: Option<ExitStatus>,
        /// The last line of its standard error.
        said: Option<String>,
    },
    /// It did not answer in time.
    Stall {
        /// What was waited for.
        awaited: &'static str,
        /// How long.
        waited: Duration,
        /// Something strange that it wrote meanwhile.
        oddity: Option<String>,
    },
    /// It wrote something that the protocol does not allow there.
    Protocol {
        /// What is wrong, with the offending text.
        what: String,
    },
}

impl Fault {
    /// The cause of the end of the game in which it happens.
    pub fn cause(&self) -> Cause {
        match self {
            Fault::Time { .. } => Cause::Time,
            Fault::IllegalMove { .. } => Cause::IllegalMove,
            Fault::Crash { .. } => Cause::Crash,
            Fault::Stall { .. } => Cause::Stall,
            Fault::Protocol { .. } => Cause::ProtocolError,
        }
    }
}

/// What it did, as the end of a sentence that begins with its name.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Time { by } => write!(f, "overran its time by {} ms", by.as_millis()),
            Fault::IllegalMove { text, reason } => {
                write!(f, "played the illegal move '{}': {reason}", shortened(text))
            }
            Fault::Crash { status, said } => {
                match status {
                    None => f.write_str("closed its output")?,
                    Some(status) => write!(f, "ended by itself ({})", status_text(*status))?,
                }
                match said {
                    Some(said) => write!(f, ", having said '{}'", shortened(said)),
                    None => Ok(()),
                }
            }
            Fault::Stall { awaited, waited, oddity } => {
                write!(f, "sent no {awaited} for {:.1} s", waited.as_secs_f64())?;
                match oddity {
                    Some(oddity) => write!(f, ", but {oddity}"),
                    None => Ok(()),
                }
            }
            Fault::Protocol { what } => write!(f, "broke the protocol: {what}"),
        }
    }
}

/// `exit code 3`, `killed by signal 11`.
fn status_text(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => status.to_string(),
    }
}

/// The beginning of a text, on one line and without signs that a terminal would act on.
pub(super) fn shortened(text: &str) -> String {
    const LENGTH: usize = 80;
    let plain = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut short: String = plain.clone().take(LENGTH).collect();
    if plain.count() > LENGTH {
        short.push('…');
    }
    short
}

/// A colour with a capital letter, to begin a sentence with.
pub(super) fn capital(colour: Colour) -> &'static str {
    match colour {
        Colour::White => "White",
        Colour::Black => "Black",
    }
}
