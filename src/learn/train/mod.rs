//! Training: from games of self-play to a network.
//!
//! A network learns to say who wins and what a search would look at. Its numbers are trained as
//! floating-point numbers (`model`) with AdamW (`optimiser`), each kept within what the
//! integers at play can hold, then rounded ([`quantise`]): most of them a little before the end, so
//! that the rest can make up for it. Every game of which the number says so
//! is held out, and what a network is worth is told by those (`held_out`).
//!
//! A training is deterministic: the same data, settings and beginning give the same network on any
//! number of threads, however often it was interrupted.

mod checkpoint;
pub mod dataset;
mod example;
mod held_out;
mod instructions;
mod model;
mod optimiser;
mod parameters;
mod plots;
pub mod quantise;
mod report;
mod run;
mod schedule;
mod trainer;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use checkpoint::CheckpointError;
pub use dataset::GameError;
pub use held_out::{Decile, Findings};
pub use model::Losses;
pub use quantise::Rounding;
pub use report::{Point, Report, Source};
pub use run::run;

use crate::learn::data::DataError;

/// How long a training goes on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum Length {
    /// So many times over all records.
    Passes(f64),
    /// So many steps.
    Steps(u64),
}

/// How a network is trained. Where a file does not name one of these, as one of an older version may
/// not, it is as by default.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Decides the first weights and the order of records.
    pub seed: u64,
    /// How long.
    pub length: Length,
    /// Records looked at in one step.
    pub batch: usize,
    /// The greatest learning rate.
    pub rate: f32,
    /// The learning rate in the end, as a share of the greatest.
    pub last_rate: f32,
    /// Steps until the greatest learning rate is reached; a fifth of all at most.
    pub warm_up: u64,
    /// How fast weights decay, as a share of the learning rate.
    pub weight_decay: f32,
    /// What a loss in the policy counts against one in the value.
    pub policy_weight: f32,
    /// The share of the result in the value that is learned; the rest is what the search found.
    pub result_share: f32,
    /// The part of the training that the average of the weights looks back on, as a share.
    pub average_share: f32,
    /// The last part of the training, as a share, in which the numbers that have coarse integers are
    /// rounded already and the others learn to make up for it.
    pub settled_share: f32,
    /// Only so many of the last games are used.
    pub last_games: Option<usize>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seed: 1,
            length: Length::Passes(8.0),
            batch: 1024,
            rate: 0.0015,
            last_rate: 0.01,
            warm_up: 300,
            weight_decay: 0.01,
            policy_weight: 1.0,
            result_share: 0.6,
            average_share: 0.03,
            settled_share: 0.1,
            last_games: None,
        }
    }
}

impl Settings {
    /// Whether a training with these settings is possible.
    ///
    /// # Errors
    /// What is expected of them.
    pub fn check(&self) -> Result<(), TrainError> {
        let share = 0.0..=1.0;
        let positive = |number: f32| number.is_finite() && number > 0.0;
        let long_enough = match self.length {
            Length::Passes(passes) => passes.is_finite() && passes > 0.0,
            Length::Steps(steps) => steps > 0,
        };
        let conditions = [
            (long_enough, "a length above 0"),
            ((1..=1 << 20).contains(&self.batch), "a batch of 1 to 1048576 records"),
            (positive(self.rate), "a learning rate above 0"),
            (share.contains(&self.last_rate), "a last learning rate of 0 to 1 of the greatest"),
            ((0.0..=1.0).contains(&(self.weight_decay * self.rate)), "a weight decay from 0 on"),
            (positive(self.policy_weight), "a weight of the policy above 0"),
            (share.contains(&self.result_share), "a share of the result from 0 to 1"),
            (share.contains(&self.average_share), "a share of the average from 0 to 1"),
            (share.contains(&self.settled_share), "a share of the settled part from 0 to 1"),
            (self.last_games != Some(0), "a game at least"),
        ];
        match conditions.iter().find(|(holds, _)| !holds) {
            Some(&(_, wanted)) => Err(TrainError::Settings { wanted }),
            None => Ok(()),
        }
    }

    /// The steps it takes to learn from so many records.
    fn steps(&self, records: usize) -> u64 {
        match self.length {
            Length::Steps(steps) => steps,
            Length::Passes(passes) => {
                ((passes * records as f64 / self.batch as f64).ceil() as u64).max(1)
            }
        }
    }
}

/// Why there is no network.
#[derive(Debug, Error)]
pub enum TrainError {
    /// Settings that make no sense.
    #[error("the settings ask for a training that is not possible: {wanted} is expected")]
    Settings {
        /// What is expected.
        wanted: &'static str,
    },
    /// A data file that cannot be read.
    #[error("{}: {error}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: DataError,
    },
    /// A game that is no game.
    #[error("{}: {error}", path.display())]
    Game {
        /// The file it is in.
        path: PathBuf,
        /// What is wrong with it.
        error: GameError,
    },
    /// There is nothing to learn from.
    #[error("there are no records to train on")]
    NoRecords,
    /// A file that cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: io::Error,
    },
    /// A checkpoint that cannot be used.
    #[error("{}: {error}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: CheckpointError,
    },
    /// The directory holds another training.
    #[error("{}: a training with {difference} has begun here", path.display())]
    OtherTraining {
        /// The checkpoint.
        path: PathBuf,
        /// What is different.
        difference: &'static str,
    },
    /// The weights left all bounds.
    #[error(
        "the losses are no numbers any more after {step} steps: a lower learning rate may help"
    )]
    Diverged {
        /// The steps done.
        step: u64,
    },
    /// A picture could not be drawn.
    #[error("the picture {name} could not be drawn: {reason}")]
    Picture {
        /// Its file.
        name: &'static str,
        /// Why.
        reason: String,
    },
}

/// How far a training has come.
#[derive(Clone, PartialEq, Debug)]
pub enum Progress {
    /// Games are read.
    Reading {
        /// The games so far.
        games: u64,
    },
    /// The network learns.
    Training {
        /// The steps done.
        step: u64,
        /// All steps.
        steps: u64,
        /// Mean losses of the last steps.
        trained: Losses,
        /// Losses on records held out, when they were last measured.
        held_out: Option<Losses>,
        /// Records learned from in a second.
        records_per_second: f64,
        /// How long the rest will take.
        left: Duration,
    },
    /// It has learned, and is measured on the records held out.
    Measuring {
        /// Those records.
        records: usize,
    },
}

/// What came of a training.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The steps done.
    pub step: u64,
    /// All steps.
    pub steps: u64,
    /// All about it, unless it was interrupted.
    pub report: Option<Report>,
}

#[cfg(test)]
mod tests;
