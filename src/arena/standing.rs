//! What a match has come to so far: finished games, and all that is counted from them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cause::Cause;
use super::schedule::Pairing;
use super::statistics::{CrossTable, Tally};
use crate::game::{Colour, Outcome};

/// A finished game in numbers, as the result file keeps it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameResult {
    /// Its number in the schedule, from 0.
    pub game: u32,
    /// The engine that played White.
    pub white: usize,
    /// The engine that played Black.
    pub black: usize,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: Score,
    /// Why it ended.
    pub cause: Cause,
    /// The same in a sentence.
    pub explanation: String,
    /// The number of turns of both sides, those of the opening included.
    pub turns: u32,
    /// Milliseconds that White and Black have used.
    pub used_ms: [u64; 2],
    /// Positions that White and Black say they have evaluated.
    pub nodes: [u64; 2],
}

/// The result of a game that has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Score {
    /// White has won.
    #[serde(rename = "1-0")]
    White,
    /// Black has won.
    #[serde(rename = "0-1")]
    Black,
    /// Nobody has won.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl From<Outcome> for Score {
    fn from(outcome: Outcome) -> Score {
        match outcome {
            Outcome::Win(Colour::White) => Score::White,
            Outcome::Win(Colour::Black) => Score::Black,
            Outcome::Draw => Score::Draw,
        }
    }
}

impl GameResult {
    /// Half points of this engine, which must have played: 2 for a win, 1 for a draw.
    pub fn half_points(&self, engine: usize) -> u8 {
        match self.result {
            Score::Draw => 1,
            Score::White => 2 * u8::from(engine == self.white),
            Score::Black => 2 * u8::from(engine == self.black),
        }
    }
}

/// The finished games of a match.
#[derive(Clone, Debug)]
pub struct Standing {
    names: Vec<String>,
    pairings: Vec<Pairing>,
    results: Vec<GameResult>,
    /// The place in `results` of each game that is finished.
    finished: BTreeMap<u32, usize>,
    table: CrossTable,
}

impl Standing {
    /// The standing before the first game.
    pub fn new(names: Vec<String>, pairings: Vec<Pairing>) -> Standing {
        let table = CrossTable::new(names.len());
        Standing { names, pairings, results: Vec::new(), finished: BTreeMap::new(), table }
    }

    /// The engines.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The schedule.
    pub fn pairings(&self) -> &[Pairing] {
        &self.pairings
    }

    /// The finished games in the order of their ends.
    pub fn results(&self) -> &[GameResult] {
        &self.results
    }

    /// Every engine against every other.
    pub fn table(&self) -> &CrossTable {
        &self.table
    }

    /// Whether this game is finished.
    pub fn is_finished(&self, game: u32) -> bool {
        self.finished.contains_key(&game)
    }

    /// Whether the games are played in pairs.
    pub fn in_pairs(&self) -> bool {
        self.pairings.first().is_some_and(|pairing| pairing.partner.is_some())
    }

    /// Counts a game. Whether it was wanted: one that is not in the schedule, or is finished
    /// already, is not.
    pub fn add(&mut self, result: GameResult) -> bool {
        let Some(pairing) = self.pairings.get(result.game as usize).copied() else { return false };
        let [first, second] = pairing.engines;
        let fits = [result.white, result.black]
            == [pairing.player(Colour::White), pairing.player(Colour::Black)];
        if !fits || self.is_finished(result.game) {
            return false;
        }
        let half_points = result.half_points(first);
        self.table.add_game(first, second, half_points);
        let partner = pairing.partner.and_then(|partner| self.finished.get(&partner));
        if let Some(partner) = partner.map(|place| &self.results[*place]) {
            self.table.add_pair(first, second, half_points + partner.half_points(first));
        }
        self.finished.insert(result.game, self.results.len());
        self.results.push(result);
        true
    }

    /// The results between the first two engines as the sequential test counts them: finished
    /// pairs where games are played in pairs.
    pub fn sprt_tally(&self) -> Tally {
        if self.in_pairs() {
            Tally::Pairs(self.table.pairs(0, 1))
        } else {
            Tally::Games(self.table.games(0, 1))
        }
    }

    /// How often games ended in each way, in the order of [`Cause::ALL`].
    pub fn causes(&self) -> Vec<(Cause, u64)> {
        let count = |cause| self.results.iter().filter(|result| result.cause == cause).count();
        Cause::ALL.into_iter().map(|cause| (cause, count(cause) as u64)).collect()
    }

    /// Positions evaluated in a second by this engine, if it says how many. Two processes of one
    /// program may differ in this by some percent, and by a lot on a busy machine.
    pub fn speed(&self, engine: usize) -> Option<f64> {
        let (mut nodes, mut millis) = (0, 0);
        for result in &self.results {
            for (side, player) in [result.white, result.black].into_iter().enumerate() {
                if player == engine {
                    nodes += result.nodes[side];
                    millis += result.used_ms[side];
                }
            }
        }
        (nodes > 0 && millis > 0).then(|| 1000.0 * nodes as f64 / millis as f64)
    }

    /// The games that this engine has lost by a fault, by cause.
    pub fn faults(&self, engine: usize) -> Vec<(Cause, u64)> {
        let lost = |result: &GameResult| {
            [result.white, result.black].contains(&engine) && result.half_points(engine) == 0
        };
        let count = |cause| {
            self.results.iter().filter(|result| result.cause == cause && lost(result)).count()
        };
        Cause::ALL
            .into_iter()
            .filter(|cause| cause.is_fault())
            .map(|cause| (cause, count(cause) as u64))
            .filter(|(_, count)| *count > 0)
            .collect()
    }
}
