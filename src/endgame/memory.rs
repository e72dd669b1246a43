//! What is known about fillings: a table of shapes with their proven bounds, of fixed size.

use super::filling::Filling;
use super::shape::Shape;

/// Where the bounds are kept, above the bits of squares.
const LOWER: u32 = 112;
const UPPER: u32 = 120;
/// Where, above the bits of the amazons, the effort spent on the shape is kept.
const EFFORT: u32 = 112;
const SQUARES: u128 = (1 << 112) - 1;

/// What is known of one shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    /// Proven bounds.
    pub(super) filling: Filling,
    /// The budget, rounded down to a power of two, that was spent on the shape without making the
    /// bounds meet: 0 for none, n for `1 << n` nodes.
    pub(super) effort: u8,
}

/// The squares of a shape and those of its amazons, with the rest in the bits that no square uses.
/// All zero when free.
type Entry = [u128; 2];

/// Entries that share a place: the first is kept for larger shapes, the second takes anything.
const WAYS: usize = 2;

fn entry(shape: &Shape, known: Known) -> Entry {
    let Filling { lower, upper } = known.filling;
    [
        shape.squares().bits() | u128::from(lower) << LOWER | u128::from(upper) << UPPER,
        shape.amazons().bits() | u128::from(known.effort) << EFFORT,
    ]
}

fn known(entry: &Entry) -> Known {
    let filling = Filling { lower: (entry[0] >> LOWER) as u8, upper: (entry[0] >> UPPER) as u8 };
    Known { filling, effort: (entry[1] >> EFFORT) as u8 }
}

#[inline]
fn is_of(entry: &Entry, shape: &Shape) -> bool {
    entry[0] & SQUARES == shape.squares().bits() && entry[1] & SQUARES == shape.amazons().bits()
}

/// A table of bounds. When a place is taken the older or the smaller shape goes: a search may then
/// do something again, but never gets anything wrong, since an entry holds its whole shape.
pub(super) struct Memory {
    entries: Vec<Entry>,
    shift: u32,
}

impl Memory {
    /// A table of `1 << bits` places of 64 bytes, `bits` from 1 to 32. Pages are touched only when they are used.
    pub(super) fn new(bits: u32) -> Memory {
        Memory { entries: vec![[0, 0]; WAYS << bits], shift: u64::BITS - bits }
    }

    /// The first entry of the place of a shape: four multiplications folded upon themselves.
    #[inline]
    fn place(&self, shape: &Shape) -> usize {
        let mut mixed = 0x9e37_79b9_7f4a_7c15_u64;
        for bits in [shape.squares().bits(), shape.amazons().bits()] {
            for half in [bits as u64, (bits >> 64) as u64] {
                let product = u128::from(mixed ^ half) * 0xd6e8_feb8_6659_fd93;
                mixed = product as u64 ^ (product >> 64) as u64 ^ half;
            }
        }
        (mixed.wrapping_mul(0x9fb2_1c65_1e98_df25) >> self.shift) as usize * WAYS
    }

    /// What is known of a shape without a pending arrow.
    #[inline]
    pub(super) fn find(&self, shape: &Shape) -> Option<Known> {
        let first = self.place(shape);
        self.entries[first..first + WAYS].iter().find(|entry| is_of(entry, shape)).map(known)
    }

    /// Keeps what is known of a shape without a pending arrow.
    pub(super) fn keep(&mut self, shape: &Shape, known: Known) {
        let first = self.place(shape);
        let [larger, recent] = &mut self.entries[first..first + WAYS] else { return };
        let new = entry(shape, known);
        let size = |entry: &Entry| (entry[0] & SQUARES).count_ones();
        if is_of(larger, shape) {
            *larger = new;
        } else if is_of(recent, shape) {
            *recent = new;
        } else if size(larger) <= size(&new) {
            *recent = std::mem::replace(larger, new);
        } else {
            *recent = new;
        }
    }
}
