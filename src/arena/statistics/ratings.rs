//! Many engines: who scored what against whom, and the ratings that make it most likely.
//!
//! The model is that of Bradley and Terry (1952): the expected score of i against j depends on the
//! difference of their ratings alone, on the Elo scale; a draw counts half a win and half a loss.
//! The most likely ratings are finite only when nobody, and no group, has won every game against
//! all the others (Ford 1957). Where somebody has, the swept pairings enter with the lowest score
//! that 95 % allow, and the ratings are marked: the true gap is at least about that large.

use std::f64::consts::LN_10;

use super::elo::{Estimate, Z95};
use super::{Games, Pairs, Tally};

/// The results of every engine against every other.
#[derive(Clone, PartialEq, Debug)]
pub struct CrossTable {
    engines: usize,
    games: Vec<Games>,
    pairs: Vec<Pairs>,
}

/// The place of an engine on the scale of the field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// Which engine.
    pub engine: usize,
    /// Elo above the mean of the engines it is connected to by games; 95 % interval.
    pub elo: Estimate,
    /// Whether a clean sweep is behind it, so that the distances to others are lower bounds.
    pub bounded: bool,
    /// Its games against all others.
    pub games: Games,
    /// Its pairs against all others.
    pub pairs: Pairs,
}

impl CrossTable {
    /// An empty table for this many engines.
    pub fn new(engines: usize) -> CrossTable {
        CrossTable {
            engines,
            games: vec![Games::default(); engines * engines],
            pairs: vec![Pairs::default(); engines * engines],
        }
    }

    /// The number of engines.
    pub fn engines(&self) -> usize {
        self.engines
    }

    /// Counts a game between two different engines; `half_points` are those of `first`, 0 to 2.
    pub fn add_game(&mut self, first: usize, second: usize, half_points: u8) {
        self.games[first * self.engines + second].add(half_points);
        self.games[second * self.engines + first].add(2 - half_points.min(2));
    }

    /// Counts a pair whose games have been counted; `half_points` are those of `first`, 0 to 4.
    pub fn add_pair(&mut self, first: usize, second: usize, half_points: u8) {
        self.pairs[first * self.engines + second].add(half_points);
        self.pairs[second * self.engines + first].add(4 - half_points.min(4));
    }

    /// The games of `first` against `second`, from the view of `first`.
    pub fn games(&self, first: usize, second: usize) -> Games {
        self.games[first * self.engines + second]
    }

    /// The pairs of `first` against `second`, from the view of `first`.
    pub fn pairs(&self, first: usize, second: usize) -> Pairs {
        self.pairs[first * self.engines + second]
    }

    /// The results of `first` against `second` as independent items: pairs as soon as there are
    /// any.
    pub fn tally(&self, first: usize, second: usize) -> Tally {
        let pairs = self.pairs(first, second);
        if pairs.total() > 0 {
            Tally::Pairs(pairs)
        } else {
            Tally::Games(self.games(first, second))
        }
    }

    /// The ratings, best first; engines without a game come last, without a value.
    pub fn ratings(&self) -> Vec<Rating> {
        let mut ratings: Vec<Rating> = (0..self.engines).map(|i| self.unrated(i)).collect();
        let mut seen = vec![false; self.engines];
        for engine in 0..self.engines {
            if !seen[engine] {
                let group = self.reachable(engine, |games| games.total() > 0);
                group.iter().for_each(|&member| seen[member] = true);
                if group.len() > 1 {
                    self.rate(&group, &mut ratings);
                }
            }
        }
        ratings.sort_by(|a, b| {
            let key = |rating: &Rating| rating.elo.value.unwrap_or(f64::NEG_INFINITY);
            key(b).total_cmp(&key(a)).then(a.engine.cmp(&b.engine))
        });
        ratings
    }

    fn unrated(&self, engine: usize) -> Rating {
        let mut games = Games::default();
        let mut pairs = Pairs::default();
        for other in 0..self.engines {
            let (with, both) = (self.games(engine, other), self.pairs(engine, other));
            games.wins += with.wins;
            games.draws += with.draws;
            games.losses += with.losses;
            pairs.ll += both.ll;
            pairs.ld += both.ld;
            pairs.split += both.split;
            pairs.wd += both.wd;
            pairs.ww += both.ww;
        }
        Rating { engine, elo: Estimate::default(), bounded: false, games, pairs }
    }

    /// The engines that `from` leads to through pairings that `linked` accepts, in their order.
    fn reachable(&self, from: usize, linked: impl Fn(&Games) -> bool) -> Vec<usize> {
        let mut reached = vec![false; self.engines];
        let mut open = vec![from];
        reached[from] = true;
        while let Some(engine) = open.pop() {
            for (other, reached) in reached.iter_mut().enumerate() {
                if !*reached && linked(&self.games(engine, other)) {
                    *reached = true;
                    open.push(other);
                }
            }
        }
        (0..self.engines).filter(|&engine| reached[engine]).collect()
    }

