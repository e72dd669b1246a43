//! `otrera openings`: makes suites of balanced openings, and checks them.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::{bench, exit, interrupt};
use crate::amazons::{Move, Position};
use crate::arena::openings::{Form, Opening, read};
use crate::endgame::RegionProver;
use crate::eval::Evaluation;
use crate::game::{Colour, Evaluator, Game};
use crate::search::{Limits, Search};

/// The suites that `openings make` builds without further word: plies and number.
const STANDARD: [(u16, usize); 2] = [(2, 500), (4, 1000)];

/// Where the standard suites live.
const FOLDER: &str = "openings";

/// Make and check suites of openings.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    Make(Make),
    Check(Check),
}

/// Make openings in which neither side is ahead, no two of them equal under symmetry.
///
/// Each is a list of moves drawn by the engine's priors, kept when a search of the position gives
/// the first mover a win probability in the band. Where too few lie in the band, it is widened
/// evenly to both sides until they are enough. The same command makes the same file.
#[derive(Args, Debug)]
struct Make {
    /// Turns of both sides together; without it the standard suites are made, in openings/, with a
    /// README that tells how
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=6), requires_all = ["count", "output"])]
    plies: Option<u16>,
    /// How many openings
    #[arg(long, requires = "plies", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    count: Option<usize>,
    /// The file to write
    #[arg(long, requires = "plies", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Nodes of the search that judges a position
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The least win probability of the first mover; the greatest is as far from one half
    #[arg(long, default_value_t = 0.45)]
    least: f32,
    /// The seed that the moves are drawn with
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Check suites: every move legal, as many moves in each opening, none over, no two equal under
/// symmetry.
#[derive(Args, Debug)]
struct Check {
    /// The files; the standard suites if none is given
    files: Vec<PathBuf>,
}

/// Makes or checks.
///
/// # Errors
/// Files that cannot be read or written, and settings that make no sense.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.action {
        Action::Make(make) => run_make(make),
        Action::Check(check) => run_check(check),
    }
}

