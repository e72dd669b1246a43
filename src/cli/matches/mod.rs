//! `otrera match`: referees games between engine processes.

mod demonstration;
mod live;
mod settings;
mod words;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs, thread};

use anyhow::{Context, ensure};
use clap::Args;

use self::live::Live;
use self::settings::Settings;
use super::{exit, interrupt};
use crate::arena::interrupt::Interrupt;
use crate::arena::journal::{Header, Interrupted, Journal, VERSION};
use crate::arena::log::Log;
use crate::arena::openings::{self, Opening};
use crate::arena::player::{Entrant, Surroundings};
use crate::arena::schedule::{self, Order, schedule};
use crate::arena::standing::Standing;
use crate::arena::statistics::Hypothesis;
use crate::arena::tournament::{Ending, Observer, Tournament};
use crate::arena::watchdog::Watchdog;
use crate::arena::{page, report};

/// Referee games between engine processes; without options, watch a short game
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub struct Arguments {
    /// Options as in fastchess; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

const HELP: &str = include_str!("help.txt");

/// Runs a match.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let words = &arguments.words;
    if words.iter().any(|word| ["-h", "-help", "--help"].contains(&word.as_str())) {
        io::stdout().lock().write_all(HELP.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = env::current_dir().context("the present folder")?;
    match words.first().map(String::as_str) {
        None => demonstrate(&folder),
        Some("-resume") => {
            let file = words.get(1).context("-resume must be followed by a result file")?;
            Match::resume(&folder.join(file), &words[2..])?.play(None)
        }
        Some(_) => Match::begin(words, &folder)?.play(None),
    }
}

fn demonstrate(folder: &Path) -> anyhow::Result<ExitCode> {
    let program = env::current_exe().context("where this program is")?;
    let words = demonstration::words(&program);
    io::stdout().lock().write_all(demonstration::INTRODUCTION.as_bytes())?;
    Match::begin(&words, folder)?.play(Some(&demonstration::Show))
}

/// A match that is ready to be played.
struct Match {
    settings: Settings,
    openings: Vec<Opening>,
    standing: Standing,
    journal: Journal,
    conditions: String,
}

impl Match {
    /// A new match.
    fn begin(words: &[String], folder: &Path) -> anyhow::Result<Match> {
        let settings = Settings::read(words, &[], folder)?;
        let openings = read_openings(&settings)?;
        let seed = settings.seed.unwrap_or_else(rand::random);
        let standing = standing(&settings, openings.len(), seed)?;
        let header = Header {
            version: VERSION,
            arguments: words.to_vec(),
            folder: folder.to_owned(),
            seed,
            engines: standing.names().to_vec(),
            openings: (openings.len(), checksum(&openings)),
        };
        let records = settings.records.as_ref().map(|(path, append)| (path.as_path(), *append));
        let journal = Journal::begin(&header, settings.results.as_deref(), records)?;
        let conditions = conditions(&settings, seed);
        Ok(Match { settings, openings, standing, journal, conditions })
    }

    /// A match that was interrupted.
    fn resume(file: &Path, later: &[String]) -> anyhow::Result<Match> {
        let interrupted = Interrupted::read(file)?;
        let Header { arguments, folder, seed, engines, openings: known, .. } = &interrupted.header;
        let mut settings = Settings::read(arguments, later, folder)?;
        settings.results = Some(file.to_owned());
        let openings = read_openings(&settings)?;
        ensure!(
            *known == (openings.len(), checksum(&openings)),
            "the openings have changed since the match began"
        );
        let mut standing = standing(&settings, openings.len(), *seed)?;
        ensure!(
            engines == standing.names(),
            "the result file names other engines than its options"
        );
        for result in &interrupted.results {
            ensure!(
                standing.add(result.clone()),
                "game {} of {} is not in the schedule, or is there twice",
                result.game + 1,
                file.display()
            );
        }
        let records = settings.records.as_ref().map(|(path, _)| path.as_path());
        let journal = interrupted.reopen(records)?;
        let conditions = conditions(&settings, *seed);
        Ok(Match { settings, openings, standing, journal, conditions })
    }

    /// Plays what is left to play, and reports.
    fn play(self, show: Option<&dyn Observer>) -> anyhow::Result<ExitCode> {
        let Match { settings, openings, standing, journal, conditions } = self;
        let surroundings = surroundings(&settings)?;
        let tournament = Tournament {
            entrants: settings.entrants.clone(),
            openings,
            rules: settings.rules,
            concurrency: settings.concurrency,
            recover: settings.recover,
            sprt: settings.sprt,
            event: settings.event.clone(),
        };
        let (standing, ending) = match show {
            Some(show) => tournament.run(standing, journal, &surroundings, show)?,
            None => {
                warn_beforehand(&settings, standing.pairings().len())?;
                let live =
                    Live::new(&standing, settings.sprt, &conditions, settings.rating_interval);
                let ended = tournament.run(standing, journal, &surroundings, &live);
                live.finish();
                ended?
            }
        };
        if show.is_none() {
            let sprt = settings.sprt.as_ref();
            let text = report::report(&standing, sprt, &conditions);
            io::stdout().lock().write_all(text.as_bytes())?;
            if let Some(path) = &settings.report {
                let page = page::page(&standing, sprt, &settings.event, &conditions);
                fs::write(path, page).with_context(|| path.display().to_string())?;
            }
        }
        conclude(&ending, &settings)
    }
}

/// Says how the match ended, unless it is plain, and gives the exit code.
fn conclude(ending: &Ending, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let code = match ending {
        Ending::Complete if settings.sprt.is_some() => {
            writeln!(out, "The games are used up, and the test has no answer.")?;
            exit::UNDECIDED
        }
        Ending::Complete => return Ok(ExitCode::SUCCESS),
        Ending::Decided(Hypothesis::H1) => {
            writeln!(out, "H1 is accepted.")?;
            return Ok(ExitCode::SUCCESS);
        }
        Ending::Decided(Hypothesis::H0) => {
            writeln!(out, "H0 is accepted.")?;
            exit::NEGATIVE
        }
        Ending::Interrupted => {
            match &settings.results {
                Some(path) => {
                    writeln!(out, "Interrupted; otrera match -resume {} goes on.", path.display())?
                }
                None => writeln!(out, "Interrupted.")?,
            }
            exit::UNDECIDED
        }
        Ending::Stopped { reason } => {
            drop(out);
            writeln!(io::stderr(), "otrera match: {reason}")?;
            exit::ERROR
        }
    };
    Ok(ExitCode::from(code))
}

fn surroundings(settings: &Settings) -> anyhow::Result<Surroundings> {
    let log = match &settings.log {
        Some(path) => Log::create(path).with_context(|| path.display().to_string())?,
        None => Log::default(),
    };
    let watchdog =
        Watchdog::start().context("/bin/sh, which ends engines when this program cannot")?;
    Ok(Surroundings {
        deadlines: settings.deadlines,
        interrupt: Interrupt::from(interrupt::flag()?),
        log,
        watchdog: Some(Arc::new(watchdog)),
    })
}

fn read_openings(settings: &Settings) -> anyhow::Result<Vec<Opening>> {
    let Some(file) = &settings.openings else { return Ok(vec![Opening::none()]) };
    let name = || file.path.display().to_string();
    let text = fs::read_to_string(&file.path).with_context(name)?;
    openings::read(&text, file.form, file.plies).with_context(name)
}

fn standing(settings: &Settings, openings: usize, seed: u64) -> anyhow::Result<Standing> {
    let pairings = schedule(&schedule::Settings {
        engines: settings.entrants.len(),
        format: settings.format,
        rounds: settings.rounds,
        games: settings.games,
        pairs: settings.pairs,
        openings,
        order: settings.openings.as_ref().map_or(Order::Sequential, |file| file.order),
        first_opening: settings.openings.as_ref().map_or(0, |file| file.first),
        seed,
    })?;
    let names = settings.entrants.iter().map(|entrant| entrant.name.clone()).collect();
    Ok(Standing::new(names, pairings))
}

/// A sum over openings by which a changed file is noticed: FNV-1a.
fn checksum(openings: &[Opening]) -> u64 {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |text: &str| {
        for byte in text.bytes().chain([b'\n']) {
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for opening in openings {
        add(&opening.start.fen());
        opening.moves.iter().for_each(|mv| add(&mv.to_string()));
    }
    sum
}

/// What was played, in a few words.
fn conditions(settings: &Settings, seed: u64) -> String {
    let limits: Vec<String> =
        settings.entrants.iter().map(|entrant| entrant.allowance.to_string()).collect();
    let same = limits.iter().all(|limit| *limit == limits[0]);
    let mut parts = vec![if same { limits[0].clone() } else { limits.join(" vs ") }];
    if let Some(file) = &settings.openings {
        let name = file.path.file_name().unwrap_or(file.path.as_os_str()).to_string_lossy();
        parts.push(match file.order {
            Order::Sequential => name.into_owned(),
            Order::Random => format!("{name}, srand {seed}"),
        });
    }
    parts.join(", ")
}

/// The number of threads an engine is told to use.
fn threads(entrant: &Entrant) -> usize {
    let set = entrant.options.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    set.and_then(|(_, value)| value.as_deref()?.parse().ok()).unwrap_or(1)
}

/// Words of warning about what can be seen before the first game.
fn warn_beforehand(settings: &Settings, games: usize) -> io::Result<()> {
    let mut err = io::stderr().lock();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let busiest = settings.entrants.iter().map(|entrant| threads(entrant)).max().unwrap_or(1);
    let at_once = settings.concurrency.min(games);
    if busiest * at_once > cores {
        writeln!(
            err,
            "otrera match: {at_once} games at a time with {busiest} threads each, on {cores} cores: \
             engines will take time from each other"
        )?;
    }
    if settings.results.is_none() && games > 2 {
        writeln!(
            err,
            "otrera match: without -result FILE the match cannot be resumed if it is interrupted"
        )?;
    }
    Ok(())
}
