//! `otrera score`: the regions of a position, and the moves left in them.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use crate::amazons::{Bitboard, Position, Region, Square};
use crate::endgame::{Filling, RegionScore, Score, score};
use crate::game::{Colour, Outcome, Proof};

/// Count a position: its regions, the moves that each side has left in its own, and who wins where
/// that decides it.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The position
    fen: String,
    /// Shapes to look at for one filling at most; with more than that, bounds are printed
    #[arg(long, default_value_t = 300_000)]
    nodes: u64,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Counts and prints.
///
/// # Errors
/// A bad FEN, or an output that cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let position = Position::from_fen(&arguments.fen)
        .with_context(|| format!("position '{}'", arguments.fen))?;
    let score = score(&position, arguments.nodes);
    let mut out = io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut out, &Counted::new(&position, &score))?;
        writeln!(out)?;
    } else {
        print(&mut out, &position, &score)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut impl Write, position: &Position, score: &Score) -> io::Result<()> {
    write!(out, "{}", position.diagram(|square| sign(position, score, square)))?;
    if !score.regions.is_empty() {
        writeln!(out, "\nregion  owner      empty  moves")?;
    }
    for (number, part) in score.regions.iter().enumerate() {
        let owner = owner(&part.region).unwrap_or_else(|| "contested".to_owned());
        let empty = part.region.empty().count();
        let moves = part.filling.map(|filling| filling.to_string()).unwrap_or_default();
        let line = format!("{:<6}  {owner:<9}  {empty:>5}  {moves:>5}", letter(number));
        writeln!(out, "{}", line.trim_end())?;
    }
    let [white, black] = score.moves_left;
    let after = if position.shooter().is_some() { ", after the pending arrow" } else { "" };
    writeln!(out, "\nMoves left{after}: white {white}, black {black}")?;
    if score.settled {
        writeln!(out, "Settled: nothing is contested")?;
    } else {
        writeln!(out, "Contested: {} empty squares", score.contested)?;
    }
    let side = position.side_to_move();
    match score.proof {
        Some(Proof { outcome: Outcome::Win(winner), turns: 0 }) => {
            writeln!(out, "The game is over: {side} cannot move, {winner} has won")
        }
        Some(Proof { outcome: Outcome::Win(winner), turns }) => {
            writeln!(out, "With {side} to move, {winner} wins within {turns} turns")
        }
        _ => writeln!(out, "With {side} to move, counting alone proves no winner"),
    }
}

/// The letter of a square's region if the square is empty, else what stands there.
fn sign(position: &Position, score: &Score, square: Square) -> char {
    let mut regions = score.regions.iter();
    let number = regions.position(|part| part.region.squares().contains(square));
    match number {
        Some(number) if position.empty().contains(square) => letter(number),
        _ => position.sign(square),
    }
}

/// The sign of a region: 50 regions hold two squares or more, which is all that can be told apart
/// on a board, and the alphabet repeats for a board of lone amazons.
fn letter(number: usize) -> char {
    (b'a' + (number % 26) as u8) as char
}

fn owner(region: &Region) -> Option<String> {
    region.owner().map(|side| side.to_string())
}

/// What is printed as JSON. Squares are names, moves are the proven bounds.
#[derive(Serialize)]
struct Counted {
    fen: String,
    regions: Vec<CountedRegion>,
    moves_left: CountedSides,
    contested: u32,
    settled: bool,
    winner: Option<String>,
    turns: Option<u16>,
}

#[derive(Serialize)]
struct CountedSides {
    white: Bounds,
    black: Bounds,
}

#[derive(Serialize)]
struct CountedRegion {
    owner: Option<String>,
    empty: Vec<String>,
    white: Vec<String>,
    black: Vec<String>,
    moves: Option<Bounds>,
}

#[derive(Serialize)]
struct Bounds {
    lower: u8,
    upper: u8,
}

impl From<Filling> for Bounds {
    fn from(filling: Filling) -> Bounds {
        Bounds { lower: filling.lower, upper: filling.upper }
    }
}

impl Counted {
    fn new(position: &Position, score: &Score) -> Counted {
        let names = |set: Bitboard| set.into_iter().map(|square| square.to_string()).collect();
        let region = |part: &RegionScore| CountedRegion {
            owner: owner(&part.region),
            empty: names(part.region.empty()),
            white: names(part.region.amazons(Colour::White)),
            black: names(part.region.amazons(Colour::Black)),
            moves: part.filling.map(Bounds::from),
        };
        let [white, black] = score.moves_left.map(Bounds::from);
        Counted {
            fen: position.fen(),
            regions: score.regions.iter().map(region).collect(),
            moves_left: CountedSides { white, black },
            contested: score.contested,
            settled: score.settled,
            winner: score.proof.and_then(|proof| proof.outcome.winner()).map(|w| w.to_string()),
            turns: score.proof.map(|proof| proof.turns),
        }
    }
}
