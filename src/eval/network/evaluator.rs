//! The network at play.

use std::sync::Arc;

use super::inputs::{CUTS, GAINS, LENGTHS, ORIGINS, ROOMS, SURROUNDINGS, TARGETS};
use super::layers::{Bytes, Layers, SQUARES};
use super::{HIDDEN, LOGIT_ONE, UNIT_ONE, UNITS, VALUE_ONE, Weights, inputs, portable, rays};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::amazons::{Bitboard, Direction, Position, Square, Step};
use crate::eval::fields::{Fields, Instructions, Kernel, Work};
use crate::eval::functions::{exp2, tanh};
use crate::eval::mobility::{self, room};
use crate::game::{Evaluator, Value};

/// The learned evaluation. Clones share the weights.
#[derive(Clone, Debug)]
pub struct Network {
    kernel: Kernel,
    weights: Arc<Weights>,
    layers: Arc<Layers>,
    /// What turns a logit into a power of two as [`exp2`] wants it, in units of 1 / 256.
    logit_to_bits: i32,
}

/// The working memory of one worker: what was computed of the position last looked at.
#[derive(Clone, Debug)]
pub struct Scratch {
    fields: Fields,
    hash: Option<u64>,
    /// Classes of pairs of queen distances, of pairs of king distances, and of the opponent's queen
    /// distance.
    queen: Bytes,
    king: Bytes,
    theirs: Bytes,
    hidden: [u8; HIDDEN],
}

impl Default for Scratch {
    fn default() -> Scratch {
        let zero = Bytes([0; 128]);
        Scratch {
            fields: Fields::default(),
            hash: None,
            queen: zero.clone(),
            king: zero.clone(),
            theirs: zero,
            hidden: [0; HIDDEN],
        }
    }
}

