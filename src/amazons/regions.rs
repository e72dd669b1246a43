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

impl Regions {
    /// The regions of a board with these squares without an arrow, on which these amazons stand,
    /// White's first.
    #[inline]
    pub fn of(open: Bitboard, amazons: [Bitboard; 2]) -> Regions {
        Regions { rest: open, amazons }
    }
}

/// How far the enemies' ground grows from all of them at once, before each amazon that it has not
/// touched looks around on its own.
const STEPS_TOGETHER: u32 = 6;

impl Position {
    /// The squares that hold no arrow.
    #[inline]
    pub fn open(&self) -> Bitboard {
        self.empty() | self.amazons(Colour::White) | self.amazons(Colour::Black)
    }

    /// The regions, found one by one without allocation.
    #[inline]
    pub fn regions(&self) -> Regions {
        let amazons = [self.amazons(Colour::White), self.amazons(Colour::Black)];
        Regions::of(self.open(), amazons)
    }

    /// The squares of the regions in which the amazons of `colour` are alone, all together; no
    /// square when there are none. Quicker than listing the regions: while the board is open the
    /// enemies are soon seen to touch everything, and later on a region of one side is small.
    #[inline]
    pub fn one_sided(&self, colour: Colour) -> Bitboard {
        let (open, amazons) = (self.open(), self.amazons(colour));
        let mut touched = self.amazons(!colour);
        for _ in 0..STEPS_TOGETHER {
            if amazons.minus(touched).is_empty() {
                return Bitboard::EMPTY;
            }
            let grown = touched.grown() & open;
            if grown == touched {
                return amazons.minus(touched).flood(open);
            }
            touched = grown;
        }
        self.alone(amazons.minus(touched), touched)
    }

    /// The regions of those of `amazons` that are not connected with `touched`.
    fn alone(&self, mut amazons: Bitboard, mut touched: Bitboard) -> Bitboard {
        let open = self.open();
        let mut alone = Bitboard::EMPTY;
        while let Some(first) = amazons.first() {
            let mut filled = Bitboard::from(first);
            while !filled.intersects(touched) {
                let grown = filled.grown() & open;
                if grown == filled {
                    alone |= filled;
                    break;
                }
                filled = grown;
            }
            touched |= filled;
            amazons = amazons.minus(filled);
        }
        alone
    }

    /// Whether no region holds amazons of both sides: from then on the game is counting.
    #[inline]
    pub fn is_settled(&self) -> bool {
        let (open, black) = (self.open(), self.amazons(Colour::Black));
        let mut filled = self.amazons(Colour::White);
        while !filled.intersects(black) {
            let grown = filled.grown() & open;
            if grown == filled {
                return true;
            }
            filled = grown;
        }
        false
    }
}
