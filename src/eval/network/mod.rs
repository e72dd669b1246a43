//! The learned evaluation: a small network over the distance fields.
//!
//! The first layer sums a row of numbers for each thing that is so ([`inputs`]) into
//! [`UNITS`] units, cut to `[0, 1]`. A hidden layer of [`HIDDEN`] units, also cut to `[0, 1]`,
//! feeds the value, which is the tanh of its last sum, and the policy. All layers behind the first
//! exist once for each set ([`SETS`]): the phase of the game, and whether an arrow is pending.
//!
//! The policy's logit of a queen step is `(from + to) . hidden` with a vector for each square, plus
//! what small tables say of its target, its length, its origin, and of the rays it opens and cuts; of
//! an arrow, `to . hidden` and the tables of arrows.
//!
//! Where a sum is cut to eight bits it is rounded down: who rounds the numbers of a trained network
//! adds half of a unit to its biases. Everything is integers from the first layer on, so that all kernels agree to the last bit.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod evaluator;
pub mod file;
pub mod inputs;
mod layers;
mod portable;
mod rays;

pub use evaluator::{Network, Scratch};
use layers::{BLOCK, BLOCKS, Bytes, Layers, SQUARES};

use crate::amazons::Square;
use inputs::{
    CUTS, EMPTY_ROWS, GAINS, LENGTHS, ORIGINS, PHASES, PIECE_ROWS, SETS, SURROUNDINGS, TARGETS,
};

/// Units of the first layer.
pub const UNITS: usize = 64;

/// Units of the hidden layer.
pub const HIDDEN: usize = 64;

/// What 1 is in the first layer: weights and biases are in units of 1 / 1024.
pub const ROW_ONE: i32 = 8 * 128;

/// What 1 is in the units of either layer after they are cut.
pub const UNIT_ONE: i32 = 127;

/// What 1 is in the weights of the hidden layer.
pub const HIDDEN_ONE: i32 = 128;

/// What 1 is in the weights of the value.
pub const VALUE_ONE: i32 = 256;

/// What 1 is in the vectors of the policy.
pub const POLICY_ONE: i32 = 64;

/// What 1 is in a logit of the policy, and in its tables.
pub const LOGIT_ONE: i32 = UNIT_ONE * POLICY_ONE;

/// The greatest size of a weight in the rows of amazons and shooter and in the bias of the first
/// layer, so that sums of one board never leave 16 bits.
pub const PIECE_MAX: i16 = 800;

/// The numbers of a network as it plays, one array after the other, all row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    /// First layer, empty squares: [`EMPTY_ROWS`] x [`UNITS`], in units of 1 / [`ROW_ONE`].
    pub empty: Vec<i8>,
    /// First layer, amazons and shooter: [`PIECE_ROWS`] x [`UNITS`], in units of 1 / [`ROW_ONE`].
    pub pieces: Vec<i16>,
    /// First layer, bias: [`UNITS`], in units of 1 / [`ROW_ONE`].
    pub bias: Vec<i16>,
    /// Hidden layer: [`SETS`] x [`HIDDEN`] x [`UNITS`], in units of 1 / [`HIDDEN_ONE`].
    pub hidden: Vec<i8>,
    /// Hidden layer, bias: [`SETS`] x [`HIDDEN`], in units of 1 / ([`UNIT_ONE`] * [`HIDDEN_ONE`]).
    pub hidden_bias: Vec<i16>,
    /// Value: [`SETS`] x [`HIDDEN`], in units of 1 / [`VALUE_ONE`].
    pub value: Vec<i16>,
    /// Value, bias: [`SETS`], in units of 1 / ([`UNIT_ONE`] * [`VALUE_ONE`]).
    pub value_bias: Vec<i32>,
    /// Policy, vectors of origins of queen steps: [`PHASES`] x squares x [`HIDDEN`], in units of
    /// 1 / [`POLICY_ONE`].
    pub from: Vec<i8>,
    /// Policy, vectors of targets of queen steps, the same.
    pub to: Vec<i8>,
    /// Policy, vectors of targets of arrows, the same.
    pub arrow: Vec<i8>,
    /// Policy, tables of queen steps, each for every phase, in units of 1 / [`LOGIT_ONE`]:
    /// [`PHASES`] x [`TARGETS`].
    pub queen_target: Vec<i16>,
    /// [`PHASES`] x [`SURROUNDINGS`].
    pub queen_surroundings: Vec<i16>,
    /// [`PHASES`] x [`LENGTHS`].
    pub queen_length: Vec<i16>,
    /// [`PHASES`] x [`ORIGINS`].
    pub queen_origin: Vec<i16>,
    /// [`PHASES`] x [`GAINS`].
    pub queen_gain: Vec<i16>,
    /// [`PHASES`] x [`CUTS`].
    pub queen_cut: Vec<i16>,
    /// Policy, tables of arrows: [`PHASES`] x [`TARGETS`].
    pub arrow_target: Vec<i16>,
    /// [`PHASES`] x [`SURROUNDINGS`].
    pub arrow_surroundings: Vec<i16>,
    /// [`PHASES`] x [`LENGTHS`].
    pub arrow_length: Vec<i16>,
    /// [`PHASES`] x [`CUTS`].
    pub arrow_cut: Vec<i16>,
}

impl Weights {
    /// All numbers 0: every position is even and every step equally likely.
    pub fn zero() -> Weights {
        let vectors = PHASES * Square::INDICES * HIDDEN;
        Weights {
            empty: vec![0; EMPTY_ROWS * UNITS],
            pieces: vec![0; PIECE_ROWS * UNITS],
            bias: vec![0; UNITS],
            hidden: vec![0; SETS * HIDDEN * UNITS],
            hidden_bias: vec![0; SETS * HIDDEN],
            value: vec![0; SETS * HIDDEN],
            value_bias: vec![0; SETS],
            from: vec![0; vectors],
            to: vec![0; vectors],
            arrow: vec![0; vectors],
            queen_target: vec![0; PHASES * TARGETS],
            queen_surroundings: vec![0; PHASES * SURROUNDINGS],
            queen_length: vec![0; PHASES * LENGTHS],
            queen_origin: vec![0; PHASES * ORIGINS],
            queen_gain: vec![0; PHASES * GAINS],
            queen_cut: vec![0; PHASES * CUTS],
            arrow_target: vec![0; PHASES * TARGETS],
            arrow_surroundings: vec![0; PHASES * SURROUNDINGS],
            arrow_length: vec![0; PHASES * LENGTHS],
            arrow_cut: vec![0; PHASES * CUTS],
        }
    }
}

#[cfg(test)]
mod tests;
