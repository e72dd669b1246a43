//! One step of training: gradients of a batch, and the step of the optimiser along their mean.
//!
//! The work is divided in the same way whatever the number of threads, and everything is added up
//! in the same order, so a training gives the same network on any number of cores. The records of a
//! batch are divided into [`SHARES`], each with its own sums of gradients for the small arrays. The
//! first layer is large, but each record touches few of its rows: its gradients are made square by
//! square, from those of the first layer's sums, in the order of the records.

use rayon::prelude::*;

use super::dataset::{Dataset, Targets};
use super::example::{LocalRows, NOT_EMPTY, Preparation, by_square};
use super::instructions;
use super::model::{Answer, Losses, Scales};
use super::optimiser::{Part, State, Update};
use super::parameters::{Array, SQUARE_BLOCK, TAIL, TAIL_START};
use super::schedule::Pick;
use crate::amazons::Square;
use crate::eval::network::UNITS;

/// How many parts the records of a batch are divided into.
const SHARES: usize = 16;

/// Squares whose rows are updated together: few, so that all their gradients stay in the fastest
/// memory while those of all records pass by.
const NEIGHBOURS: usize = 2;

/// Numbers of the first layer that belong to them.
const NEIGHBOURS_BLOCK: usize = NEIGHBOURS * SQUARE_BLOCK;

const _: () = assert!(Square::INDICES.is_multiple_of(NEIGHBOURS));

/// Numbers that are updated together, of the arrays that are not divided by squares.
const STRETCH: usize = 1 << 13;

/// What is kept of a record for the gradients of the first layer.
#[derive(Clone)]
pub(super) struct Trace {
    gradients: [f32; UNITS],
    rows: LocalRows,
    pieces: Vec<u16>,
}

impl Trace {
    fn new() -> Trace {
        Trace {
            gradients: [0.0; UNITS],
            rows: [[NOT_EMPTY; 2]; Square::INDICES],
            pieces: Vec::new(),
        }
    }
}

/// What the work on one part of a batch needs.
struct Share {
    preparation: Preparation,
    answer: Answer,
    tail: Vec<f32>,
    losses: Losses,
}

/// Trains a network.
pub struct Trainer {
    targets: Targets,
    policy_weight: f32,
    weight_decay: f32,
    shares: Vec<Share>,
    traces: Vec<Trace>,
    pieces: Vec<f32>,
}

/// How far one step goes.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    /// The number of the step, counted from 0.
    pub step: u64,
    /// The learning rate.
    pub rate: f32,
    /// How far the average moves to the weights.
    pub average_rate: f32,
    /// Whether the coarse arrays are settled and stay as they are.
    pub settled: bool,
}

impl Trainer {
    /// Makes room for steps.
    pub fn new(targets: Targets, policy_weight: f32, weight_decay: f32) -> Trainer {
        let share = || Share {
            preparation: Preparation::new(),
            answer: Answer::default(),
            tail: vec![0.0; TAIL],
            losses: Losses::default(),
        };
        Trainer {
            targets,
            policy_weight,
            weight_decay,
            shares: (0..SHARES).map(|_| share()).collect(),
            traces: Vec::new(),
            pieces: vec![0.0; Array::Pieces.length()],
        }
    }

    /// Learns from these records once, and tells their mean losses before that.
    pub fn step(
        &mut self,
        data: &Dataset,
        batch: &[Pick],
        stride: Stride,
        state: &mut State,
    ) -> Losses {
        let losses = self.gradients(data, batch, &state.weights);
        let Stride { step, rate, average_rate, settled } = stride;
        let update = Update::new(step, rate, self.weight_decay, average_rate);
        if settled {
            self.update_fine(update, state);
        } else {
            self.update(update, state);
        }
        losses
    }

