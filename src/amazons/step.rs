//! The two parts of a turn, and the turn as a whole.

use std::fmt;

use super::square::Square;

/// A part of a turn: an amazon moves, then it shoots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// An amazon of the side to move goes from one square to another.
    Queen {
        /// Where it stands.
        from: Square,
        /// Where it arrives.
        to: Square,
    },
    /// The amazon that has just moved shoots at this square.
    Arrow(Square),
}

/// A code of seven bits that no square has, in the place of an arrow's origin.
const NO_SQUARE: u16 = 0x7f;

impl Step {
    /// The step as 14 bits: the target, and above it the origin or, for an arrow, 127.
    #[inline]
    pub const fn code(self) -> u16 {
        match self {
            Step::Queen { from, to } => (from.index() as u16) << 7 | to.index() as u16,
            Step::Arrow(square) => NO_SQUARE << 7 | square.index() as u16,
        }
    }

    /// The step that [`code`](Step::code) made this number from.
    #[inline]
    pub const fn from_code(code: u16) -> Step {
        let to = Square::from_index((code & 0x7f) as usize);
        match code >> 7 {
            NO_SQUARE => Step::Arrow(to),
            from => Step::Queen { from: Square::from_index(from as usize), to },
        }
    }

    /// The square that the amazon or the arrow arrives on.
    #[inline]
    pub const fn target(self) -> Square {
        match self {
            Step::Queen { to, .. } => to,
            Step::Arrow(square) => square,
        }
    }
}

/// A whole turn: an amazon goes from one square to another and shoots from there.
///
/// Written `d1-d7/g7`; the `notation` module reads and writes all other spellings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// Where the amazon stands.
    pub from: Square,
    /// Where it arrives and shoots from.
    pub to: Square,
    /// Where the arrow lands.
    pub arrow: Square,
}

impl Move {
    /// The move made of these three squares. Nothing is checked.
    #[inline]
    pub const fn new(from: Square, to: Square, arrow: Square) -> Move {
        Move { from, to, arrow }
    }

    /// The two steps, in the order they are played.
    #[inline]
    pub const fn steps(self) -> [Step; 2] {
        [Step::Queen { from: self.from, to: self.to }, Step::Arrow(self.arrow)]
    }

    /// The moves that these steps make, two and two. What is no whole turn is left out.
    pub fn whole_turns(steps: &[Step]) -> impl Iterator<Item = Move> {
        steps.chunks_exact(2).filter_map(|turn| match *turn {
            [Step::Queen { from, to }, Step::Arrow(arrow)] => Some(Move { from, to, arrow }),
            _ => None,
        })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}/{}", self.from, self.to, self.arrow)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