fn run_make(make: &Make) -> anyhow::Result<ExitCode> {
    ensure!(
        (0.0..=0.5).contains(&make.least),
        "--least {} is no probability from 0 to 0.5",
        make.least
    );
    let stop = interrupt::flag()?;
    let mut suites = Vec::new();
    if let (Some(plies), Some(count), Some(output)) = (make.plies, make.count, &make.output) {
        suites.push((plies, count, output.clone()));
    } else {
        for (plies, count) in STANDARD {
            suites.push((plies, count, Path::new(FOLDER).join(format!("{plies}-ply.txt"))));
        }
    }
    let mut table = String::new();
    for (_, _, output) in &suites {
        // Found out now rather than when the work is done.
        let opened = fs::OpenOptions::new().append(true).create(true).open(output);
        opened.with_context(|| format!("{}", output.display()))?;
    }
    for (plies, count, output) in &suites {
        let Some(suite) = Suite::make(*plies, *count, make, &stop)? else {
            writeln!(io::stderr(), "interrupted: {} is not written", output.display())?;
            return Ok(ExitCode::from(exit::UNDECIDED));
        };
        fs::write(output, suite.text()).with_context(|| format!("{}", output.display()))?;
        let row = suite.row(*plies, output);
        writeln!(io::stdout(), "{row}")?;
        writeln!(table, "{row}")?;
    }
    if make.plies.is_none() {
        let readme = Path::new(FOLDER).join("README.md");
        fs::write(&readme, describe(make, &table)?)
            .with_context(|| format!("{}", readme.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The text beside the standard suites.
fn describe(make: &Make, table: &str) -> anyhow::Result<String> {
    Ok(format!(
        "# Openings\n\n\
         Positions for matches, in which neither side is ahead: a list of moves from the start of \
         the game on each line. No two positions of a file are equal under symmetry.\n\n\
         ```sh\notrera openings make    # builds these files anew\n\
         otrera openings check   # verifies them\n```\n\n\
         The moves were drawn by the engine's priors with seed {seed}; a position was kept when a \
         search of {nodes} nodes gave the first mover a win probability in the band. The band \
         asked for was {least:.2} to {most:.2}; where fewer positions than needed lay in it after \
         {tries} tries for each opening wanted, it was widened evenly.\n\n\
         Engine signature (`otrera bench`): {signature}\n\n\
         | file | plies | openings | band | tried |\n|---|---|---|---|---|\n{table}",
        seed = make.seed,
        nodes = make.nodes,
        least = make.least,
        most = 1.0 - make.least,
        tries = TRIES,
        signature = bench::signature()?,
    ))
}

/// Candidates tried for each opening wanted before the band is widened.
const TRIES: usize = 40;

/// Candidates searched between two looks at what has been found.
const BATCH: usize = 256;

/// One try: where the moves lead, and what the search says of it.
struct Candidate {
    moves: Vec<Move>,
    hash: u64,
    /// The win probability of the first mover.
    chance: f32,
}

impl Candidate {
    /// How far the position is from being even.
    fn unbalance(&self) -> f32 {
        (self.chance - 0.5).abs()
    }
}

/// The openings chosen.
struct Suite {
    chosen: Vec<Candidate>,
    tried: usize,
    /// How far the win probabilities are from one half at most.
    width: f32,
}

impl Suite {
    /// Tries candidates in the order of their numbers until enough lie in the band. `None` when
    /// interrupted.
    fn make(
        plies: u16,
        count: usize,
        make: &Make,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Suite>> {
        let bar = ProgressBar::new(count as u64).with_style(ProgressStyle::with_template(
            "{wide_bar} {pos}/{len} in the band, {eta} left",
        )?);
        let evaluator = Evaluation::default();
        let asked = 0.5 - make.least;
        let mut found: Vec<Candidate> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut tried = 0;
        let in_band = |found: &[Candidate]| {
            found.iter().filter(|candidate| candidate.unbalance() <= asked).count()
        };
        while in_band(&found) < count && tried < count * TRIES {
            let batch: anyhow::Result<Vec<Option<Candidate>>> = (tried..tried + BATCH)
                .into_par_iter()
                .map(|number| {
                    if stop.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    try_opening(&evaluator, plies, make, number as u64)
                })
                .collect();
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            tried += BATCH;
            let fresh = batch?.into_iter().flatten();
            found.extend(fresh.filter(|candidate| seen.insert(candidate.hash)));
            bar.set_position(in_band(&found) as u64);
        }
        bar.finish_and_clear();
        if found.len() < count {
            bail!("only {} different openings of {plies} plies were found", found.len());
        }
        let mut width = asked;
        if in_band(&found) < count {
            // The sort is stable, so of equally balanced positions the first ones found are kept.
            found.sort_by(|one, other| one.unbalance().total_cmp(&other.unbalance()));
            width = found[count - 1].unbalance();
        }
        found.retain(|candidate| candidate.unbalance() <= width);
        found.truncate(count);
        Ok(Some(Suite { chosen: found, tried, width }))
    }

    /// The file: the moves of an opening on each line.
    fn text(&self) -> String {
        let mut text = String::new();
        for candidate in &self.chosen {
            let moves: Vec<String> = candidate.moves.iter().map(Move::to_string).collect();
            text.push_str(&moves.join(" "));
            text.push('\n');
        }
        text
    }

    /// The row of the table that describes the suite.
    fn row(&self, plies: u16, output: &Path) -> String {
        format!(
            "| `{}` | {plies} | {} | {:.3} to {:.3} | {} |",
            output.file_name().unwrap_or(output.as_os_str()).display(),
            self.chosen.len(),
            0.5 - self.width,
            0.5 + self.width,
            self.tried,
        )
    }
}

/// Draws the moves of candidate `number` and searches where they lead. `None` if the game ends on
/// the way.
fn try_opening(
    evaluator: &Evaluation,
    plies: u16,
    make: &Make,
    number: u64,
) -> anyhow::Result<Option<Candidate>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(make.seed << 32 | number);
    let mut scratch = Default::default();
    let (mut steps, mut weights, mut played) = (Vec::new(), Vec::new(), Vec::new());
    let mut position = Position::start();
    while position.turns() < plies {
        if position.outcome().is_some() {
            return Ok(None);
        }
        Game::steps(&position, &mut steps);
        evaluator.priors(&position, &steps, &mut scratch, &mut weights);
        let step = steps[draw(&weights, rng.random())];
        position.play(step);
        played.push(step);
    }
    if position.outcome().is_some() {
        return Ok(None);
    }
    let moves = Move::whole_turns(&played).collect();
    let hash = position.canonical_hash();
    let side = position.side_to_move();
    // Room for each node of so small a tree.
    let hash_bytes = (make.nodes as usize).saturating_mul(512);
    let mut search = Search::new(evaluator.clone(), RegionProver::default(), hash_bytes, position)?;
    let report = search.run(&Limits::nodes(make.nodes), &AtomicBool::new(false), &mut ());
    let chance = report.lines[0].value.win_probability();
    let chance = if side == Colour::White { chance } else { 1.0 - chance };
    Ok(Some(Candidate { moves, hash, chance }))
}

/// The index that a number in `[0, 1)` picks, each with a chance in proportion to its weight.
fn draw(weights: &[f32], number: f32) -> usize {
    let mut left = number * weights.iter().sum::<f32>();
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
    }
    weights.len() - 1
}

fn run_check(check: &Check) -> anyhow::Result<ExitCode> {
    let mut files = check.files.clone();
    if files.is_empty() {
        files.extend(STANDARD.map(|(plies, _)| Path::new(FOLDER).join(format!("{plies}-ply.txt"))));
    }
    let mut sound = true;
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        let verdict = match read(&text, Form::Lines, None) {
            Err(error) => Err(error.to_string()),
            Ok(openings) => check_suite(&openings),
        };
        match verdict {
            Ok(count) => writeln!(io::stdout(), "{}: {count} openings, sound", file.display())?,
            Err(fault) => {
                sound = false;
                writeln!(io::stdout(), "{}: {fault}", file.display())?;
            }
        }
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(exit::NEGATIVE) })
}

/// The number of openings, or what is wrong with them. That the moves are legal was seen to when
/// they were read.
fn check_suite(openings: &[Opening]) -> Result<usize, String> {
    let mut seen = std::collections::HashMap::new();
    let plies = openings.first().map_or(0, |opening| opening.position().turns());
    for (index, opening) in openings.iter().enumerate() {
        let number = index + 1;
        let position = opening.position();
        if position.turns() != plies {
            return Err(format!("opening {number} is of {} plies, not {plies}", position.turns()));
        }
        if let Some(first) = seen.insert(position.canonical_hash(), number) {
            return Err(format!("openings {first} and {number} are equal under symmetry"));
        }
    }
    Ok(openings.len())
}