    /// Computes the gradients of the mean loss of these records, as far as it needs all threads.
    fn gradients(&mut self, data: &Dataset, batch: &[Pick], weights: &[f32]) -> Losses {
        self.traces.resize_with(batch.len(), Trace::new);
        let size = batch.len().div_ceil(SHARES);
        let share_of_record = 1.0 / batch.len() as f32;
        let scales =
            Scales { value: share_of_record, policy: share_of_record * self.policy_weight };
        let targets = self.targets;
        for share in &mut self.shares {
            share.losses = Losses::default();
        }
        let parts = self.traces.par_chunks_mut(size).zip(batch.par_chunks(size));
        parts.zip(&mut self.shares).for_each(|((traces, batch), share)| {
            share.tail.fill(0.0);
            instructions::run(Learn { data, batch, weights, scales, targets, traces, share });
        });
        // Shares that got no records, of a small batch, must not add what they had before.
        for share in &mut self.shares[batch.len().div_ceil(size)..] {
            share.tail.fill(0.0);
        }
        let total = |loss: fn(&Losses) -> f64| {
            self.shares.iter().map(|share| loss(&share.losses)).sum::<f64>() / batch.len() as f64
        };
        Losses { value: total(|losses| losses.value), policy: total(|losses| losses.policy) }
    }

    fn update(&mut self, update: Update, state: &mut State) {
        let (squares, rest) = state.parts().split_at(Array::Empty.length());
        let (pieces, tail) = rest.split_at(Array::Pieces.length());
        let (traces, shares, piece_gradients) = (&self.traces, &self.shares, &mut self.pieces);
        let squares = || {
            let neighbours = squares.chunks(NEIGHBOURS_BLOCK).into_par_iter().enumerate();
            neighbours.for_each(|(index, part)| {
                let first = index * NEIGHBOURS;
                instructions::run(UpdateSquares { traces, first, update, part });
            });
        };
        let pieces = || {
            gradients_of_pieces(traces, piece_gradients);
            let stretches = pieces.chunks(STRETCH).into_par_iter();
            stretches.zip(piece_gradients.par_chunks(STRETCH)).for_each(|(part, gradients)| {
                instructions::run(UpdateStretch { array: Array::Pieces, update, part, gradients });
            });
        };
        let tail = || update_tail(shares, tail, |_| true, update);
        rayon::join(squares, || rayon::join(pieces, tail));
    }

    /// [`update`](Trainer::update) of the arrays that are not coarse.
    fn update_fine(&self, update: Update, state: &mut State) {
        let (_, tail) = state.parts().split_at(TAIL_START);
        update_tail(&self.shares, tail, |array| !array.is_coarse(), update);
    }
}

/// Updates small arrays.
fn update_tail(shares: &[Share], tail: Part<'_>, chosen: fn(Array) -> bool, update: Update) {
    let stretches = stretches_of_tail(tail).into_par_iter();
    stretches.filter(|&(array, ..)| chosen(array)).for_each(|(array, start, part)| {
        instructions::run(UpdateTail { shares, start, array, update, part });
    });
}

/// The stretches of the small arrays, each with its array and its place behind the first layer.
fn stretches_of_tail(tail: Part<'_>) -> Vec<(Array, usize, Part<'_>)> {
    let mut stretches = Vec::new();
    let mut left = tail;
    for array in Array::ALL.into_iter().filter(|array| array.start() >= TAIL_START) {
        let (part, rest) = left.split_at(array.length());
        let start = array.start() - TAIL_START;
        let chunks = part.chunks(STRETCH).into_iter().enumerate();
        stretches.extend(chunks.map(|(index, part)| (array, start + index * STRETCH, part)));
        left = rest;
    }
    stretches
}

/// Adds the gradients of the rows of these squares to those there are.
#[inline(always)]
fn gradients_of_squares(traces: &[Trace], first: usize, gradients: &mut [f32; NEIGHBOURS_BLOCK]) {
    let squares = gradients.as_chunks_mut::<SQUARE_BLOCK>().0;
    for trace in traces {
        for (square, local) in squares.iter_mut().zip(&trace.rows[first..]) {
            if local[0] == NOT_EMPTY {
                continue;
            }
            let rows = square.as_chunks_mut::<UNITS>().0;
            for &row in local {
                for (sum, gradient) in rows[usize::from(row)].iter_mut().zip(&trace.gradients) {
                    *sum += gradient;
                }
            }
        }
    }
}

