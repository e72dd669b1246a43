//! Games for the tests: played at random, with searches made up.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::amazons::Position;
use crate::game::{Colour, Game as _, Value};
use crate::learn::data::{Ended, Game, Record};
use crate::learn::train::dataset::Dataset;

/// A game of this number, with a record before every fourth step or so.
///
/// The value of a record is the side's share of all steps that either side could play, a little
/// blurred, so there is something to learn.
pub fn random(number: u64) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(number);
    let start = Position::start();
    let mut position = start.clone();
    let (mut steps, mut records, mut legal) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        position.steps(&mut legal);
        let Some(&step) = legal.choose(&mut rng) else { break };
        if rng.random_bool(0.25) {
            let mut places: Vec<u16> = (0..legal.len() as u16).collect();
            places.shuffle(&mut rng);
            places.truncate(rng.random_range(1..=20));
            places.sort_unstable();
            let visits = places.into_iter().map(|place| (place, rng.random_range(1..60)));
            records.push(Record {
                at: steps.len() as u16,
                visits: visits.collect(),
                value: freedom(&position, rng.random_range(-0.1..0.1)),
            });
        }
        position.play(step);
        steps.push(step);
    }
    let winner = !position.side_to_move();
    Game { number, start, steps, records, winner, margin: 0, ended: Ended::PlayedOut }
}

fn freedom(position: &Position, blur: f32) -> Value {
    let reach = |side: Colour| {
        let squares = position.amazons(side).into_iter();
        squares.map(|from| position.queen_targets(from).count()).sum::<u32>() as f32
    };
    let (mine, theirs) = (reach(position.side_to_move()), reach(!position.side_to_move()));
    Value::new((mine - theirs) / (mine + theirs).max(1.0) + blur)
}

/// The games of these numbers as a dataset.
pub fn dataset(numbers: std::ops::Range<u64>) -> Dataset {
    let games: Vec<Game> = numbers.map(random).collect();
    let mut dataset = Dataset::default();
    dataset.extend(&games, usize::MAX).expect("games played by the rules");
    dataset
}