/// Calls the function of this name that is written for the kernel.
macro_rules! by_kernel {
    ($kernel:expr, $function:ident($($argument:expr),*)) => {
        match $kernel.instructions() {
            Instructions::Portable => portable::$function($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => {
                // SAFETY: the kernel promises that the processor has the instructions.
                unsafe { avx2::$function($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => {
                // SAFETY: the kernel promises that the processor has the instructions.
                unsafe { avx512::$function($($argument),*) }
            }
        }
    };
}

/// Logits further than 16 below the highest count as if they were 16 below, at temperature 1 a
/// ten-millionth of it.
const LOWEST_LOGIT: i32 = -16 * LOGIT_ONE;

/// See [`Network::logit_to_bits`].
const fn logit_to_bits(temperature: f64) -> i32 {
    (std::f64::consts::LOG2_E / temperature / LOGIT_ONE as f64 * 65536.0 * 256.0 + 0.5) as i32
}

impl Network {
    /// The network with these weights, computed by this kernel. Nothing depends on the kernel but
    /// the time.
    pub fn new(kernel: Kernel, weights: Weights) -> Network {
        let layers = Arc::new(Layers::new(&weights));
        Network { kernel, weights: Arc::new(weights), layers, logit_to_bits: logit_to_bits(1.0) }
    }

    /// The same network with its policy flattened: logits are divided by this temperature, at least
    /// 1, before they become priors.
    #[must_use]
    pub fn at_temperature(self, temperature: f64) -> Network {
        Network { logit_to_bits: logit_to_bits(temperature), ..self }
    }

    /// The numbers it was made of.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Computes the hidden layer of a position, unless that was done already.
    #[inline]
    fn prepare(&self, position: &Position, scratch: &mut Scratch) {
        if scratch.hash == Some(position.hash()) {
            return;
        }
        scratch.hash = Some(position.hash());
        self.kernel.fill(position, &mut scratch.fields);
        self.kernel.run(Hidden { network: self, position, scratch });
    }

    #[inline]
    fn value_of(&self, position: &Position, scratch: &Scratch) -> Value {
        let set = inputs::set(position);
        let weights = &self.weights.value[set * HIDDEN..(set + 1) * HIDDEN];
        let products =
            weights.iter().zip(&scratch.hidden).map(|(&w, &h)| i32::from(w) * i32::from(h));
        let sum = products.sum::<i32>().wrapping_add(self.weights.value_bias[set]);
        Value::new(tanh(sum as f32 * (1.0 / (UNIT_ONE * VALUE_ONE) as f32)))
    }
}

impl Evaluator<Position> for Network {
    type Scratch = Scratch;

    #[inline]
    fn value(&self, position: &Position, scratch: &mut Scratch) -> Value {
        self.prepare(position, scratch);
        self.value_of(position, scratch)
    }

    fn priors(
        &self,
        position: &Position,
        steps: &[Step],
        scratch: &mut Scratch,
        weights: &mut Vec<f32>,
    ) {
        self.prepare(position, scratch);
        self.kernel.run(Priors { network: self, position, scratch, steps, weights });
    }
}

/// The computation of the hidden layer from the fields.
struct Hidden<'a> {
    network: &'a Network,
    position: &'a Position,
    scratch: &'a mut Scratch,
}

impl Work for Hidden<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Hidden { network, position, scratch } = self;
        let layers = &*network.layers;
        let Scratch { fields, queen, king, theirs, hidden, .. } = scratch;
        let (mine, other) = (position.side_to_move(), !position.side_to_move());
        let near = |side, distance| fields.queen.within(side, distance).bits();
        let step = |side, distance| fields.king.within(side, distance).bits();
        let reach = |side| fields.queen.reachable(side).bits();
        let theirs_within =
            [(near(other, 1), 1), (near(other, 2), 1), (near(other, 3), 1), (reach(other), 1)];
        let [a, b, c, d] = theirs_within;
        let queens = [
            (near(mine, 1), 5),
            (near(mine, 2), 5),
            (near(mine, 3), 5),
            (reach(mine), 5),
            a,
            b,
            c,
            d,
        ];
        let kings = [
            (step(mine, 1), 6),
            (step(mine, 2), 6),
            (step(mine, 3), 6),
            (step(mine, 4), 6),
            (reach(mine), 6),
            (step(other, 1), 1),
            (step(other, 2), 1),
            (step(other, 3), 1),
            (step(other, 4), 1),
            (reach(other), 1),
        ];
        let mut sums = layers.bias();
        for (side, colour) in [mine, other].into_iter().enumerate() {
            for square in position.amazons(colour) {
                let place = side * Square::INDICES + square.index();
                layers.add_piece(place * ROOMS + room(position, square), &mut sums);
            }
        }
        if let Some(shooter) = position.shooter() {
            layers.add_piece(2 * Square::INDICES * ROOMS + shooter.index(), &mut sums);
        }
        let empty = position.empty().bits();
        let set = inputs::set(position);
        let mut units = [0; UNITS];
        let mut hiddens = layers.hidden_bias[set];
        let kernel = network.kernel;
        by_kernel!(kernel, sums(&theirs_within, theirs));
        by_kernel!(kernel, sums(&queens, queen));
        by_kernel!(kernel, sums(&kings, king));
        by_kernel!(kernel, first(layers, empty, queen, king, &mut sums));
        by_kernel!(kernel, cut(&sums, &mut units));
        by_kernel!(kernel, hidden(&units, layers.hidden(set), &mut hiddens));
        for (hidden, sum) in hidden.iter_mut().zip(hiddens) {
            *hidden = (sum >> 7).clamp(0, UNIT_ONE) as u8;
        }
    }
}

/// The judging of all steps of a position.
struct Priors<'a> {
    network: &'a Network,
    position: &'a Position,
    scratch: &'a Scratch,
    steps: &'a [Step],
    /// Emptied and filled: a weight for each step.
    weights: &'a mut Vec<f32>,
}

impl Work for Priors<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let kernel = self.network.kernel;
        let weights = &*self.network.weights;
        let layers = &*self.network.layers;
        let phase = inputs::phase(self.position);
        let mut around = Bytes([0; 128]);
        by_kernel!(kernel, sums(&surroundings(self.position), &mut around));
        let mut origins = [0; SQUARES];
        let vectors = match self.position.shooter() {
            Some(_) => layers.arrow(phase),
            None => {
                self.add_origins(phase, &around, &mut origins);
                layers.to(phase)
            }
        };
        let mut logits = [0; SQUARES];
        by_kernel!(kernel, squares(&self.scratch.hidden, vectors, &mut logits));
        self.add_rays(phase, &mut logits);
        let tables = match self.position.shooter() {
            Some(_) => [&weights.arrow_target, &weights.arrow_surroundings, &weights.arrow_length],
            None => [&weights.queen_target, &weights.queen_surroundings, &weights.queen_length],
        };
        self.judge(phase, tables, &around, &origins, &logits);
    }
}

