//! Distance fields: how many queen moves, and how many king steps, each side is away from every
//! empty square.
//!
//! Queen distance is the idea of Hashimoto and others (the "territory" of the first Amazons
//! programs, about 2000), king distance was set beside it by Lieberum ("An evaluation function for
//! the game of Amazons", 2005). Whatever this program believes about a position is made of these
//! four fields, and they are computed at every visit of a search.
//!
//! A field is kept as *layers*: for each distance the set of empty squares within that distance. A
//! sum over squares is then a handful of intersections and counts, a pair of distances is an
//! intersection of two layers, and the layers of both sides at one distance lie side by side.
//!
//! There are three ways to compute the same layers, told apart by the [`Kernel`]: the portable one
//! walks ray by ray and is the reference, those with vector instructions do all directions of both
//! sides at once.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
mod kernel;
mod portable;

use crate::amazons::{Bitboard, Square};
use crate::game::Colour;

pub use kernel::Kernel;
pub(super) use kernel::{Instructions, Work};

/// The largest distance told apart from larger ones: a distance of 15 means 15 or more.
pub const MAX_DISTANCE: usize = 15;

/// The queen- and king-distance fields of both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// The least number of queen moves, over empty squares, from any of the side's amazons.
    pub queen: Layers,
    /// The least number of king steps, over empty squares, from any of the side's amazons.
    pub king: Layers,
}

/// One kind of distance of both sides, as sets of squares.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Layers {
    /// Bits of the squares within a distance, by distance and colour. Those beyond `levels` are
    /// left over from other positions.
    within: [[u128; 2]; MAX_DISTANCE + 1],
    levels: usize,
}

impl Layers {
    /// The greatest finite distance of either side, at most [`MAX_DISTANCE`]; 0 if nobody can move.
    #[inline]
    pub const fn levels(&self) -> usize {
        self.levels
    }

    /// The empty squares within this distance of the side's amazons. All distances from
    /// [`levels`](Layers::levels) on give every empty square that the side can reach, and 0 gives
    /// none.
    #[inline]
    pub const fn within(&self, side: Colour, distance: usize) -> Bitboard {
        Bitboard::from_bits(self.both_within(distance)[side.index()])
    }

    /// The empty squares that the side can reach in any number of moves.
    #[inline]
    pub const fn reachable(&self, side: Colour) -> Bitboard {
        self.within(side, self.levels)
    }

    /// The side's distance from a square, if it is empty and can be reached: 1 to
    /// [`MAX_DISTANCE`].
    pub fn distance(&self, side: Colour, square: Square) -> Option<usize> {
        (1..=self.levels).find(|&distance| self.within(side, distance).contains(square))
    }

    /// The bits of the squares within this distance, of White and of Black.
    #[inline(always)]
    pub(super) const fn both_within(&self, distance: usize) -> &[u128; 2] {
        let distance = if distance < self.levels { distance } else { self.levels };
        &self.within[distance]
    }
}

impl Default for Layers {
    /// Nobody reaches anything.
    fn default() -> Layers {
        Layers { within: [[0; 2]; MAX_DISTANCE + 1], levels: 0 }
    }
}

impl PartialEq for Layers {
    fn eq(&self, other: &Layers) -> bool {
        self.levels == other.levels && self.within[..=self.levels] == other.within[..=other.levels]
    }
}

impl Eq for Layers {}

impl std::fmt::Debug for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut map = f.debug_map();
        for distance in 1..=self.levels {
            map.entry(&distance, &Colour::BOTH.map(|side| self.within(side, distance)));
        }
        map.finish()
    }
}

#[cfg(test)]
mod tests;
