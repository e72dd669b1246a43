//! Shapes: the ground that one side has to itself, and what its outline tells at once.

use crate::amazons::{Bitboard, Direction, Square};

/// Amazons of one side and the squares they can get to with nobody else's help: a connected set
/// of squares or several such sets. A pending arrow is part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    squares: Bitboard,
    amazons: Bitboard,
    shooter: Option<Square>,
}

impl Shape {
    /// No square at all.
    pub(super) const NOTHING: Shape = Shape::connected(Bitboard::EMPTY, Bitboard::EMPTY);

    /// The parts of `squares` in which `amazons` stand; parts without an amazon are dropped, since
    /// nobody can move there. Amazons outside `squares` do not count.
    #[inline]
    pub fn new(squares: Bitboard, amazons: Bitboard) -> Shape {
        let amazons = amazons & squares;
        Shape { squares: amazons.flood(squares), amazons, shooter: None }
    }

    /// The same, unless it has more than `limit` empty squares: that is found out before all of it
    /// is known.
    #[inline]
    pub(super) fn new_up_to(squares: Bitboard, amazons: Bitboard, limit: u32) -> Option<Shape> {
        let amazons = amazons & squares;
        let mut filled = amazons;
        loop {
            let grown = filled.grown() & squares;
            if grown.minus(amazons).count() > limit {
                return None;
            }
            if grown == filled {
                return Some(Shape { squares: filled, amazons, shooter: None });
            }
            filled = grown;
        }
    }

    /// The same shape after the queen step of a turn: the amazon on `shooter` has still to shoot.
    /// Without effect if no amazon of the shape stands there.
    #[inline]
    #[must_use]
    pub fn with_shooter(mut self, shooter: Option<Square>) -> Shape {
        self.shooter = shooter.filter(|&square| self.amazons.contains(square));
        self
    }

    /// Squares known to hold these amazons, at least one in each connected part.
    #[inline]
    pub(super) const fn connected(squares: Bitboard, amazons: Bitboard) -> Shape {
        Shape { squares, amazons, shooter: None }
    }

    /// Its squares, those of the amazons included.
    #[inline]
    pub const fn squares(&self) -> Bitboard {
        self.squares
    }

    /// The squares of its amazons.
    #[inline]
    pub const fn amazons(&self) -> Bitboard {
        self.amazons
    }

    /// The amazon that has yet to shoot.
    #[inline]
    pub const fn shooter(&self) -> Option<Square> {
        self.shooter
    }

    /// Its empty squares.
    #[inline]
    pub const fn empty(&self) -> Bitboard {
        self.squares.minus(self.amazons)
    }

    /// The number of moves that its empty squares allow at most, not counting the turn of a pending
    /// arrow.
    #[inline]
    pub fn most(&self) -> u8 {
        let empty = self.empty().count() as u8;
        if self.shooter.is_some() { empty.saturating_sub(1) } else { empty }
    }

    /// Its connected parts, in the order of their first squares. The pending arrow, if any, goes
    /// with its shooter.
    #[inline]
    pub fn parts(self) -> impl Iterator<Item = Shape> {
        let mut rest = self.squares;
        std::iter::from_fn(move || {
            let squares = Bitboard::from(rest.first()?).flood(rest);
            rest = rest.minus(squares);
            let part = Shape { squares, amazons: self.amazons & squares, shooter: None };
            Some(part.with_shooter(self.shooter))
        })
    }
}

/// What each square's eight neighbours say about it, for all squares of a set at once.
pub(super) struct Outline {
    /// By the number of neighbours in the set, the bits of the number: ones, twos, fours. A square
    /// with all eight counts as having seven.
    count: [Bitboard; 3],
    /// The squares whose neighbours in the set hang together without them. Taking one of these
    /// away leaves the set as connected as it was; taking another away may cut it.
    pub(super) simple: Bitboard,
}

impl Outline {
    /// Counts neighbours with carry-save adders, and finds the simple squares by the crossing
    /// number of Yokoi, Toriwaki and Fukumura ("An analysis of topological properties of digitized
    /// binary pictures using local features", 1975), both for all squares in parallel.
    #[inline]
    pub(super) fn of(squares: Bitboard) -> Outline {
        // Around the compass, so that each corner stands between its two sides.
        let [e, ne, n, nw, w, sw, s, se] = [
            Direction::West,
            Direction::SouthWest,
            Direction::South,
            Direction::SouthEast,
            Direction::East,
            Direction::NorthEast,
            Direction::North,
            Direction::NorthWest,
        ]
        .map(|towards| squares.step(towards));

        let (ones_a, twos_a) = full_adder(e, ne, n);
        let (ones_b, twos_b) = full_adder(nw, w, sw);
        let (ones_c, twos_c) = full_adder(s, se, ones_a);
        let (ones, twos_d) = (ones_b ^ ones_c, ones_b & ones_c);
        let (twos_e, fours_a) = full_adder(twos_a, twos_b, twos_c);
        let (twos, fours_b) = (twos_e ^ twos_d, twos_e & twos_d);
        let fours = fours_a | fours_b;
        let eight = fours_a & fours_b;
        let count = [ones | eight, twos | eight, fours];

        // A run of neighbours begins where a side is missing and one of the next two is there.
        let begins = [(e, ne, n), (n, nw, w), (w, sw, s), (s, se, e)]
            .map(|(side, corner, next)| (corner | next).minus(side));
        let [a, b, c, d] = begins;
        let several = a & b | c & d | (a | b) & (c | d);
        Outline { count, simple: squares.minus(several) }
    }

    /// The squares whose removal may cut the set.
    #[inline]
    pub(super) fn cutting(&self, squares: Bitboard) -> Bitboard {
        squares.minus(self.simple)
    }

    /// The squares of `among` with exactly `number` neighbours in the set, `number` below 7; with 7,
    /// those with seven or eight.
    #[inline]
    pub(super) fn with_neighbours(&self, among: Bitboard, number: u32) -> Bitboard {
        self.count.iter().enumerate().fold(among, |left, (bit, &set)| {
            if number >> bit & 1 != 0 { left & set } else { left.minus(set) }
        })
    }
}

/// The sum of three bits in each square: ones and twos.
#[inline]
fn full_adder(a: Bitboard, b: Bitboard, c: Bitboard) -> (Bitboard, Bitboard) {
    let either = a ^ b;
    (either ^ c, a & b | either & c)
}
