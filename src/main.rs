//! The command line program: parses, starts logging, dispatches, and returns the exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::new().filter_or("OTRERA_LOG", "warn")).init();
    otrera::cli::main()
}
