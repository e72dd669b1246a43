//! A whole training: from files to files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::checkpoint::{self, Checkpoint, Header, replace};
use super::dataset::{Dataset, Place, Targets};
use super::held_out::{self, findings};
use super::model::Losses;
use super::optimiser::State;
use super::report::{Curve, Report, Source};
use super::schedule::{Order, Rate};
use super::trainer::{Stride, Trainer};
use super::{Progress, Settings, Summary, TrainError, parameters, plots, quantise};
use crate::eval::Kernel;
use crate::eval::network::{Network, file};
use crate::learn::data::Reader;

/// Games read before they are replayed, all at once on all threads.
const READ_AHEAD: usize = 1024;

/// Points of the curves of losses, about.
const POINTS: u64 = 100;

/// Records held out that are measured for a point of the curves.
const MEASURED: usize = 20_000;

/// How often the state is written to the checkpoint.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// Steps between two looks at how far it has come.
const OBSERVED_STEPS: u64 = 10;

/// Trains a network on games of self-play, or goes on with that where it was interrupted.
///
/// `data` are files of games, the oldest first. In `directory`, which is made if it is not there,
/// it leaves `network.otrera`, `checkpoint`, `report.json`, `losses.svg` and `calibration.svg`.
/// `start` is the checkpoint of another training whose (averaged) weights are where this one
/// begins.
///
/// `stop` ends it early: with all it has in the checkpoint, and nothing else. A file of games that
/// is cut off or damaged is used up to there, and the report says so.
///
/// # Errors
/// Settings that make no sense, files that cannot be read or written, data without records, and a
/// directory in which another training has begun.
pub fn run(
    settings: &Settings,
    data: &[PathBuf],
    directory: &Path,
    start: Option<&Path>,
    stop: &AtomicBool,
    observe: &mut dyn FnMut(&Progress),
) -> Result<Summary, TrainError> {
    settings.check()?;
    fs::create_dir_all(directory)
        .map_err(|error| TrainError::File { path: directory.to_owned(), error })?;
    let weights = match start {
        None => parameters::initial(settings.seed),
        Some(path) => load(path)?.state.average,
    };
    let Some((dataset, sources)) = read(settings, data, stop, observe)? else {
        return Ok(Summary { step: 0, steps: 0, report: None });
    };
    let mut training = Training::new(settings, &dataset, directory, weights)?;
    training.learn(stop, observe)?;
    let report = if training.is_done() { Some(training.conclude(sources, observe)?) } else { None };
    Ok(Summary { step: training.header.step, steps: training.steps, report })
}

fn load(path: &Path) -> Result<Checkpoint, TrainError> {
    Checkpoint::load(path).map_err(|error| TrainError::Checkpoint { path: path.into(), error })
}

/// Reads the games, the last file first so that no more is read than is used. `None` when stopped.
fn read(
    settings: &Settings,
    files: &[PathBuf],
    stop: &AtomicBool,
    observe: &mut dyn FnMut(&Progress),
) -> Result<Option<(Dataset, Vec<Source>)>, TrainError> {
    let mut dataset = Dataset::default();
    let mut sources = Vec::new();
    let most = settings.last_games.unwrap_or(usize::MAX);
    for path in files.iter().rev() {
        let wanted = most - dataset.games();
        if wanted == 0 {
            break;
        }
        let before = dataset.games() as u64;
        let mut seen = |games| observe(&Progress::Reading { games: before + games });
        let Some((older, source)) = read_file(path, wanted, stop, &mut seen)? else {
            return Ok(None);
        };
        dataset.prepend(older);
        sources.insert(0, source);
    }
    Ok(Some((dataset, sources)))
}

/// Reads the last games of a file. `None` when stopped.
fn read_file(
    path: &Path,
    wanted: usize,
    stop: &AtomicBool,
    seen: &mut dyn FnMut(u64),
) -> Result<Option<(Dataset, Source)>, TrainError> {
    let unreadable = |error| TrainError::Data { path: path.to_owned(), error };
    let mut reader = Reader::open(path).map_err(unreadable)?;
    let mut dataset = Dataset::default();
    let mut source = Source { path: path.display().to_string(), games: 0, fault: None };
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut games = Vec::with_capacity(READ_AHEAD);
        for game in reader.by_ref().take(READ_AHEAD) {
            match game {
                Ok(game) => games.push(game),
                Err(fault) => source.fault = Some(fault.to_string()),
            }
        }
        if games.is_empty() {
            break;
        }
        dataset
            .extend(&games, wanted)
            .map_err(|error| TrainError::Game { path: path.to_owned(), error })?;
        source.games += games.len() as u64;
        seen(source.games);
    }
    Ok(Some((dataset, source)))
}

