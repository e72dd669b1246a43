//! What a run remembers between two starts of the program.

use std::ops::{Add, Range};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use super::table::Row;
use crate::arena::statistics::{Games, Hypothesis, Pairs};
use crate::learn::contest::Standing;

/// The version of the form of the state.
pub(super) const VERSION: u32 = 1;

/// Everything that is finished. Written as a whole after each stage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) version: u32,
    /// The name of the file that the first network came from; without one the classical evaluation
    /// played the first games.
    pub(super) start: Option<String>,
    /// Files of games besides the one that each generation has.
    pub(super) data: Vec<Data>,
    /// The generations that are finished.
    pub(super) rows: Vec<Row>,
    /// The generation at work.
    pub(super) current: Option<Current>,
}

/// A file of games that were added by hand, or played by another version of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    /// Where it is, seen from the directory of the run.
    pub(super) path: PathBuf,
    /// The games in it.
    pub(super) games: u64,
    /// The generation whose file it comes before.
    pub(super) before: u32,
    /// Whether they are games of that generation.
    #[serde(default)]
    pub(super) own: bool,
}

/// A generation that is not finished.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Current {
    pub(super) generation: u32,
    pub(super) settings: Settings,
    /// The number of its first game.
    pub(super) first_game: u64,
    /// Those of its games that another version of the program played.
    #[serde(default)]
    pub(super) aside: Played,
    pub(super) seconds: Seconds,
    pub(super) played: Option<Played>,
    pub(super) trained: Option<Trained>,
    pub(super) judged: Option<Judged>,
}

impl Current {
    /// The numbers of the games that its file is for.
    pub(super) fn games(&self) -> Range<u64> {
        self.first_game + self.aside.games..self.first_game + self.settings.games
    }
}

/// The time that the stages took, in seconds, all starts of the program together.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seconds {
    /// Self-play.
    pub selfplay: f64,
    /// Training.
    pub training: f64,
    /// The contest.
    pub contest: f64,
}

impl Seconds {
    /// All of it, in hours.
    pub fn hours(&self) -> f64 {
        (self.selfplay + self.training + self.contest) / 3600.0
    }
}

/// What came out of self-play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// Games.
    pub games: u64,
    /// Recorded positions in them.
    pub records: u64,
}

impl Add for Played {
    type Output = Played;

    fn add(self, other: Played) -> Played {
        Played { games: self.games + other.games, records: self.records + other.records }
    }
}

/// What came out of training.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trained {
    /// The games that were trained on.
    pub window: u64,
    /// The mean cross-entropy of the policy on the games held out, in nats.
    pub policy_loss: f64,
    /// The mean cross-entropy of the win probability on them.
    pub value_loss: f64,
}

/// What came out of the contest, from the new network's view.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The games one by one.
    pub games: Games,
    /// The games in pairs.
    pub pairs: Pairs,
    /// The log likelihood ratio of the test.
    pub llr: f64,
    /// What the test accepted.
    pub verdict: Option<Hypothesis>,
    /// Whether the new network takes over.
    pub promoted: bool,
}

impl Judged {
    pub(super) fn new(standing: &Standing, promoted: bool) -> Judged {
        let Standing { games, pairs, llr, verdict, .. } = *standing;
        Judged { games, pairs, llr, verdict, promoted }
    }
}

/// The strongest player so far: a generation, or the first teacher.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Best {
    pub(super) generation: Option<u32>,
    /// Elo points over the first teacher, as the contests add up.
    pub(super) elo: f64,
    /// Half the width of the 95 % interval of these.
    pub(super) error: f64,
}

impl State {
    pub(super) fn new() -> State {
        State { version: VERSION, start: None, data: Vec::new(), rows: Vec::new(), current: None }
    }

    /// The number of the generation at work, or of the next one.
    pub(super) fn generation(&self) -> u32 {
        self.rows.len() as u32
    }

    /// The strongest player so far.
    pub(super) fn best(&self) -> Best {
        match self.rows.iter().rev().find(|row| row.judged.promoted) {
            Some(row) => {
                Best { generation: Some(row.generation), elo: row.elo, error: row.elo_error }
            }
            None => Best { generation: None, elo: 0.0, error: 0.0 },
        }
    }

    /// The number of games that all finished generations played themselves.
    pub(super) fn games(&self) -> u64 {
        self.rows.iter().map(|row| row.played.games).sum()
    }
}
