//! The network in floating-point numbers: what it answers, and how its loss changes with each of
//! its numbers.
//!
//! The loss of a record is the cross-entropy of the win probability `(1 + tanh z) / 2`, which is
//! the logistic function of `2 z`, plus that of the policy. Sums are made in an order that the code
//! fixes, lane by lane, so that vector instructions of any width give the same numbers.

use super::example::Example;
use super::parameters::{Array, TAIL_START};
use crate::amazons::{Bitboard, Square};
use crate::eval::network::inputs::{
    CUTS, GAINS, LENGTHS, ORIGINS, PHASES, SURROUNDINGS, StepInputs, TARGETS,
};
use crate::eval::network::{HIDDEN, ROW_ONE, UNIT_ONE, UNITS};

/// What a sum of the first layer is multiplied with before it is cut to `[0, 1]`. The network at
/// play makes a unit of [`ROW_ONE`] / 128 and says that [`UNIT_ONE`] of them are 1.
pub const SUM_SCALE: f32 = 128.0 / UNIT_ONE as f32;

const _: () = assert!(ROW_ONE == 8 * 128);

/// The losses of one record, or means of many.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Losses {
    /// Cross-entropy of the win probability.
    pub value: f64,
    /// Cross-entropy of the policy.
    pub policy: f64,
}

/// What the network makes of a record.
#[derive(Clone, Debug)]
pub struct Answer {
    sums: [f32; UNITS],
    units: [f32; UNITS],
    hidden_sums: [f32; HIDDEN],
    hidden: [f32; HIDDEN],
    /// The inverse hyperbolic tangent of the value.
    pub depth: f32,
    /// The logit of each step.
    pub logits: Vec<f32>,
    /// The probability of each step, once [`finish`](Answer::finish) has been called.
    pub policy: Vec<f32>,
}

impl Default for Answer {
    fn default() -> Answer {
        Answer {
            sums: [0.0; UNITS],
            units: [0.0; UNITS],
            hidden_sums: [0.0; HIDDEN],
            hidden: [0.0; HIDDEN],
            depth: 0.0,
            logits: Vec::new(),
            policy: Vec::new(),
        }
    }
}

/// Numbers added side by side in a product of two vectors.
const LANES: usize = 16;

