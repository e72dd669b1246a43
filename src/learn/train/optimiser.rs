//! AdamW: steps along a running mean of gradients, each number at a scale of its own, and weights
//! that decay regardless of their gradients.
//!
//! Kingma and Ba, "Adam: a method for stochastic optimization" (2015); Loshchilov and Hutter,
//! "Decoupled weight decay regularization" (2019). Every number takes part in every step: a row of
//! the first layer that no record of a batch used has a gradient of zero there, and its moments
//! fade as they should.
//!
//! Beside the weights an average over the last part of the training is kept, which is better than
//! they are (Polyak and Juditsky, 1992).

use super::parameters::{Array, TOTAL};

/// How much of the mean of gradients stays from step to step.
const MEAN_KEPT: f32 = 0.9;

/// The same for the mean of their squares.
const SQUARE_KEPT: f32 = 0.999;

/// What keeps the step finite where there never was a gradient.
const EPSILON: f32 = 1e-8;

/// The weights, their average, and the two moments of their gradients.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// The weights as they are trained.
    pub weights: Vec<f32>,
    /// The running mean of gradients.
    pub mean: Vec<f32>,
    /// The running mean of squares of gradients.
    pub square: Vec<f32>,
    /// The average of the weights, which is what the training makes.
    pub average: Vec<f32>,
}

impl State {
    /// Begins with these weights.
    pub fn new(weights: Vec<f32>) -> State {
        State {
            mean: vec![0.0; TOTAL],
            square: vec![0.0; TOTAL],
            average: weights.clone(),
            weights,
        }
    }

    /// Goes on from the average, moved to these numbers.
    pub fn settle(&mut self, numbers: Vec<f32>) {
        self.average.clone_from(&numbers);
        self.weights = numbers;
    }

    /// All of it, to be taken apart.
    pub fn parts(&mut self) -> Part<'_> {
        Part {
            weights: &mut self.weights,
            mean: &mut self.mean,
            square: &mut self.square,
            average: &mut self.average,
        }
    }
}

/// A stretch of the state.
#[derive(Debug)]
pub struct Part<'a> {
    /// See [`State`].
    pub weights: &'a mut [f32],
    /// See [`State`].
    pub mean: &'a mut [f32],
    /// See [`State`].
    pub square: &'a mut [f32],
    /// See [`State`].
    pub average: &'a mut [f32],
}

impl<'a> Part<'a> {
    /// The first `count` numbers, and the rest.
    pub fn split_at(self, count: usize) -> (Part<'a>, Part<'a>) {
        let (weights, more_weights) = self.weights.split_at_mut(count);
        let (mean, more_mean) = self.mean.split_at_mut(count);
        let (square, more_square) = self.square.split_at_mut(count);
        let (average, more_average) = self.average.split_at_mut(count);
        (
            Part { weights, mean, square, average },
            Part {
                weights: more_weights,
                mean: more_mean,
                square: more_square,
                average: more_average,
            },
        )
    }

    /// The numbers in chunks of `count`.
    pub fn chunks(self, count: usize) -> Vec<Part<'a>> {
        let mut chunks = Vec::with_capacity(self.weights.len().div_ceil(count));
        let mut left = self;
        while left.weights.len() > count {
            let (chunk, rest) = left.split_at(count);
            chunks.push(chunk);
            left = rest;
        }
        chunks.push(left);
        chunks
    }
}

/// One step of the optimiser: the same for all numbers of an array.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    rate: f32,
    /// What the moments are divided by, as they began with zero.
    mean_scale: f32,
    square_scale: f32,
    weight_decay: f32,
    /// How far the average moves to the weights.
    average_rate: f32,
}

impl Update {
    /// Step number `step`, counted from 0. `average_rate` is how far the average moves to the
    /// weights.
    pub fn new(step: u64, rate: f32, weight_decay: f32, average_rate: f32) -> Update {
        let power = (step + 1).min(1 << 30) as i32;
        let scale = |kept: f32| (1.0 / (1.0 - f64::from(kept).powi(power))) as f32;
        Update {
            rate,
            mean_scale: scale(MEAN_KEPT),
            square_scale: scale(SQUARE_KEPT),
            weight_decay,
            average_rate,
        }
    }

    /// Moves numbers of this array along their gradients, and cuts them to what the network at
    /// play can hold.
    #[inline(always)]
    pub fn apply(&self, array: Array, part: Part<'_>, gradients: &[f32]) {
        let most = array.most();
        let kept = if array.decays() { 1.0 - self.rate * self.weight_decay } else { 1.0 };
        let numbers = part.weights.iter_mut().zip(part.mean).zip(part.square).zip(part.average);
        for ((((weight, mean), square), average), &gradient) in numbers.zip(gradients) {
            *mean = MEAN_KEPT * *mean + (1.0 - MEAN_KEPT) * gradient;
            *square = SQUARE_KEPT * *square + (1.0 - SQUARE_KEPT) * gradient * gradient;
            let size = (*square * self.square_scale).sqrt() + EPSILON;
            let moved = *weight * kept - self.rate * (*mean * self.mean_scale) / size;
            *weight = moved.clamp(-most, most);
            *average += self.average_rate * (*weight - *average);
        }
    }
}
