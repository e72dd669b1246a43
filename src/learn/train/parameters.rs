//! The numbers that are trained: the weights of [`Weights`](crate::eval::network::Weights) as
//! floating-point numbers, all in one vector, array after array.
//!
//! One number of a float network is one number of the network at play, in units of 1. The ranges
//! here are those that the integers can hold; training keeps every number within its range, so that
//! nothing is cut when the network is rounded.

use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::amazons::Square;
use crate::eval::network::inputs::{
    CUTS, EMPTY_ROWS, GAINS, LENGTHS, ORIGINS, PHASES, PIECE_ROWS, ROOMS, SETS, SQUARE_ROWS,
    SURROUNDINGS, TARGETS,
};
use crate::eval::network::{
    HIDDEN, HIDDEN_ONE, LOGIT_ONE, PIECE_MAX, POLICY_ONE, ROW_ONE, UNIT_ONE, UNITS, VALUE_ONE,
};

/// An array of the network, in the order in which the vector holds them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Array {
    /// First layer, empty squares: rows of [`UNITS`].
    Empty,
    /// First layer, amazons and shooter: rows of [`UNITS`].
    Pieces,
    /// First layer, bias.
    Bias,
    /// Hidden layer: sets x [`HIDDEN`] rows of [`UNITS`].
    Hidden,
    /// Hidden layer, bias: sets x [`HIDDEN`].
    HiddenBias,
    /// Value: sets x [`HIDDEN`].
    Value,
    /// Value, bias: one for each set.
    ValueBias,
    /// Policy, origins of queen steps: phases x squares x [`HIDDEN`].
    From,
    /// Policy, targets of queen steps: the same.
    To,
    /// Policy, targets of arrows: the same.
    Arrow,
    /// Policy, tables of queen steps.
    QueenTarget,
    /// The same.
    QueenSurroundings,
    /// The same.
    QueenLength,
    /// The same.
    QueenOrigin,
    /// The same.
    QueenGain,
    /// The same.
    QueenCut,
    /// Policy, tables of arrows.
    ArrowTarget,
    /// The same.
    ArrowSurroundings,
    /// The same.
    ArrowLength,
    /// The same.
    ArrowCut,
}

/// What there is to know of an array.
struct Shape {
    name: &'static str,
    length: usize,
    /// What 1 is among its integers.
    one: i32,
    /// The greatest size of an integer that training gives it.
    most: i32,
}

const VECTORS: usize = PHASES * Square::INDICES * HIDDEN;

/// Room for what [`round`](super::quantise::round) adds to a bias, so that sums are rounded rather
/// than cut.
const HALF: i32 = HIDDEN_ONE / 2;

/// The greatest size of a value's numbers, so that no sum leaves 32 bits.
const VALUE_MOST: i32 = 64 * VALUE_ONE;

impl Array {
    /// All of them, in order.
    pub const ALL: [Array; 20] = [
        Array::Empty,
        Array::Pieces,
        Array::Bias,
        Array::Hidden,
        Array::HiddenBias,
        Array::Value,
        Array::ValueBias,
        Array::From,
        Array::To,
        Array::Arrow,
        Array::QueenTarget,
        Array::QueenSurroundings,
        Array::QueenLength,
        Array::QueenOrigin,
        Array::QueenGain,
        Array::QueenCut,
        Array::ArrowTarget,
        Array::ArrowSurroundings,
        Array::ArrowLength,
        Array::ArrowCut,
    ];

    const fn shape(self) -> Shape {
        let (name, length, one, most) = match self {
            Array::Empty => ("empty", EMPTY_ROWS * UNITS, ROW_ONE, i8::MAX as i32),
            Array::Pieces => ("pieces", PIECE_ROWS * UNITS, ROW_ONE, PIECE_MAX as i32),
            Array::Bias => ("bias", UNITS, ROW_ONE, PIECE_MAX as i32 - HALF),
            Array::Hidden => ("hidden", SETS * HIDDEN * UNITS, HIDDEN_ONE, i8::MAX as i32),
            Array::HiddenBias => {
                ("hidden bias", SETS * HIDDEN, UNIT_ONE * HIDDEN_ONE, i16::MAX as i32 - HALF)
            }
            Array::Value => ("value", SETS * HIDDEN, VALUE_ONE, VALUE_MOST),
            Array::ValueBias => ("value bias", SETS, UNIT_ONE * VALUE_ONE, UNIT_ONE * VALUE_MOST),
            Array::From => ("from", VECTORS, POLICY_ONE, i8::MAX as i32),
            Array::To => ("to", VECTORS, POLICY_ONE, i8::MAX as i32),
            Array::Arrow => ("arrow", VECTORS, POLICY_ONE, i8::MAX as i32),
            Array::QueenTarget => ("queen target", PHASES * TARGETS, LOGIT_ONE, i16::MAX as i32),
            Array::QueenSurroundings => {
                ("queen surroundings", PHASES * SURROUNDINGS, LOGIT_ONE, i16::MAX as i32)
            }
            Array::QueenLength => ("queen length", PHASES * LENGTHS, LOGIT_ONE, i16::MAX as i32),
            Array::QueenOrigin => ("queen origin", PHASES * ORIGINS, LOGIT_ONE, i16::MAX as i32),
            Array::QueenGain => ("queen gain", PHASES * GAINS, LOGIT_ONE, i16::MAX as i32),
            Array::QueenCut => ("queen cut", PHASES * CUTS, LOGIT_ONE, i16::MAX as i32),
            Array::ArrowTarget => ("arrow target", PHASES * TARGETS, LOGIT_ONE, i16::MAX as i32),
            Array::ArrowSurroundings => {
                ("arrow surroundings", PHASES * SURROUNDINGS, LOGIT_ONE, i16::MAX as i32)
            }
            Array::ArrowLength => ("arrow length", PHASES * LENGTHS, LOGIT_ONE, i16::MAX as i32),
            Array::ArrowCut => ("arrow cut", PHASES * CUTS, LOGIT_ONE, i16::MAX as i32),
        };
        Shape { name, length, one, most }
    }

