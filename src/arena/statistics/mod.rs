//! What the results of a match say about strength. Everything here is pure.
//!
//! Two games on one opening with colours swapped are one item, a *pair*: the opening's bias is the
//! same in both, so pairs are independent where their games are not. The Game of the Amazons has no
//! draws and fills three of the five cells of pair results; La-Trel fills all five.
//!
//! Nothing here is ever infinite or not a number. Where the results bound a quantity on one side
//! only, as after a clean sweep, the other side is `None`.

mod elo;
mod ratings;
mod sprt;

pub use elo::{Estimate, elo, expected_score, likelihood_of_superiority, normalized_elo};
pub use ratings::{CrossTable, Rating};
pub use sprt::{Hypothesis, Model, Sprt, SprtError};

use serde::{Deserialize, Serialize};

/// Counts of finished games, from the first engine's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Games {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Games {
    /// The number of games.
    pub fn total(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points scored: one for a win, half for a draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The same games from the other engine's view.
    #[must_use]
    pub fn reversed(&self) -> Games {
        Games { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Counts one more game. `half_points` is 2 for a win, 1 for a draw, 0 for a loss.
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }
}

/// Counts of pairs of games by what the first engine scored in both together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pairs {
    /// Both lost.
    pub ll: u64,
    /// A loss and a draw.
    pub ld: u64,
    /// A win and a loss, or two draws.
    pub split: u64,
    /// A win and a draw.
    pub wd: u64,
    /// Both won.
    pub ww: u64,
}

impl Pairs {
    /// The number of pairs.
    pub fn total(&self) -> u64 {
        self.ll + self.ld + self.split + self.wd + self.ww
    }

    /// The same pairs from the other engine's view.
    #[must_use]
    pub fn reversed(&self) -> Pairs {
        Pairs { ll: self.ww, ld: self.wd, split: self.split, wd: self.ld, ww: self.ll }
    }

    /// Counts one more pair. `half_points` is the sum over both games, 0 to 4, as in
    /// [`Games::add`].
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.ll += 1,
            1 => self.ld += 1,
            2 => self.split += 1,
            3 => self.wd += 1,
            _ => self.ww += 1,
        }
    }
}

/// Results as independent items: single games, or pairs where games were played in pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tally {
    /// Single games.
    Games(Games),
    /// Pairs of games.
    Pairs(Pairs),
}

impl Tally {
    /// The number of items.
    pub fn total(&self) -> u64 {
        match self {
            Tally::Games(games) => games.total(),
            Tally::Pairs(pairs) => pairs.total(),
        }
    }

    /// The number of games in an item.
    fn games_per_item(&self) -> f64 {
        match self {
            Tally::Games(_) => 1.0,
            Tally::Pairs(_) => 2.0,
        }
    }

    /// The cells in order of score.
    fn cells(&self) -> Cells {
        match *self {
            Tally::Games(Games { wins, draws, losses }) => {
                Cells { scores: &[0.0, 0.5, 1.0], counts: [losses, draws, wins, 0, 0] }
            }
            Tally::Pairs(Pairs { ll, ld, split, wd, ww }) => {
                Cells { scores: &[0.0, 0.25, 0.5, 0.75, 1.0], counts: [ll, ld, split, wd, ww] }
            }
        }
    }

    /// Mean and variance of an item's score, with the score of an item scaled to `[0, 1]`; `None`
    /// when there are no items.
    fn moments(&self) -> Option<(f64, f64)> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let cells = self.cells();
        let mean_of = |f: &dyn Fn(f64) -> f64| {
            cells.iter().map(|(score, count)| f(score) * count as f64).sum::<f64>() / total as f64
        };
        let mean = mean_of(&|score| score);
        Some((mean, mean_of(&|score| (score - mean).powi(2))))
    }

    /// The mean score, from 0 to 1; `None` when there are no items.
    pub fn score(&self) -> Option<f64> {
        self.moments().map(|(mean, _)| mean)
    }
}

/// The possible scores of an item and how often each occurred; counts past the scores are unused.
struct Cells {
    scores: &'static [f64],
    counts: [u64; 5],
}

impl Cells {
    fn iter(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.scores.iter().copied().zip(self.counts)
    }

    /// The score of all items, if it is the same for all.
    fn only_score(&self) -> Option<f64> {
        let mut seen = self.iter().filter(|&(_, count)| count > 0);
        let (score, _) = seen.next()?;
        seen.next().is_none().then_some(score)
    }
}
