//! `otrera learn`: generation after generation of self-play, training and contests.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use serde_json::Value as Json;

use super::{bench, exit, interrupt};
use crate::learn::generations::{Event, Run, Settings, Table};
use crate::learn::{contest, selfplay, train};

/// Make networks: generation after generation of self-play, training and a contest with the best
/// network so far.
///
/// Everything is kept in one directory. Ctrl-C ends the run, also in the middle of something, and
/// the same command goes on with it. A line is printed for each generation that is finished; the
/// directory holds the same table as text (table.txt) and as JSON, and a curve (elo.svg).
///
/// The settings are in settings.json in the directory, written by the first run. Options given here
/// change them for everything that has not begun yet.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The directory; it is made if there is none
    directory: PathBuf,
    /// Print the table of the run and do nothing else
    #[arg(long, conflicts_with_all = [
        "generations", "games", "visits", "window", "seed", "set", "start", "weights", "data", "threads",
    ])]
    table: bool,
    /// Go on until there are so many generations in all; without this, until Ctrl-C
    #[arg(long, value_name = "N")]
    generations: Option<u32>,
    /// Games of self-play in each generation
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Visits of a full search for a queen step; for the arrow it is half as many
    #[arg(long, value_name = "N")]
    visits: Option<u32>,
    /// Train on all games up to so many, and on sqrt(N x games) when there are more
    #[arg(long, value_name = "N")]
    window: Option<u64>,
    /// The seed of all that is drawn
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Change any other setting by its name in settings.json, as in train.seed=7
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// The network that plays the first games, in place of the classical evaluation
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// The checkpoint of another training whose weights the first training begins with
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Games from elsewhere to train on, too
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// How many threads work; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Works, and prints a line for each generation.
///
/// # Errors
/// Settings that make no sense, a directory in which another run is at work, and files that cannot
/// be read or written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.table {
        write!(io::stdout(), "{}", Table::read(&arguments.directory)?.text())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut run = Run::open(&arguments.directory)?;
    run.set_settings(arguments.changed(run.settings())?)?;
    if let Some(network) = &arguments.start {
        run.start_from(network)?;
    }
    if let Some(checkpoint) = &arguments.weights {
        run.train_from(checkpoint)?;
    }
    run.add_data(&arguments.data)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, usize::from))
        .build()
        .context("the threads cannot be started")?;
    let stop = interrupt::flag()?;
    let engine = format!("otrera {} {}", env!("CARGO_PKG_VERSION"), bench::signature()?);
    writeln!(io::stdout(), "{}", run.table().text().trim_end())?;
    let live = Live::new();
    let observe = |event: Event| live.show(event);
    let finished = pool.install(|| run.go_on(arguments.generations, &engine, &stop, &observe));
    live.bar.finish_and_clear();
    if finished? {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(io::stderr(), "interrupted: the same command goes on from here")?;
    Ok(ExitCode::from(exit::UNDECIDED))
}

impl Arguments {
    /// The settings with the changes asked for.
    fn changed(&self, settings: &Settings) -> anyhow::Result<Settings> {
        let mut settings = settings.clone();
        settings.games = self.games.unwrap_or(settings.games);
        settings.window = self.window.unwrap_or(settings.window);
        settings.seed = self.seed.unwrap_or(settings.seed);
        if let Some(visits) = self.visits {
            settings.selfplay.visits = visits;
            settings.selfplay.arrow_visits = visits.div_ceil(2);
        }
        let mut json = serde_json::to_value(settings)?;
        for change in &self.set {
            set(&mut json, change)?;
        }
        serde_json::from_value(json).context("--set")
    }
}

/// Changes the setting that `NAME=VALUE` names.
fn set(settings: &mut Json, change: &str) -> anyhow::Result<()> {
    let (name, value) = change
        .split_once('=')
        .with_context(|| format!("--set {change}: NAME=VALUE is expected"))?;
    let known = settings.pointer_mut(&format!("/{}", name.replace('.', "/")));
    let known = known.with_context(|| format!("--set {change}: there is no setting {name}"))?;
    *known = serde_json::from_str(value).unwrap_or_else(|_| Json::from(value));
    Ok(())
}

