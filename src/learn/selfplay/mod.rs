//! Self-play: games that the engine plays against itself, to learn from.
//!
//! Every game follows from its number and the settings alone. So a run can be repeated, cut into
//! shards for many machines, interrupted and gone on with, and its file is always the same, however
//! many threads played it.

mod ending;
mod exploring;
mod play;
mod settings;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use thiserror::Error;

use super::data::{self, DataError, Header, Held, Writer};
use crate::amazons::Position;
use crate::game::Evaluator;
use crate::search::MemoryRefused;
use play::Play;

pub use super::data::{Network, Source};
pub use settings::{Settings, SettingsError};

/// The games whose numbers leave a certain remainder: one part of a run spread over machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// The remainder …
    pub index: u32,
    /// … on division by this, which is not 0.
    pub of: u32,
}

impl Shard {
    /// The whole run.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };
}

/// The text is no shard.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("a shard is K/N with K from 0 to N - 1, like 0/4")]
pub struct ShardError;

impl FromStr for Shard {
    type Err = ShardError;

    /// Reads `K/N`.
    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let (index, of) = text.split_once('/').ok_or(ShardError)?;
        let shard = Shard {
            index: index.parse().map_err(|_| ShardError)?,
            of: of.parse().map_err(|_| ShardError)?,
        };
        if shard.index < shard.of { Ok(shard) } else { Err(ShardError) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// How far a run has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Games in the file.
    pub games: u64,
    /// Records in the file.
    pub records: u64,
    /// Games that there will be.
    pub of: u64,
    /// Those of the games that were there when the run began.
    pub games_before: u64,
    /// Those of the records that were.
    pub records_before: u64,
    /// Time since the run began.
    pub elapsed: Duration,
}

/// What a run has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Where it ended.
    pub progress: Progress,
    /// The bytes of an earlier, torn run that were cut off the file and played anew.
    pub lost: u64,
}

impl Summary {
    /// Whether all games were played.
    pub fn is_complete(&self) -> bool {
        self.progress.games == self.progress.of
    }
}

/// Why self-play ended.
#[derive(Debug, Error)]
pub enum SelfplayError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The file.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The memory for the trees.
    #[error(transparent)]
    Memory(#[from] MemoryRefused),
    /// The settings cannot be told.
    #[error("the settings cannot be written: {0}")]
    Header(serde_json::Error),
}

/// The header of the file of a run.
///
/// # Errors
/// Settings that make no sense.
pub fn header(
    source: &Source,
    settings: &Settings,
    games: Range<u64>,
    shard: Shard,
) -> Result<Header, SelfplayError> {
    settings.check()?;
    Ok(Header {
        source: source.clone(),
        settings: serde_json::to_value(settings).map_err(SelfplayError::Header)?,
        games,
        shard: shard.index.into(),
        shards: shard.of.into(),
    })
}

/// Plays the games of a shard on all threads of the present rayon pool and writes them to a file,
/// or goes on with that file if there is one: then it must be of the same run. Blocks until all
/// games are played or `stop` is set; then games in progress are given up, and what is complete is
/// written. `observe` is called after each game, on any of the threads, one at a time.
///
/// # Errors
/// Settings that make no sense, a file that cannot be written or is of another run, no memory.
#[allow(clippy::too_many_arguments)]
pub fn run<E: Evaluator<Position> + Clone>(
    evaluator: &E,
    source: &Source,
    settings: &Settings,
    games: Range<u64>,
    shard: Shard,
    path: &Path,
    stop: &AtomicBool,
    observe: &(dyn Fn(&Progress) + Sync),
) -> Result<Summary, SelfplayError> {
    let header = header(source, settings, games, shard)?;
    let (writer, held) = Writer::resume(path, &header)?;
    let order = Mutex::new(Order::new(writer, &header, held));
    let begun = Instant::now();
    observe(&order.lock().progress(begun));
    let queue = Mutex::new(header.numbers().skip(held.games as usize));
    let failed = AtomicBool::new(false);
    let results = rayon::broadcast(|_| -> Result<(), SelfplayError> {
        let next = || if failed.load(Ordering::Relaxed) { None } else { queue.lock().next() };
        while !stop.load(Ordering::Relaxed)
            && let Some(number) = next()
        {
            let played = play_encoded(evaluator, settings, number, stop);
            let taken = played.and_then(|game| {
                let Some(game) = game else { return Ok(()) };
                let mut order = order.lock();
                order.take(number, game)?;
                observe(&order.progress(begun));
                Ok(())
            });
            if taken.is_err() {
                failed.store(true, Ordering::Relaxed);
                return taken;
            }
        }
        Ok(())
    });
    let order = order.into_inner();
    let progress = order.progress(begun);
    order.writer.finish().map_err(DataError::Io)?;
    results.into_iter().collect::<Result<(), _>>()?;
    Ok(Summary { progress, lost: held.lost })
}

/// A game played and coded.
struct Played {
    bytes: Vec<u8>,
    records: u64,
}

fn play_encoded<E: Evaluator<Position> + Clone>(
    evaluator: &E,
    settings: &Settings,
    number: u64,
    stop: &AtomicBool,
) -> Result<Option<Played>, SelfplayError> {
    let play = Play::new(evaluator, settings, &Position::start(), number, stop)?;
    let Some(game) = play.finish(number) else { return Ok(None) };
    let mut bytes = Vec::new();
    data::encode(&game, &mut bytes).map_err(|fault| DataError::Game { number, fault })?;
    Ok(Some(Played { bytes, records: game.records.len() as u64 }))
}

/// Brings games into the order of their numbers, without anybody waiting: a game that comes before
/// its turn is kept until then.
struct Order<N> {
    writer: Writer,
    /// The numbers of the games to be written next.
    numbers: N,
    next: Option<u64>,
    early: BTreeMap<u64, Played>,
    held: Held,
    games: u64,
    records: u64,
    of: u64,
}

impl Order<()> {
    fn new(
        writer: Writer,
        header: &Header,
        held: Held,
    ) -> Order<impl Iterator<Item = u64> + use<>> {
        let mut numbers = header.numbers().skip(held.games as usize);
        Order {
            writer,
            next: numbers.next(),
            numbers,
            early: BTreeMap::new(),
            held,
            games: held.games,
            records: held.records,
            of: header.len(),
        }
    }
}

impl<N: Iterator<Item = u64>> Order<N> {
    fn take(&mut self, number: u64, game: Played) -> Result<(), DataError> {
        self.early.insert(number, game);
        while let Some(next) = self.next
            && let Some(game) = self.early.remove(&next)
        {
            self.writer.write_encoded(&game.bytes)?;
            self.games += 1;
            self.records += game.records;
            self.next = self.numbers.next();
        }
        Ok(())
    }

    fn progress(&self, begun: Instant) -> Progress {
        Progress {
            games: self.games,
            records: self.records,
            of: self.of,
            games_before: self.held.games,
            records_before: self.held.records,
            elapsed: begun.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests;
