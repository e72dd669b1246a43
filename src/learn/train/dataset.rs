//! Records of self-play as training draws them: positions with what a search made of them and how
//! the game ended.

use std::collections::VecDeque;

use rayon::prelude::*;
use thiserror::Error;

use crate::amazons::{Position, Step, Symmetry, mix};
use crate::game::{Colour, Game as _, Outcome, Value};
use crate::learn::data::Game;

/// One game in so many is held out: never trained on, and what the results are measured with.
pub const HELD_OUT_SHARE: u64 = 20;

/// Why a game cannot be trained on.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GameError {
    /// A step of the game is not legal where it is played.
    #[error("game {game}: step {at} is illegal")]
    Step {
        /// The number of the game.
        game: u64,
        /// The number of steps before it.
        at: usize,
    },
    /// A record does not fit the game.
    #[error("game {game}: the record after {at} steps does not fit the position there")]
    Record {
        /// The number of the game.
        game: u64,
        /// The number of steps before it.
        at: usize,
    },
}

/// A record: a position and what is to be learned of it.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// What the search found, for the side to move.
    pub value: Value,
    /// How the game ended, for the side to move.
    pub result: Value,
    /// Where its visits are among those of the game.
    visits: (u32, u32),
}

/// The records of one game.
#[derive(Clone, Debug)]
pub struct GameSamples {
    /// The number of the game.
    pub number: u64,
    samples: Vec<Sample>,
    visits: Vec<(u16, u16)>,
}

impl GameSamples {
    /// Replays a game.
    ///
    /// # Errors
    /// A step that is illegal, or a record of something else than the position it stands at.
    pub fn of(game: &Game) -> Result<GameSamples, GameError> {
        let mut found = GameSamples {
            number: game.number,
            samples: Vec::with_capacity(game.records.len()),
            visits: Vec::new(),
        };
        let mut position = game.start.clone();
        let mut records = game.records.iter().peekable();
        let mut legal = Vec::new();
        for at in 0..=game.steps.len() {
            while let Some(record) = records.next_if(|record| usize::from(record.at) == at) {
                position.steps(&mut legal);
                let places_fit =
                    record.visits.iter().all(|&(place, _)| usize::from(place) < legal.len())
                        && record.visits.is_sorted_by(|one, other| one.0 < other.0);
                let total: u64 = record.visits.iter().map(|&(_, visits)| u64::from(visits)).sum();
                if !places_fit || total == 0 {
                    return Err(GameError::Record { game: game.number, at });
                }
                found.push(&position, game.winner, record.value, &record.visits);
            }
            let Some(&step) = game.steps.get(at) else { break };
            if !position.is_legal_step(step) {
                return Err(GameError::Step { game: game.number, at });
            }
            position.play(step);
        }
        match records.next() {
            Some(record) => Err(GameError::Record { game: game.number, at: record.at.into() }),
            None => Ok(found),
        }
    }

    fn push(&mut self, position: &Position, winner: Colour, value: Value, visits: &[(u16, u16)]) {
        let first = self.visits.len() as u32;
        self.visits.extend_from_slice(visits);
        self.samples.push(Sample {
            position: position.clone(),
            value,
            result: Value::of(Outcome::Win(winner), position.side_to_move()),
            visits: (first, self.visits.len() as u32),
        });
    }

    /// The records.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The visits of a record, with the places of their steps among all legal ones.
    pub fn visits(&self, sample: &Sample) -> &[(u16, u16)] {
        &self.visits[sample.visits.0 as usize..sample.visits.1 as usize]
    }

    /// Whether a game of this number is held out.
    pub fn is_held_out(number: u64) -> bool {
        mix(number).is_multiple_of(HELD_OUT_SHARE)
    }
}

/// A record by its game's place in the data and its own in the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    game: u32,
    record: u32,
}

/// All records of a training.
#[derive(Debug, Default)]
pub struct Dataset {
    games: VecDeque<GameSamples>,
}

impl Dataset {
    /// Adds these games behind those there are, and drops the first of all while there are more
    /// than `most`.
    ///
    /// # Errors
    /// A game that is not what it should be. Those before it are added.
    pub fn extend(&mut self, games: &[Game], most: usize) -> Result<(), GameError> {
        let replayed: Vec<Result<GameSamples, GameError>> =
            games.par_iter().map(GameSamples::of).collect();
        for game in replayed {
            self.games.push_back(game?);
            while self.games.len() > most {
                self.games.pop_front();
            }
        }
        Ok(())
    }

    /// Puts all games of another one, which is older, before those there are.
    pub fn prepend(&mut self, mut older: Dataset) {
        older.games.append(&mut self.games);
        self.games = older.games;
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// The number of games held out.
    pub fn held_out_games(&self) -> usize {
        self.games.iter().filter(|game| GameSamples::is_held_out(game.number)).count()
    }

    /// The records to train on, or those held out, game by game.
    pub fn places(&self, held_out: bool) -> Vec<Place> {
        let chosen = self
            .games
            .iter()
            .enumerate()
            .filter(|(_, game)| GameSamples::is_held_out(game.number) == held_out);
        let records = chosen.flat_map(|(game, samples)| {
            (0..samples.samples.len() as u32).map(move |record| Place { game: game as u32, record })
        });
        records.collect()
    }

    /// A record, and its visits.
    pub fn record(&self, place: Place) -> (&Sample, &[(u16, u16)]) {
        let game = &self.games[place.game as usize];
        let sample = &game.samples[place.record as usize];
        (sample, game.visits(sample))
    }

    /// A number that tells this data from other data, but for bad luck.
    pub fn fingerprint(&self) -> u64 {
        let mut fingerprint = 0;
        for game in &self.games {
            let last = game.samples.last().map_or(0, |sample| sample.position.hash());
            fingerprint = mix(fingerprint ^ mix(game.number) ^ last);
            fingerprint = mix(fingerprint ^ game.samples.len() as u64);
        }
        fingerprint
    }
}

/// How the result of the game and the value found by the search make what is learned.
#[derive(Clone, Copy, Debug)]
pub struct Targets {
    /// The share of the result; the rest is the search value's.
    pub result_share: f32,
}

impl Targets {
    /// The win probability to be learned.
    pub fn win_probability(self, sample: &Sample) -> f32 {
        let share = self.result_share;
        let value = share * sample.result.get() + (1.0 - share) * sample.value.get();
        (1.0 + value) / 2.0
    }
}

/// The image of a position under a symmetry, with the images of its legal steps in the order of
/// the steps they stand for.
pub fn image(position: &Position, symmetry: Symmetry, steps: &mut Vec<Step>) -> Position {
    position.steps(steps);
    if symmetry == Symmetry::Identity {
        return position.clone();
    }
    let (files, ranks) = (position.files(), position.ranks());
    for step in steps.iter_mut() {
        *step = symmetry.step(*step, files, ranks);
    }
    symmetry.position(position)
}
