//! The weights as the layers want them: every load a whole register.

use super::inputs::{EMPTY_ROWS, PHASES, PIECE_ROWS, QUEEN_PAIRS, SETS, SQUARE_ROWS};
use super::{HIDDEN, UNITS, Weights};
use crate::amazons::Square;

/// Units of the first layer that are summed together: a register of 64 bytes.
pub(super) const BLOCK: usize = 64;

/// Blocks of the first layer.
pub(super) const BLOCKS: usize = UNITS / BLOCK;

const _: () = assert!(UNITS.is_multiple_of(BLOCK) && HIDDEN.is_multiple_of(16));

/// Squares with their sentinels, filled up to whole registers.
pub(super) const SQUARES: usize = 112;

const _: () = assert!(SQUARES >= Square::INDICES && SQUARES.is_multiple_of(16));

/// A byte for each square, by its index.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Bytes(pub [u8; 128]);

/// A row of the first layer for an empty square.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Row([i8; UNITS]);

/// A row of the first layer for an amazon or the shooter, in the order of sums.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Sums([i16; UNITS]);

/// Numbers that begin at a register's edge.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Aligned([i8; 64]);

/// The layers of a network.
#[derive(Debug)]
pub(super) struct Layers {
    empty: Vec<Row>,
    pieces: Vec<Sums>,
    bias: Sums,
    /// For each set, the weights of four units side by side.
    hidden: Vec<Aligned>,
    pub hidden_bias: Vec<[i32; HIDDEN]>,
    /// For each phase, the vectors of all squares, four numbers of each side by side.
    to: Vec<Aligned>,
    arrow: Vec<Aligned>,
}

impl Layers {
    pub fn new(weights: &Weights) -> Layers {
        let hidden_bias = weights.hidden_bias.as_chunks::<HIDDEN>().0;
        Layers {
            empty: weights.empty.as_chunks().0.iter().map(|&row| Row(row)).collect(),
            pieces: weights.pieces.as_chunks().0.iter().map(in_order_of_sums).collect(),
            bias: in_order_of_sums(&std::array::from_fn(|unit| weights.bias[unit])),
            hidden: by_fours::<HIDDEN, UNITS>(&weights.hidden, HIDDEN, SETS),
            hidden_bias: hidden_bias.iter().map(|set| set.map(i32::from)).collect(),
            to: by_fours::<SQUARES, HIDDEN>(&weights.to, Square::INDICES, PHASES),
            arrow: by_fours::<SQUARES, HIDDEN>(&weights.arrow, Square::INDICES, PHASES),
        }
    }

    /// The two rows of an empty square that are active.
    #[inline(always)]
    pub fn rows(&self, square: usize, queen: &Bytes, king: &Bytes) -> [&[i8; UNITS]; 2] {
        let first = square * SQUARE_ROWS;
        let one = first + usize::from(queen.0[square]);
        let other = first + QUEEN_PAIRS + usize::from(king.0[square]);
        let rows: &[Row; EMPTY_ROWS] = self.empty.as_array().expect("as many as there are");
        [&rows[one].0, &rows[other].0]
    }

    /// What the sums of the first layer begin with.
    #[inline(always)]
    pub fn bias(&self) -> [i16; UNITS] {
        self.bias.0
    }

    /// Adds a row of amazons or the shooter.
    #[inline(always)]
    pub fn add_piece(&self, row: usize, sums: &mut [i16; UNITS]) {
        let rows: &[Sums; PIECE_ROWS] = self.pieces.as_array().expect("as many as there are");
        for (sum, &weight) in sums.iter_mut().zip(&rows[row].0) {
            *sum = sum.wrapping_add(weight);
        }
    }

    /// The weights of the hidden layer of a set.
    #[inline(always)]
    pub fn hidden(&self, set: usize) -> &[i8] {
        part(&self.hidden, set, HIDDEN * UNITS)
    }

    /// The vectors of the targets of queen steps in a phase.
    #[inline(always)]
    pub fn to(&self, phase: usize) -> &[i8] {
        part(&self.to, phase, SQUARES * HIDDEN)
    }

    /// The vectors of the targets of arrows in a phase.
    #[inline(always)]
    pub fn arrow(&self, phase: usize) -> &[i8] {
        part(&self.arrow, phase, SQUARES * HIDDEN)
    }
}

/// The numbers of one of several equal parts.
#[inline(always)]
fn part(all: &[Aligned], part: usize, size: usize) -> &[i8] {
    let lines = size / size_of::<Aligned>();
    bytemuck::cast_slice(&all[part * lines..(part + 1) * lines])
}

// SAFETY: the type is an array of bytes and has no padding.
unsafe impl bytemuck::Zeroable for Aligned {}
// SAFETY: the same; every pattern of bits is a value of it.
unsafe impl bytemuck::Pod for Aligned {}

/// Where a unit of the first layer is summed: two registers of bytes interleaved byte by byte, as
/// sums of pairs need them, put unit `16l + 8h + i` of a block at `32h + 8l + i`.
#[inline(always)]
pub(super) const fn place_of_sum(unit: usize) -> usize {
    let (block, within) = (unit / BLOCK * BLOCK, unit % BLOCK);
    block + ((within >> 3) & 1) * 32 + (within >> 4) * 8 + (within & 7)
}

fn in_order_of_sums(row: &[i16; UNITS]) -> Sums {
    let mut sums = [0; UNITS];
    for (unit, &weight) in row.iter().enumerate() {
        sums[place_of_sum(unit)] = weight;
    }
    Sums(sums)
}

/// Turns `parts` matrices of `rows` x `N` into as many with the numbers of four columns side by
/// side: for each four columns, for each row, four numbers. There are `M` rows then, the last of
/// them zero.
fn by_fours<const M: usize, const N: usize>(
    matrices: &[i8],
    rows: usize,
    parts: usize,
) -> Vec<Aligned> {
    let mut all = vec![Aligned([0; 64]); parts * M * N / 64];
    let numbers: &mut [i8] = bytemuck::cast_slice_mut(&mut all);
    for part in 0..parts {
        for row in 0..rows {
            for column in 0..N {
                let four = column / 4;
                numbers[part * M * N + (four * M + row) * 4 + column % 4] =
                    matrices[(part * rows + row) * N + column];
            }
        }
    }
    all
}
