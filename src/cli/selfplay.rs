//! `otrera selfplay`: games that the engine plays against itself, and a look into their files.

mod inspect;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::{bench, exit, interrupt};
use crate::eval::{Evaluation, Kernel};
use crate::learn::selfplay::{self, Network, Progress, Settings, Shard, Source};

/// Play games of the engine against itself and keep what its searches found; or look into a file
/// of them.
///
/// A run that was interrupted goes on when the same command is given again. The same command makes
/// the same file on every machine, with any number of threads.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The file to write, or to go on with
    #[arg(long, value_name = "FILE", required_unless_present = "inspect", requires = "games")]
    out: Option<PathBuf>,
    /// How many games the whole run has, over all shards
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    games: Option<u64>,
    /// The number of the first game
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1_000_000_000_000))]
    first: u64,
    /// Play only one part of the games in N: those whose numbers leave the remainder K
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// The file of the network that plays, or `classical` for the evaluation by formula; the
    /// network that the program brings along if not given
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// How many threads play, a game each; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    play: Play,
    /// Print what a file holds instead of playing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "games", "first", "shard", "network", "threads"])]
    inspect: Option<PathBuf>,
    /// Print this game of it, by its number
    #[arg(long, value_name = "NUMBER", requires = "inspect")]
    game: Option<u64>,
}

/// How a game goes.
#[derive(Args, Debug)]
#[command(next_help_heading = "How games are played")]
struct Play {
    /// The seed of all that is drawn; another seed makes other games
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    /// Visits of a full search for a queen step
    #[arg(long, value_name = "V", default_value_t = Settings::default().visits)]
    visits: u32,
    /// Visits of a full search for an arrow; half of --visits if not given
    #[arg(long, value_name = "V")]
    arrow_visits: Option<u32>,
    /// The part of the turns that are searched fully and recorded
    #[arg(long, value_name = "SHARE", default_value_t = Settings::default().full_share)]
    full_share: f64,
    /// The other turns are searched with the visits of a full one divided by this
    #[arg(long, value_name = "N", default_value_t = Settings::default().cheap_divisor)]
    cheap_divisor: u32,
    /// The most turns played at random in the beginning; how many they are is drawn
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().random_plies)]
    random_plies: u16,
    /// The fewest turns in which steps are drawn in proportion to their visits
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().drawn_plies_least)]
    drawn_plies_least: u16,
    /// The most such turns; how many they are is drawn
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().drawn_plies_most)]
    drawn_plies_most: u16,
    /// How much of the priors of a fully searched turn is noise
    #[arg(long, value_name = "SHARE", default_value_t = Settings::default().noise_share)]
    noise_share: f32,
    /// Memory of a thread for its tree in MiB
    #[arg(long, default_value_t = Settings::default().hash)]
    hash: u16,
    /// Shapes to look at for one filling at most when a game is counted
    #[arg(long, value_name = "SHAPES", default_value_t = Settings::default().count_budget)]
    count_budget: u64,
}

impl Play {
    fn settings(&self) -> Settings {
        Settings {
            seed: self.seed,
            visits: self.visits,
            arrow_visits: self.arrow_visits.unwrap_or((self.visits / 2).max(2)),
            full_share: self.full_share,
            cheap_divisor: self.cheap_divisor,
            random_plies: self.random_plies,
            drawn_plies_least: self.drawn_plies_least,
            drawn_plies_most: self.drawn_plies_most,
            noise_share: self.noise_share,
            hash: self.hash,
            count_budget: self.count_budget,
        }
    }
}

/// Plays or looks.
///
/// # Errors
/// Settings that make no sense, and files that cannot be read or written or are of another run.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(path) = &arguments.inspect {
        return inspect::run(path, arguments.game);
    }
    let (Some(path), Some(games)) = (&arguments.out, arguments.games) else {
        anyhow::bail!("--out and --games say what to play");
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, usize::from))
        .build()
        .context("the threads cannot be started")?;
    let settings = arguments.play.settings();
    settings.check()?;
    let stop = interrupt::flag()?;
    let (evaluation, network) = evaluation(arguments.network.as_deref())?;
    let engine = format!("otrera {} {}", env!("CARGO_PKG_VERSION"), bench::signature()?);
    let source = Source { engine, network };
    let bar = progress_bar()?;
    let numbers = arguments.first..arguments.first + games;
    let summary = pool
        .install(|| {
            let observe = |progress: &Progress| show(&bar, progress);
            let shard = arguments.shard;
            selfplay::run(&evaluation, &source, &settings, numbers, shard, path, &stop, &observe)
        })
        .with_context(|| format!("{}", path.display()))?;
    bar.finish_and_clear();
    tell(&summary);
    let code = if summary.is_complete() { ExitCode::SUCCESS } else { exit::UNDECIDED.into() };
    Ok(code)
}

/// What plays, and which network that is.
fn evaluation(file: Option<&Path>) -> anyhow::Result<(Evaluation, Option<Network>)> {
    let kernel = Kernel::best();
    let Some(path) = file else {
        let evaluation = Evaluation::embedded(kernel);
        let network = evaluation.checksum().map(|checksum| Network {
            checksum,
            provenance: "the one that the program brings along".into(),
        });
        return Ok((evaluation, network));
    };
    if path.as_os_str() == "classical" {
        return Ok((Evaluation::classical(kernel), None));
    }
    let name = || format!("{}", path.display());
    let bytes = fs::read(path).with_context(name)?;
    let (evaluation, network) = Network::read(&bytes).with_context(name)?;
    Ok((evaluation, Some(network)))
}

fn progress_bar() -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games  {msg}  {eta} left")?;
    Ok(ProgressBar::new(0).with_style(style))
}

/// Games and records a second, of this run alone.
fn rates(progress: &Progress) -> [f64; 2] {
    let seconds = progress.elapsed.as_secs_f64().max(1e-9);
    [progress.games - progress.games_before, progress.records - progress.records_before]
        .map(|count| count as f64 / seconds)
}

fn show(bar: &ProgressBar, progress: &Progress) {
    if progress.games == progress.games_before {
        bar.set_length(progress.of);
        bar.set_position(progress.games);
        // What was there already took none of this run's time.
        bar.reset_eta();
        return;
    }
    let [games, records] = rates(progress);
    bar.set_message(format!("{games:.1} games/s  {records:.0} records/s"));
    bar.set_position(progress.games);
}

/// Says on standard error how it went. If nobody reads that, the file is complete all the same.
fn tell(summary: &selfplay::Summary) {
    let progress = &summary.progress;
    let [games, records] = rates(progress);
    let mut err = io::stderr().lock();
    if summary.lost > 0 {
        let _ = writeln!(err, "{} bytes after the last whole block were cut off", summary.lost);
    }
    let _ = writeln!(
        err,
        "{} games, {} records in the file; {games:.1} games/s, {records:.0} records/s, {:.1?}",
        HumanCount(progress.games),
        HumanCount(progress.records),
        progress.elapsed,
    );
    if !summary.is_complete() {
        let _ = writeln!(err, "interrupted: {} games are left", progress.of - progress.games);
    }
}
