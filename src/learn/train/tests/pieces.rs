//! The parts of a training, one by one.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::games;
use crate::amazons::{Position, Step, Symmetry};
use crate::eval::Kernel;
use crate::eval::network::Network;
use crate::game::{Evaluator, Game as _, Value};
use crate::learn::train::checkpoint::{Checkpoint, CheckpointError, Header};
use crate::learn::train::dataset::{Dataset, GameError, GameSamples, Targets, image};
use crate::learn::train::held_out::{findings, losses};
use crate::learn::train::optimiser::{State, Update};
use crate::learn::train::parameters::{self, Array, TOTAL};
use crate::learn::train::quantise::{exact, round, settled};
use crate::learn::train::report::Curve;
use crate::learn::train::schedule::{Order, Rate};
use crate::learn::train::{Losses, Settings};

const TARGETS: Targets = Targets { result_share: 0.6 };

/// Any numbers within their ranges, times this.
fn any_weights(seed: u64, share: f32) -> Vec<f32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut numbers = vec![0.0; TOTAL];
    for array in Array::ALL {
        let most = array.most() * share;
        for number in &mut numbers[array.range()] {
            *number = rng.random_range(-most..=most);
        }
    }
    numbers
}

#[test]
fn the_arrays_are_those_of_the_network_at_play() {
    let (weights, _) = round(&vec![0.0; TOTAL]);
    let numbers = exact(&weights);
    assert_eq!(numbers.len(), TOTAL);
    assert!(numbers.iter().all(|&number| number == 0.0));
    let lengths = [weights.empty.len(), weights.pieces.len(), weights.bias.len()];
    assert_eq!(lengths, [Array::Empty, Array::Pieces, Array::Bias].map(Array::length));
}

#[test]
fn rounding_moves_numbers_by_half_a_unit_at_most() {
    let numbers = any_weights(1, 1.0);
    let (weights, roundings) = round(&numbers);
    assert!(roundings.iter().all(|rounding| rounding.cut == 0));
    let rounded = exact(&weights);
    for array in Array::ALL {
        for place in array.range() {
            let off = (numbers[place] - rounded[place]).abs() * array.one();
            assert!(off < 0.51, "{array:?}: {} becomes {}", numbers[place], rounded[place]);
        }
    }
    assert_eq!(round(&rounded).0, weights);
}

#[test]
fn what_is_too_large_is_cut_and_counted() {
    let mut numbers = vec![0.0; TOTAL];
    numbers[Array::Empty.start()] = 1.0;
    numbers[Array::Empty.start() + 1] = -0.1;
    numbers[Array::To.start()] = -1000.0;
    let (weights, roundings) = round(&numbers);
    // A tenth of 1024, rounded.
    assert_eq!(weights.empty[..2], [127, -102]);
    assert_eq!(weights.to[0], -127);
    for (array, rounding) in Array::ALL.into_iter().zip(roundings) {
        let cut = usize::from(matches!(array, Array::Empty | Array::To));
        assert_eq!((rounding.cut, rounding.array.as_str()), (cut, array.name()));
    }
}

/// The float network with the numbers of one at play says what that one says, but for the
/// coarseness of its units.
#[test]
fn the_float_network_is_the_one_at_play() {
    let data = games::dataset(0..40);
    let places: Vec<_> = data.places(false).into_iter().chain(data.places(true)).collect();
    // Drawn large enough for values and policies of all kinds, with the first layer kept small
    // enough for its sums not to be cut all the time.
    let mut numbers = any_weights(5, 0.1);
    for (array, share) in [(Array::Empty, 0.02), (Array::Hidden, 0.05), (Array::Bias, 0.05)] {
        let drawn = any_weights(6, share);
        numbers[array.range()].copy_from_slice(&drawn[array.range()]);
    }
    for (array, most) in [(Array::Value, 0.5), (Array::ValueBias, 0.1)] {
        let drawn = any_weights(7, most / array.most());
        numbers[array.range()].copy_from_slice(&drawn[array.range()]);
    }
    let (weights, _) = round(&numbers);
    let network = Network::new(Kernel::best(), weights.clone());
    let found = findings(&data, &places, &exact(&weights), &network, TARGETS);
    assert_eq!(found.records as usize, places.len());
    assert!(found.same_best_step > 0.97, "{found:?}");
    assert!(found.value_difference < 0.004, "{found:?}");
    assert!((found.float.value - found.rounded.value).abs() < 0.002, "{found:?}");
    assert!((found.float.policy - found.rounded.policy).abs() < 0.002, "{found:?}");
    assert!(found.float.policy > found.least.policy && found.float.value > found.least.value);
    let measured = losses(&data, &places, &exact(&weights), TARGETS);
    assert!((measured.value - found.float.value).abs() < 1e-9);
    assert!((measured.policy - found.float.policy).abs() < 1e-9);
}

