//! Every kernel against the definition, and files whole and damaged.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::file::{NetworkError, checksum, decode, encode};
use super::inputs::{Classes, StepInputs, phase, rows, set, steps};
use super::*;
use crate::amazons::{Position, Step};
use crate::eval::functions::{exp2, tanh};
use crate::eval::{Fields, Kernel, samples};
use crate::game::{Evaluator, Game};

/// A network of random numbers, about as large as those of a trained one.
fn random_weights(seed: u64) -> Weights {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut weights = Weights::zero();
    for weight in &mut weights.empty {
        *weight = rng.random_range(-48..=48);
    }
    for weight in weights.pieces.iter_mut().chain(&mut weights.bias) {
        *weight = rng.random_range(-PIECE_MAX..=PIECE_MAX) / 4;
    }
    for weight in weights.hidden.iter_mut() {
        *weight = rng.random_range(-128..=127);
    }
    for weight in weights.from.iter_mut().chain(&mut weights.to).chain(&mut weights.arrow) {
        *weight = rng.random_range(-128..=127);
    }
    let words = [
        &mut weights.hidden_bias,
        &mut weights.value,
        &mut weights.queen_target,
        &mut weights.queen_surroundings,
        &mut weights.queen_length,
        &mut weights.queen_origin,
        &mut weights.queen_gain,
        &mut weights.queen_cut,
        &mut weights.arrow_target,
        &mut weights.arrow_surroundings,
        &mut weights.arrow_length,
        &mut weights.arrow_cut,
    ];
    for weight in words.into_iter().flatten() {
        *weight = rng.random_range(-8000..=8000);
    }
    for weight in &mut weights.value_bias {
        *weight = rng.random_range(-20_000..=20_000);
    }
    weights
}

/// The hidden layer as the module's documentation defines it.
fn hidden_by_definition(weights: &Weights, position: &Position, fields: &Fields) -> [i32; HIDDEN] {
    let [mut empty, mut pieces] = [Vec::new(), Vec::new()];
    rows(position, &Classes::of(position, fields), &mut empty, &mut pieces);
    let units: [i32; UNITS] = std::array::from_fn(|unit| {
        let of = |row: &u16| usize::from(*row) * UNITS + unit;
        let sum = i32::from(weights.bias[unit])
            + empty.iter().map(|row| i32::from(weights.empty[of(row)])).sum::<i32>()
            + pieces.iter().map(|row| i32::from(weights.pieces[of(row)])).sum::<i32>();
        (sum >> 3).clamp(0, UNIT_ONE)
    });
    std::array::from_fn(|hidden| {
        let row = set(position) * HIDDEN + hidden;
        let products = units.iter().zip(&weights.hidden[row * UNITS..]);
        let sum = products.map(|(&unit, &weight)| unit * i32::from(weight)).sum::<i32>();
        ((sum + i32::from(weights.hidden_bias[row])) >> 7).clamp(0, UNIT_ONE)
    })
}

fn value_by_definition(weights: &Weights, position: &Position, hidden: &[i32; HIDDEN]) -> f32 {
    let set = set(position);
    let products = hidden.iter().zip(&weights.value[set * HIDDEN..]);
    let sum = products.map(|(&unit, &weight)| unit * i32::from(weight)).sum::<i32>();
    tanh((sum + weights.value_bias[set]) as f32 * (1.0 / (UNIT_ONE * VALUE_ONE) as f32))
}

fn logit_by_definition(
    weights: &Weights,
    position: &Position,
    hidden: &[i32; HIDDEN],
    step: &StepInputs,
) -> i32 {
    let phase = phase(position);
    let dot = |vectors: &[i8], square: Square| {
        let row = (phase * Square::INDICES + square.index()) * HIDDEN;
        hidden.iter().zip(&vectors[row..]).map(|(&unit, &w)| unit * i32::from(w)).sum::<i32>()
    };
    let look = |table: &[i16], size: usize, place: usize| i32::from(table[phase * size + place]);
    if position.shooter().is_some() {
        dot(&weights.arrow, step.to)
            + look(&weights.arrow_target, TARGETS, step.target)
            + look(&weights.arrow_surroundings, SURROUNDINGS, step.surroundings)
            + look(&weights.arrow_length, LENGTHS, step.length)
            + look(&weights.arrow_cut, CUTS, step.cut)
    } else {
        dot(&weights.from, step.from)
            + dot(&weights.to, step.to)
            + look(&weights.queen_target, TARGETS, step.target)
            + look(&weights.queen_surroundings, SURROUNDINGS, step.surroundings)
            + look(&weights.queen_length, LENGTHS, step.length)
            + look(&weights.queen_origin, ORIGINS, step.origin)
            + look(&weights.queen_gain, GAINS, step.gain)
            + look(&weights.queen_cut, CUTS, step.cut)
    }
}

