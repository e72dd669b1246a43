//! What a training tells of itself.

use serde::{Deserialize, Serialize};

use super::Settings;
use super::held_out::Findings;
use super::model::Losses;
use super::quantise::Rounding;

/// Losses at one step of a training.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Point {
    /// The steps done.
    pub step: u64,
    /// The learning rate of the last of them.
    pub rate: f32,
    /// Mean losses of the records since the last point, each before it was learned from.
    pub trained: Losses,
    /// Losses of the average on records held out.
    pub held_out: Losses,
}

/// The losses of a training so far.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Curve {
    /// In the order of steps.
    pub points: Vec<Point>,
    /// Sums of the mean losses of the steps since the last point.
    pub since: Losses,
    /// Those steps.
    pub steps: u64,
}

impl Curve {
    /// Adds the losses of a step.
    pub fn add(&mut self, losses: Losses) {
        self.since.value += losses.value;
        self.since.policy += losses.policy;
        self.steps += 1;
    }

    /// The mean losses since the last point.
    pub fn mean(&self) -> Losses {
        let steps = self.steps.max(1) as f64;
        Losses { value: self.since.value / steps, policy: self.since.policy / steps }
    }

    /// Makes a point of what was added since the last one.
    pub fn mark(&mut self, step: u64, rate: f32, held_out: Losses) {
        let trained = self.mean();
        self.points.push(Point { step, rate, trained, held_out });
        self.since = Losses::default();
        self.steps = 0;
    }
}

/// A file of games, and what was taken from it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Source {
    /// The file.
    pub path: String,
    /// The games read.
    pub games: u64,
    /// Why it was not read to its end.
    pub fault: Option<String>,
}

/// All about a training that is done: `report.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// How it was trained.
    pub settings: Settings,
    /// What it was trained on, and in what it was measured.
    pub sources: Vec<Source>,
    /// The games, with those held out.
    pub games: usize,
    /// The games held out.
    pub held_out_games: usize,
    /// The records trained on.
    pub records: usize,
    /// The steps done.
    pub steps: u64,
    /// The seconds they took, with what was measured on the way.
    pub seconds: f64,
    /// Records learned from in a second.
    pub records_per_second: f64,
    /// The checksum of the network.
    pub network: u32,
    /// The losses on the way.
    pub curve: Vec<Point>,
    /// Losses of the weights of the last step, before averaging, on all records held out.
    pub last: Losses,
    /// All that was found on records held out.
    pub findings: Findings,
    /// What rounding did to each array.
    pub rounding: Vec<Rounding>,
}