    /// What it is called in reports.
    pub const fn name(self) -> &'static str {
        self.shape().name
    }

    /// How many numbers it has.
    pub const fn length(self) -> usize {
        self.shape().length
    }

    /// What 1 is among the integers of the network at play.
    pub const fn one(self) -> f32 {
        self.shape().one as f32
    }

    /// The greatest size of a number of it.
    pub const fn most(self) -> f32 {
        let shape = self.shape();
        shape.most as f32 / shape.one as f32
    }

    /// Where it begins.
    pub const fn start(self) -> usize {
        let mut start = 0;
        let mut array = 0;
        while array < self as usize {
            start += Array::ALL[array].length();
            array += 1;
        }
        start
    }

    /// Where it is.
    pub const fn range(self) -> Range<usize> {
        self.start()..self.start() + self.length()
    }

    /// Whether its integers are so coarse that it is put on them before the training ends.
    pub const fn is_coarse(self) -> bool {
        matches!(
            self,
            Array::Empty
                | Array::Pieces
                | Array::Bias
                | Array::Hidden
                | Array::From
                | Array::To
                | Array::Arrow
        )
    }

    /// Whether weight decay pulls it to zero. Biases are left alone.
    pub const fn decays(self) -> bool {
        !matches!(self, Array::Bias | Array::HiddenBias | Array::ValueBias)
    }
}

/// How many numbers a network has.
pub const TOTAL: usize = Array::ArrowCut.range().end;

/// Where the arrays begin whose gradients are kept whole by each worker: all but the rows of the
/// first layer.
pub const TAIL_START: usize = Array::Bias.start();

/// How many numbers those arrays have.
pub const TAIL: usize = TOTAL - TAIL_START;

/// Numbers of the first layer that belong to one square, if it is empty.
pub const SQUARE_BLOCK: usize = SQUARE_ROWS * UNITS;

/// The numbers of a network before anything is learned.
///
/// The rows of the first layer are small enough for their sums to stay inside `[0, 1]` at any time
/// of the game; the value and the tables are zero.
pub fn initial(seed: u64) -> Vec<f32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut numbers = vec![0.0; TOTAL];
    let mut fill = |range: Range<usize>, least: f32, most: f32| {
        for number in &mut numbers[range] {
            *number = rng.random_range(least..most);
        }
    };
    fill(Array::Bias.range(), 0.2, 0.6);
    fill(Array::Hidden.range(), -0.22, 0.22);
    fill(Array::HiddenBias.range(), 0.1, 0.4);
    fill(Array::Value.range(), -0.1, 0.1);
    // Rows and vectors of sentinels are never looked at: they stay zero.
    for square in Square::all().map(Square::index) {
        let first = square * SQUARE_BLOCK;
        fill(first..first + SQUARE_BLOCK, -0.03, 0.03);
        for side in 0..2 {
            let first = Array::Pieces.start() + (side * Square::INDICES + square) * ROOMS * UNITS;
            fill(first..first + ROOMS * UNITS, -0.1, 0.1);
        }
        let first = Array::Pieces.start() + (2 * Square::INDICES * ROOMS + square) * UNITS;
        fill(first..first + UNITS, -0.1, 0.1);
        for array in [Array::From, Array::To, Array::Arrow] {
            for phase in 0..PHASES {
                let first = array.start() + (phase * Square::INDICES + square) * HIDDEN;
                fill(first..first + HIDDEN, -0.1, 0.1);
            }
        }
    }
    numbers
}
