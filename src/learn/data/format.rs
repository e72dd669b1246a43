//! What a file begins with, and how it is cut into blocks.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::eval::network::{self, file, file::NetworkError};
use crate::eval::{Evaluation, Kernel};

/// The first bytes of a file.
pub(super) const MAGIC: [u8; 8] = *b"Otr-game";

/// The version of the format that is written and read.
pub(super) const VERSION: u32 = 1;

/// The bytes before the header: magic, version and length.
pub(super) const PREAMBLE: usize = 16;

/// The bytes before the games of a block: length, number of games and checksum.
pub(super) const BLOCK_HEAD: usize = 12;

/// A block is written as soon as its games fill so many bytes.
pub const BLOCK: usize = 16 << 10;

/// No header or block is longer; what says it is longer is damaged.
pub(super) const LONGEST: u32 = 1 << 26;

/// Who played the games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Source {
    /// The engine: its version, and the signature that `otrera bench` prints.
    pub engine: String,
    /// The network; `None` for the classical evaluation.
    pub network: Option<Network>,
}

/// Which network it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Network {
    /// The checksum of its weights.
    pub checksum: u32,
    /// Where it comes from, as its file says.
    pub provenance: String,
}

impl Network {
    /// The network in these bytes of a file, ready to play, and what a header says of it.
    ///
    /// # Errors
    /// When they hold no network that this program can play with.
    pub fn read(bytes: &[u8]) -> Result<(Evaluation, Network), NetworkError> {
        let (weights, provenance) = file::decode(bytes)?;
        let checksum = file::checksum(&weights);
        let network = network::Network::new(Kernel::best(), weights);
        Ok((Evaluation::Network(network), Network { checksum, provenance }))
    }
}

/// Everything that decides what a file contains.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Who played.
    pub source: Source,
    /// The settings of self-play, the seed among them.
    pub settings: serde_json::Value,
    /// The numbers of the games of the whole run.
    pub games: Range<u64>,
    /// Which of them are in this file: those that leave this remainder …
    pub shard: u64,
    /// … when divided by this, which is never 0.
    pub shards: u64,
}

impl Header {
    /// The numbers of the games that belong into the file, in the order they stand in it.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + use<> {
        let Header { shard, shards, .. } = *self;
        // The first number of the range that leaves the remainder `shard`.
        let missing = (shard + shards - self.games.start % shards) % shards;
        let first = self.games.start.saturating_add(missing);
        let step = usize::try_from(shards).unwrap_or(usize::MAX);
        (first..self.games.end).step_by(step)
    }

    /// How many games belong into the file.
    pub fn len(&self) -> u64 {
        let Header { shard, shards, .. } = *self;
        // The numbers below `end` that leave the remainder.
        let below = |end: u64| end / shards + u64::from(end % shards > shard);
        below(self.games.end).saturating_sub(below(self.games.start))
    }

    /// Whether no game does.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the numbers can be what they are said to be.
    pub(super) fn is_sound(&self) -> bool {
        self.shard < self.shards && self.shards <= u64::from(u32::MAX)
    }

    /// The bytes of the file up to its first block.
    pub(super) fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let text = serde_json::to_vec(self)?;
        let mut bytes = Vec::with_capacity(PREAMBLE + text.len() + 4);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }
}

/// The checksum of a block.
pub(super) fn checksum(length: u32, games: u32, content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&length.to_le_bytes());
    hasher.update(&games.to_le_bytes());
    hasher.update(content);
    hasher.finalize()
}