/// A training under way.
struct Training<'a> {
    settings: &'a Settings,
    dataset: &'a Dataset,
    directory: &'a Path,
    records: usize,
    steps: u64,
    order: Order,
    held_out: Vec<Place>,
    /// Those of them that are measured on the way.
    measured: Vec<Place>,
    header: Header,
    state: State,
}

impl<'a> Training<'a> {
    /// Begins with these weights, or goes on from the checkpoint in the directory.
    fn new(
        settings: &'a Settings,
        dataset: &'a Dataset,
        directory: &'a Path,
        weights: Vec<f32>,
    ) -> Result<Training<'a>, TrainError> {
        let places = dataset.places(false);
        if places.is_empty() {
            return Err(TrainError::NoRecords);
        }
        let held_out = dataset.places(true);
        let apart = held_out.len().div_ceil(MEASURED).max(1);
        let header = Header {
            numbers: parameters::TOTAL,
            settings: settings.clone(),
            data: dataset.fingerprint(),
            start: checkpoint::checksum(&weights),
            step: 0,
            seconds: 0.0,
            curve: Curve::default(),
        };
        let mut training = Training {
            settings,
            dataset,
            directory,
            records: places.len(),
            steps: settings.steps(places.len()),
            order: Order::new(settings.seed, places),
            measured: held_out.iter().copied().step_by(apart).collect(),
            held_out,
            header,
            state: State::new(weights),
        };
        let path = training.checkpoint();
        if path.exists() {
            let Checkpoint { header, state } = load(&path)?;
            if let Some(difference) = difference(&header, &training.header) {
                return Err(TrainError::OtherTraining { path, difference });
            }
            training.header = header;
            training.state = state;
        }
        Ok(training)
    }

    fn checkpoint(&self) -> PathBuf {
        self.directory.join("checkpoint")
    }

    fn is_done(&self) -> bool {
        self.header.step >= self.steps
    }

    fn targets(&self) -> Targets {
        Targets { result_share: self.settings.result_share }
    }

    fn rate(&self) -> Rate {
        Rate {
            peak: self.settings.rate,
            last: self.settings.last_rate,
            warm_up: self.settings.warm_up.min(self.steps / 5),
            steps: self.steps,
        }
    }

    /// The step from which on the coarse arrays are settled.
    fn settled_from(&self) -> u64 {
        self.steps - (self.steps as f64 * f64::from(self.settings.settled_share)) as u64
    }

    /// How far the average moves to the weights in a step: it is the plain average of all weights,
    /// from the beginning or from where they were settled, until there are more than it looks back
    /// on.
    fn average_rate(&self, step: u64, settled_from: u64) -> f32 {
        let back = (self.steps as f64 * f64::from(self.settings.average_share)).max(1.0);
        let since = step - if step < settled_from { 0 } else { settled_from };
        (1.0 / back.min(since as f64 + 1.0)) as f32
    }

    /// Learns until it is done or stopped.
    fn learn(
        &mut self,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Progress),
    ) -> Result<(), TrainError> {
        let targets = self.targets();
        let Settings { policy_weight, weight_decay, batch, .. } = *self.settings;
        let mut trainer = Trainer::new(targets, policy_weight, weight_decay);
        let mut picks = Vec::with_capacity(batch);
        let pace = Pace::new(self.header.step, self.header.seconds);
        let apart = self.steps.div_ceil(POINTS);
        let settled_from = self.settled_from();
        let mut saved = Instant::now();
        while !self.is_done() && !stop.load(Ordering::Relaxed) {
            let step = self.header.step;
            self.order.batch(step, batch, &mut picks);
            if step == settled_from {
                self.state.settle(quantise::settled(&self.state.average));
            }
            let stride = Stride {
                step,
                rate: self.rate().at(step),
                average_rate: self.average_rate(step, settled_from),
                settled: step >= settled_from,
            };
            let losses = trainer.step(self.dataset, &picks, stride, &mut self.state);
            if !losses.value.is_finite() || !losses.policy.is_finite() {
                return Err(TrainError::Diverged { step });
            }
            self.header.step += 1;
            self.header.curve.add(losses);
            if self.header.step.is_multiple_of(OBSERVED_STEPS) {
                observe(&self.progress(&pace));
            }
            if self.header.step.is_multiple_of(apart) || self.is_done() {
                let held_out =
                    held_out::losses(self.dataset, &self.measured, &self.state.average, targets);
                self.header.curve.mark(self.header.step, stride.rate, held_out);
            }
            self.header.seconds = pace.seconds();
            if saved.elapsed() >= CHECKPOINT_EVERY {
                self.save()?;
                saved = Instant::now();
            }
        }
        self.save()
    }

    fn progress(&self, pace: &Pace) -> Progress {
        let per_second = pace.steps_per_second(self.header.step);
        let left = (self.steps - self.header.step) as f64 / per_second.max(1e-9);
        let last = self.header.curve.points.last();
        let since = &self.header.curve;
        Progress::Training {
            step: self.header.step,
            steps: self.steps,
            trained: match last {
                Some(point) if since.steps == 0 => point.trained,
                _ => since.mean(),
            },
            held_out: last.map(|point| point.held_out),
            records_per_second: per_second * self.settings.batch as f64,
            left: Duration::from_secs_f64(left.min(1e9)),
        }
    }

    fn save(&self) -> Result<(), TrainError> {
        let path = self.checkpoint();
        let checkpoint = Checkpoint { header: self.header.clone(), state: self.state.clone() };
        checkpoint.save(&path).map_err(|error| TrainError::File { path, error })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), TrainError> {
        let path = self.directory.join(name);
        replace(&path, bytes).map_err(|error| TrainError::File { path, error })
    }

    /// Rounds and measures what was learned, and writes all there is to say about it.
    fn conclude(
        &self,
        sources: Vec<Source>,
        observe: &mut dyn FnMut(&Progress),
    ) -> Result<Report, TrainError> {
        observe(&Progress::Measuring { records: self.held_out.len() });
        let targets = self.targets();
        let (weights, rounding) = quantise::round(&self.state.average);
        let checksum = file::checksum(&weights);
        self.write("network.otrera", &file::encode(&weights, &self.provenance()))?;
        let network = Network::new(Kernel::best(), weights);
        let Training { dataset, held_out, state, header, .. } = self;
        let last: Losses = held_out::losses(dataset, held_out, &state.weights, targets);
        let report = Report {
            settings: self.settings.clone(),
            sources,
            games: dataset.games(),
            held_out_games: dataset.held_out_games(),
            records: self.records,
            steps: header.step,
            seconds: header.seconds,
            records_per_second: header.step as f64 * self.settings.batch as f64
                / header.seconds.max(1e-9),
            network: checksum,
            curve: header.curve.points.clone(),
            last,
            findings: findings(dataset, held_out, &state.average, &network, targets),
            rounding,
        };
        self.write_report(&report)?;
        Ok(report)
    }

    fn write_report(&self, report: &Report) -> Result<(), TrainError> {
        let undrawn = |name, reason: String| TrainError::Picture { name, reason };
        let losses = plots::losses(&report.curve)
            .map_err(|fault| undrawn("losses.svg", fault.to_string()))?;
        self.write("losses.svg", losses.as_bytes())?;
        let calibration = plots::calibration(&report.findings.calibration)
            .map_err(|fault| undrawn("calibration.svg", fault.to_string()))?;
        self.write("calibration.svg", calibration.as_bytes())?;
        let text = serde_json::to_string_pretty(report).map_err(|error| TrainError::File {
            path: self.directory.into(),
            error: error.into(),
        })?;
        self.write("report.json", text.as_bytes())
    }

    /// What the network's file says of where it comes from.
    fn provenance(&self) -> String {
        let Settings { seed, batch, rate, .. } = self.settings;
        format!(
            "otrera train {}: {} games (data {:016x}), {} records, {} steps of {batch}, rate \
             {rate}, seed {seed}, begun with {:08x}",
            env!("CARGO_PKG_VERSION"),
            self.dataset.games(),
            self.header.data,
            self.records,
            self.header.step,
            self.header.start,
        )
    }
}

/// What makes one training another one than the other, if anything does.
fn difference(found: &Header, wanted: &Header) -> Option<&'static str> {
    let differences = [
        (found.settings != wanted.settings, "other settings"),
        (found.data != wanted.data, "other games"),
        (found.start != wanted.start, "another start"),
    ];
    differences.iter().find(|(differs, _)| *differs).map(|&(_, difference)| difference)
}

/// How fast a training goes.
struct Pace {
    begun: Instant,
    first_step: u64,
    /// The seconds before it was begun this time.
    before: f64,
}

impl Pace {
    fn new(first_step: u64, before: f64) -> Pace {
        Pace { begun: Instant::now(), first_step, before }
    }

    /// The seconds of the whole training.
    fn seconds(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }

    fn steps_per_second(&self, step: u64) -> f64 {
        (step - self.first_step) as f64 / self.begun.elapsed().as_secs_f64().max(1e-9)
    }
}