    /// Rates a group that games connect.
    fn rate(&self, group: &[usize], ratings: &mut [Rating]) {
        // Everybody has taken points, directly or through others, from everybody else.
        let mixed = group.iter().all(|&engine| {
            self.reachable(engine, |games| games.points() > 0.0).len() == group.len()
        });
        let results = group
            .iter()
            .map(|&first| {
                group.iter().map(|&second| met(self.games(first, second), mixed)).collect()
            })
            .collect();
        let fit = Fit { results }.solve();
        for (&engine, (elo, error)) in group.iter().zip(fit) {
            ratings[engine].elo =
                Estimate { value: Some(elo), low: Some(elo - error), high: Some(elo + error) };
            ratings[engine].bounded = !mixed;
        }
    }
}

/// Games and points of a pairing as they enter the fit.
fn met(games: Games, mixed: bool) -> (f64, f64) {
    let (total, points) = (games.total() as f64, games.points());
    if mixed || total == 0.0 {
        return (total, points);
    }
    let lowest = 0.05f64.powf(1.0 / total);
    (total, points.clamp((1.0 - lowest).min(0.5) * total, lowest.max(0.5) * total))
}

/// A connected group: games and points of each member against each other.
///
/// Inside, strengths are natural log odds; Elo is that times 400 / ln 10.
struct Fit {
    results: Vec<Vec<(f64, f64)>>,
}

/// Points of Elo for one unit of log odds.
const ELO_PER_LOGIT: f64 = 400.0 / LN_10;

fn odds_share(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

impl Fit {
    /// Elo and the reach of its 95 % interval for each member; the mean is 0.
    ///
    /// Newton's method; the likelihood is concave, and a step that overshoots is halved.
    fn solve(&self) -> Vec<(f64, f64)> {
        const ROUNDS: usize = 100;
        let members = self.results.len();
        let mut strength = vec![0.0; members];
        let mut likelihood = self.log_likelihood(&strength);
        for _ in 0..ROUNDS {
            let covariance = self.covariance(&strength);
            let surplus = self.surplus(&strength);
            let step: Vec<f64> = covariance
                .iter()
                .map(|row| row.iter().zip(&surplus).map(|(a, b)| a * b).sum())
                .collect();
            let mut scale = 1.0;
            let (next, reached) = loop {
                let next: Vec<f64> =
                    strength.iter().zip(&step).map(|(s, d)| s + scale * d).collect();
                let reached = self.log_likelihood(&next);
                if reached >= likelihood || scale < 1e-6 {
                    break (next, reached);
                }
                scale /= 2.0;
            };
            let gain = reached - likelihood;
            if gain <= 0.0 {
                break;
            }
            (strength, likelihood) = (next, reached);
        }
        let mean = strength.iter().sum::<f64>() / members as f64;
        let covariance = self.covariance(&strength);
        let reach = |i: usize| Z95 * covariance[i][i].max(0.0).sqrt() * ELO_PER_LOGIT;
        (0..members).map(|i| ((strength[i] - mean) * ELO_PER_LOGIT, reach(i))).collect()
    }

    fn log_likelihood(&self, strength: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (i, row) in self.results.iter().enumerate() {
            for (j, (_, points)) in row.iter().enumerate() {
                sum += points * odds_share(strength[i] - strength[j]).ln();
            }
        }
        sum
    }

    /// Points above expectation: the derivative of the log likelihood.
    fn surplus(&self, strength: &[f64]) -> Vec<f64> {
        let of = |i: usize| {
            let row = self.results[i].iter().enumerate();
            row.map(|(j, (games, points))| points - games * odds_share(strength[i] - strength[j]))
                .sum()
        };
        (0..strength.len()).map(of).collect()
    }

    /// The inverse of the information matrix among strengths whose mean is 0.
    fn covariance(&self, strength: &[f64]) -> Vec<Vec<f64>> {
        let members = strength.len();
        let mut information = vec![vec![0.0; members]; members];
        let mut trace = 0.0;
        for i in 0..members {
            for j in (0..members).filter(|&j| j != i) {
                let expected = odds_share(strength[i] - strength[j]);
                let weight = self.results[i][j].0 * expected * (1.0 - expected);
                information[i][i] += weight;
                information[i][j] -= weight;
                trace += weight;
            }
        }
        // Strengths are defined up to a constant; a multiple of the all-ones matrix closes that
        // direction, and its inverse is taken out again.
        let squares = (members * members) as f64;
        let fill = trace / squares;
        information.iter_mut().flatten().for_each(|entry| *entry += fill);
        let mut inverse = inverted(information);
        inverse.iter_mut().flatten().for_each(|entry| *entry -= 1.0 / (fill * squares));
        inverse
    }
}

/// The inverse of a positive definite matrix, by Gauss and Jordan.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for column in 0..size {
        let pivot = matrix[column][column];
        for k in 0..size {
            matrix[column][k] /= pivot;
            inverse[column][k] /= pivot;
        }
        let (matrix_row, inverse_row) = (matrix[column].clone(), inverse[column].clone());
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for k in 0..size {
                matrix[row][k] -= factor * matrix_row[k];
                inverse[row][k] -= factor * inverse_row[k];
            }
        }
    }
    inverse
}
