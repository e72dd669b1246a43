//! The analysis of game records: what was best in each position, and what each move cost.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;

use super::{Watch, chance, moves};
use crate::amazons::{Position, Step};
use crate::cli::exit;
use crate::endgame::RegionProver;
use crate::eval::Evaluation;
use crate::game::{Colour, Game, Value};
use crate::record::{Record, result_text};
use crate::search::{Limits, Search};

/// Moves are named among those that lost most if they cost at least so much.
const LEAST_LOSS: f32 = 0.02;

/// How many moves are named.
const WORST: usize = 5;

/// What is printed as JSON.
#[derive(Serialize)]
struct Analysis {
    games: Vec<AnalysedGame>,
    /// Whether all positions were searched.
    complete: bool,
}

#[derive(Serialize)]
struct AnalysedGame {
    tags: BTreeMap<String, String>,
    result: &'static str,
    positions: Vec<AnalysedPosition>,
    /// The plies, counted from 1, of the moves that lost most, the worst first.
    worst: Vec<usize>,
}

/// A position of a game. Chances are those of the side to move.
#[derive(Serialize)]
struct AnalysedPosition {
    /// The ply that follows, counted from 1.
    ply: usize,
    fen: String,
    side_to_move: String,
    win_probability: f32,
    proven: bool,
    nodes: u64,
    /// The best line.
    line: Vec<String>,
    /// What was played; nothing after the last move.
    played: Option<String>,
    /// By how much the move that was played lowered the chances, as far as the next search knows.
    loss: Option<f32>,
    #[serde(skip)]
    chance: String,
}

/// Analyses games and prints what was found, also when it is interrupted.
pub(super) fn run(
    records: &[Record],
    search: &mut Search<Position, Evaluation, RegionProver>,
    limits: &Limits<Step>,
    time: Option<Duration>,
    stop: &AtomicBool,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let mut analysis = Analysis { games: Vec::new(), complete: true };
    for (number, record) in records.iter().enumerate() {
        let game = analyse(record, search, limits, time, stop);
        analysis.complete = !stop.load(Ordering::Relaxed);
        if json {
            analysis.games.push(game);
        } else {
            if number > 0 {
                writeln!(out)?;
            }
            print(&mut out, &game)?;
        }
        if !analysis.complete {
            break;
        }
    }
    if json {
        serde_json::to_writer_pretty(&mut out, &analysis)?;
        writeln!(out)?;
    }
    Ok(ExitCode::from(if analysis.complete { 0 } else { exit::UNDECIDED }))
}

/// Searches each position of a game, until it is told to stop.
fn analyse(
    record: &Record,
    search: &mut Search<Position, Evaluation, RegionProver>,
    limits: &Limits<Step>,
    time: Option<Duration>,
    stop: &AtomicBool,
) -> AnalysedGame {
    let mut positions: Vec<AnalysedPosition> = Vec::new();
    search.set_root(record.start.clone(), None);
    let mut plies = record.plies.iter();
    while !stop.load(Ordering::Relaxed) {
        let mut watch = Watch::new(time);
        let report = search.run(limits, stop, &mut watch);
        watch.bar.finish_and_clear();
        let mut position = search.root().clone();
        let side = position.side_to_move();
        let line = report.lines.first();
        let value = match (position.outcome(), line) {
            (Some(outcome), _) => Value::of(outcome, side),
            (None, Some(line)) => line.value,
            (None, None) => Value::EVEN,
        };
        if let Some(before) = positions.last_mut() {
            let left = 1.0 - value.win_probability();
            before.loss = Some((before.win_probability - left).max(0.0));
        }
        let played = plies.next();
        positions.push(AnalysedPosition {
            ply: positions.len() + 1,
            fen: position.fen(),
            side_to_move: side.to_string(),
            win_probability: value.win_probability(),
            proven: position.outcome().is_some() || line.is_some_and(|line| line.proof.is_some()),
            nodes: report.nodes,
            line: line.map(moves).unwrap_or_default(),
            played: played.map(|ply| ply.mv.to_string()),
            loss: None,
            chance: match (position.outcome(), line) {
                (None, Some(line)) => chance(line, side),
                _ => "over".to_owned(),
            },
        });
        let Some(ply) = played else { break };
        position.play_move(ply.mv);
        search.set_root(position, Some(&ply.mv.steps()));
    }
    let worst = worst(&positions);
    let tags = record.tags.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    AnalysedGame { tags: tags.collect(), result: result_text(record.result), positions, worst }
}

/// The plies of the moves that lost most, the worst first.
fn worst(positions: &[AnalysedPosition]) -> Vec<usize> {
    let losses = positions.iter().filter_map(|position| Some((position.ply, position.loss?)));
    let mut worst: Vec<(usize, f32)> = losses.filter(|&(_, loss)| loss >= LEAST_LOSS).collect();
    worst.sort_by_key(|&(_, loss)| Reverse((loss * 1e6) as i64));
    worst.into_iter().map(|(ply, _)| ply).take(WORST).collect()
}

fn print(out: &mut impl Write, game: &AnalysedGame) -> io::Result<()> {
    let name = |colour: Colour| {
        let tag = if colour == Colour::White { "White" } else { "Black" };
        game.tags.get(tag).map_or("?", String::as_str)
    };
    writeln!(out, "{} - {}, {}\n", name(Colour::White), name(Colour::Black), game.result)?;
    writeln!(
        out,
        "{:>4}  {:<5}  {:<10} {:>12} {:>7}  best line",
        "ply", "side", "played", "wins", "loss"
    )?;
    for position in &game.positions {
        let played = position.played.as_deref().unwrap_or("-");
        let loss = position.loss.map_or("-".to_owned(), |loss| format!("{:.1}", 100.0 * loss));
        let line = position.line.iter().take(4).cloned().collect::<Vec<_>>().join(" ");
        writeln!(
            out,
            "{:>4}  {:<5}  {played:<10} {:>12} {loss:>7}  {line}",
            position.ply, position.side_to_move, position.chance,
        )?;
    }
    if game.worst.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThe moves that lost most, in percent of winning chances:")?;
    for &ply in &game.worst {
        let position = &game.positions[ply - 1];
        let (Some(played), Some(loss)) = (&position.played, position.loss) else { continue };
        let better = position.line.first().map_or("-", String::as_str);
        writeln!(out, "{ply:>4}  {played:<10} {:>5.1}  better {better}", 100.0 * loss)?;
    }
    Ok(())
}
