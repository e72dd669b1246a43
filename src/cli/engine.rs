//! `otrera`, `otrera uci`, `otrera ugi`: the engine on standard input and output.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crate::endgame::RegionProver;
use crate::eval::Evaluation;
use crate::protocol::{Dialect, serve};

/// Speaks this dialect, or the one that the first line tells, until `quit` or the end of input.
pub fn run(dialect: Option<Dialect>) -> anyhow::Result<ExitCode> {
    let mut output = io::stdout();
    if dialect.is_none() && io::stdin().is_terminal() && output.is_terminal() {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(
            output,
            "Otrera {version}, an engine for the Game of the Amazons. \
             Type help for the commands, quit to leave."
        )?;
    }
    serve(Evaluation::default(), RegionProver::default(), dialect, io::stdin(), output)?;
    Ok(ExitCode::SUCCESS)
}
