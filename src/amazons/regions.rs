//! Regions: the parts of the board that can no longer touch each other.
//!
//! A region is a king-connected component of the squares that hold no arrow, empty squares and
//! amazons of both colours alike. Arrows never leave, so nothing that happens in one region can
//! touch another, now or later. Components of empty squares alone would not do: when an amazon
//! leaves its square two of them may join. (Müller and Tegos, "Experiments in computer Amazons",
//! 2002, cut the board along such lines and solve the parts.)

use std::iter::FusedIterator;

use super::bitboard::Bitboard;
use super::position::Position;
use crate::game::Colour;

/// A king-connected component of the squares that hold no arrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    squares: Bitboard,
    amazons: [Bitboard; 2],
}

impl Region {
    /// All its squares, empty ones and those of amazons.
    #[inline]
    pub const fn squares(&self) -> Bitboard {
        self.squares
    }

    /// The squares of the amazons of this colour in it.
    #[inline]
    pub const fn amazons(&self, colour: Colour) -> Bitboard {
        self.amazons[colour.index()]
    }

    /// Its empty squares.
    #[inline]
    pub fn empty(&self) -> Bitboard {
        self.squares.minus(self.amazons[0] | self.amazons[1])
    }

    /// Whether amazons of both sides stand in it.
    #[inline]
    pub const fn is_contested(&self) -> bool {
        !self.amazons[0].is_empty() && !self.amazons[1].is_empty()
    }

    /// The side whose amazons are alone in it: `None` when it is contested or holds no amazon.
    #[inline]
    pub const fn owner(&self) -> Option<Colour> {
        match (self.amazons[0].is_empty(), self.amazons[1].is_empty()) {
            (false, true) => Some(Colour::White),
            (true, false) => Some(Colour::Black),
            _ => None,
        }
    }
}

/// The regions of a position, in the order of their first squares (a1, b1, … j10).
#[derive(Clone, Debug)]
pub struct Regions {
    rest: Bitboard,
    amazons: [Bitboard; 2],
}

impl Iterator for Regions {
    type Item = Region;

    #[inline]
    fn next(&mut self) -> Option<Region> {
        let squares = Bitboard::from(self.rest.first()?).flood(self.rest);
        self.rest = self.rest.minus(squares);
        Some(Region { squares, amazons: self.amazons.map(|side| side & squares) })
    }
}

impl FusedIterator for Regions {}

impl Position {
    /// The squares that hold no arrow.
    #[inline]
    pub fn open(&self) -> Bitboard {
        self.empty() | self.amazons(Colour::White) | self.amazons(Colour::Black)
    }

    /// The regions, found one by one without allocation.
    #[inline]
    pub fn regions(&self) -> Regions {
        Regions {
            rest: self.open(),
            amazons: [self.amazons(Colour::White), self.amazons(Colour::Black)],
        }
    }

    /// The squares of the regions in which the amazons of `colour` are alone, all together; no
    /// square when there are none. Far quicker than listing the regions while the board is open.
    #[inline]
    pub fn one_sided(&self, colour: Colour) -> Bitboard {
        let open = self.open();
        let alone = unreached(self.amazons(!colour), open, self.amazons(colour));
        if alone.is_empty() { alone } else { alone.flood(open) }
    }

    /// Whether no region holds amazons of both sides: from then on the game is counting.
    #[inline]
    pub fn is_settled(&self) -> bool {
        let white = self.amazons(Colour::White).flood(self.open());
        !white.intersects(self.amazons(Colour::Black))
    }
}

/// Those of `targets` that are in no component of `within` that holds a square of `seeds`. The
/// search for them ends as soon as the last target is met.
#[inline]
fn unreached(seeds: Bitboard, within: Bitboard, targets: Bitboard) -> Bitboard {
    let mut filled = seeds;
    loop {
        let left = targets.minus(filled);
        let grown = filled.grown() & within;
        if left.is_empty() || grown == filled {
            return left;
        }
        filled = grown;
    }
}