/// How often a line is written where no terminal shows the live line.
const OCCASION: Duration = Duration::from_secs(60);

/// Shows how far a run has come: a live line on a terminal, an occasional line elsewhere.
struct Live {
    bar: ProgressBar,
    /// Where there is no terminal: the stage and the time of the last line.
    written: Option<Mutex<Option<(String, Instant)>>>,
}

impl Live {
    fn new() -> Live {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The template is a constant that is known to be right; a wrong one would only look plain.
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        let written = (!io::stderr().is_terminal()).then(|| Mutex::new(None));
        Live { bar, written }
    }

    fn show(&self, event: Event) {
        let (stage, line) = match event {
            Event::Selfplay(generation, progress) => {
                (format!("generation {generation}: self-play"), selfplay_line(progress))
            }
            Event::Training(generation, progress) => {
                (format!("generation {generation}: training"), training_line(progress))
            }
            Event::Contest(generation, progress) => {
                (format!("generation {generation}: contest"), contest_line(progress))
            }
            Event::Finished(table) => {
                let line = table.line(table.rows.len() - 1);
                // The table is in the directory, too, so a closed pipe must not end the run.
                self.bar.suspend(|| drop(writeln!(io::stdout(), "{line}")));
                return;
            }
        };
        let Some(written) = &self.written else {
            return self.bar.set_message(format!("{stage}, {line}"));
        };
        let mut written = written.lock();
        let recent = |(last, at): &(String, Instant)| *last == stage && at.elapsed() < OCCASION;
        if !written.as_ref().is_some_and(recent) {
            let _ = writeln!(io::stderr(), "{stage}, {line}");
            *written = Some((stage, Instant::now()));
        }
    }
}

/// What is done in a second.
fn rate(done: u64, elapsed: Duration) -> f64 {
    done as f64 / elapsed.as_secs_f64().max(1e-3)
}

/// How long the rest will take at this rate, where that can be told.
fn left(rest: u64, rate: f64) -> String {
    let seconds = rest as f64 / rate;
    if !seconds.is_finite() {
        return "some time left".to_owned();
    }
    format!("{} left", HumanDuration(Duration::from_secs_f64(seconds.min(1e9))))
}

fn selfplay_line(progress: &selfplay::Progress) -> String {
    let selfplay::Progress { games, records, of, games_before, records_before, elapsed } =
        *progress;
    let speed = rate(games - games_before, elapsed);
    let records = rate(records - records_before, elapsed);
    let left = left(of.saturating_sub(games), speed);
    format!("{games}/{of} games, {speed:.1} games/s, {records:.0} records/s, {left}")
}

fn training_line(progress: &train::Progress) -> String {
    match progress {
        train::Progress::Reading { games } => format!("{games} games read"),
        train::Progress::Training { step, steps, trained, held_out, records_per_second, left } => {
            let held_out = held_out.map_or_else(String::new, |losses| {
                format!(" (held out {:.4} and {:.4})", losses.policy, losses.value)
            });
            format!(
                "step {step}/{steps}, losses {:.4} and {:.4}{held_out}, {records_per_second:.0} \
                 records/s, {} left",
                trained.policy,
                trained.value,
                HumanDuration(*left),
            )
        }
        train::Progress::Measuring { records } => format!("measuring on {records} records"),
    }
}

fn contest_line(progress: &contest::Progress) -> String {
    let contest::Progress { standing, games, played, elapsed } = *progress;
    let counted = standing.games.total();
    let speed = rate(played, elapsed);
    let left = left(games.saturating_sub(counted), speed);
    format!(
        "{counted}/{games} games at most, {}-{}, Elo {}, LLR {:.2}, {speed:.1} games/s, {left}",
        standing.games.wins,
        standing.games.losses,
        standing.elo(),
        standing.llr,
    )
}
