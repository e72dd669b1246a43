//! Matches between two evaluators inside this process, to tell which of them is better.
//!
//! Both sides are the same search with the same number of nodes for each turn, so that only the
//! evaluators differ. Each opening is played twice with colours swapped, and a sequential test
//! (`arena::statistics`) ends the match as soon as it is decided. The games run side by side, yet
//! their results are counted in the order of the openings and each game begins with empty trees:
//! the outcome does not depend on the number of threads or on their timing.

mod game;
mod openings;

pub use game::{Finished, Player, Searcher, play};
pub use openings::{STANDARD_PLIES, standard};

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::amazons::Position;
use crate::arena::statistics::{
    Estimate, Games, Hypothesis, Model, Pairs, Sprt, SprtError, Tally, elo,
};
use crate::game::{Colour, Evaluator};
use crate::search::MemoryRefused;

/// How a contest is played and judged.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Positions that either side evaluates for each of its turns.
    pub nodes: u64,
    /// The most games that are played, two for each opening; an odd number is rounded up.
    pub games: u64,
    /// The difference under H0, in Elo points by which the first evaluator is stronger.
    pub elo0: f64,
    /// The difference under H1.
    pub elo1: f64,
    /// The probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// The probability of accepting H0 when H1 holds.
    pub beta: f64,
    /// The scale of the two differences.
    pub model: Model,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            nodes: 200,
            games: 400,
            elo0: 0.0,
            elo1: 15.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::default(),
        }
    }
}

impl Settings {
    /// The number of openings that the games need.
    pub fn pairs(&self) -> usize {
        usize::try_from(self.games.div_ceil(2)).unwrap_or(usize::MAX)
    }

    /// The test that these settings describe, if they make sense.
    ///
    /// # Errors
    /// Nodes or games of zero, and hypotheses that are none.
    pub fn sprt(&self) -> Result<Sprt, ContestError> {
        for (name, number) in [("nodes", self.nodes), ("games", self.games)] {
            if number == 0 {
                return Err(ContestError::Zero { name });
            }
        }
        let Settings { elo0, elo1, alpha, beta, model, .. } = *self;
        Ok(Sprt::new(elo0, elo1, alpha, beta, model)?)
    }
}

/// Why a contest was not played.
#[derive(Debug, Error)]
pub enum ContestError {
    /// A number that must not be zero is.
    #[error("a contest needs a number of {name} above 0")]
    Zero {
        /// What there is none of.
        name: &'static str,
    },
    /// The test makes no sense.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// An opening would have to be played twice, which would count the same games again.
    #[error("{needed} games need {} openings, and there are {openings}", needed.div_ceil(2))]
    Openings {
        /// The most games.
        needed: u64,
        /// The openings there are.
        openings: usize,
    },
    /// There is no memory for the trees.
    #[error(transparent)]
    Memory(#[from] MemoryRefused),
    /// A search had no move to offer, which only a lack of memory explains.
    #[error("a search of {nodes} nodes found no move")]
    NoMove {
        /// The limit on its nodes.
        nodes: u64,
    },
}

/// How far a contest has come.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// What the pairs counted so far say.
    pub standing: &'a Standing,
    /// The most games that there will be.
    pub games: u64,
    /// Games played in this run, those included that are not counted yet.
    pub played: u64,
    /// Time since this run began.
    pub elapsed: Duration,
}

/// The results counted, from the first evaluator's view.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// For each pair, in the order of the openings, how many of its two games the first evaluator
    /// won.
    pub wins: Vec<u8>,
    /// The games one by one.
    pub games: Games,
    /// The games in pairs.
    pub pairs: Pairs,
    /// The log likelihood ratio of the test.
    pub llr: f64,
    /// What the test accepted, if it did.
    pub verdict: Option<Hypothesis>,
}

impl Standing {
    /// The difference in strength.
    pub fn elo(&self) -> Estimate {
        elo(&Tally::Pairs(self.pairs))
    }

    /// The mean score, from 0 to 1; `None` before the first pair.
    pub fn score(&self) -> Option<f64> {
        Tally::Pairs(self.pairs).score()
    }

    /// Counts one more pair.
    fn add(&mut self, wins: u8, sprt: &Sprt) {
        self.wins.push(wins);
        for game in 0..2 {
            self.games.add(if game < wins { 2 } else { 0 });
        }
        self.pairs.add(2 * wins);
        self.llr = sprt.llr(&Tally::Pairs(self.pairs));
        self.verdict = sprt.verdict(self.llr);
    }
}

/// What became of a contest.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The results.
    pub standing: Standing,
    /// Whether it is over: decided, or all games played. Otherwise it was interrupted.
    pub complete: bool,
}