fn legal(position: &Position) -> Vec<Step> {
    let mut steps = Vec::new();
    position.steps(&mut steps);
    steps
}

#[test]
fn every_kernel_agrees_with_the_definition() {
    // The power of two is within 0.0002; half a unit is lost where the factor before it is rounded,
    // which is about log2(e) / LOGIT_ONE in units of 2^-24, with logits down to 16.
    let factor = std::f64::consts::LOG2_E / f64::from(LOGIT_ONE) * f64::from(1 << 24);
    let error = 2e-4 + 16.0 * 0.5 / factor;
    for seed in 0..6 {
        let weights = random_weights(seed);
        for kernel in Kernel::available() {
            let temperature = 1.0 + seed as f64 / 4.0;
            let network = Network::new(kernel, weights.clone()).at_temperature(temperature);
            let (mut scratch, mut priors) = (Scratch::default(), Vec::new());
            for number in 0..400 {
                let position = samples::position(seed * 1000 + number);
                let mut fields = Fields::default();
                Kernel::PORTABLE.fill(&position, &mut fields);
                let hidden = hidden_by_definition(&weights, &position, &fields);
                let expected = value_by_definition(&weights, &position, &hidden);
                let value = network.value(&position, &mut scratch);
                assert_eq!(value.get(), expected, "{kernel} {position:?}");

                let legal = legal(&position);
                let mut inputs = Vec::new();
                steps(&position, &fields, &Classes::of(&position, &fields), &legal, &mut inputs);
                let logits: Vec<i32> = inputs
                    .iter()
                    .map(|step| logit_by_definition(&weights, &position, &hidden, step))
                    .collect();
                network.priors(&position, &legal, &mut scratch, &mut priors);
                assert_eq!(priors.len(), legal.len());
                let highest = logits.iter().max().copied().unwrap_or_default();
                for (&prior, logit) in priors.iter().zip(logits) {
                    let below = f64::from(logit - highest) / f64::from(LOGIT_ONE);
                    let exact = (below.max(-16.0) / temperature).exp();
                    assert!(
                        (f64::from(prior) / exact - 1.0).abs() < error,
                        "{kernel} {position:?}"
                    );
                    assert!(prior > 0.0 && prior <= 1.0);
                }
            }
        }
    }
}

#[test]
fn kernels_agree_to_the_last_bit() {
    let weights = random_weights(9);
    let plain = Network::new(Kernel::PORTABLE, weights.clone());
    let mut expected = Vec::new();
    for number in 0..1000 {
        let position = samples::position(number);
        let legal = legal(&position);
        plain.priors(&position, &legal, &mut Scratch::default(), &mut expected);
        for kernel in Kernel::available() {
            let network = Network::new(kernel, weights.clone());
            let (mut scratch, mut priors) = (Scratch::default(), Vec::new());
            network.priors(&position, &legal, &mut scratch, &mut priors);
            assert_eq!(priors, expected, "{kernel} {position:?}");
        }
    }
}

#[test]
fn a_zero_network_has_no_opinion() {
    let network = Network::new(Kernel::best(), Weights::zero());
    let (mut scratch, mut priors) = (Scratch::default(), Vec::new());
    let position = Position::start();
    assert_eq!(network.value(&position, &mut scratch).get(), 0.0);
    let legal = legal(&position);
    network.priors(&position, &legal, &mut scratch, &mut priors);
    assert_eq!(priors, vec![exp2(0); legal.len()]);
}

#[test]
fn files_come_back_and_damage_is_refused() {
    let weights = random_weights(1);
    let bytes = encode(&weights, "made of nothing");
    let (read, provenance) = decode(&bytes).expect("what was written");
    assert_eq!((&read, provenance.as_str()), (&weights, "made of nothing"));
    assert_eq!(checksum(&read), checksum(&weights));
    assert_ne!(checksum(&read), checksum(&Weights::zero()));

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut damaged = bytes.clone();
    for bit in (0..400).chain((0..60).map(|_| rng.random_range(400..bytes.len() * 8))) {
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(decode(&damaged).is_err(), "bit {bit}");
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
    for length in (0..200).chain([bytes.len() / 2, bytes.len() - 1]) {
        assert!(decode(&bytes[..length]).is_err(), "{length} bytes");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(matches!(decode(&longer), Err(NetworkError::Length { .. })));
    assert_eq!(decode(b"something else"), Err(NetworkError::Magic));

    let mut large = weights;
    large.bias[3] = PIECE_MAX + 1;
    assert_eq!(decode(&encode(&large, "")), Err(NetworkError::Weight(PIECE_MAX + 1)));
}
