//! The three stages of a generation. Each begins where an interrupted one ended, and gives nothing
//! if it is interrupted itself.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::files::{Files, at, read_json, write, write_json};
use super::settings::Settings;
use super::state::{Played, Trained};
use super::{Event, GenerationsError, Observe};
use crate::eval::{Evaluation, Kernel};
use crate::learn::contest::{self, Standing};
use crate::learn::data::{self, DataError, Reader};
use crate::learn::selfplay::{self, Shard, Source};
use crate::learn::train::{self, Losses};

/// How often the results of a contest are put on the disk.
const CONTEST_KEPT: Duration = Duration::from_secs(5);

/// Who plays the games of a generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Teacher {
    /// The classical evaluation.
    Classical,
    /// The network in this file.
    Network(PathBuf),
}

impl Teacher {
    /// The evaluation it plays with, and which network that is.
    fn read(&self) -> Result<(Evaluation, Option<data::Network>), GenerationsError> {
        match self {
            Teacher::Classical => Ok((Evaluation::classical(Kernel::best()), None)),
            Teacher::Network(path) => {
                let (evaluation, network) = read_network(path)?;
                Ok((evaluation, Some(network)))
            }
        }
    }
}

/// What a stage needs to know.
pub(super) struct Task<'a> {
    pub(super) files: Files,
    pub(super) generation: u32,
    pub(super) settings: Settings,
    /// The numbers of the games to play.
    pub(super) games: Range<u64>,
    pub(super) teacher: Teacher,
    pub(super) stop: &'a AtomicBool,
    pub(super) observe: Observe<'a>,
}

/// Those who do the work of a generation.
pub(super) trait Stages {
    /// Plays the games.
    fn selfplay(&self, task: &Task) -> Result<Option<Played>, GenerationsError>;

    /// Trains a network on the last `window` games in these files, beginning `from` the weights of another
    /// training if there is one, and leaves it where the files of the run say.
    fn train(
        &self,
        task: &Task,
        data: &[PathBuf],
        window: u64,
        from: Option<&Path>,
    ) -> Result<Option<Trained>, GenerationsError>;

    /// Plays the new network against the teacher.
    fn contest(&self, task: &Task) -> Result<Option<Standing>, GenerationsError>;
}

/// Does the work on this machine.
pub(super) struct Machine<'a> {
    /// The engine as the files of games name it.
    pub(super) engine: &'a str,
}

impl Stages for Machine<'_> {
    fn selfplay(&self, task: &Task) -> Result<Option<Played>, GenerationsError> {
        let (teacher, network) = task.teacher.read()?;
        let source = Source { engine: self.engine.to_owned(), network };
        let settings =
            selfplay::Settings { seed: task.settings.seed, ..task.settings.selfplay.clone() };
        let path = task.files.games(task.generation);
        let observe = |progress: &selfplay::Progress| {
            (task.observe)(Event::Selfplay(task.generation, progress));
        };
        let summary = selfplay::run(
            &teacher,
            &source,
            &settings,
            task.games.clone(),
            Shard::WHOLE,
            &path,
            task.stop,
            &observe,
        )
        .map_err(|error| GenerationsError::Selfplay { path, error })?;
        let selfplay::Progress { games, records, .. } = summary.progress;
        Ok(summary.is_complete().then_some(Played { games, records }))
    }

    fn train(
        &self,
        task: &Task,
        data: &[PathBuf],
        window: u64,
        from: Option<&Path>,
    ) -> Result<Option<Trained>, GenerationsError> {
        let directory = task.files.training(task.generation);
        let settings = train::Settings {
            seed: task.settings.seed.wrapping_add(u64::from(task.generation)),
            last_games: usize::try_from(window).ok(),
            ..task.settings.train.clone()
        };
        let mut observe =
            |progress: &train::Progress| (task.observe)(Event::Training(task.generation, progress));
        let summary = train::run(&settings, data, &directory, from, task.stop, &mut observe)
            .map_err(|error| GenerationsError::Training { path: directory.clone(), error })?;
        let Some(report) = summary.report else { return Ok(None) };
        let network = directory.join("network.otrera");
        let bytes = fs::read(&network).map_err(at(&network))?;
        write(&task.files.network(task.generation), &bytes)?;
        let Losses { value, policy } = report.findings.rounded;
        Ok(Some(Trained { window, policy_loss: policy, value_loss: value }))
    }

    fn contest(&self, task: &Task) -> Result<Option<Standing>, GenerationsError> {
        let (new, network) = read_network(&task.files.network(task.generation))?;
        let (old, teacher) = task.teacher.read()?;
        let conditions = || Conditions {
            engine: self.engine.to_owned(),
            settings: task.settings.contest,
            seed: task.settings.seed.wrapping_add(u64::from(task.generation)),
            new: network.checksum,
            old: teacher.as_ref().map(|teacher| teacher.checksum),
        };
        let path = task.files.contest(task.generation);
        let sheet: Option<Sheet> = read_json(&path)?;
        let same = sheet.filter(|sheet| sheet.conditions == conditions());
        let known = same.map_or_else(Vec::new, |sheet| sheet.standing.wins);
        let keep = |standing: &Standing| {
            write_json(&path, &Sheet { conditions: conditions(), standing: standing.clone() })
        };
        let kept = Mutex::new((Instant::now(), Ok(())));
        let observe = |progress: &contest::Progress| {
            (task.observe)(Event::Contest(task.generation, progress));
            let mut kept = kept.lock();
            if kept.0.elapsed() >= CONTEST_KEPT && kept.1.is_ok() {
                *kept = (Instant::now(), keep(progress.standing));
            }
        };
        let openings = contest::standard(conditions().seed)?;
        let settings = &task.settings.contest;
        let outcome = contest::run(&new, &old, settings, &openings, &known, task.stop, &observe)?;
        kept.into_inner().1?;
        keep(&outcome.standing)?;
        Ok(outcome.complete.then_some(outcome.standing))
    }
}

/// The file of a contest.
#[derive(Serialize, Deserialize)]
struct Sheet {
    /// What the results depend on.
    conditions: Conditions,
    standing: Standing,
}

#[derive(PartialEq, Serialize, Deserialize)]
struct Conditions {
    /// The engine, whose search both sides use.
    #[serde(default)]
    engine: String,
    settings: contest::Settings,
    /// The seed of the openings.
    seed: u64,
    /// The checksum of the new network.
    new: u32,
    /// That of the other; none for the classical evaluation.
    old: Option<u32>,
}

/// Reads a network and where it comes from.
pub(super) fn read_network(path: &Path) -> Result<(Evaluation, data::Network), GenerationsError> {
    let bytes = fs::read(path).map_err(at(path))?;
    data::Network::read(&bytes)
        .map_err(|error| GenerationsError::Network { path: path.to_owned(), error })
}

/// Counts what is in a file of games, up to where it is cut or damaged if it is.
pub(super) fn count(path: &Path) -> Result<Played, GenerationsError> {
    let wrong = |error| GenerationsError::Data { path: path.to_owned(), error };
    let mut found = Played::default();
    for game in Reader::open(path).map_err(wrong)? {
        match game {
            Ok(game) => found = found + Played { games: 1, records: game.records.len() as u64 },
            Err(DataError::Io(error)) => return Err(at(path)(error)),
            Err(_) => break,
        }
    }
    Ok(found)
}