/// Thinks that everything is even.
struct Even;

impl Evaluator<Position> for Even {
    type Scratch = ();

    fn value(&self, _: &Position, (): &mut ()) -> Value {
        Value::EVEN
    }

    fn priors(&self, _: &Position, steps: &[Step], (): &mut (), weights: &mut Vec<f32>) {
        weights.clear();
        weights.resize(steps.len(), 0.5);
    }
}

#[test]
fn an_evaluator_without_opinions_by_hand() {
    let data = games::dataset(0..10);
    let places: Vec<_> = data.places(false).into_iter().chain(data.places(true)).collect();
    let found = findings(&data, &places, &vec![0.0; TOTAL], &Even, TARGETS);
    // Cross-entropy of any probability with one half.
    assert!((found.rounded.value - 2.0_f64.ln()).abs() < 1e-6);
    assert!((found.float.value - 2.0_f64.ln()).abs() < 1e-6);
    let mut steps = Vec::new();
    let (mut policy, mut won) = (0.0, 0.0);
    for &place in &places {
        let (sample, _) = data.record(place);
        sample.position.steps(&mut steps);
        policy += (steps.len() as f64).ln();
        won += f64::from(sample.result.win_probability());
    }
    let count = places.len() as f64;
    assert!((found.rounded.policy - policy / count).abs() < 1e-4);
    assert!((found.float.policy - policy / count).abs() < 1e-4);
    assert_eq!((found.same_best_step, found.value_difference), (1.0, 0.0));
    for (index, decile) in found.calibration.iter().enumerate() {
        assert_eq!(decile.records, if index == 5 { places.len() as u64 } else { 0 });
    }
    assert!((found.calibration[5].predicted - 0.5).abs() < 1e-9);
    assert!((found.calibration[5].observed - won / count).abs() < 1e-9);
}

/// AdamW on one number with a gradient that changes, by its formulas in double precision.
#[test]
fn the_optimiser_follows_its_formulas() {
    let (rate, decay) = (0.01, 0.1);
    let gradients = [0.5, -0.2, 0.0, 0.3, 0.3];
    for (array, decay) in [(Array::Value, decay), (Array::ValueBias, 0.0)] {
        let (mut weight, mut mean, mut square) = (0.25_f64, 0.0, 0.0);
        let mut averages = 0.0;
        let mut state = State::new(vec![0.25; TOTAL]);
        for (step, &gradient) in gradients.iter().enumerate() {
            mean = 0.9 * mean + 0.1 * gradient;
            square = 0.999 * square + 0.001 * gradient * gradient;
            let power = step as i32 + 1;
            let (mean, square) =
                (mean / (1.0 - 0.9_f64.powi(power)), square / (1.0 - 0.999_f64.powi(power)));
            weight -= rate * (mean / (square.sqrt() + 1e-8) + decay * weight);
            averages += weight;

            let update = Update::new(step as u64, rate as f32, 0.1, 1.0 / power as f32);
            let (_, part) = state.parts().split_at(array.start());
            update.apply(array, part.split_at(1).0, &[gradient as f32]);
        }
        let found = state.weights[array.start()];
        assert!((f64::from(found) - weight).abs() < 1e-5, "{array:?}: {found}, {weight}");
        let found = f64::from(state.average[array.start()]);
        assert!((found - averages / gradients.len() as f64).abs() < 1e-5);
    }
}

#[test]
fn weights_stay_within_their_ranges() {
    for array in Array::ALL {
        let mut state = State::new(vec![0.0; TOTAL]);
        for step in 0..3 {
            let update = Update::new(step, 100.0, 0.0, 1.0);
            let (_, part) = state.parts().split_at(array.start());
            update.apply(array, part.split_at(2).0, &[1.0, -1.0]);
        }
        let place = array.start();
        assert_eq!(state.weights[place..place + 2], [-array.most(), array.most()]);
    }
}