/// Plays `first` against `second` on the threads of the current rayon pool, until the test is
/// decided, the games are used up, or `stop` is set.
///
/// `known` are the results of an earlier run of the same contest, as its [`Standing::wins`] told
/// them; they are counted and not played again. `observe` is called after each pair, by one thread
/// at a time.
///
/// # Errors
/// Settings that make no sense, too few openings, and a lack of memory.
pub fn run<A, B>(
    first: &A,
    second: &B,
    settings: &Settings,
    openings: &[Position],
    known: &[u8],
    stop: &AtomicBool,
    observe: &(dyn Fn(&Progress) + Sync),
) -> Result<Outcome, ContestError>
where
    A: Evaluator<Position> + Clone,
    B: Evaluator<Position> + Clone,
{
    let sprt = settings.sprt()?;
    let pairs = settings.pairs();
    if openings.len() < pairs {
        return Err(ContestError::Openings { needed: settings.games, openings: openings.len() });
    }
    let mut standing = Standing::default();
    for &wins in known.iter().take(pairs) {
        if standing.verdict.is_none() {
            standing.add(wins.min(2), &sprt);
        }
    }
    let contest = Contest {
        first,
        second,
        nodes: settings.nodes,
        openings: &openings[..pairs],
        sprt,
        stop,
        next: AtomicUsize::new(standing.wins.len()),
        over: AtomicBool::new(standing.verdict.is_some()),
        count: Mutex::new(Count { standing, waiting: BTreeMap::new(), played: 0, error: None }),
        begun: Instant::now(),
    };
    rayon::broadcast(|_| contest.work(observe));
    let Count { standing, error, .. } = contest.count.into_inner();
    if let Some(error) = error {
        return Err(error);
    }
    let complete = standing.verdict.is_some() || standing.wins.len() == pairs;
    Ok(Outcome { standing, complete })
}

/// A contest that is being played; all threads share it.
struct Contest<'a, A, B> {
    first: &'a A,
    second: &'a B,
    nodes: u64,
    openings: &'a [Position],
    sprt: Sprt,
    stop: &'a AtomicBool,
    /// The next pair that nobody plays yet.
    next: AtomicUsize,
    /// Set when nothing more needs to be played.
    over: AtomicBool,
    count: Mutex<Count>,
    begun: Instant,
}

/// What has been counted, and what cannot be yet.
struct Count {
    standing: Standing,
    /// Pairs that are finished while an earlier one is not.
    waiting: BTreeMap<usize, u8>,
    played: u64,
    error: Option<ContestError>,
}

impl<A, B> Contest<'_, A, B>
where
    A: Evaluator<Position> + Clone,
    B: Evaluator<Position> + Clone,
{
    /// The work of one thread: pair after pair.
    fn work(&self, observe: &(dyn Fn(&Progress) + Sync)) {
        while !self.is_over() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = self.openings.get(number) else { return };
            match self.pair(opening) {
                Ok(Some(wins)) => self.enter(number, wins, observe),
                Ok(None) => return,
                Err(error) => {
                    self.over.store(true, Ordering::Relaxed);
                    self.count.lock().error.get_or_insert(error);
                }
            }
        }
    }

    /// Whether to play no further. The flags carry no data with them, so no ordering is needed.
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed)
    }

    /// The games that the first evaluator wins of the two from this opening; `None` when
    /// interrupted.
    fn pair(&self, opening: &Position) -> Result<Option<u8>, ContestError> {
        let mut wins = 0;
        for colour in Colour::BOTH {
            let mut first = Searcher::new(self.first.clone(), self.nodes, opening)?;
            let mut second = Searcher::new(self.second.clone(), self.nodes, opening)?;
            let players: [&mut dyn Player; 2] = match colour {
                Colour::White => [&mut first, &mut second],
                Colour::Black => [&mut second, &mut first],
            };
            let Some(game) = play(opening, players, &|| self.is_over())? else {
                return Ok(None);
            };
            wins += u8::from(game.winner == colour);
        }
        Ok(Some(wins))
    }

    /// Takes in a finished pair, and counts all that can be counted in order.
    fn enter(&self, number: usize, wins: u8, observe: &(dyn Fn(&Progress) + Sync)) {
        let mut count = self.count.lock();
        let Count { standing, waiting, played, .. } = &mut *count;
        *played += 2;
        waiting.insert(number, wins);
        while standing.verdict.is_none()
            && let Some(wins) = waiting.remove(&standing.wins.len())
        {
            standing.add(wins, &self.sprt);
        }
        if standing.verdict.is_some() {
            self.over.store(true, Ordering::Relaxed);
        }
        observe(&Progress {
            standing,
            games: 2 * self.openings.len() as u64,
            played: *played,
            elapsed: self.begun.elapsed(),
        });
    }
}

#[cfg(test)]
mod tests;
