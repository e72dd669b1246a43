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
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    transposed: bool,
    files_mirrored: bool,
    ranks_mirrored: bool,
    /// The distance moved, in bits.
    shift: u32,
}

/// The image of sets of squares that all their translations, rotations and reflections share; the
/// first set decides where they are moved to.
pub(super) fn canonical<const SETS: usize>(sets: [u128; SETS]) -> [u128; SETS] {
    Frame::images(sets).into_iter().map(|(image, _)| image).min().unwrap_or(sets)
}

/// The bits of a shape's squares and of its amazons.
type Image = [u128; 2];

fn bits_of(shape: &Shape) -> Image {
    [shape.squares().bits(), shape.amazons().bits()]
}

fn shape_of(image: Image) -> Shape {
    let [squares, amazons] = image.map(Bitboard::from_bits);
    Shape::connected(squares, amazons)
}

impl Frame {
    /// The image of a shape without a pending arrow that all its translations, rotations and
    /// reflections share, and how the shape was brought to it.
    pub(super) fn canonical(shape: &Shape) -> (Shape, Frame) {
        let least = Frame::images(bits_of(shape)).into_iter().min_by_key(|&(image, _)| image);
        let (image, frame) = least.unwrap_or_default();
        (shape_of(image), frame)
    }

    /// All eight images of a shape without a pending arrow, in an order that depends on nothing
    /// but its form. The first is the canonical one.
    pub(super) fn all(shape: &Shape) -> [Shape; 8] {
        let mut images = Frame::images(bits_of(shape)).map(|(image, _)| image);
        images.sort_unstable();
        images.map(shape_of)
    }

    fn images<const SETS: usize>(upright: [u128; SETS]) -> [([u128; SETS], Frame); 8] {
        let transposed = upright.map(transpose);
        std::array::from_fn(|number| {
            let frame = Frame {
                transposed: number & 1 != 0,
                files_mirrored: number & 2 != 0,
                ranks_mirrored: number & 4 != 0,
                shift: 0,
            };
            let image = if frame.transposed { transposed } else { upright };
            let image = match (frame.files_mirrored, frame.ranks_mirrored) {
                (false, false) => image,
                (true, true) => image.map(rotate),
                (false, true) => image.map(mirror_ranks),
                (true, false) => image.map(mirror_ranks).map(rotate),
            };
            let shift = corner(image[0]);
            (image.map(|bits| bits >> shift), Frame { shift, ..frame })
        })
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
