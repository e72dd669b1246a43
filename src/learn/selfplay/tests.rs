//! Games on boards so small that everything about their ends can be found by trying all moves.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::exploring::{Exploring, Noise};
use super::play::Play;
use super::{Settings, Shard};
use crate::amazons::{Bitboard, Position, Square};
use crate::eval::Classical;
use crate::game::{Colour, Evaluator as _, Game as _, Outcome};
use crate::learn::data::{self, Ended, Game};

/// A board of up to 4x5 with one or two amazons each and a few arrows.
fn small_board(rng: &mut Xoshiro256PlusPlus) -> Position {
    let (files, ranks) = (rng.random_range(3..=4), rng.random_range(3..=5));
    let mut squares: Vec<Square> = Bitboard::rectangle(files, ranks).into_iter().collect();
    squares.shuffle(rng);
    let mut take = |count: usize| squares.drain(..count).collect::<Bitboard>();
    let amazons = [take(rng.random_range(1..=2)), take(rng.random_range(1..=2))];
    let arrows = take(rng.random_range(0..=3));
    let side = if rng.random() { Colour::White } else { Colour::Black };
    Position::new(files, ranks, amazons, arrows, side).unwrap()
}

fn play(start: &Position, number: u64) -> Game {
    let settings = Settings { visits: 20, arrow_visits: 10, hash: 1, ..Settings::default() };
    let never = AtomicBool::new(false);
    let play = Play::new(&Classical::default(), &settings, start, number, &never).unwrap();
    play.finish(number).unwrap()
}

/// The most moves that the side to move can make one after the other while the other stands still.
fn longest(position: &Position, known: &mut HashMap<u64, u8>) -> u8 {
    if let Some(&most) = known.get(&position.hash()) {
        return most;
    }
    let mut most = 0;
    position.for_each_move(|mv| {
        let mut after = position.clone();
        after.play_move(mv);
        let again = after.with_side_flipped().unwrap();
        most = most.max(1 + longest(&again, known));
    });
    known.insert(position.hash(), most);
    most
}

/// Who wins with best play.
fn best(position: &Position, known: &mut HashMap<u64, Colour>) -> Colour {
    if let Some(&winner) = known.get(&position.hash()) {
        return winner;
    }
    let side = position.side_to_move();
    let wins = position.legal_moves().into_iter().any(|mv| {
        let mut after = position.clone();
        after.play_move(mv);
        best(&after, known) == side
    });
    let winner = if wins { side } else { !side };
    known.insert(position.hash(), winner);
    winner
}

#[test]
fn winners_and_margins_are_those_of_trying_everything() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut tried, mut counted, mut margins) = (0, 0, 0);
    for number in 0..600 {
        let start = small_board(&mut rng);
        let game = play(&start, number);
        let mut position = start.clone();
        for &step in &game.steps {
            assert!(position.is_legal_step(step));
            position.play(step);
        }
        if position.empty().count() > 9 {
            // Too much to be tried.
            continue;
        }
        tried += 1;
        assert_eq!(best(&position, &mut HashMap::new()), game.winner, "{start:?}");
        let own = longest(&position, &mut HashMap::new());
        let flipped = position.with_side_flipped().unwrap();
        let other = longest(&flipped, &mut HashMap::new());
        let margin = if own > other { own - other - 1 } else { other - own };
        assert_eq!(game.margin, margin, "{start:?}");
        match game.ended {
            Ended::Counted => counted += 1,
            Ended::PlayedOut => {
                assert_eq!(position.outcome(), Some(Outcome::Win(game.winner)));
            }
        }
        margins += u32::from(margin > 0);
        let mut bytes = Vec::new();
        data::encode(&game, &mut bytes).unwrap();
        let again = data::decode(&mut bytes.as_slice()).unwrap();
        assert_eq!((again.start, again.steps), (game.start, game.steps));
        assert_eq!(
            (again.winner, again.margin, again.ended),
            (game.winner, game.margin, game.ended)
        );
        for (found, kept) in again.records.iter().zip(&game.records) {
            assert_eq!((found.at, &found.visits), (kept.at, &kept.visits));
            assert!((found.value.get() - kept.value.get()).abs() <= 0.5 / 32767.0 + 1e-6);
        }
        assert_eq!(again.records.len(), game.records.len());
    }
    assert!(tried > 400 && counted > 50 && margins > 50, "{tried} {counted} {margins}");
}

#[test]
fn a_game_is_not_kept_when_it_is_none() {
    let game = play(&Position::start(), 3);
    let refused = |change: &dyn Fn(&mut Game)| {
        let mut game = game.clone();
        change(&mut game);
        let mut bytes = vec![7];
        assert!(data::encode(&game, &mut bytes).is_err());
        assert_eq!(bytes, [7]);
    };
    refused(&|game| game.steps.swap(0, 1));
    refused(&|game| game.steps.truncate(20));
    refused(&|game| game.ended = Ended::PlayedOut);
    refused(&|game| game.records[1].at = game.records[0].at);
    refused(&|game| game.records[0].at = game.steps.len() as u16);
    refused(&|game| game.records[0].visits.clear());
    refused(&|game| game.records[0].visits[0].1 = 0);
    refused(&|game| game.records[0].visits.push((3000, 1)));
    refused(&|game| game.records[0].visits.reverse());
}

#[test]
fn noise_is_the_same_each_time_and_of_one_turn_only() {
    let position = Position::start();
    let mut steps = Vec::new();
    position.steps(&mut steps);
    let plain = Classical::default();
    let mut exploring = Exploring::new(plain.clone());
    let mut scratch = Default::default();
    let mut weights = |exploring: &Exploring<Classical>| {
        let mut weights = Vec::new();
        exploring.priors(&position, &steps, &mut scratch, &mut weights);
        weights
    };
    let without = weights(&exploring);
    exploring.set_noise(Some(Noise { turns: 1, share: 0.25, seed: 5 }));
    assert_eq!(weights(&exploring), without);
    exploring.set_noise(Some(Noise { turns: 0, share: 0.25, seed: 5 }));
    let noisy = weights(&exploring);
    assert_eq!(weights(&exploring), noisy);
    assert!((noisy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    let sum: f32 = without.iter().sum();
    let added: Vec<f32> =
        noisy.iter().zip(&without).map(|(noisy, plain)| noisy - 0.75 * plain / sum).collect();
    assert!(added.iter().all(|&added| added > -1e-6));
    // A few steps get most of it, as under a Dirichlet distribution.
    let mut sorted = added.clone();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let (top, all): (f32, f32) = (sorted[..16].iter().sum(), sorted.iter().sum());
    assert!((all - 0.25).abs() < 1e-4);
    assert!(top > 0.6 * all && top < 0.99 * all, "{top} of {all}");
    exploring.set_noise(Some(Noise { turns: 0, share: 0.25, seed: 6 }));
    assert_ne!(weights(&exploring), noisy);
}

#[test]
fn shards_are_read() {
    assert_eq!("2/4".parse(), Ok(Shard { index: 2, of: 4 }));
    assert_eq!("0/1".parse(), Ok(Shard::WHOLE));
    for text in ["", "4/4", "1", "1/0", "-1/2", "a/b", "1/2/3"] {
        assert!(text.parse::<Shard>().is_err(), "{text}");
    }
}
