//! The command line: one file a subcommand, and the only place that prints to a terminal.

mod analyse;
mod bench;
mod convert;
mod engine;
mod interrupt;
#[cfg(feature = "learn")]
mod learn;
#[cfg(unix)]
mod matches;
mod openings;
mod perft;
mod score;
#[cfg(feature = "learn")]
mod selfplay;
mod solve;
#[cfg(feature = "learn")]
mod train;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::builder::RangedI64ValueParser;
use clap::{Parser, Subcommand};

use crate::protocol::Dialect;
use crate::search::MOST_THREADS;

/// Exit codes besides success, which is 0.
pub mod exit {
    /// The answer is no: an SPRT that accepts H0, a check that fails.
    pub const NEGATIVE: u8 = 1;
    /// Something went wrong.
    pub const ERROR: u8 = 2;
    /// Ended before there was an answer: interrupted, or games used up.
    pub const UNDECIDED: u8 = 3;
}

/// What reads a number of threads.
fn threads() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=MOST_THREADS.into())
}

/// Otrera, an engine for the Game of the Amazons.
///
/// Without a command it is an engine on standard input and output; the first line tells which
/// protocol is spoken.
#[derive(Parser, Debug)]
#[command(name = "otrera", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// The engine, spoken to in UCI
    Uci,
    /// The engine, spoken to in UGI
    Ugi,
    /// Count the lines of play of a number of turns
    Perft(perft::Arguments),
    /// Search fixed positions for fixed nodes; print a signature and the speed
    Bench(bench::Arguments),
    Convert(convert::Arguments),
    #[cfg(feature = "learn")]
    Learn(learn::Arguments),
    #[cfg(unix)]
    Match(matches::Arguments),
    Openings(openings::Arguments),
    Analyse(analyse::Arguments),
    /// Count the regions of a position and the moves left in them
    Score(score::Arguments),
    #[cfg(feature = "learn")]
    Selfplay(selfplay::Arguments),
    Solve(solve::Arguments),
    #[cfg(feature = "learn")]
    Train(train::Arguments),
}

/// Reads the command line, does what it says and returns the exit code.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let printed = error.print();
            if error.use_stderr() {
                return ExitCode::from(exit::ERROR);
            }
            // Help and version go to standard output and are no errors.
            return outcome(printed.map(|()| ExitCode::SUCCESS).map_err(anyhow::Error::from));
        }
    };
    outcome(run(arguments))
}

/// Tells what went wrong, and returns the exit code.
fn outcome(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "otrera: {error:#}");
            ExitCode::from(exit::ERROR)
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        None => engine::run(None),
        Some(Command::Uci) => engine::run(Some(Dialect::Uci)),
        Some(Command::Ugi) => engine::run(Some(Dialect::Ugi)),
        Some(Command::Analyse(arguments)) => analyse::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Convert(arguments)) => convert::run(&arguments),
        #[cfg(feature = "learn")]
        Some(Command::Learn(arguments)) => learn::run(&arguments),
        #[cfg(unix)]
        Some(Command::Match(arguments)) => matches::run(&arguments),
        Some(Command::Openings(arguments)) => openings::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Score(arguments)) => score::run(&arguments),
        Some(Command::Solve(arguments)) => solve::run(&arguments),
        #[cfg(feature = "learn")]
        Some(Command::Selfplay(arguments)) => selfplay::run(&arguments),
        #[cfg(feature = "learn")]
        Some(Command::Train(arguments)) => train::run(&arguments),
    }
}

/// Whether the reader of our output has left, which ends a program quietly.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let of_json = || cause.downcast_ref().and_then(serde_json::Error::io_error_kind);
        cause.downcast_ref().map(io::Error::kind).or_else(of_json)
    };
    error.chain().any(|cause| kind(cause) == Some(ErrorKind::BrokenPipe))
}
