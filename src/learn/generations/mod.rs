//! The loop: generation after generation of self-play, training and a contest.
//!
//! The best player so far plays games with itself. A network is trained on the newest games and
//! plays a contest with that player; if it holds its own it takes its place (the scheme of Silver
//! et al., "Mastering the game of Go without human knowledge", 2017). The first player is the
//! classical evaluation, or a network from elsewhere. The classical evaluation gives way to the
//! first network whatever their contest says: a network needs a fraction of its time.
//!
//! Everything is in one directory ([`Files`]). What is finished stands in one small file that is
//! replaced as a whole after each stage; each stage writes files of its own and takes them up again
//! where they end. So a run can be broken off at any moment, and goes on when it is started again.

mod files;
mod settings;
mod stages;
mod state;
mod table;

pub use files::Files;
pub use settings::{Promotion, Settings};
pub use state::{Judged, Played, Seconds, Trained};
pub use table::{Row, Table};

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use thiserror::Error;

use self::files::{at, read_json, write, write_json};
use self::stages::{Machine, Stages, Task, Teacher, count, read_network};
use self::state::{Current, Data, State, VERSION};
use super::contest::{self, ContestError};
use super::data::DataError;
use super::selfplay::{self, SelfplayError};
use super::train::{self, TrainError};
use crate::arena::openings::OpeningError;
use crate::eval::network::file::NetworkError;

