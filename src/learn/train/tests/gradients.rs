//! Losses and gradients against the reference and its finite differences.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{games, reference};
use crate::amazons::Symmetry;
use crate::eval::network::inputs::SETS;
use crate::learn::train::dataset::{Dataset, Targets};
use crate::learn::train::example::{Example, Preparation};
use crate::learn::train::parameters::{self, Array, TOTAL};
use crate::learn::train::schedule::Pick;
use crate::learn::train::trainer::Trainer;

const TARGETS: Targets = Targets { result_share: 0.6 };
const POLICY_WEIGHT: f32 = 0.7;

/// Numbers that are nowhere zero where it counts, and do not drive units to their ends.
fn weights(rng: &mut Xoshiro256PlusPlus) -> Vec<f32> {
    let mut weights = parameters::initial(3);
    let tables = Array::QueenTarget.start()..TOTAL;
    for range in [Array::Value.range(), Array::ValueBias.range(), tables] {
        for number in &mut weights[range] {
            *number = rng.random_range(-0.5..0.5);
        }
    }
    weights
}

/// Three records of each set.
fn picks(data: &Dataset, rng: &mut Xoshiro256PlusPlus) -> Vec<Pick> {
    let mut places = data.places(false);
    rand::seq::SliceRandom::shuffle(places.as_mut_slice(), rng);
    let set = |place: &_| crate::eval::network::inputs::set(&data.record(*place).0.position);
    let chosen = (0..SETS).flat_map(|wanted| {
        places.iter().copied().filter(move |place| set(place) == wanted).take(3)
    });
    let picks: Vec<Pick> = chosen
        .map(|place| Pick { place, symmetry: *Symmetry::ALL.choose(rng).expect("eight") })
        .collect();
    assert_eq!(picks.len(), 3 * SETS);
    picks
}

fn examples(data: &Dataset, picks: &[Pick]) -> Vec<Example> {
    let ready = |pick: &Pick| {
        let (sample, visits) = data.record(pick.place);
        let mut preparation = Preparation::new();
        preparation.prepare(sample, visits, pick.symmetry, TARGETS);
        preparation.example
    };
    picks.iter().map(ready).collect()
}

fn mean_loss(weights: &[f64], examples: &[Example]) -> f64 {
    let losses = examples.iter().map(|example| reference::losses(weights, example));
    let total: f64 = losses.map(|(value, policy)| value + f64::from(POLICY_WEIGHT) * policy).sum();
    total / examples.len() as f64
}

#[test]
fn losses_and_gradients_are_those_of_the_reference() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let data = games::dataset(0..30);
    let weights = weights(&mut rng);
    let picks = picks(&data, &mut rng);
    let examples = examples(&data, &picks);
    let mut trainer = Trainer::new(TARGETS, POLICY_WEIGHT, 0.0);
    let (losses, gradients) = trainer.losses_and_gradients(&data, &picks, &weights);

    let mut exact: Vec<f64> = weights.iter().copied().map(f64::from).collect();
    let loss = losses.value + f64::from(POLICY_WEIGHT) * losses.policy;
    assert!((loss - mean_loss(&exact, &examples)).abs() < 1e-5, "{loss}");

    const APART: f64 = 1e-6;
    for array in Array::ALL {
        let gradients = &gradients[array.range()];
        let (there, none): (Vec<usize>, Vec<usize>) =
            (0..array.length()).partition(|&index| gradients[index] != 0.0);
        assert!(there.len() > 5, "{array:?} has {} gradients", there.len());
        let greatest = gradients.iter().fold(0.0_f32, |most, gradient| most.max(gradient.abs()));
        let some = there.sample(&mut rng, 40).chain(none.sample(&mut rng, 10));
        for &index in some {
            let place = array.start() + index;
            let number = exact[place];
            exact[place] = number + APART;
            let above = mean_loss(&exact, &examples);
            exact[place] = number - APART;
            let below = mean_loss(&exact, &examples);
            exact[place] = number;
            let wanted = (above - below) / (2.0 * APART);
            let off = (f64::from(gradients[index]) - wanted).abs();
            assert!(
                off < 1e-4 * f64::from(greatest) + 1e-8,
                "{array:?} {index}: {} where {wanted} is expected",
                gradients[index],
            );
        }
    }
}

#[test]
fn a_batch_divides_evenly_into_records() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let data = games::dataset(0..30);
    let weights = weights(&mut rng);
    let picks = picks(&data, &mut rng);
    let mut trainer = Trainer::new(TARGETS, POLICY_WEIGHT, 0.0);
    let (_, whole) = trainer.losses_and_gradients(&data, &picks, &weights);
    // One record at a time, in a trainer that has seen larger batches before.
    let mut sums = vec![0.0_f64; TOTAL];
    for pick in &picks {
        let (_, gradients) = trainer.losses_and_gradients(&data, &[*pick], &weights);
        for (sum, gradient) in sums.iter_mut().zip(gradients) {
            *sum += f64::from(gradient) / picks.len() as f64;
        }
    }
    for (place, (&gradient, sum)) in whole.iter().zip(sums).enumerate() {
        assert!((f64::from(gradient) - sum).abs() < 1e-6, "{place}: {gradient}, {sum}");
    }
}
