//! The sequential probability ratio test (Wald 1945) between two differences in strength.
//!
//! The log likelihood ratio is that of the most likely distributions of results under either
//! hypothesis, the generalized ratio of Michel Van den Bergh: "Comparing the approximations for
//! the generalized log likelihood ratio of a multinomial distribution" for Elo, "Comments on
//! normalized Elo" for normalized Elo. An empty cell counts a thousandth of an item, so that a
//! result not seen yet is not ruled out.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Tally;
use super::elo::{deviations, expected_score};

/// What an empty cell counts.
const EMPTY_CELL: f64 = 1e-3;

/// Differences beyond this many points are no sensible hypotheses, and the arithmetic fails far
/// beyond them.
const LARGEST_ELO: f64 = 1000.0;

/// The scale on which the two hypotheses are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Elo.
    Logistic,
    /// Normalized Elo, which makes the length of the test independent of the share of draws.
    #[default]
    Normalized,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Logistic => "logistic",
            Model::Normalized => "normalized",
        })
    }
}

/// One of the two hypotheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Hypothesis {
    /// The difference is elo0.
    H0,
    /// The difference is elo1.
    H1,
}

/// Why a test cannot be set up.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum SprtError {
    /// The hypotheses are in the wrong order or equal.
    #[error("elo0={elo0} must be below elo1={elo1}")]
    Order {
        /// The difference under H0.
        elo0: f64,
        /// The difference under H1.
        elo1: f64,
    },
    /// A difference is too large.
    #[error("{name}={value} is outside -1000 to 1000")]
    Range {
        /// The parameter's name.
        name: &'static str,
        /// What was asked for.
        value: f64,
    },
    /// An error rate is no small probability.
    #[error("{name}={value} is not strictly between 0 and 0.5")]
    Rate {
        /// The parameter's name.
        name: &'static str,
        /// What was asked for.
        value: f64,
    },
    /// The model is unknown.
    #[error("'{0}' is not a model: logistic or normalized is expected")]
    Model(String),
}

impl FromStr for Model {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Model, SprtError> {
        match text {
            "logistic" => Ok(Model::Logistic),
            "normalized" => Ok(Model::Normalized),
            _ => Err(SprtError::Model(text.to_owned())),
        }
    }
}

/// A test of H1, that the first engine is `elo1` stronger, against H0, that it is `elo0` stronger.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

impl Sprt {
    /// A test that accepts H1 with probability at most `alpha` when H0 holds, and H0 with at most
    /// `beta` when H1 holds.
    ///
    /// # Errors
    /// When the hypotheses are not in order, absurdly large, or a rate is not strictly between 0
    /// and 1/2.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Sprt, SprtError> {
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-LARGEST_ELO..=LARGEST_ELO).contains(&value) {
                return Err(SprtError::Range { name, value });
            }
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Rate { name, value });
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }

    /// The differences under H0 and H1, in this order.
    pub fn hypotheses(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// The log likelihood ratios at which H0 and H1 are accepted, in this order.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log likelihood ratio of H1 to H0; 0 when nothing has been played.
    pub fn llr(&self, tally: &Tally) -> f64 {
        if tally.total() == 0 {
            return 0.0;
        }
        let observed = Observed::new(tally);
        let most_likely = |elo: f64| match self.model {
            Model::Logistic => observed.with_mean(expected_score(elo)),
            Model::Normalized => observed.with_deviations(deviations(elo, tally)),
        };
        let (under0, under1) = (most_likely(self.elo0), most_likely(self.elo1));
        let mean_ratio: f64 = (0..observed.scores.len())
            .map(|cell| observed.shares[cell] * (under1[cell] / under0[cell]).ln())
            .sum();
        observed.items * mean_ratio
    }

    /// The hypothesis that this ratio accepts, if it has reached a bound.
    pub fn verdict(&self, llr: f64) -> Option<Hypothesis> {
        let (lower, upper) = self.bounds();
        if llr <= lower {
            Some(Hypothesis::H0)
        } else if llr >= upper {
            Some(Hypothesis::H1)
        } else {
            None
        }
    }
}

