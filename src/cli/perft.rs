//! `otrera perft`: how many lines of play there are.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::{exit, interrupt};
use crate::amazons::{Move, Notation, Position, divide_until, perft};

/// Count the lines of play of a number of whole turns, over all cores. Ctrl-C ends the count early
/// and prints what was counted.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The number of turns, of both sides together
    depth: u32,
    /// The position; the start of the game if none is given
    fen: Option<String>,
    /// Print the count below each legal move, too
    #[arg(long)]
    divide: bool,
    /// How to write those moves: canonical, uci, sgf, short, …
    #[arg(long, default_value = "canonical", requires = "divide")]
    notation: Notation,
    /// How many threads count; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Counts and prints.
///
/// # Errors
/// A bad FEN, threads that cannot be started, or an output that cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let position = match &arguments.fen {
        Some(fen) => Position::from_fen(fen).with_context(|| format!("position '{fen}'"))?,
        None => Position::start(),
    };
    ensure!(position.shooter().is_none(), "the position is in the middle of a turn");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, usize::from))
        .build()
        .context("the threads cannot be started")?;
    let stop = interrupt::flag()?;
    let begun = Instant::now();
    let count = pool.install(|| Count::new(&position, arguments.depth, &stop));
    let elapsed = begun.elapsed();
    let mut out = io::stdout().lock();
    if arguments.divide {
        for (mv, lines) in &count.divided {
            writeln!(out, "{}: {lines}", mv.written(arguments.notation, &position))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "Nodes searched: {}", count.lines)?;
    out.flush()?;
    Ok(count.tell(elapsed))
}

/// What was counted, and whether that is all there is.
struct Count {
    divided: Vec<(Move, u64)>,
    lines: u64,
    moves: u64,
}

impl Count {
    fn new(position: &Position, depth: u32, stop: &AtomicBool) -> Count {
        if depth == 0 {
            return Count { divided: Vec::new(), lines: perft(position, 0), moves: 0 };
        }
        let moves = position.count_moves();
        let bar = progress_bar(depth, moves);
        let so_far = AtomicU64::new(0);
        let divided = divide_until(stop, position, depth, |_, lines| {
            let so_far = so_far.fetch_add(lines, Ordering::Relaxed) + lines;
            bar.set_message(format!("{} lines", HumanCount(so_far)));
            bar.inc(1);
        });
        bar.finish_and_clear();
        Count { lines: divided.iter().map(|(_, lines)| lines).sum(), divided, moves }
    }

    /// Says on standard error how long it took and what is missing.
    fn tell(&self, elapsed: Duration) -> ExitCode {
        let rate = self.lines as f64 / elapsed.as_secs_f64().max(1e-9);
        let mut err = io::stderr().lock();
        // If nobody reads standard error, the count has been printed all the same.
        let _ = writeln!(err, "{elapsed:.3?}, {:.1} million a second", rate / 1e6);
        let done = self.divided.len() as u64;
        if done == self.moves {
            return ExitCode::SUCCESS;
        }
        let _ = writeln!(err, "interrupted: {done} of {} moves counted", self.moves);
        ExitCode::from(exit::UNDECIDED)
    }
}

/// Counts of one or two turns are over before a bar could be read.
fn progress_bar(depth: u32, moves: u64) -> ProgressBar {
    if depth < 3 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} moves  {msg}  {eta} left");
    ProgressBar::new(moves).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
