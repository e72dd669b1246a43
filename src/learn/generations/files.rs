//! The files of a run: their names, and how they are written so that none is ever half there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::GenerationsError;

/// The directory of a run.
#[derive(Clone, Debug)]
pub struct Files {
    directory: PathBuf,
}

impl Files {
    /// The files in this directory, which need not exist yet.
    pub fn new(directory: &Path) -> Files {
        Files { directory: directory.to_owned() }
    }

    /// The directory itself.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The settings, to be changed by hand too while no run is at work.
    pub fn settings(&self) -> PathBuf {
        self.directory.join("settings.json")
    }

    /// What is finished.
    pub fn state(&self) -> PathBuf {
        self.directory.join("state.json")
    }

    /// Held by the run that is at work.
    pub fn lock(&self) -> PathBuf {
        self.directory.join("lock")
    }

    /// The network that the first games were played with, if it was not the classical evaluation.
    pub fn start(&self) -> PathBuf {
        self.directory.join("start.otrera")
    }

    /// The checkpoint whose weights the first training began with, if it did not begin with
    /// nothing.
    pub fn weights(&self) -> PathBuf {
        self.directory.join("start.checkpoint")
    }

    /// The games of a generation.
    pub fn games(&self, generation: u32) -> PathBuf {
        self.directory.join(format!("games-{generation:04}.data"))
    }

    /// Games of a generation that another version of the program played, numbered from 1.
    pub fn part(&self, generation: u32, number: u32) -> PathBuf {
        self.directory.join(format!("games-{generation:04}-{number}.data"))
    }

    /// The directory of a generation's training.
    pub fn training(&self, generation: u32) -> PathBuf {
        self.directory.join(format!("train-{generation:04}"))
    }

    /// The network of a generation.
    pub fn network(&self, generation: u32) -> PathBuf {
        self.directory.join(format!("network-{generation:04}.otrera"))
    }

    /// The results of a generation's contest.
    pub fn contest(&self, generation: u32) -> PathBuf {
        self.directory.join(format!("contest-{generation:04}.json"))
    }

    /// The table as text, as JSON, and its curve.
    pub fn tables(&self) -> [PathBuf; 3] {
        ["table.txt", "table.json", "elo.svg"].map(|name| self.directory.join(name))
    }
}

/// Says which file it was.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> GenerationsError {
    let path = path.to_owned();
    move |error| GenerationsError::Io { path, error }
}

/// Writes a file under another name first, so that either the old or the new one is there whenever
/// the program or the machine stops.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), GenerationsError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let written = File::create(&new).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&new, path)).map_err(at(path))
}

/// Writes something as JSON.
pub(super) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), GenerationsError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| at(path)(error.into()))?;
    write(path, format!("{text}\n").as_bytes())
}

/// Reads what [`write_json`] wrote; `None` when there is no such file.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, GenerationsError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(path)(error)),
    };
    let value = serde_json::from_str(&text);
    value.map(Some).map_err(|error| GenerationsError::Unreadable { path: path.to_owned(), error })
}
