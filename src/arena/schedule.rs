//! Who plays whom, on which opening, with which colours: a pure function of the settings.
//!
//! Every round brings all encounters once. All encounters of a round begin on the same opening, so
//! that engines are compared on the same ground, and no pairing meets an opening twice until the
//! list is used up. Because the schedule is a pure function, a match that was interrupted goes on
//! by asking which of its games are missing.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::Colour;

/// Which engines meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Everybody meets everybody; with two engines, a match head to head.
    #[default]
    RoundRobin,
    /// The first engine meets each of the others.
    Gauntlet,
}

/// The order in which openings are taken from their list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As they stand in the file.
    #[default]
    Sequential,
    /// Shuffled, and shuffled anew each time the list has been used up.
    Random,
}

/// All that a schedule depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The number of engines, two or more.
    pub engines: usize,
    /// Which of them meet.
    pub format: Format,
    /// How often each encounter takes place.
    pub rounds: u32,
    /// Games of an encounter; colours are swapped from each to the next.
    pub games: u32,
    /// Whether two games after another share an opening and so make a pair.
    pub pairs: bool,
    /// The number of openings to choose from, one or more.
    pub openings: usize,
    /// The order in which they are taken.
    pub order: Order,
    /// The place in the list, or in the first shuffle of it, where the first round begins,
    /// counted from 0.
    pub first_opening: usize,
    /// The seed of the shuffles.
    pub seed: u64,
}

/// Why there can be no such schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ScheduleError {
    /// Nobody to play against.
    #[error("{0} engines given; a match needs at least two")]
    Engines(usize),
    /// An empty match.
    #[error("a match of no rounds or no games")]
    Empty,
    /// No opening to start from.
    #[error("there are no openings")]
    Openings,
    /// Pairs need two games each.
    #[error("-games {0} cannot be played in pairs: an even number or -norepeat is needed")]
    OddPairs(u32),
    /// More games than a game number can count.
    #[error("more than {} games", u32::MAX)]
    TooMany,
}

/// A game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// The number of the game, counted from 0.
    pub game: u32,
    /// The round, counted from 0.
    pub round: u32,
    /// The two engines, the one with the lower index first.
    pub engines: [usize; 2],
    /// The colour of the first of them.
    pub first_plays: Colour,
    /// The index of the opening.
    pub opening: usize,
    /// The game that makes a pair with this one, if games are played in pairs.
    pub partner: Option<u32>,
}

impl Pairing {
    /// The engine that plays this colour.
    pub fn player(&self, colour: Colour) -> usize {
        self.engines[usize::from(colour != self.first_plays)]
    }
}

/// The games of a match in the order in which they are to be started.
///
/// # Errors
/// When the settings describe no match.
pub fn schedule(settings: &Settings) -> Result<Vec<Pairing>, ScheduleError> {
    let encounters = encounters(settings)?;
    let slots = if settings.pairs { settings.games / 2 } else { settings.games };
    let mut openings = Openings::new(settings);
    let mut pairings = Vec::new();
    for round in 0..settings.rounds {
        let opened: Vec<usize> = (0..slots).map(|_| openings.take()).collect();
        for &engines in &encounters {
            for turn in 0..settings.games {
                let game = u32::try_from(pairings.len()).map_err(|_| ScheduleError::TooMany)?;
                let slot = if settings.pairs { turn / 2 } else { turn };
                // Where a round has an odd number of games, the next one begins with the other
                // colour.
                let swapped = (u64::from(round) * u64::from(settings.games) + u64::from(turn)) % 2;
                pairings.push(Pairing {
                    game,
                    round,
                    engines,
                    first_plays: if swapped == 0 { Colour::White } else { Colour::Black },
                    opening: opened[slot as usize],
                    partner: settings
                        .pairs
                        .then(|| if turn % 2 == 0 { game + 1 } else { game - 1 }),
                });
            }
        }
    }
    Ok(pairings)
}

/// The pairings of one round, after a check of the settings.
fn encounters(settings: &Settings) -> Result<Vec<[usize; 2]>, ScheduleError> {
    let engines = settings.engines;
    if engines < 2 {
        return Err(ScheduleError::Engines(engines));
    }
    if settings.rounds == 0 || settings.games == 0 {
        return Err(ScheduleError::Empty);
    }
    if settings.openings == 0 {
        return Err(ScheduleError::Openings);
    }
    if settings.pairs && !settings.games.is_multiple_of(2) {
        return Err(ScheduleError::OddPairs(settings.games));
    }
    let all = (0..engines).flat_map(|a| (a + 1..engines).map(move |b| [a, b]));
    let met: Vec<[usize; 2]> = match settings.format {
        Format::RoundRobin => all.collect(),
        Format::Gauntlet => all.take(engines - 1).collect(),
    };
    let games = met.len() as u128 * u128::from(settings.rounds) * u128::from(settings.games);
    if games > u128::from(u32::MAX) {
        return Err(ScheduleError::TooMany);
    }
    Ok(met)
}

/// The openings in the order of their use, without end.
struct Openings {
    order: Order,
    /// One pass through the list.
    list: Vec<usize>,
    next: usize,
    rng: Xoshiro256PlusPlus,
}

impl Openings {
    fn new(settings: &Settings) -> Openings {
        let mut openings = Openings {
            order: settings.order,
            list: (0..settings.openings).collect(),
            next: settings.first_opening % settings.openings,
            rng: Xoshiro256PlusPlus::seed_from_u64(settings.seed),
        };
        openings.shuffle();
        openings
    }

    fn shuffle(&mut self) {
        if self.order == Order::Random {
            self.list.shuffle(&mut self.rng);
        }
    }

    fn take(&mut self) -> usize {
        if self.next == self.list.len() {
            self.next = 0;
            self.shuffle();
        }
        self.next += 1;
        self.list[self.next - 1]
    }
}
