//! Elo, normalized Elo and the likelihood of superiority, with 95 % intervals.
//!
//! Elo is the logistic scale, 400 points for odds of ten to one. Normalized Elo (Michel Van den
//! Bergh, "Comments on normalized Elo") divides by the standard deviation of a game instead, so
//! that equal values need equal numbers of games to be seen. The intervals are the usual normal
//! ones where these stay inside the scale; near its ends the score interval of Wilson takes over,
//! which is conservative here because no score in `[0, 1]` varies more than a coin with its mean;
//! and when all items ended alike, only what the binomial distribution says exactly is claimed.

use std::f64::consts::{LN_10, SQRT_2};
use std::fmt;

use statrs::function::erf::erf;

use super::Tally;

/// The 97.5 % quantile of the normal distribution.
pub(super) const Z95: f64 = 1.959_963_984_540_054;

/// Points of normalized Elo for one standard deviation of a game: the factor that makes both
/// scales agree for even games with no draws, where a game's deviation is 1/2.
pub(super) const NORMALIZED_UNIT: f64 = 800.0 / LN_10;

/// A quantity with its 95 % interval. An end that the results leave open is `None`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    /// The best guess, when it is finite.
    pub value: Option<f64>,
    /// The lower end; alone it is a one-sided 95 % bound.
    pub low: Option<f64>,
    /// The upper end; alone it is a one-sided 95 % bound.
    pub high: Option<f64>,
}

impl Estimate {
    /// Half the width of the interval, when both ends are known.
    pub fn error(&self) -> Option<f64> {
        Some((self.high? - self.low?) / 2.0)
    }

    /// The same quantity from the other engine's view.
    #[must_use]
    pub fn reversed(&self) -> Estimate {
        Estimate {
            value: self.value.map(|value| -value),
            low: self.high.map(|high| -high),
            high: self.low.map(|low| -low),
        }
    }

    fn above(low: f64) -> Estimate {
        Estimate { value: None, low: Some(low), high: None }
    }
}

/// `40.70 +/- 30.43`, or a one-sided bound `> 301.20`, or `?` when nothing is known.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nothing is written as minus zero.
        let plain = |part: f64| if part.abs() < 0.005 { 0.0 } else { part };
        let [value, low, high] = [self.value, self.low, self.high].map(|part| part.map(plain));
        match (value, self.error(), low, high) {
            (Some(value), Some(error), ..) => write!(f, "{value:.2} +/- {error:.2}"),
            (None, _, Some(low), Some(high)) => write!(f, "{low:.2} to {high:.2}"),
            (_, _, Some(low), None) => write!(f, "> {low:.2}"),
            (_, _, None, Some(high)) => write!(f, "< {high:.2}"),
            (Some(value), ..) => write!(f, "{value:.2}"),
            (None, _, None, None) => f.write_str("?"),
        }
    }
}

/// The Elo difference at which the stronger side's mean score is `score`, strictly between 0 and 1.
fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The mean score, between 0 and 1, of a player who is `elo` points stronger.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference of the first engine to the second.
pub fn elo(tally: &Tally) -> Estimate {
    let Some((mean, variance)) = tally.moments() else {
        return Estimate::default();
    };
    let (low, high) = score_interval(tally, mean, variance);
    let inside = |score: f64| (score > 0.0 && score < 1.0).then(|| elo_of(score));
    Estimate { value: inside(mean), low: inside(low), high: inside(high) }
}

/// The 95 % interval of the mean score; an end at 0 or 1 says that this side is open.
fn score_interval(tally: &Tally, mean: f64, variance: f64) -> (f64, f64) {
    let items = tally.total() as f64;
    if let Some(only) = tally.cells().only_score() {
        let elsewhere = mass_elsewhere(items, only);
        return (only * (1.0 - elsewhere), only + (1.0 - only) * elsewhere);
    }
    let reach = Z95 * (variance / items).sqrt();
    let (low, high) = (mean - reach, mean + reach);
    if low > 0.0 && high < 1.0 {
        return (low, high);
    }
    let spread = Z95 * Z95 / items;
    let centre = (mean + spread / 2.0) / (1.0 + spread);
    let reach = Z95 / (1.0 + spread) * ((mean * (1.0 - mean) + spread / 4.0) / items).sqrt();
    (centre - reach, centre + reach)
}

/// When all of `items` scored `only`: how much probability may lie on other scores.
///
/// If an item scores something else with probability m, all score alike with (1 - m)^items, which
/// must not be below 5 % (one side) or 2.5 % (each of two sides).
fn mass_elsewhere(items: f64, only: f64) -> f64 {
    let one_sided = only <= 0.0 || only >= 1.0;
    let level: f64 = if one_sided { 0.05 } else { 0.025 };
    1.0 - level.powf(1.0 / items)
}

/// The normalized Elo difference of the first engine to the second.
pub fn normalized_elo(tally: &Tally) -> Estimate {
    let Some((mean, variance)) = tally.moments() else {
        return Estimate::default();
    };
    let games = tally.games_per_item();
    let error = Z95 / (tally.total() as f64 * games).sqrt() * NORMALIZED_UNIT;
    let around = |value: f64| Estimate {
        value: Some(value),
        low: Some(value - error),
        high: Some(value + error),
    };
    match tally.cells().only_score() {
        None => around((mean - 0.5) / (variance * games).sqrt() * NORMALIZED_UNIT),
        Some(only) if only > 0.5 => Estimate::above(normalized_sweep(tally, only)),
        Some(only) if only < 0.5 => Estimate::above(normalized_sweep(tally, 1.0 - only)).reversed(),
        Some(_) => around(0.0),
    }
}

/// The lower bound of normalized Elo when all items scored `only`, above 1/2: the largest possible
/// rest of the probability lies on lost items.
fn normalized_sweep(tally: &Tally, only: f64) -> f64 {
    let rest = 1.0 - 0.05f64.powf(1.0 / tally.total() as f64);
    let mean = only * (1.0 - rest);
    let variance = only * only * rest * (1.0 - rest);
    (mean - 0.5) / (variance * tally.games_per_item()).sqrt() * NORMALIZED_UNIT
}

/// The probability that the first engine is the stronger one, from 0 to 1; one half when nothing
/// has been played.
pub fn likelihood_of_superiority(tally: &Tally) -> f64 {
    let Some((mean, variance)) = tally.moments() else {
        return 0.5;
    };
    let items = tally.total() as f64;
    match tally.cells().only_score() {
        None => (1.0 + erf((mean - 0.5) / (2.0 * variance / items).sqrt())) / 2.0,
        // A coin of unknown bias, every bias equally likely beforehand, that fell on one side in
        // each of so many throws.
        Some(only) if only > 0.5 => 1.0 - 0.5f64.powf(items + 1.0),
        Some(only) if only < 0.5 => 0.5f64.powf(items + 1.0),
        Some(_) => 0.5,
    }
}

/// Standard deviations of a game at this many points of normalized Elo, as seen on one item.
pub(super) fn deviations(normalized_elo: f64, tally: &Tally) -> f64 {
    let per_item = if tally.games_per_item() > 1.0 { SQRT_2 } else { 1.0 };
    normalized_elo / NORMALIZED_UNIT * per_item
}
