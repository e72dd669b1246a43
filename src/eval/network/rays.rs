//! What a piece on a square would change about the rays of the amazons, for all squares at once.
//!
//! Everything is a set of squares moved one step at a time in one of the eight directions, so it
//! takes as many moves as the longest row of empty squares has, whatever the number of amazons.
//! This is the plain way; `avx512` moves the sets of all directions together.

use super::Bytes;
use super::inputs::{CUT_MINE, CUT_THEIRS, GAIN};
use crate::amazons::{Bitboard, Direction, MAX_SIZE};

/// Sets whose sum is a count, each square counted once for every set it is in.
pub(super) struct Count {
    sets: [(u128, u8); SETS],
    size: usize,
}

/// For each direction a square, and those behind it on its line.
const SETS: usize = 8 * MAX_SIZE as usize;

impl Count {
    const NOTHING: Count = Count { sets: [(0, 0); SETS], size: 0 };

    #[inline(always)]
    fn push(&mut self, set: Bitboard) {
        if let Some(place) = self.sets.get_mut(self.size) {
            *place = (set.bits(), 1);
            self.size += 1;
        }
    }

    /// The sets, and what to count for each.
    #[inline(always)]
    pub fn sets(&self) -> &[(u128, u8)] {
        &self.sets[..self.size]
    }
}

/// The counts of [`gain`](super::inputs::gain): for each empty square the squares of `fresh` that a
/// queen on it would have in reach.
#[inline(always)]
pub(super) fn gains(empty: Bitboard, fresh: Bitboard) -> Count {
    let mut count = Count::NOTHING;
    for direction in Direction::ALL {
        let mut seen = fresh.step(direction) & empty;
        while !seen.is_empty() {
            count.push(seen);
            seen = seen.step(direction) & empty;
        }
    }
    count
}

/// The counts of [`cut`](super::inputs::cut) for these amazons.
#[inline(always)]
pub(super) fn cuts(empty: Bitboard, amazons: Bitboard) -> Count {
    let mut count = Count::NOTHING;
    for (direction, back) in Direction::ALL.into_iter().zip(Direction::ALL.map(Direction::opposite))
    {
        let mut ray = Bitboard::EMPTY;
        let mut front = amazons.step(direction) & empty;
        while !front.is_empty() {
            ray |= front;
            front = front.step(direction) & empty;
        }
        let mut cut = ray;
        while !cut.is_empty() {
            count.push(cut);
            cut = cut.step(back) & ray;
        }
    }
    count
}

/// The class of [`GAINS`](super::inputs::GAINS) of a square.
#[inline(always)]
pub(super) fn gain_class(gains: &Bytes, theirs: &Bytes, square: usize) -> usize {
    usize::from(gains.0[square]).min(GAIN - 1) * 5 + usize::from(theirs.0[square])
}

/// The class of [`CUTS`](super::inputs::CUTS) of a square.
#[inline(always)]
pub(super) fn cut_class([mine, theirs]: &[Bytes; 2], square: usize) -> usize {
    usize::from(theirs.0[square]).min(CUT_THEIRS - 1) * CUT_MINE
        + usize::from(mine.0[square]).min(CUT_MINE - 1)
}