/// Adds the gradients of a stretch of the small arrays to those there are.
#[inline(always)]
fn gradients_of_stretch(shares: &[Share], start: usize, gradients: &mut [f32]) {
    for share in shares {
        let tail = &share.tail[start..start + gradients.len()];
        for (sum, gradient) in gradients.iter_mut().zip(tail) {
            *sum += gradient;
        }
    }
}

/// Few records have few amazons each, so one thread does this for all.
fn gradients_of_pieces(traces: &[Trace], gradients: &mut [f32]) {
    gradients.fill(0.0);
    let rows = gradients.as_chunks_mut::<UNITS>().0;
    for trace in traces {
        for &row in &trace.pieces {
            for (sum, gradient) in rows[usize::from(row)].iter_mut().zip(&trace.gradients) {
                *sum += gradient;
            }
        }
    }
}

/// Gradients of a part of a batch.
struct Learn<'a> {
    data: &'a Dataset,
    batch: &'a [Pick],
    weights: &'a [f32],
    scales: Scales,
    targets: Targets,
    traces: &'a mut [Trace],
    share: &'a mut Share,
}

impl instructions::Work for Learn<'_> {
    #[inline(always)]
    fn run(self) {
        let Share { preparation, answer, tail, losses } = self.share;
        for (pick, trace) in self.batch.iter().zip(self.traces) {
            let (sample, visits) = self.data.record(pick.place);
            preparation.prepare(sample, visits, pick.symmetry, self.targets);
            let example = &preparation.example;
            answer.compute(self.weights, example);
            let found = answer.finish(example);
            losses.value += found.value;
            losses.policy += found.policy;
            trace.gradients = answer.propagate(self.weights, example, self.scales, tail);
            by_square(&example.empty, &mut trace.rows);
            trace.pieces.clone_from(&example.pieces);
        }
    }
}

/// Gradients and update of the rows of neighbouring squares.
struct UpdateSquares<'a> {
    traces: &'a [Trace],
    first: usize,
    update: Update,
    part: Part<'a>,
}

impl instructions::Work for UpdateSquares<'_> {
    #[inline(always)]
    fn run(self) {
        let mut gradients = [0.0; NEIGHBOURS_BLOCK];
        gradients_of_squares(self.traces, self.first, &mut gradients);
        self.update.apply(Array::Empty, self.part, &gradients);
    }
}

/// Update of a stretch whose gradients are known.
struct UpdateStretch<'a> {
    array: Array,
    update: Update,
    part: Part<'a>,
    gradients: &'a [f32],
}

impl instructions::Work for UpdateStretch<'_> {
    #[inline(always)]
    fn run(self) {
        self.update.apply(self.array, self.part, self.gradients);
    }
}

/// Gradients and update of a stretch of the small arrays.
struct UpdateTail<'a> {
    shares: &'a [Share],
    start: usize,
    array: Array,
    update: Update,
    part: Part<'a>,
}

impl instructions::Work for UpdateTail<'_> {
    #[inline(always)]
    fn run(self) {
        let length = self.part.weights.len();
        let mut gradients = [0.0; STRETCH];
        let gradients = &mut gradients[..length];
        gradients_of_stretch(self.shares, self.start, gradients);
        self.update.apply(self.array, self.part, gradients);
    }
}

#[cfg(test)]
impl Trainer {
    /// The mean losses of these records and their gradients, of all arrays.
    pub(super) fn losses_and_gradients(
        &mut self,
        data: &Dataset,
        batch: &[Pick],
        weights: &[f32],
    ) -> (Losses, Vec<f32>) {
        let losses = self.gradients(data, batch, weights);
        let mut gradients = vec![0.0; super::parameters::TOTAL];
        let (first, tail) = gradients.split_at_mut(TAIL_START);
        let (empty, pieces) = first.split_at_mut(Array::Empty.length());
        for (index, squares) in empty.as_chunks_mut().0.iter_mut().enumerate() {
            gradients_of_squares(&self.traces, index * NEIGHBOURS, squares);
        }
        gradients_of_pieces(&self.traces, pieces);
        gradients_of_stretch(&self.shares, 0, tail);
        (losses, gradients)
    }
}