/// Why a run cannot begin or go on. What is finished stays finished.
#[derive(Debug, Error)]
pub enum GenerationsError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file holds something else than it should.
    #[error("{} cannot be understood: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// The directory belongs to another version of the program.
    #[error("{} has the form {version}; this program knows the form {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of its form.
        version: u32,
    },
    /// Another run is at work in the directory.
    #[error("another run is at work in {}", .0.display())]
    Busy(PathBuf),
    /// There is no run in the directory.
    #[error("there is no run in {}", .0.display())]
    Empty(PathBuf),
    /// A run that has begun cannot begin with another file.
    #[error(
        "the run in {} has begun without {}; a new directory is needed to start from it",
        directory.display(),
        file.display()
    )]
    Begun {
        /// The directory.
        directory: PathBuf,
        /// The file asked for.
        file: PathBuf,
    },
    /// A number that must not be zero is.
    #[error("a run needs a number of {name} above 0")]
    Zero {
        /// What there is none of.
        name: &'static str,
    },
    /// Self-play is not possible like this.
    #[error(transparent)]
    Play(#[from] selfplay::SettingsError),
    /// Training is not possible like this.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A score is none.
    #[error("a score to be promoted with is from 0 to 1, not {0}")]
    Score(f64),
    /// A file is no network.
    #[error("{}: {error}", path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: NetworkError,
    },
    /// A file of games cannot be read.
    #[error("{}: {error}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: DataError,
    },
    /// Self-play failed.
    #[error("{}: {error}", path.display())]
    Selfplay {
        /// The file of games.
        path: PathBuf,
        /// What is wrong.
        error: SelfplayError,
    },
    /// Training failed.
    #[error("{}: {error}", path.display())]
    Training {
        /// The directory of the training.
        path: PathBuf,
        /// What is wrong.
        error: TrainError,
    },
    /// A contest failed.
    #[error(transparent)]
    Contest(#[from] ContestError),
    /// The openings of the contests cannot be read.
    #[error(transparent)]
    Openings(#[from] OpeningError),
    /// The curve cannot be drawn.
    #[error("the curve cannot be drawn: {0}")]
    Plot(String),
}

/// What a run tells while it is at work. It may come from any thread, one at a time.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Self-play goes on.
    Selfplay(u32, &'a selfplay::Progress),
    /// Training goes on.
    Training(u32, &'a train::Progress),
    /// The contest goes on.
    Contest(u32, &'a contest::Progress<'a>),
    /// A generation is finished: it is the last row of the table.
    Finished(&'a Table),
}

/// Receives what a run tells.
pub type Observe<'a> = &'a (dyn Fn(Event) + Sync);

/// A run in its directory. While it exists no other one can be opened there.
#[derive(Debug)]
pub struct Run {
    files: Files,
    settings: Settings,
    state: State,
    /// Unlocked by the system when it is closed, however the program ends.
    _lock: File,
}

impl Run {
    /// Opens the run in a directory, or begins one there.
    ///
    /// # Errors
    /// When another run is at work there, or files cannot be read or written.
    pub fn open(directory: &Path) -> Result<Run, GenerationsError> {
        fs::create_dir_all(directory).map_err(at(directory))?;
        let files = Files::new(directory);
        let lock = File::create(files.lock()).map_err(at(&files.lock()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(GenerationsError::Busy(directory.to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(at(&files.lock())(error)),
        }
        let state: State = read_json(&files.state())?.unwrap_or_else(State::new);
        if state.version != VERSION {
            let version = state.version;
            return Err(GenerationsError::Version { path: files.state(), version });
        }
        let settings = read_json(&files.settings())?.unwrap_or_default();
        Ok(Run { files, settings, state, _lock: lock })
    }

    /// The settings that stages which have not begun will have.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes the settings. A stage that has begun keeps its own.
    ///
    /// # Errors
    /// When they make no sense or cannot be kept.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), GenerationsError> {
        settings.check()?;
        write_json(&self.files.settings(), &settings)?;
        self.settings = settings;
        Ok(())
    }

    /// Makes this network play the first games in place of the classical evaluation.
    ///
    /// # Errors
    /// When it is no network, or the run began without it.
    pub fn start_from(&mut self, network: &Path) -> Result<(), GenerationsError> {
        let begun = self.state.generation() > 0 || self.state.current.is_some();
        read_network(network)?;
        let copy = self.files.start();
        if self.state.start.is_none() && copy.exists() {
            // Left by a program that was ended before it could note it.
            fs::remove_file(&copy).map_err(at(&copy))?;
        }
        self.take(network, &copy, begun)?;
        self.state.start = Some(network.display().to_string());
        self.keep()
    }

    /// Makes the first training begin with the weights in this checkpoint of another training.
    ///
    /// # Errors
    /// When it cannot be read, or the first training began without it. Whether it is a checkpoint
    /// is found out by the training.
    pub fn train_from(&self, checkpoint: &Path) -> Result<(), GenerationsError> {
        let begun = self.state.generation() > 0 || self.files.training(0).exists();
        self.take(checkpoint, &self.files.weights(), begun)
    }

    /// Keeps a copy of a file, unless it is there already or comes too late.
    fn take(&self, file: &Path, copy: &Path, begun: bool) -> Result<(), GenerationsError> {
        let bytes = fs::read(file).map_err(at(file))?;
        if copy.exists() && fs::read(copy).map_err(at(copy))? == bytes {
            return Ok(());
        }
        if begun || copy.exists() {
            let directory = self.files.directory().to_owned();
            return Err(GenerationsError::Begun { directory, file: file.to_owned() });
        }
        write(copy, &bytes)
    }

    /// Puts games that were played elsewhere into the window, before those of the generation that
    /// is the next to be trained. Files that are there already are left alone.
    ///
    /// # Errors
    /// When a file cannot be read as games.
    pub fn add_data(&mut self, paths: &[PathBuf]) -> Result<(), GenerationsError> {
        let generation = self.state.generation();
        let begun = self.files.training(generation).exists();
        for path in paths {
            let path = fs::canonicalize(path).map_err(at(path))?;
            if self.state.data.iter().any(|data| data.path == path) {
                continue;
            }
            let games = count(&path)?.games;
            let before = generation + u32::from(begun);
            self.state.data.push(Data { path, games, before, own: false });
        }
        self.keep()
    }

    /// The generations that are finished.
    pub fn table(&self) -> Table {
        Table { rows: self.state.rows.clone() }
    }

    /// Works until there are so many generations in all, or until `stop` is set. Tells whether
    /// there are. Parallel work is done by the current rayon pool; `engine` is the name that the
    /// files of games get.
    ///
    /// # Errors
    /// Whatever goes wrong in a stage.
    pub fn go_on(
        &mut self,
        generations: Option<u32>,
        engine: &str,
        stop: &AtomicBool,
        observe: Observe,
    ) -> Result<bool, GenerationsError> {
        self.work(generations, &Machine { engine }, stop, observe)
    }

    fn work(
        &mut self,
        generations: Option<u32>,
        stages: &impl Stages,
        stop: &AtomicBool,
        observe: Observe,
    ) -> Result<bool, GenerationsError> {
        self.write_tables()?;
        while generations.is_none_or(|wanted| self.state.generation() < wanted) {
            if stop.load(Ordering::Relaxed) || !self.generation(stages, stop, observe)? {
                return Ok(false);
            }
            observe(Event::Finished(&self.table()));
        }
        Ok(true)
    }

    /// One generation, or the rest of one. Tells whether it was finished.
    fn generation(
        &mut self,
        stages: &impl Stages,
        stop: &AtomicBool,
        observe: Observe,
    ) -> Result<bool, GenerationsError> {
        let mut current = self.begin();
        let best = self.state.best();
        let teacher = self.teacher();
        let files = self.files.clone();
        let task = |current: &Current| Task {
            files: files.clone(),
            generation: current.generation,
            settings: current.settings.clone(),
            games: current.games(),
            teacher: teacher.clone(),
            stop,
            observe,
        };
        if current.played.is_none() {
            let begun = Instant::now();
            let mut played = stages.selfplay(&task(&current));
            if is_of_another_version(&played) {
                self.set_aside(&mut current)?;
                played = stages.selfplay(&task(&current));
            }
            current.played = played?.map(|played| current.aside + played);
            current.seconds.selfplay += begun.elapsed().as_secs_f64();
            self.enter(&mut current)?;
        }
        if let Some(played) = current.played
            && current.trained.is_none()
        {
            let begun = Instant::now();
            let (data, window) = self.window(&current, played);
            let from = self.weights(&current);
            current.trained = stages.train(&task(&current), &data, window, from.as_deref())?;
            current.seconds.training += begun.elapsed().as_secs_f64();
            self.enter(&mut current)?;
        }
        if current.trained.is_some() && current.judged.is_none() {
            let begun = Instant::now();
            let standing = stages.contest(&task(&current))?;
            current.judged = standing.map(|standing| {
                let first = matches!(teacher, Teacher::Classical);
                Judged::new(&standing, first || current.settings.promotes(&standing))
            });
            current.seconds.contest += begun.elapsed().as_secs_f64();
            self.enter(&mut current)?;
        }
        let Some(row) = Row::new(&current, best) else { return Ok(false) };
        self.state.rows.push(row);
        self.state.current = None;
        self.keep()?;
        self.write_tables()?;
        Ok(true)
    }

    /// The generation at work, or a new one. Stages that have not begun take the present settings.
    fn begin(&self) -> Current {
        let generation = self.state.generation();
        let mut current = self.state.current.clone().unwrap_or_else(|| Current {
            generation,
            settings: self.settings.clone(),
            first_game: self.state.games(),
            aside: Played::default(),
            seconds: Seconds::default(),
            played: None,
            trained: None,
            judged: None,
        });
        if current.judged.is_some() {
            return current;
        }
        let mut settings = self.settings.clone();
        if self.files.games(generation).exists() || current.aside.games > 0 {
            settings.games = current.settings.games;
            settings.seed = current.settings.seed;
            settings.selfplay.clone_from(&current.settings.selfplay);
        }
        if self.files.training(generation).exists() {
            settings.window = current.settings.window;
            settings.continue_training = current.settings.continue_training;
            settings.train.clone_from(&current.settings.train);
        }
        current.settings = settings;
        current
    }

    /// Keeps the games of this generation that another version of the program played in a file of
    /// their own, so that the rest can be played by this one.
    fn set_aside(&mut self, current: &mut Current) -> Result<(), GenerationsError> {
        let file = self.files.games(current.generation);
        let found = count(&file)?;
        let free = |number: &u32| !self.files.part(current.generation, *number).exists();
        let number = (1..).find(free).unwrap_or_default();
        let part = self.files.part(current.generation, number);
        fs::rename(&file, &part).map_err(at(&file))?;
        let path = part.file_name().unwrap_or_default().into();
        let before = current.generation;
        self.state.data.push(Data { path, games: found.games, before, own: true });
        current.aside = current.aside + found;
        self.state.current = Some(current.clone());
        self.keep()
    }

    /// Remembers how far the present generation has come.
    fn enter(&mut self, current: &mut Current) -> Result<(), GenerationsError> {
        self.state.current = Some(current.clone());
        self.keep()?;
        *current = self.begin();
        Ok(())
    }

    /// Who plays the games and is to be beaten.
    fn teacher(&self) -> Teacher {
        match (self.state.best().generation, &self.state.start) {
            (Some(generation), _) => Teacher::Network(self.files.network(generation)),
            (None, Some(_)) => Teacher::Network(self.files.start()),
            (None, None) => Teacher::Classical,
        }
    }

    /// The files that the window reaches into, newest last, and the number of games in it.
    fn window(&self, current: &Current, played: Played) -> (Vec<PathBuf>, u64) {
        let mut all: Vec<(PathBuf, u64)> = Vec::new();
        for generation in 0..=current.generation {
            let row = self.state.rows.get(generation as usize);
            let mut own = row.map_or(played, |row| row.played).games;
            for data in self.state.data.iter().filter(|data| data.before == generation) {
                all.push((self.files.directory().join(&data.path), data.games));
                own -= if data.own { data.games.min(own) } else { 0 };
            }
            if own > 0 {
                all.push((self.files.games(generation), own));
            }
        }
        let total = all.iter().map(|(_, games)| games).sum();
        let wanted = current.settings.window_of(total);
        let mut reached = 0;
        let mut first = all.len();
        while first > 0 && reached < wanted {
            first -= 1;
            reached += all[first].1;
        }
        (all.split_off(first).into_iter().map(|(path, _)| path).collect(), wanted)
    }

    /// The training whose weights this one begins with.
    fn weights(&self, current: &Current) -> Option<PathBuf> {
        match current.generation.checked_sub(1) {
            None => Some(self.files.weights()).filter(|path| path.exists()),
            Some(before) => {
                let checkpoint = self.files.training(before).join("checkpoint");
                current.settings.continue_training.then_some(checkpoint)
            }
        }
    }

    fn keep(&self) -> Result<(), GenerationsError> {
        write_json(&self.files.state(), &self.state)
    }

    fn write_tables(&self) -> Result<(), GenerationsError> {
        let table = self.table();
        let [text, json, plot] = self.files.tables();
        write(&text, table.text().as_bytes())?;
        write_json(&json, &table)?;
        write(&plot, table.plot()?.as_bytes())
    }
}

/// Whether the file of games is from a run with another engine or network.
fn is_of_another_version(played: &Result<Option<Played>, GenerationsError>) -> bool {
    use GenerationsError::Selfplay;
    matches!(played, Err(Selfplay { error: SelfplayError::Data(DataError::OtherRun), .. }))
}

#[cfg(test)]
mod tests;
