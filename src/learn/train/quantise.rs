//! From the float network to the one at play, and back.
//!
//! Numbers are rounded to the nearest integer. The layers at play cut their sums down to whole
//! units; half a unit added to each bias makes that a rounding.

use serde::{Deserialize, Serialize};

use super::parameters::{Array, TOTAL};
use crate::eval::network::{HIDDEN_ONE, ROW_ONE, Weights};

/// Half a unit of the first layer, of which 128 are 1, in its own units.
const HALF_UNIT: i16 = (ROW_ONE / 128 / 2) as i16;

/// Half a unit of the hidden layer, in units of its sums.
const HALF_HIDDEN: i16 = (HIDDEN_ONE / 2) as i16;

/// What rounding did to an array.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rounding {
    /// The array.
    pub array: String,
    /// The greatest number there was, in size.
    pub greatest: f32,
    /// The greatest that is possible.
    pub most: f32,
    /// How many numbers were cut to it.
    pub cut: usize,
}

/// Rounds a network, and tells of each array how well its numbers fit.
pub fn round(numbers: &[f32]) -> (Weights, Vec<Rounding>) {
    let mut weights = Weights::zero();
    let mut roundings = Vec::new();
    for array in Array::ALL {
        let numbers = &numbers[array.range()];
        let most = array.most();
        roundings.push(Rounding {
            array: array.name().to_owned(),
            greatest: numbers.iter().fold(0.0, |greatest, number| number.abs().max(greatest)),
            most,
            cut: numbers.iter().filter(|number| number.abs() > most).count(),
        });
        let integers =
            numbers.iter().map(|number| (number.clamp(-most, most) * array.one()).round() as i32);
        write(&mut weights, array, integers);
    }
    for bias in &mut weights.bias {
        *bias += HALF_UNIT;
    }
    for bias in &mut weights.hidden_bias {
        *bias += HALF_HIDDEN;
    }
    (weights, roundings)
}

/// Puts integers, which must fit, into an array.
fn write(weights: &mut Weights, array: Array, integers: impl Iterator<Item = i32>) {
    fn fill<T: TryFrom<i32>>(numbers: &mut [T], integers: impl Iterator<Item = i32>) {
        for (number, integer) in numbers.iter_mut().zip(integers) {
            // The range of the array has been seen to: this always succeeds.
            if let Ok(integer) = integer.try_into() {
                *number = integer;
            }
        }
    }
    match array {
        Array::Empty => fill(&mut weights.empty, integers),
        Array::Pieces => fill(&mut weights.pieces, integers),
        Array::Bias => fill(&mut weights.bias, integers),
        Array::Hidden => fill(&mut weights.hidden, integers),
        Array::HiddenBias => fill(&mut weights.hidden_bias, integers),
        Array::Value => fill(&mut weights.value, integers),
        Array::ValueBias => fill(&mut weights.value_bias, integers),
        Array::From => fill(&mut weights.from, integers),
        Array::To => fill(&mut weights.to, integers),
        Array::Arrow => fill(&mut weights.arrow, integers),
        Array::QueenTarget => fill(&mut weights.queen_target, integers),
        Array::QueenSurroundings => fill(&mut weights.queen_surroundings, integers),
        Array::QueenLength => fill(&mut weights.queen_length, integers),
        Array::QueenOrigin => fill(&mut weights.queen_origin, integers),
        Array::QueenGain => fill(&mut weights.queen_gain, integers),
        Array::QueenCut => fill(&mut weights.queen_cut, integers),
        Array::ArrowTarget => fill(&mut weights.arrow_target, integers),
        Array::ArrowSurroundings => fill(&mut weights.arrow_surroundings, integers),
        Array::ArrowLength => fill(&mut weights.arrow_length, integers),
        Array::ArrowCut => fill(&mut weights.arrow_cut, integers),
    }
}

/// These numbers with the coarse arrays on their integers: rounding moves those no more.
pub fn settled(numbers: &[f32]) -> Vec<f32> {
    let rounded = exact(&round(numbers).0);
    let mut settled = numbers.to_vec();
    for array in Array::ALL.into_iter().filter(|array| array.is_coarse()) {
        settled[array.range()].copy_from_slice(&rounded[array.range()]);
    }
    settled
}

/// The float network that [`round`] makes these weights of.
pub fn exact(weights: &Weights) -> Vec<f32> {
    fn widen<T: Copy + Into<i32>>(numbers: &[T]) -> Vec<i32> {
        numbers.iter().map(|&number| number.into()).collect()
    }
    let mut numbers = Vec::with_capacity(TOTAL);
    for array in Array::ALL {
        let integers = match array {
            Array::Empty => widen(&weights.empty),
            Array::Pieces => widen(&weights.pieces),
            Array::Bias => weights.bias.iter().map(|&b| i32::from(b - HALF_UNIT)).collect(),
            Array::Hidden => widen(&weights.hidden),
            Array::HiddenBias => {
                weights.hidden_bias.iter().map(|&b| i32::from(b - HALF_HIDDEN)).collect()
            }
            Array::Value => widen(&weights.value),
            Array::ValueBias => widen(&weights.value_bias),
            Array::From => widen(&weights.from),
            Array::To => widen(&weights.to),
            Array::Arrow => widen(&weights.arrow),
            Array::QueenTarget => widen(&weights.queen_target),
            Array::QueenSurroundings => widen(&weights.queen_surroundings),
            Array::QueenLength => widen(&weights.queen_length),
            Array::QueenOrigin => widen(&weights.queen_origin),
            Array::QueenGain => widen(&weights.queen_gain),
            Array::QueenCut => widen(&weights.queen_cut),
            Array::ArrowTarget => widen(&weights.arrow_target),
            Array::ArrowSurroundings => widen(&weights.arrow_surroundings),
            Array::ArrowLength => widen(&weights.arrow_length),
            Array::ArrowCut => widen(&weights.arrow_cut),
        };
        numbers.extend(integers.into_iter().map(|integer| integer as f32 / array.one()));
    }
    numbers
}
