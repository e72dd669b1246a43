//! The state of a training in a file: what it takes to go on as if nothing had happened.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `OTRERATR` |
//! | 4 | version of the format, 1 |
//! | 4 | length of the header |
//! | … | the header: JSON |
//! | 4 x 4 x numbers | the [`State`]: weights, means, squares and average |
//! | 4 | CRC-32 of everything before |
//!
//! All numbers are little-endian.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Settings;
use super::optimiser::State;
use super::parameters::TOTAL;
use super::report::Curve;

const MAGIC: &[u8; 8] = b"OTRERATR";
const VERSION: u32 = 1;

/// Why a file is no checkpoint to go on from.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("this is no checkpoint of a training: it does not begin with OTRERATR")]
    Magic,
    /// It has another version.
    #[error("a checkpoint of version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// It is cut off, longer than it should be, or its checksum is wrong.
    #[error("a damaged checkpoint: its length or its checksum is wrong")]
    Damaged,
    /// Its header cannot be understood.
    #[error("a checkpoint with a header that makes no sense: {0}")]
    Header(serde_json::Error),
    /// It is of a network of another shape.
    #[error("a checkpoint of a network of {found} numbers, where this program has {TOTAL}")]
    Shape {
        /// How many numbers it has.
        found: usize,
    },
}

/// What a checkpoint says of its training.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// How many numbers the network has.
    pub numbers: usize,
    /// How it is trained.
    pub settings: Settings,
    /// What tells its data from other data.
    pub data: u64,
    /// What tells the weights it began with from others.
    pub start: u32,
    /// The steps done.
    pub step: u64,
    /// The seconds that took.
    pub seconds: f64,
    /// The losses so far.
    pub curve: Curve,
}

/// A training at one of its steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// What it says of itself.
    pub header: Header,
    /// The numbers.
    pub state: State,
}

/// What tells weights from others.
pub fn checksum(weights: &[f32]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for number in weights {
        hasher.update(&number.to_le_bytes());
    }
    hasher.finalize()
}

impl Checkpoint {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&self.header).expect("a header is made of plain numbers");
        let mut bytes = Vec::with_capacity(20 + header.len() + 16 * TOTAL);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        let State { weights, mean, square, average } = &self.state;
        for numbers in [weights, mean, square, average] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Bytes that are something else, of another version or shape, or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointError::Magic)?;
        let (version, rest) = number(rest)?;
        if version != VERSION {
            return Err(CheckpointError::Version(version));
        }
        let (content, checksum) = bytes.split_last_chunk::<4>().ok_or(CheckpointError::Damaged)?;
        if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
            return Err(CheckpointError::Damaged);
        }
        let (length, rest) = number(rest)?;
        let (header, rest) =
            rest.split_at_checked(length as usize).ok_or(CheckpointError::Damaged)?;
        let header: Header = serde_json::from_slice(header).map_err(CheckpointError::Header)?;
        if header.numbers != TOTAL {
            return Err(CheckpointError::Shape { found: header.numbers });
        }
        let (numbers, left) = rest.as_chunks::<4>();
        if numbers.len() != 4 * TOTAL + 1 || !left.is_empty() {
            return Err(CheckpointError::Damaged);
        }
        let mut arrays = numbers.chunks(TOTAL).map(|numbers| {
            numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect::<Vec<f32>>()
        });
        let mut next = || arrays.next().unwrap_or_default();
        let state = State { weights: next(), mean: next(), square: next(), average: next() };
        Ok(Checkpoint { header, state })
    }

    /// Writes the file, or leaves the old one as it is.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        replace(path, &self.encode())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read or is no sound checkpoint.
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        Checkpoint::decode(&fs::read(path)?)
    }
}

fn number(bytes: &[u8]) -> Result<(u32, &[u8]), CheckpointError> {
    let (number, rest) = bytes.split_first_chunk::<4>().ok_or(CheckpointError::Damaged)?;
    Ok((u32::from_le_bytes(*number), rest))
}

/// Writes a file beside the old one, then takes its place: at any time one of the two is there,
/// whole.
///
/// # Errors
/// A file that cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&beside, path)
}
