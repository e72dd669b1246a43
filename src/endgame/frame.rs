//! The same shape, turned, mirrored and moved: one of its images stands for all.

use super::shape::Shape;
use crate::amazons::{Bitboard, MAX_SIZE, Square};

/// The distance in bits of one rank, as squares are numbered.
const RANK: u32 = 11;
/// The bits of one rank.
const ROW: u128 = (1 << RANK) - 1;
/// The highest bit of a square, that of j10.
const LAST: u32 = 108;

/// How a shape was brought to its image: transposed, then mirrored, then moved to the corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    transposed: bool,
    files_mirrored: bool,
    ranks_mirrored: bool,
    /// The distance moved, in bits.
    shift: u32,
}

impl Frame {
    /// The image of a shape without a pending arrow that all its translations, rotations and
    /// reflections share, and how the shape was brought to it.
    pub(super) fn canonical(shape: &Shape) -> (Shape, Frame) {
        let upright = [shape.squares().bits(), shape.amazons().bits()];
        let mut best = ([u128::MAX; 2], Frame::of(false, false, false));
        for transposed in [false, true] {
            let image = if transposed { upright.map(transpose) } else { upright };
            let turned = image.map(rotate);
            let mirrored = image.map(mirror_ranks);
            for (image, files, ranks) in [
                (image, false, false),
                (turned, true, true),
                (mirrored, false, true),
                (mirrored.map(rotate), true, false),
            ] {
                let shift = corner(image[0]);
                let image = image.map(|bits| bits >> shift);
                if image < best.0 {
                    best = (image, Frame { shift, ..Frame::of(transposed, files, ranks) });
                }
            }
        }
        let ([squares, amazons], frame) = best;
        (Shape::connected(Bitboard::from_bits(squares), Bitboard::from_bits(amazons)), frame)
    }

    const fn of(transposed: bool, files_mirrored: bool, ranks_mirrored: bool) -> Frame {
        Frame { transposed, files_mirrored, ranks_mirrored, shift: 0 }
    }

    /// The square of the shape that became this square of its image.
    pub(super) fn original(&self, square: Square) -> Square {
        let moved = Square::from_index(square.index() + self.shift as usize);
        let mirror = |coordinate, mirrored| {
            if mirrored { MAX_SIZE - 1 - coordinate } else { coordinate }
        };
        let file = mirror(moved.file(), self.files_mirrored);
        let rank = mirror(moved.rank(), self.ranks_mirrored);
        if self.transposed { Square::new(rank, file) } else { Square::new(file, rank) }
    }
}

fn transpose(bits: u128) -> u128 {
    Bitboard::from_bits(bits)
        .into_iter()
        .map(|square| Square::new(square.rank(), square.file()))
        .collect::<Bitboard>()
        .bits()
}

const fn rotate(bits: u128) -> u128 {
    bits.reverse_bits() >> (u128::BITS - 1 - LAST)
}

fn mirror_ranks(bits: u128) -> u128 {
    let top = u32::from(MAX_SIZE) - 1;
    (0..=top).fold(0, |image, rank| image | (bits >> (rank * RANK) & ROW) << ((top - rank) * RANK))
}

/// How far a set that is not empty can be moved down in bits so that it touches both edges.
fn corner(bits: u128) -> u32 {
    let rank = bits.trailing_zeros() / RANK;
    let folded = bits | bits >> (5 * RANK);
    let row = folded | folded >> RANK | folded >> (2 * RANK);
    let row = row | folded >> (3 * RANK) | folded >> (4 * RANK);
    rank * RANK + (row & ROW).trailing_zeros()
}
