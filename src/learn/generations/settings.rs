//! What may be chosen about a run.

use serde::{Deserialize, Serialize};

use super::GenerationsError;
use crate::arena::statistics::Hypothesis;
use crate::learn::contest::{self, Standing};
use crate::learn::{selfplay, train};

/// The settings of a run. A generation keeps those it began with.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Games of self-play in each generation.
    pub games: u64,
    /// While there are no more games than this, all are trained on; afterwards the newest ones, a
    /// number that grows with the square root of all games. See [`Settings::window_of`].
    pub window: u64,
    /// Whether a training begins with the weights of the one before; otherwise from nothing.
    pub continue_training: bool,
    /// When a new network takes over.
    pub promotion: Promotion,
    /// The least score with which a network takes over after an undecided contest.
    pub promotion_score: f64,
    /// The seed of all that is drawn.
    pub seed: u64,
    /// How the games are played; their seed is [`seed`](Settings::seed).
    pub selfplay: selfplay::Settings,
    /// How a network is trained; its seed follows from [`seed`](Settings::seed), and the last games
    /// that it uses from [`window`](Settings::window).
    pub train: train::Settings,
    /// How a new network is compared with the best one.
    pub contest: contest::Settings,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            games: 20_000,
            window: 50_000,
            continue_training: true,
            promotion: Promotion::default(),
            promotion_score: 0.5,
            seed: 1,
            selfplay: selfplay::Settings::default(),
            train: train::Settings::default(),
            contest: contest::Settings::default(),
        }
    }
}

/// When a new network takes over from the best one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Promotion {
    /// When the contest accepts H1.
    Accepted,
    /// When the contest accepts H1, or is undecided and the score is high enough.
    #[default]
    Score,
    /// Whatever the contest says.
    Always,
}

impl Settings {
    /// How many of `total` games are trained on: `window * sqrt(total / window)`, and all of them
    /// up to `window`.
    pub fn window_of(&self, total: u64) -> u64 {
        if total <= self.window {
            return total;
        }
        (self.window as f64 * total as f64).sqrt() as u64
    }

    /// Whether a network with these results takes over.
    pub(super) fn promotes(&self, standing: &Standing) -> bool {
        let score = standing.score().is_some_and(|score| score >= self.promotion_score);
        match (self.promotion, standing.verdict) {
            (Promotion::Always, _) | (_, Some(Hypothesis::H1)) => true,
            (_, Some(Hypothesis::H0)) | (Promotion::Accepted, None) => false,
            (Promotion::Score, None) => score,
        }
    }

    /// Checks what the stages do not check themselves.
    pub(super) fn check(&self) -> Result<(), GenerationsError> {
        for (name, number) in [("games", self.games), ("window", self.window)] {
            if number == 0 {
                return Err(GenerationsError::Zero { name });
            }
        }
        if !(0.0..=1.0).contains(&self.promotion_score) {
            return Err(GenerationsError::Score(self.promotion_score));
        }
        self.selfplay.check()?;
        self.train.check()?;
        let pairs = self.contest.pairs();
        let openings = contest::standard(self.seed)?.len();
        self.contest.sprt()?;
        if pairs > openings {
            let needed = self.contest.games;
            return Err(contest::ContestError::Openings { needed, openings }.into());
        }
        Ok(())
    }
}