#[test]
fn the_rate_rises_and_falls() {
    let rate = Rate { peak: 2.0, last: 0.1, warm_up: 10, steps: 110 };
    // A tenth of the way up each step.
    assert!((rate.at(0) - 0.2).abs() < 1e-6);
    assert!((rate.at(9) - 2.0).abs() < 1e-6);
    assert!((rate.at(10) - 2.0).abs() < 1e-6);
    // Half way down the cosine: the mean of the peak and a tenth of it.
    assert!((rate.at(60) - 1.1).abs() < 1e-6);
    assert!((rate.at(110) - 0.2).abs() < 1e-6);
    assert!((1..110).all(|step| step <= 10 || rate.at(step) < rate.at(step - 1)));
}

#[test]
fn every_pass_looks_at_every_record_once_and_in_eight_at_all_symmetries() {
    let data = games::dataset(0..3);
    let places = data.places(false);
    let count = places.len();
    assert!(count > 20);
    let batch = 7;
    let draw = |order: &mut Order, step: usize| {
        let mut picks = Vec::new();
        order.batch(step as u64, batch, &mut picks);
        assert_eq!(picks.len(), batch);
        picks
    };
    let mut order = Order::new(9, places.clone());
    let all: Vec<_> =
        (0..8 * count.div_ceil(batch)).flat_map(|step| draw(&mut order, step)).collect();
    for place in &places {
        let mut symmetries = Vec::new();
        for pass in all[..8 * count].chunks(count) {
            let seen: Vec<_> = pass.iter().filter(|pick| pick.place == *place).collect();
            assert_eq!(seen.len(), 1);
            symmetries.push(seen[0].symmetry as u8);
        }
        symmetries.sort_unstable();
        assert_eq!(symmetries, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
    assert_ne!(all[..count], all[count..2 * count]);
    // Anywhere in the middle it goes on as it would have.
    let step = 2 * count / batch + 1;
    let mut other = Order::new(9, places);
    assert_eq!(draw(&mut other, step), all[step * batch..(step + 1) * batch]);
}

#[test]
fn images_have_the_images_of_all_steps() {
    let data = games::dataset(0..5);
    let (mut steps, mut turned, mut legal) = (Vec::new(), Vec::new(), Vec::new());
    for place in data.places(false) {
        let position = &data.record(place).0.position;
        position.steps(&mut steps);
        for symmetry in Symmetry::ALL {
            let image = image(position, symmetry, &mut turned);
            assert_eq!(image, symmetry.position(position));
            image.steps(&mut legal);
            for (&step, &of) in turned.iter().zip(&steps) {
                assert_eq!(step, symmetry.step(of, 10, 10));
                assert!(legal.contains(&step));
            }
            assert_eq!(turned.len(), legal.len());
        }
    }
}

#[test]
fn samples_hold_what_the_game_says() {
    let game = games::random(4);
    let samples = GameSamples::of(&game).expect("a game by the rules");
    assert_eq!(samples.samples().len(), game.records.len());
    for (record, sample) in game.records.iter().zip(samples.samples()) {
        let mut position = game.start.clone();
        game.steps[..usize::from(record.at)].iter().for_each(|&step| position.play(step));
        assert_eq!(sample.position, position);
        assert_eq!(samples.visits(sample), record.visits);
        let result = if position.side_to_move() == game.winner { 1.0 } else { -1.0 };
        assert_eq!((sample.value, sample.result.get()), (record.value, result));
        // 0.6 of the result and 0.4 of the value, as a probability.
        let wanted = 0.5 + 0.3 * result + 0.2 * record.value.get();
        assert!((TARGETS.win_probability(sample) - wanted).abs() < 1e-6);
    }
}

#[test]
fn games_against_the_rules_are_refused() {
    let game = games::random(4);
    let number = game.number;
    let refused = |change: &dyn Fn(&mut crate::learn::data::Game)| {
        let mut changed = game.clone();
        change(&mut changed);
        GameSamples::of(&changed).expect_err("it is wrong")
    };
    let at = usize::from(game.records[2].at);
    let record = GameError::Record { game: number, at };
    assert_eq!(refused(&|game| game.records[2].visits[0].0 = 3000), record);
    assert_eq!(refused(&|game| game.records[2].visits.clear()), record);
    assert_eq!(refused(&|game| game.steps.swap(8, 9)), GameError::Step { game: number, at: 8 });
    let last = game.records.len() - 1;
    let late = GameError::Record { game: number, at: 9999 };
    assert_eq!(refused(&|game| game.records[last].at = 9999), late);
}

#[test]
fn only_the_last_games_are_kept() {
    let games: Vec<_> = (0..20).map(games::random).collect();
    let mut dataset = Dataset::default();
    dataset.extend(&games[10..15], 8).expect("games");
    dataset.extend(&games[15..], 8).expect("games");
    let mut older = Dataset::default();
    older.extend(&games[..10], 2).expect("games");
    dataset.prepend(older);
    let mut wanted = Dataset::default();
    wanted.extend(&games[8..10], 99).expect("games");
    wanted.extend(&games[12..], 99).expect("games");
    assert_eq!(dataset.games(), 10);
    assert_eq!(dataset.fingerprint(), wanted.fingerprint());
    assert_ne!(dataset.fingerprint(), games::dataset(10..20).fingerprint());
    let held_out = (8..10).chain(12..20).filter(|&number| GameSamples::is_held_out(number)).count();
    assert_eq!(dataset.held_out_games(), held_out);
}

#[test]
fn a_twentieth_is_held_out() {
    let held_out = (0..100_000).filter(|&number| GameSamples::is_held_out(number)).count();
    // 5000, give or take six standard deviations of sqrt(100000 * 0.05 * 0.95) = 69.
    assert!((4600..5400).contains(&held_out), "{held_out}");
}

fn checkpoint() -> Checkpoint {
    let mut curve = Curve::default();
    curve.add(Losses { value: 0.1, policy: 1.0 / 3.0 });
    curve.mark(1, 0.1, Losses { value: 0.7, policy: 2.0 });
    curve.add(Losses { value: 1e-3, policy: 5.0 / 7.0 });
    let header = Header {
        numbers: TOTAL,
        settings: Settings::default(),
        data: u64::MAX - 5,
        start: 77,
        step: 2,
        seconds: 0.1 + 0.2,
        curve,
    };
    let mut state = State::new(parameters::initial(1));
    state.mean = any_weights(2, 0.5);
    state.square = any_weights(3, 0.5);
    state.average = any_weights(4, 0.5);
    Checkpoint { header, state }
}

#[test]
fn checkpoints_are_read_as_they_were_written() {
    let checkpoint = checkpoint();
    assert_eq!(Checkpoint::decode(&checkpoint.encode()).expect("sound"), checkpoint);
}

#[test]
fn settings_of_older_versions_are_read() {
    let settings = Settings { batch: 77, ..Settings::default() };
    let read: Settings = serde_json::from_str(r#"{"batch": 77}"#).expect("settings");
    assert_eq!(read, settings);
}

#[test]
fn settled_numbers_are_rounded_no_more() {
    let numbers = any_weights(8, 1.0);
    let settled = settled(&numbers);
    let rounded = exact(&round(&settled).0);
    for array in Array::ALL {
        let (before, after) = (&settled[array.range()], &rounded[array.range()]);
        if array.is_coarse() {
            assert_eq!(before, after, "{array:?}");
        } else {
            assert_eq!(before, &numbers[array.range()], "{array:?}");
        }
    }
}

#[test]
fn damaged_checkpoints_are_refused() {
    let bytes = checkpoint().encode();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..30 {
        let mut damaged = bytes.clone();
        let place = rng.random_range(0..bytes.len());
        damaged[place] ^= 1 << rng.random_range(0..8);
        assert!(Checkpoint::decode(&damaged).is_err(), "a bit of byte {place} turned over");
        assert!(Checkpoint::decode(&bytes[..place]).is_err(), "cut at byte {place}");
    }
    for place in 0..40 {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        assert!(Checkpoint::decode(&damaged).is_err());
        assert!(Checkpoint::decode(&bytes[..place]).is_err());
    }
    assert!(matches!(Checkpoint::decode(b"something"), Err(CheckpointError::Magic)));
    let longer = [bytes.as_slice(), b"more"].concat();
    assert!(matches!(Checkpoint::decode(&longer), Err(CheckpointError::Damaged)));
}
