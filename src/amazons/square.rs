//! Squares, named as players name them: files a to j from the left, ranks 1 to 10 from the bottom.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::excerpt::excerpt;

/// The distance between two squares one rank apart: ten files and a sentinel that is never empty.
pub(crate) const STRIDE: u8 = 11;

/// The largest board: ten files and ten ranks.
pub const MAX_SIZE: u8 = 10;

/// A square of the 10x10 board.
///
/// The index is `rank * 11 + file` with both counted from 0, so that one step in any direction is
/// a constant difference and the eleventh column stops every ray.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of distinct values of [`index`](Square::index), sentinels included.
    pub const INDICES: usize = STRIDE as usize * MAX_SIZE as usize;

    /// The square on this file and rank, both counted from 0 and below 10.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Square {
        assert!(file < MAX_SIZE && rank < MAX_SIZE);
        Square(rank * STRIDE + file)
    }

    /// The square with this [`index`](Square::index), which must not be that of a sentinel.
    #[inline]
    pub const fn from_index(index: usize) -> Square {
        debug_assert!(index < Square::INDICES && index % (STRIDE as usize) < MAX_SIZE as usize);
        Square(index as u8)
    }

    /// The position of the square's bit in a [`Bitboard`](super::Bitboard): `rank * 11 + file`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The file, 0 for a to 9 for j.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 % STRIDE
    }

    /// The rank, 0 for rank 1 to 9 for rank 10.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 / STRIDE
    }

    /// All hundred squares, a1, b1, … to j10.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..MAX_SIZE).flat_map(|rank| (0..MAX_SIZE).map(move |file| Square::new(file, rank)))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text does not name a square of the 10x10 board.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a square: a letter a to j and a number 1 to 10 are expected")]
pub struct SquareError(pub String);

impl FromStr for Square {
    type Err = SquareError;

    /// Reads `d10` or `D10`.
    fn from_str(text: &str) -> Result<Square, SquareError> {
        let error = || SquareError(excerpt(text));
        let (&letter, digits) = text.as_bytes().split_first().ok_or_else(error)?;
        let file = letter.to_ascii_lowercase().wrapping_sub(b'a');
        let rank = match digits {
            [digit @ b'1'..=b'9'] => digit - b'1',
            b"10" => 9,
            _ => return Err(error()),
        };
        if file < MAX_SIZE { Ok(Square::new(file, rank)) } else { Err(error()) }
    }
}
