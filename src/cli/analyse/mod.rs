//! `otrera analyse`: the best lines of a position, or of each position of a record.

mod game;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{convert, interrupt, threads};
use crate::amazons::{Move, Position, Step};
use crate::endgame::RegionProver;
use crate::eval::Evaluation;
use crate::game::{Colour, Game, Outcome, Proof};
use crate::record::{self, Record};
use crate::search::{Limits, Line, MOST_THREADS, Observer, Progress, Report, Search};

/// Search a position and print its best lines, each with the chance that the side to move wins; or
/// search each position of a game record and print what was best there, and which moves lost most.
/// Ctrl-C ends the search early and prints what was found.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The position, as FEN; or a file of game records, - for standard input; the start of the game
    /// if none is given
    #[arg(value_name = "FEN or RECORD")]
    subject: Option<String>,
    /// Moves to play from there first, in any notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// Seconds to search; 10, or 1 for each position of a record, unless --nodes is given
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Positions to evaluate at most
    #[arg(long)]
    nodes: Option<u64>,
    /// How many lines to print of a position
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=500))]
    lines: u16,
    /// Memory for the tree in MiB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// How many threads search; all cores if not given
    #[arg(long, value_name = "THREADS", value_parser = threads())]
    threads: Option<u16>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Runs the analysis.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let subject = subject(arguments)?;
    let time = match (arguments.time, arguments.nodes) {
        (None, None) => Some(Duration::from_secs(match subject {
            Subject::Position(_) => 10,
            Subject::Records(_) => 1,
        })),
        (None, Some(_)) => None,
        (Some(seconds), _) => {
            // A century will do for whoever asks for more.
            ensure!(
                seconds >= 0.0,
                "--time {seconds} is not a time: a number of seconds is expected"
            );
            Some(Duration::from_secs_f64(seconds.min(3e9)))
        }
    };
    let stop = interrupt::flag()?;
    let mut search = Search::new(
        Evaluation::default(),
        RegionProver::default(),
        arguments.hash as usize * (1 << 20),
        Position::start(),
    )?;
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = arguments.threads.map_or_else(cores, usize::from);
    search.set_threads(threads.min(MOST_THREADS.into()));
    let mut limits = Limits { nodes: arguments.nodes, ..Limits::default() };
    let position = match subject {
        Subject::Records(records) => {
            return game::run(&records, &mut search, &limits, time, &stop, arguments.json);
        }
        Subject::Position(position) => *position,
    };
    search.set_root(position.clone(), None);
    limits.multipv = arguments.lines.into();
    let mut watch = Watch::new(time);
    let report = search.run(&limits, &stop, &mut watch);
    watch.bar.finish_and_clear();
    let mut out = io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut out, &Analysis::new(&position, &report))?;
        writeln!(out)?;
    } else {
        print(&mut out, &position, &report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is to be analysed.
enum Subject {
    Position(Box<Position>),
    Records(Vec<Record>),
}

fn subject(arguments: &Arguments) -> anyhow::Result<Subject> {
    let mut position = match &arguments.subject {
        None => Position::start(),
        Some(text) => match Position::from_fen(text) {
            Ok(position) => position,
            Err(_) if text == "-" || Path::new(text).exists() => {
                ensure!(arguments.moves.is_empty(), "--moves goes with a position, not a record");
                let records =
                    record::read(&convert::read(Path::new(text))?).with_context(|| text.clone())?;
                ensure!(!records.is_empty(), "{text}: there is no game in it");
                return Ok(Subject::Records(records));
            }
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("position '{text}' (nor is it the name of a file)"));
            }
        },
    };
    for text in &arguments.moves {
        let mv = Move::read(text, &position)?;
        position.try_move(mv).with_context(|| format!("move '{text}' is illegal"))?;
    }
    ensure!(position.shooter().is_none(), "the position is in the middle of a turn");
    Ok(Subject::Position(Box::new(position)))
}

/// Shows the search as it goes, and ends it when its time is up.
struct Watch {
    time: Option<Duration>,
    bar: ProgressBar,
}

impl Watch {
    fn new(time: Option<Duration>) -> Watch {
        let bar = ProgressBar::new_spinner();
        bar.set_style(
            ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        Watch { time, bar }
    }
}

impl Observer<Step> for Watch {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        match self.time {
            Some(time) if progress.elapsed >= time => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn report(&mut self, report: &Report<Step>) {
        let Some(line) = report.lines.first() else { return };
        self.bar.set_message(format!(
            "{} nodes  {:.1} %  {}",
            report.nodes,
            100.0 * line.value.win_probability(),
            moves(line).join(" "),
        ));
        self.bar.tick();
    }
}

/// The moves of a line, written.
fn moves(line: &Line<Step>) -> Vec<String> {
    Move::whole_turns(&line.steps).map(|mv| mv.to_string()).collect()
}

/// What is printed as JSON. Chances are those of the side to move.
#[derive(Serialize)]
struct Analysis {
    fen: String,
    nodes: u64,
    milliseconds: u64,
    lines: Vec<AnalysedLine>,
}

#[derive(Serialize)]
struct AnalysedLine {
    win_probability: f32,
    proven: bool,
    visits: u64,
    turns: u32,
    moves: Vec<String>,
}

impl Analysis {
    fn new(position: &Position, report: &Report<Step>) -> Analysis {
        let line = |line: &Line<Step>| AnalysedLine {
            win_probability: line.value.win_probability(),
            proven: line.proof.is_some(),
            visits: line.visits,
            turns: line.turns,
            moves: moves(line),
        };
        Analysis {
            fen: position.fen(),
            nodes: report.nodes,
            milliseconds: report.elapsed.as_millis().try_into().unwrap_or(u64::MAX),
            lines: report.lines.iter().map(line).collect(),
        }
    }
}

/// What a line promises to the side to move.
fn chance(line: &Line<Step>, side_to_move: Colour) -> String {
    match line.proof {
        Some(Proof { outcome: Outcome::Win(winner), .. }) => {
            if winner == side_to_move { "proven win" } else { "proven loss" }.to_owned()
        }
        _ => format!("{:.1} %", 100.0 * line.value.win_probability()),
    }
}

fn print(out: &mut impl Write, position: &Position, report: &Report<Step>) -> io::Result<()> {
    writeln!(out, "{}", position.diagram(|square| position.sign(square)))?;
    writeln!(out, "{} to move. {}", capitalised(position), position.fen())?;
    if let Some(Outcome::Win(winner)) = position.outcome() {
        return writeln!(out, "The game is over: {winner} has won.");
    }
    let seconds = report.elapsed.as_secs_f64();
    writeln!(
        out,
        "{} nodes in {seconds:.1} s, {:.0} nodes/s, {} proofs, deepest leaf {} turns\n",
        report.nodes,
        report.nodes as f64 / seconds.max(1e-9),
        report.proofs,
        report.seldepth,
    )?;
    writeln!(out, "{:>12} {:>9}  line", "wins", "visits")?;
    for line in &report.lines {
        let chance = chance(line, position.side_to_move());
        writeln!(out, "{chance:>12} {:>9}  {}", line.visits, moves(line).join(" "))?;
    }
    Ok(())
}

fn capitalised(position: &Position) -> &'static str {
    match position.side_to_move() {
        Colour::White => "White",
        Colour::Black => "Black",
    }
}
