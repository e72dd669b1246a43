//! What is written to disk while a match goes on, and how it is taken up again.
//!
//! The result file is a line of JSON for the match and one for each finished game, which holds the
//! game's record too. The record file has the records alone. A game is written to both as soon as
//! it is finished, to the result file first, so after a sudden end at most one record is missing
//! or cut, and the result file knows which.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::standing::GameResult;

/// The first line of a result file: all that is needed to go on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The version of the form of the file.
    pub version: u32,
    /// The words of the command line.
    pub arguments: Vec<String>,
    /// The folder that paths among them begin from.
    pub folder: PathBuf,
    /// The seed of the openings' order.
    pub seed: u64,
    /// The engines.
    pub engines: Vec<String>,
    /// The number of openings, and a sum over them by which a changed file is noticed.
    pub openings: (usize, u64),
}

/// The version of the form of result files that this program writes.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct GameLine {
    #[serde(flatten)]
    result: GameResult,
    record: String,
}

/// Why a match cannot be kept or taken up.
#[derive(Debug, Error)]
pub enum JournalError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A new match must not overwrite the results of another.
    #[error("{} exists already; -resume goes on with it, another name begins anew", .0.display())]
    Exists(PathBuf),
    /// The first line is not that of a result file.
    #[error("{} is no result file of a match: {error}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// Another program wrote it.
    #[error("{} has the form {version}; this program knows the form {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of its form.
        version: u32,
    },
    /// A line in the middle of the file is broken.
    #[error("line {line} of {} is no game: {error}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        error: serde_json::Error,
    },
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> JournalError {
    let path = path.to_owned();
    move |error| JournalError::Io { path, error }
}

/// An interrupted match as its result file tells it.
#[derive(Debug)]
pub struct Interrupted {
    /// How the match was begun.
    pub header: Header,
    /// Its finished games.
    pub results: Vec<GameResult>,
    /// The record of the last of them.
    last_record: Option<String>,
    path: PathBuf,
    /// The length of the file up to the last whole line.
    length: u64,
}

impl Interrupted {
    /// Reads a result file. A last line that was cut off does not count.
    ///
    /// # Errors
    /// When it cannot be read, or is not a result file.
    pub fn read(path: &Path) -> Result<Interrupted, JournalError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(io_error(path))?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = bytes[..whole].split(|byte| *byte == b'\n').enumerate();
        let (_, first) = lines.next().unwrap_or_default();
        let header: Header = serde_json::from_slice(first)
            .map_err(|error| JournalError::Header { path: path.to_owned(), error })?;
        if header.version != VERSION {
            return Err(JournalError::Version { path: path.to_owned(), version: header.version });
        }
        let mut results = Vec::new();
        let mut last_record = None;
        for (index, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let game: GameLine = serde_json::from_slice(line).map_err(|error| {
                JournalError::Game { path: path.to_owned(), line: index + 1, error }
            })?;
            results.push(game.result);
            last_record = Some(game.record);
        }
        let length = whole as u64;
        Ok(Interrupted { header, results, last_record, path: path.to_owned(), length })
    }

    /// Opens the files to go on with. The record file gets its last record if it lacks it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn reopen(&self, records: Option<&Path>) -> Result<Journal, JournalError> {
        let mut results =
            OpenOptions::new().write(true).open(&self.path).map_err(io_error(&self.path))?;
        results
            .set_len(self.length)
            .and_then(|()| results.seek(SeekFrom::End(0)))
            .map_err(io_error(&self.path))?;
        let records = records
            .map(|path| -> Result<Kept, JournalError> {
                let last = self.last_record.as_deref().unwrap_or_default();
                let file = mended(path, last).map_err(io_error(path))?;
                Ok(Kept { file, path: path.to_owned() })
            })
            .transpose()?;
        let results = Some(Kept { file: results, path: self.path.clone() });
        Ok(Journal { results, records, synced: Instant::now() })
    }
}

/// Opens a record file whose last record must be `last`. What a sudden end has cut off is written
/// anew.
fn mended(path: &Path, last: &str) -> io::Result<File> {
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if !bytes.ends_with(last.as_bytes()) {
        let cut = (0..last.len()).rev().find(|length| bytes.ends_with(&last.as_bytes()[..*length]));
        bytes.truncate(bytes.len() - cut.unwrap_or(0));
        file.set_len(bytes.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
        file.write_all(last.as_bytes())?;
    }
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

#[derive(Debug)]
struct Kept {
    file: File,
    path: PathBuf,
}

impl Kept {
    fn write(&mut self, text: &str) -> Result<(), JournalError> {
        self.file.write_all(text.as_bytes()).map_err(io_error(&self.path))
    }
}

/// The files that finished games go to. The default one keeps nothing.
#[derive(Debug)]
pub struct Journal {
    results: Option<Kept>,
    records: Option<Kept>,
    synced: Instant,
}

/// Written games outlive the program at once, and a power failure after this time.
const SYNC: Duration = Duration::from_secs(1);

impl Journal {
    /// Begins the files of a new match. The result file must not exist; records are added to a
    /// file that does if `append` is set.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn begin(
        header: &Header,
        results: Option<&Path>,
        records: Option<(&Path, bool)>,
    ) -> Result<Journal, JournalError> {
        let results = results
            .map(|path| -> Result<Kept, JournalError> {
                let file = OpenOptions::new().write(true).create_new(true).open(path);
                let file = file.map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => JournalError::Exists(path.to_owned()),
                    _ => JournalError::Io { path: path.to_owned(), error },
                })?;
                let mut kept = Kept { file, path: path.to_owned() };
                kept.write(&line(header))?;
                Ok(kept)
            })
            .transpose()?;
        let records = records
            .map(|(path, append)| -> Result<Kept, JournalError> {
                let mut options = OpenOptions::new();
                options.create(true);
                let options =
                    if append { options.append(true) } else { options.write(true).truncate(true) };
                let file = options.open(path).map_err(io_error(path))?;
                Ok(Kept { file, path: path.to_owned() })
            })
            .transpose()?;
        Ok(Journal { results, records, synced: Instant::now() })
    }

    /// Keeps a finished game.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add(&mut self, result: &GameResult, record: &str) -> Result<(), JournalError> {
        if let Some(results) = &mut self.results {
            let game = GameLine { result: result.clone(), record: record.to_owned() };
            results.write(&line(&game))?;
        }
        if let Some(records) = &mut self.records {
            records.write(record)?;
        }
        if self.synced.elapsed() >= SYNC {
            self.sync()?;
        }
        Ok(())
    }

    /// Waits until all is on the disk.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        for kept in [&self.results, &self.records].into_iter().flatten() {
            // Pipes and devices cannot be synchronised, and need not be.
            match kept.file.sync_data() {
                Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                    return Err(io_error(&kept.path)(error));
                }
                _ => {}
            }
        }
        self.synced = Instant::now();
        Ok(())
    }
}

/// A line of JSON. What is written here always has one: its maps have text for keys.
fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}