#[inline(always)]
fn dot<const N: usize>(one: &[f32; N], other: &[f32; N]) -> f32 {
    let mut sums = [0.0; LANES];
    let parts = one.as_chunks::<LANES>().0.iter().zip(other.as_chunks::<LANES>().0);
    for (one, other) in parts {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

#[inline(always)]
fn add<const N: usize>(sums: &mut [f32; N], numbers: &[f32; N]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}

#[inline(always)]
fn add_scaled<const N: usize>(sums: &mut [f32; N], scale: f32, numbers: &[f32; N]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += scale * number;
    }
}

/// A row of an array.
#[inline(always)]
fn row<const N: usize>(weights: &[f32], array: Array, index: usize) -> &[f32; N] {
    let start = array.start() + index * N;
    weights[start..].first_chunk().expect("rows are whole")
}

/// A row of the gradients of an array behind the first layer.
#[inline(always)]
fn row_mut<const N: usize>(tail: &mut [f32], array: Array, index: usize) -> &mut [f32; N] {
    let start = array.start() - TAIL_START + index * N;
    tail[start..].first_chunk_mut().expect("rows are whole")
}

/// The tables of one kind of step, with the length of each for one phase.
type Tables = [(Array, usize); 6];

const QUEEN_TABLES: Tables = [
    (Array::QueenTarget, TARGETS),
    (Array::QueenSurroundings, SURROUNDINGS),
    (Array::QueenLength, LENGTHS),
    (Array::QueenCut, CUTS),
    (Array::QueenOrigin, ORIGINS),
    (Array::QueenGain, GAINS),
];

const ARROW_TABLES: [(Array, usize); 4] = [
    (Array::ArrowTarget, TARGETS),
    (Array::ArrowSurroundings, SURROUNDINGS),
    (Array::ArrowLength, LENGTHS),
    (Array::ArrowCut, CUTS),
];

/// Calls `f` with the place of each number that the tables of a phase have for a step.
#[inline(always)]
fn for_each_table(phase: usize, arrow: bool, step: &StepInputs, mut f: impl FnMut(usize)) {
    let classes = [step.target, step.surroundings, step.length, step.cut, step.origin, step.gain];
    let tables: &[(Array, usize)] = if arrow { &ARROW_TABLES } else { &QUEEN_TABLES };
    for (&(array, length), class) in tables.iter().zip(classes) {
        f(array.start() + phase * length + class);
    }
}

/// The squares of these steps that have vectors: origins, of queen steps alone, and targets.
#[inline(always)]
fn squares(example: &Example) -> (Bitboard, Bitboard) {
    let targets = example.steps.iter().map(|step| step.to).collect();
    if example.arrow_pending() {
        return (Bitboard::EMPTY, targets);
    }
    (example.steps.iter().map(|step| step.from).collect(), targets)
}

/// The array with the vectors of targets.
#[inline(always)]
fn targets_of(example: &Example) -> Array {
    if example.arrow_pending() { Array::Arrow } else { Array::To }
}

impl Answer {
    /// Computes the value and the logits of a record.
    #[inline(always)]
    pub fn compute(&mut self, weights: &[f32], example: &Example) {
        self.sums = *row(weights, Array::Bias, 0);
        for &index in &example.empty {
            add(&mut self.sums, row(weights, Array::Empty, usize::from(index)));
        }
        for &index in &example.pieces {
            add(&mut self.sums, row(weights, Array::Pieces, usize::from(index)));
        }
        for (unit, sum) in self.units.iter_mut().zip(&self.sums) {
            *unit = (sum * SUM_SCALE).clamp(0.0, 1.0);
        }
        self.hidden_sums = *row(weights, Array::HiddenBias, example.set);
        for (index, sum) in self.hidden_sums.iter_mut().enumerate() {
            *sum += dot(&self.units, row(weights, Array::Hidden, example.set * HIDDEN + index));
        }
        for (hidden, sum) in self.hidden.iter_mut().zip(&self.hidden_sums) {
            *hidden = sum.clamp(0.0, 1.0);
        }
        self.depth = weights[Array::ValueBias.start() + example.set]
            + dot(&self.hidden, row(weights, Array::Value, example.set));
        self.compute_logits(weights, example);
    }

    #[inline(always)]
    fn compute_logits(&mut self, weights: &[f32], example: &Example) {
        let phase = example.phase();
        let (origins, targets) = squares(example);
        let mut by_origin = [0.0; Square::INDICES];
        let mut by_target = [0.0; Square::INDICES];
        let product = |array: Array, square: Square| {
            let index = phase * Square::INDICES + square.index();
            dot(&self.hidden, row(weights, array, index))
        };
        for square in origins {
            by_origin[square.index()] = product(Array::From, square);
        }
        for square in targets {
            by_target[square.index()] = product(targets_of(example), square);
        }
        self.logits.clear();
        for step in &example.steps {
            let mut logit = by_origin[step.from.index()] + by_target[step.to.index()];
            for_each_table(phase, example.arrow_pending(), step, |place| logit += weights[place]);
            self.logits.push(logit);
        }
    }

    /// Makes probabilities of the logits, and tells the losses.
    #[inline(always)]
    pub fn finish(&mut self, example: &Example) -> Losses {
        let depth = f64::from(self.depth);
        let highest = self.logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        self.policy.clear();
        self.policy.extend(self.logits.iter().map(|logit| (logit - highest).exp()));
        let total: f32 = self.policy.iter().sum();
        for probability in &mut self.policy {
            *probability /= total;
        }
        let log_total = f64::from(total).ln() + f64::from(highest);
        let steps = self.logits.iter().zip(&example.policy);
        let policy = steps.filter(|&(_, &share)| share > 0.0);
        Losses {
            value: (2.0 * depth).max(0.0) + (-2.0 * depth.abs()).exp().ln_1p()
                - 2.0 * depth * f64::from(example.win_probability),
            policy: policy
                .map(|(&logit, &share)| f64::from(share) * (log_total - f64::from(logit)))
                .sum(),
        }
    }

    /// The win probability of the side to move.
    #[inline(always)]
    pub fn win_probability(&self) -> f32 {
        1.0 / (1.0 + (-2.0 * self.depth).exp())
    }

    /// Adds the gradients of this record's losses, times these scales, to those of all arrays
    /// behind the first layer, and returns those of the sums of the first layer.
    #[inline(always)]
    pub fn propagate(
        &self,
        weights: &[f32],
        example: &Example,
        scales: Scales,
        tail: &mut [f32],
    ) -> [f32; UNITS] {
        let set = example.set;
        let depth = 2.0 * scales.value * (self.win_probability() - example.win_probability);
        tail[Array::ValueBias.start() - TAIL_START + set] += depth;
        add_scaled(row_mut(tail, Array::Value, set), depth, &self.hidden);
        let mut hidden = row::<HIDDEN>(weights, Array::Value, set).map(|weight| weight * depth);
        self.propagate_policy(weights, example, scales.policy, tail, &mut hidden);
        for (gradient, &sum) in hidden.iter_mut().zip(&self.hidden_sums) {
            *gradient = if sum > 0.0 && sum < 1.0 { *gradient } else { 0.0 };
        }
        add(row_mut(tail, Array::HiddenBias, set), &hidden);
        let mut sums = [0.0; UNITS];
        for (index, &gradient) in hidden.iter().enumerate() {
            let index = set * HIDDEN + index;
            add_scaled(&mut sums, gradient, row(weights, Array::Hidden, index));
            add_scaled(row_mut(tail, Array::Hidden, index), gradient, &self.units);
        }
        for (gradient, &sum) in sums.iter_mut().zip(&self.sums) {
            let within = sum > 0.0 && sum * SUM_SCALE < 1.0;
            *gradient = if within { *gradient * SUM_SCALE } else { 0.0 };
        }
        add(row_mut(tail, Array::Bias, 0), &sums);
        sums
    }

    #[inline(always)]
    fn propagate_policy(
        &self,
        weights: &[f32],
        example: &Example,
        scale: f32,
        tail: &mut [f32],
        hidden: &mut [f32; HIDDEN],
    ) {
        let phase = example.phase();
        let mut by_origin = [0.0; Square::INDICES];
        let mut by_target = [0.0; Square::INDICES];
        let answers = self.policy.iter().zip(&example.policy);
        for (step, (&answer, &share)) in example.steps.iter().zip(answers) {
            let gradient = scale * (answer - share);
            by_origin[step.from.index()] += gradient;
            by_target[step.to.index()] += gradient;
            for_each_table(phase, example.arrow_pending(), step, |place| {
                tail[place - TAIL_START] += gradient;
            });
        }
        let (origins, targets) = squares(example);
        for square in origins {
            let gradient = by_origin[square.index()];
            self.propagate_vector(weights, (Array::From, phase, square), gradient, tail, hidden);
        }
        for square in targets {
            let (array, gradient) = (targets_of(example), by_target[square.index()]);
            self.propagate_vector(weights, (array, phase, square), gradient, tail, hidden);
        }
    }

    /// Passes the gradient of a product with a square's vector on to both.
    #[inline(always)]
    fn propagate_vector(
        &self,
        weights: &[f32],
        (array, phase, square): (Array, usize, Square),
        gradient: f32,
        tail: &mut [f32],
        hidden: &mut [f32; HIDDEN],
    ) {
        let index = phase * Square::INDICES + square.index();
        add_scaled(hidden, gradient, row(weights, array, index));
        add_scaled(row_mut(tail, array, index), gradient, &self.hidden);
    }
}

/// What the gradients of the two losses are multiplied with.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    /// Of the value.
    pub value: f32,
    /// Of the policy.
    pub policy: f32,
}

const _: () = assert!(UNITS.is_multiple_of(LANES) && HIDDEN.is_multiple_of(LANES));
const _: () = assert!(Array::From.length() == PHASES * Square::INDICES * HIDDEN);
