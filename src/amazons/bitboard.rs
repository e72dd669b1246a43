//! Sets of squares in 128 bits, and the shifts along the eight directions.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::square::{MAX_SIZE, STRIDE, Square};

/// A set of squares. Bit `rank * 11 + file` stands for a square; the bits of the sentinel column
/// and those above the tenth rank are never set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(u128);

/// One of the eight directions of a queen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Direction {
    /// Towards file j.
    East,
    /// Towards rank 10.
    North,
    /// Towards j10.
    NorthEast,
    /// Towards a10.
    NorthWest,
    /// Towards file a.
    West,
    /// Towards rank 1.
    South,
    /// Towards a1.
    SouthWest,
    /// Towards j1.
    SouthEast,
}

impl Direction {
    /// All eight: first the four that go up in bit order, then their opposites in the same order.
    pub const ALL: [Direction; 8] = [
        Direction::East,
        Direction::North,
        Direction::NorthEast,
        Direction::NorthWest,
        Direction::West,
        Direction::South,
        Direction::SouthWest,
        Direction::SouthEast,
    ];

    /// The direction that leads back.
    #[inline]
    #[must_use]
    pub const fn opposite(self) -> Direction {
        Direction::ALL[(self as usize + 4) % 8]
    }

    /// The distance in bits of one step, and whether it goes up.
    #[inline]
    pub(crate) const fn shift(self) -> (u32, bool) {
        let stride = STRIDE as u32;
        match self {
            Direction::East => (1, true),
            Direction::North => (stride, true),
            Direction::NorthEast => (stride + 1, true),
            Direction::NorthWest => (stride - 1, true),
            Direction::West => (1, false),
            Direction::South => (stride, false),
            Direction::SouthWest => (stride + 1, false),
            Direction::SouthEast => (stride - 1, false),
        }
    }
}

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// The rectangle from a1 with this many files and ranks, each at most 10.
    pub const fn rectangle(files: u8, ranks: u8) -> Bitboard {
        assert!(files <= MAX_SIZE && ranks <= MAX_SIZE);
        let row = (1u128 << files) - 1;
        let mut bits = 0;
        let mut rank = 0;
        while rank < ranks {
            bits |= row << (rank * STRIDE);
            rank += 1;
        }
        Bitboard(bits)
    }

    /// All hundred squares.
    pub const ALL: Bitboard = Bitboard::rectangle(MAX_SIZE, MAX_SIZE);

    /// The set of these bits; those that belong to no square are dropped.
    #[inline]
    pub const fn from_bits(bits: u128) -> Bitboard {
        Bitboard(bits & Bitboard::ALL.0)
    }

    /// The bits: `rank * 11 + file`.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Whether the set holds no square.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set holds this square.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Whether the two sets share a square.
    #[inline]
    pub const fn intersects(self, other: Bitboard) -> bool {
        self.0 & other.0 != 0
    }

    /// The number of squares, 0 to 100.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The set with this square in it.
    #[inline]
    #[must_use]
    pub const fn with(self, square: Square) -> Bitboard {
        Bitboard(self.0 | 1 << square.index())
    }

    /// The set with this square not in it.
    #[inline]
    #[must_use]
    pub const fn without(self, square: Square) -> Bitboard {
        Bitboard(self.0 & !(1 << square.index()))
    }

    /// The squares of this set that are not in the other.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }

    /// The first square in the order a1, b1, … j10, if there is one.
    #[inline]
    pub fn first(self) -> Option<Square> {
        (self.0 != 0).then(|| Square::from_index(self.0.trailing_zeros() as usize))
    }

    /// Every square moved one step; those that leave the board are dropped.
    #[inline]
    #[must_use]
    pub const fn step(self, direction: Direction) -> Bitboard {
        let (distance, up) = direction.shift();
        Bitboard::from_bits(if up { self.0 << distance } else { self.0 >> distance })
    }

    /// The squares a king's move away from a square of the set, and the set itself.
    #[inline]
    #[must_use]
    pub const fn grown(self) -> Bitboard {
        let row = self.0 | self.0 << 1 | self.0 >> 1;
        Bitboard::from_bits(row | row << STRIDE | row >> STRIDE)
    }

    /// The squares that a king's move leads to from this square.
    #[inline]
    pub const fn neighbours(square: Square) -> Bitboard {
        Bitboard(1 << square.index()).grown().without(square)
    }

    /// The squares of `open` that queens on the squares of this set reach in one move when they
    /// may cross and enter the squares of `open` only.
    #[inline]
    #[must_use]
    pub fn queen_moves(self, open: Bitboard) -> Bitboard {
        let mut reached = 0;
        for direction in Direction::ALL {
            let (distance, up) = direction.shift();
            let mut front = self.0;
            loop {
                front = if up { front << distance } else { front >> distance } & open.0;
                if front == 0 {
                    break;
                }
                reached |= front;
            }
        }
        Bitboard(reached)
    }

    /// The king-connected components of `within` that hold a square of this set, as one set.
    #[inline]
    #[must_use]
    pub fn flood(self, within: Bitboard) -> Bitboard {
        let mut filled = self & within;
        loop {
            let grown = filled.grown() & within;
            if grown == filled {
                return filled;
            }
            filled = grown;
        }
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

/// The squares of a set in the order a1, b1, … j10.
#[derive(Clone, Debug)]
pub struct Squares(u128);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::from_index(self.0.trailing_zeros() as usize);
        self.0 &= self.0 - 1;
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    /// The squares of the 10x10 board that are not in the set.
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & Bitboard::ALL.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}

impl std::fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