/// `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized`, which is how it is asked for.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt { elo0, elo1, alpha, beta, model } = self;
        write!(f, "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}")
    }
}

/// Shares of the cells; entries past the scores are unused.
type Shares = [f64; 5];

/// The distribution of results seen, no cell empty.
struct Observed {
    scores: &'static [f64],
    shares: Shares,
    items: f64,
}

impl Observed {
    fn new(tally: &Tally) -> Observed {
        let cells = tally.cells();
        let mut shares = [0.0; 5];
        for (share, (_, count)) in shares.iter_mut().zip(cells.iter()) {
            *share = if count == 0 { EMPTY_CELL } else { count as f64 };
        }
        let items: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= items);
        Observed { scores: cells.scores, shares, items }
    }

    /// The most likely distribution with this mean score, strictly between 0 and 1.
    fn with_mean(&self, mean: f64) -> Shares {
        let mut offsets = [0.0; 5];
        for (offset, score) in offsets.iter_mut().zip(self.scores) {
            *offset = score - mean;
        }
        self.reweighted(&offsets)
    }

    /// The most likely distribution whose mean lies this many of its own standard deviations above
    /// one half, by the iteration of "Comments on normalized Elo", section 4.1.
    fn with_deviations(&self, deviations: f64) -> Shares {
        const ROUNDS: usize = 10;
        const PRECISION: f64 = 1e-9;
        let cells = self.scores.len();
        let mut shares = [0.0; 5];
        shares[..cells].fill(1.0 / cells as f64);
        for _ in 0..ROUNDS {
            let mean: f64 = (0..cells).map(|i| shares[i] * self.scores[i]).sum();
            let variance: f64 =
                (0..cells).map(|i| shares[i] * (self.scores[i] - mean).powi(2)).sum();
            let sigma = variance.sqrt();
            let mut offsets = [0.0; 5];
            for (offset, score) in offsets.iter_mut().zip(self.scores) {
                let curvature = 1.0 + ((mean - score) / sigma).powi(2);
                *offset = score - 0.5 - deviations * sigma * 0.5 * curvature;
            }
            let next = self.reweighted(&offsets);
            let change = (0..cells).map(|i| (next[i] - shares[i]).abs()).fold(0.0, f64::max);
            shares = next;
            if change < PRECISION {
                break;
            }
        }
        shares
    }

    /// The most likely distribution under which the mean of `offsets` is 0: each share is divided
    /// by 1 + x offset, where x is the root of sum(share * offset / (1 + x offset)).
    ///
    /// Where all offsets have one sign there is no such distribution; then the shares seen.
    fn reweighted(&self, offsets: &Shares) -> Shares {
        let offsets = &offsets[..self.scores.len()];
        let least = offsets.iter().copied().fold(f64::INFINITY, f64::min);
        let most = offsets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least >= 0.0 || most <= 0.0 {
            return self.shares;
        }
        let x = self.root(offsets, -1.0 / most, -1.0 / least);
        let mut shares = self.shares;
        for (share, offset) in shares.iter_mut().zip(offsets) {
            *share /= 1.0 + x * offset;
        }
        shares
    }

    /// The root of the falling function in [`reweighted`](Observed::reweighted), which runs from
    /// plus infinity at `low` to minus infinity at `high`: Newton's steps, halving where they
    /// would leave the bracket.
    fn root(&self, offsets: &[f64], mut low: f64, mut high: f64) -> f64 {
        const ROUNDS: usize = 100;
        let mut x: f64 = 0.0;
        for _ in 0..ROUNDS {
            let (mut value, mut slope) = (0.0, 0.0);
            for (share, offset) in self.shares.iter().zip(offsets) {
                let quotient = offset / (1.0 + x * offset);
                value += share * quotient;
                slope -= share * quotient * quotient;
            }
            if value > 0.0 {
                low = x;
            } else {
                high = x;
            }
            let newton = x - value / slope;
            let next = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
            // The ratio is stationary in x at the root, so its own error is of second order.
            if (next - x).abs() <= 1e-10 * (1.0 + x.abs()) {
                return next;
            }
            x = next;
        }
        x
    }
}
