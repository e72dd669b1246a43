//! The network as its documentation tells it, number by number in double precision: what the quick
//! one is compared with.

use crate::amazons::Square;
use crate::eval::network::inputs::{CUTS, GAINS, LENGTHS, ORIGINS, SURROUNDINGS, TARGETS};
use crate::eval::network::{HIDDEN, UNITS};
use crate::learn::train::example::Example;
use crate::learn::train::parameters::Array;

/// The losses of the value and of the policy.
pub fn losses(weights: &[f64], example: &Example) -> (f64, f64) {
    let at = |array: Array, index: usize| weights[array.start() + index];
    let (set, phase) = (example.set, example.set / 2);
    let units: Vec<f64> = (0..UNITS)
        .map(|unit| {
            let row = |array, &index: &u16| at(array, usize::from(index) * UNITS + unit);
            let empty: f64 = example.empty.iter().map(|index| row(Array::Empty, index)).sum();
            let pieces: f64 = example.pieces.iter().map(|index| row(Array::Pieces, index)).sum();
            // The network at play has 128 steps from 0 to 1 and cuts at 127 of them.
            ((empty + pieces + at(Array::Bias, unit)) * 128.0 / 127.0).clamp(0.0, 1.0)
        })
        .collect();
    let hidden: Vec<f64> = (0..HIDDEN)
        .map(|index| {
            let place = set * HIDDEN + index;
            let products =
                (0..UNITS).map(|unit| at(Array::Hidden, place * UNITS + unit) * units[unit]);
            (products.sum::<f64>() + at(Array::HiddenBias, place)).clamp(0.0, 1.0)
        })
        .collect();
    let product = |array: Array, row: usize| -> f64 {
        (0..HIDDEN).map(|index| at(array, row * HIDDEN + index) * hidden[index]).sum()
    };
    let value = (product(Array::Value, set) + at(Array::ValueBias, set)).tanh();
    let (win, wanted) = ((1.0 + value) / 2.0, f64::from(example.win_probability));
    let value_loss = -wanted * win.ln() - (1.0 - wanted) * (1.0 - win).ln();

    let vector =
        |array: Array, square: Square| product(array, phase * Square::INDICES + square.index());
    let logits: Vec<f64> = example
        .steps
        .iter()
        .map(|step| {
            if set % 2 == 1 {
                return vector(Array::Arrow, step.to)
                    + at(Array::ArrowTarget, phase * TARGETS + step.target)
                    + at(Array::ArrowSurroundings, phase * SURROUNDINGS + step.surroundings)
                    + at(Array::ArrowLength, phase * LENGTHS + step.length)
                    + at(Array::ArrowCut, phase * CUTS + step.cut);
            }
            vector(Array::From, step.from)
                + vector(Array::To, step.to)
                + at(Array::QueenTarget, phase * TARGETS + step.target)
                + at(Array::QueenSurroundings, phase * SURROUNDINGS + step.surroundings)
                + at(Array::QueenLength, phase * LENGTHS + step.length)
                + at(Array::QueenOrigin, phase * ORIGINS + step.origin)
                + at(Array::QueenGain, phase * GAINS + step.gain)
                + at(Array::QueenCut, phase * CUTS + step.cut)
        })
        .collect();
    let total: f64 = logits.iter().map(|logit| logit.exp()).sum();
    let shares = example.policy.iter().map(|&share| f64::from(share));
    let policy_loss =
        shares.zip(&logits).map(|(share, logit)| -share * (logit.exp() / total).ln()).sum();
    (value_loss, policy_loss)
}
