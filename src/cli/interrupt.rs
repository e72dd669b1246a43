//! Ctrl-C: the first one asks a long job to stop with what it has, the second one ends the program.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::exit;

/// A flag that is set when the user presses Ctrl-C or the program is told to terminate. To be asked
/// for once, by the subcommand that runs.
pub fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let handler = flag.clone();
    ctrlc::set_handler(move || {
        if handler.swap(true, Ordering::Relaxed) {
            process::exit(exit::UNDECIDED.into());
        }
    })?;
    Ok(flag)
}