impl Priors<'_> {
    /// The logits that the origins of queen steps add.
    #[inline(always)]
    fn add_origins(&self, phase: usize, around: &Bytes, origins: &mut [i32; SQUARES]) {
        let weights = &*self.network.weights;
        let table = table::<ORIGINS>(&weights.queen_origin, phase);
        let (mover, opponent) = (self.position.side_to_move(), !self.position.side_to_move());
        for from in self.position.amazons(mover) {
            let first = (phase * Square::INDICES + from.index()) * HIDDEN;
            let vector = &weights.from[first..first + HIDDEN];
            let product = vector.iter().zip(&self.scratch.hidden);
            let product: i32 = product.map(|(&v, &h)| i32::from(v) * i32::from(h)).sum();
            let pressure = inputs::pressure(self.position, &self.scratch.fields, from, opponent);
            let origin = usize::from(around.0[from.index()]) * 5 + pressure;
            origins[from.index()] = product + i32::from(table[origin]);
        }
    }

    /// The logits that the rays add to targets.
    #[inline(always)]
    fn add_rays(&self, phase: usize, logits: &mut [i32; SQUARES]) {
        let Network { kernel, weights, .. } = self.network;
        let (empty, mover) = (self.position.empty(), self.position.side_to_move());
        let amazons = [mover, !mover].map(|side| self.position.amazons(side));
        let mut cuts = [const { Bytes([0; 128]) }; 2];
        by_kernel!(kernel, cuts(empty, amazons, &mut cuts));
        if self.position.shooter().is_some() {
            let by_cut = table::<CUTS>(&weights.arrow_cut, phase);
            for square in empty.into_iter().map(Square::index) {
                logits[square] += i32::from(by_cut[rays::cut_class(&cuts, square)]);
            }
            return;
        }
        let near = self.scratch.fields.queen.within(mover, 1);
        let mut gains = Bytes([0; 128]);
        by_kernel!(kernel, gains(empty, empty.minus(near), &mut gains));
        let by_cut = table::<CUTS>(&weights.queen_cut, phase);
        let by_gain = table::<GAINS>(&weights.queen_gain, phase);
        for square in near.into_iter().map(Square::index) {
            let gain = rays::gain_class(&gains, &self.scratch.theirs, square);
            let cut = rays::cut_class(&cuts, square);
            logits[square] += i32::from(by_gain[gain]) + i32::from(by_cut[cut]);
        }
    }

    /// The weights of all steps from their logits.
    #[inline(always)]
    fn judge(
        self,
        phase: usize,
        [target, surroundings, length]: [&Vec<i16>; 3],
        around: &Bytes,
        origins: &[i32; SQUARES],
        logits: &[i32; SQUARES],
    ) {
        let target = table::<TARGETS>(target, phase);
        let surroundings = table::<SURROUNDINGS>(surroundings, phase);
        let length = table::<LENGTHS>(length, phase);
        let shooter = self.position.shooter();
        let mut highest = i32::MIN;
        self.weights.clear();
        self.weights.extend(self.steps.iter().map(|&step| {
            let to = step.target();
            let from = match step {
                Step::Queen { from, .. } => from,
                Step::Arrow(to) => shooter.unwrap_or(to),
            };
            let here = to.index();
            let distances = usize::from(self.scratch.king.0[here]) * 5
                + usize::from(self.scratch.theirs.0[here]);
            let logit = logits[here]
                + origins[from.index()]
                + i32::from(target[distances])
                + i32::from(surroundings[usize::from(around.0[here])])
                + i32::from(length[mobility::length(from, to)]);
            highest = highest.max(logit);
            // Below two to the power of 24, so no bit is lost.
            logit as f32
        }));
        let highest = highest as f32;
        for weight in self.weights.iter_mut() {
            let below = ((*weight - highest) as i32).max(LOWEST_LOGIT);
            *weight = exp2((below * self.network.logit_to_bits) >> 8);
        }
    }
}

/// The table of a phase.
#[inline(always)]
fn table<const N: usize>(tables: &[i16], phase: usize) -> &[i16; N] {
    tables.as_chunks().0.get(phase).expect("a table for each phase")
}

/// Sets of squares and amounts whose sums are the class of what is around each square.
#[inline(always)]
fn surroundings(position: &Position) -> [(u128, u8); 12] {
    let mut sets = [(0, 0); 12];
    for (set, direction) in sets.iter_mut().zip(Direction::ALL) {
        *set = (position.empty().step(direction).bits(), 9);
    }
    for (side, amount) in [(position.side_to_move(), 3), (!position.side_to_move(), 1)] {
        let [mut one, mut two] = [Bitboard::EMPTY; 2];
        for direction in Direction::ALL {
            let beside = position.amazons(side).step(direction);
            two |= one & beside;
            one |= beside;
        }
        let place = if amount == 3 { 8 } else { 10 };
        sets[place] = (one.bits(), amount);
        sets[place + 1] = (two.bits(), amount);
    }
    sets
}

const _: () = assert!(LOWEST_LOGIT as i64 * logit_to_bits(1.0) as i64 > i32::MIN as i64);
