//! `otrera solve`: who wins a position, and how.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::{exit, interrupt};
use crate::amazons::{Move, Position, Step};
use crate::endgame::{Effort, Solver, Verification};
use crate::game::Colour;

/// Find out who wins a position, with a winning move and the line that follows.
///
/// The first line says "white wins", "black wins" or "not solved within …". With --all and --verify
/// the time is for each move and for the whole check again. Ctrl-C ends the search early. Exit codes:
/// 0 solved (and verified), 1 refuted by --verify, 3 not solved or not verified in time.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The position
    fen: String,
    /// Seconds to search
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    time: f64,
    /// Positions to value at most
    #[arg(long)]
    nodes: Option<u64>,
    /// Memory for the table in MiB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// List every winning move
    #[arg(long)]
    all: bool,
    /// Replay the winner's moves against every reply
    #[arg(long)]
    verify: bool,
    /// Find out with how many moves to spare the winner wins
    #[arg(long)]
    margin: bool,
}

/// Solves and prints.
///
/// # Errors
/// A bad FEN or time, or an output that cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let position = Position::from_fen(&arguments.fen)
        .with_context(|| format!("position '{}'", arguments.fen))?;
    let seconds = arguments.time;
    ensure!(seconds >= 0.0, "--time {seconds} is not a time: a number of seconds is expected");
    let stop = interrupt::flag()?;
    let mut job = Job {
        solver: Solver::new(arguments.hash as usize * (1 << 20))?,
        // A century will do for whoever asks for more.
        time: Duration::from_secs_f64(seconds.min(3e9)),
        nodes: arguments.nodes.unwrap_or(u64::MAX),
        is_stopped: &|| stop.load(Ordering::Relaxed),
        bar: progress_bar(),
    };
    let code = job.answer(&position, arguments, &mut io::stdout().lock())?;
    job.bar.finish_and_clear();
    Ok(code.map_or(ExitCode::SUCCESS, ExitCode::from))
}

/// A solver at work for somebody who waits.
struct Job<'a> {
    solver: Solver,
    time: Duration,
    nodes: u64,
    is_stopped: &'a dyn Fn() -> bool,
    bar: ProgressBar,
}

impl Job<'_> {
    /// Prints all that was asked for. Returns an exit code if it is not that of success.
    fn answer(
        &mut self,
        position: &Position,
        arguments: &Arguments,
        out: &mut impl Write,
    ) -> anyhow::Result<Option<u8>> {
        let begun = Instant::now();
        let winner = self.with_effort(|solver, effort| solver.solve(position, 0, effort));
        let elapsed = begun.elapsed().as_secs_f64();
        let nodes = self.solver.nodes();
        let Some(winner) = winner else {
            writeln!(out, "not solved within {nodes} nodes, {elapsed:.3} s")?;
            return Ok(Some(exit::UNDECIDED));
        };
        writeln!(out, "{winner} wins")?;
        let turn = self.with_effort(|solver, effort| solver.turn(position, 0, winner, effort));
        match turn {
            Some(steps) if position.side_to_move() == winner => {
                writeln!(out, "winning move: {}", written(&steps))?;
            }
            Some(steps) => {
                writeln!(out, "every move loses; hardest to refute: {}", written(&steps))?
            }
            None => writeln!(out, "{} cannot move", position.side_to_move())?,
        }
        let line = self.with_effort(|solver, effort| solver.line(position, winner, effort));
        if !line.is_empty() {
            let line: Vec<String> = line.iter().map(Move::to_string).collect();
            writeln!(out, "line: {}", line.join(" "))?;
        }
        writeln!(out, "nodes: {nodes}, time: {elapsed:.3} s")?;
        out.flush()?;
        let mut code = None;
        if arguments.margin {
            code = self.print_margin(position, winner, out)?;
        }
        if arguments.all {
            code = self.print_all(position, out)?.or(code);
        }
        if arguments.verify {
            code = self.print_verification(position, winner, out)?.or(code);
        }
        out.flush()?;
        Ok(code)
    }

    fn print_margin(
        &mut self,
        position: &Position,
        winner: Colour,
        out: &mut impl Write,
    ) -> anyhow::Result<Option<u8>> {
        let against = if winner == Colour::White { -1 } else { 1 };
        let mut spare = 0;
        let known = loop {
            let surplus = (spare + 1) * against;
            match self.with_effort(|solver, effort| solver.solve(position, surplus, effort)) {
                Some(found) if found == winner => spare += 1,
                Some(_) => break true,
                None => break false,
            }
        };
        let least = if known { "" } else { "at least " };
        writeln!(out, "moves to spare: {least}{spare}")?;
        Ok((!known).then_some(exit::UNDECIDED))
    }

    fn print_all(
        &mut self,
        position: &Position,
        out: &mut impl Write,
    ) -> anyhow::Result<Option<u8>> {
        let mover = position.side_to_move();
        let moves = position.legal_moves();
        let (mut winning, mut unknown) = (Vec::new(), Vec::new());
        for &mv in &moves {
            let mut after = position.clone();
            after.play_move(mv);
            match self.with_effort(|solver, effort| solver.solve(&after, 0, effort)) {
                Some(winner) if winner == mover => winning.push(mv.to_string()),
                Some(_) => {}
                None => unknown.push(mv.to_string()),
            }
        }
        let (number, total) = (winning.len(), moves.len());
        writeln!(out, "winning moves, {number} of {total}: {}", winning.join(" "))?;
        if unknown.is_empty() {
            return Ok(None);
        }
        writeln!(out, "not solved, {} of {total}: {}", unknown.len(), unknown.join(" "))?;
        Ok(Some(exit::UNDECIDED))
    }

    fn print_verification(
        &mut self,
        position: &Position,
        winner: Colour,
        out: &mut impl Write,
    ) -> anyhow::Result<Option<u8>> {
        let verified = self.with_effort(|solver, effort| solver.verify(position, winner, effort));
        let (words, code) = match verified {
            Verification::Confirmed(positions) => {
                (format!("verified: {positions} positions replayed, every reply loses"), None)
            }
            Verification::Refuted => {
                ("refuted: a reply was found that does not lose".to_owned(), Some(exit::NEGATIVE))
            }
            Verification::Unfinished(positions) => (
                format!("not verified within {} s: {positions} positions", self.time.as_secs_f64()),
                Some(exit::UNDECIDED),
            ),
        };
        writeln!(out, "{words}")?;
        Ok(code)
    }

    /// Lets the solver do something within what was allowed, from now on.
    fn with_effort<T>(&mut self, work: impl FnOnce(&mut Solver, &mut Effort) -> T) -> T {
        let Job { solver, time, nodes, is_stopped, bar } = self;
        let begun = Instant::now();
        let mut is_enough = |nodes| {
            bar.set_message(HumanCount(nodes).to_string());
            is_stopped() || begun.elapsed() >= *time
        };
        work(solver, &mut Effort { nodes: *nodes, is_enough: &mut is_enough })
    }
}

fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed} {msg} nodes");
    let bar = ProgressBar::new_spinner();
    style.into_iter().for_each(|style| bar.set_style(style));
    bar
}

/// The rest of a turn: a whole move, or the arrow that was pending.
fn written(steps: &[Step]) -> String {
    match Move::whole_turns(steps).next() {
        Some(mv) => mv.to_string(),
        None => steps.iter().map(|step| step.target().to_string()).collect(),
    }
}
