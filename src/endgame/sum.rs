//! Sums: the contested regions of a position, and one number for everything else.
//!
//! Regions cannot touch each other, so a position is a sum of games in the sense of Conway ("On
//! Numbers and Games", 1976). A one-sided region of which the filling is known is an integer there:
//! its owner has so many free moves. Integers of the two sides cancel, and only their difference
//! matters for who wins. Squares that no amazon can get to are nothing at all.

use super::filling::Filler;
use super::shape::Shape;
use crate::amazons::{Bitboard, Position, Regions, Square, Step};
use crate::game::Colour;

/// A position without the regions that have become a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sum {
    pub(super) amazons: [Bitboard; 2],
    pub(super) empty: Bitboard,
    pub(super) side_to_move: Colour,
    /// The amazon that has yet to shoot, if the turn has begun.
    pub(super) shooter: Option<Square>,
    /// How many free moves White has more than Black beside those on the board.
    pub(super) surplus: i16,
}

/// What a side may do next in a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Play {
    /// A step on the board.
    Step(Step),
    /// A whole turn: one of the free moves.
    Free,
}

impl From<&Position> for Sum {
    /// All of a position.
    #[inline]
    fn from(position: &Position) -> Sum {
        Sum {
            amazons: Colour::BOTH.map(|side| position.amazons(side)),
            empty: position.empty(),
            side_to_move: position.side_to_move(),
            shooter: position.shooter(),
            surplus: 0,
        }
    }
}

impl Sum {
    #[inline]
    pub(super) fn amazons(&self, side: Colour) -> Bitboard {
        self.amazons[side.index()]
    }

    /// How many free moves this side has more than the other, beside those on the board.
    #[inline]
    pub(super) fn surplus_of(&self, side: Colour) -> i16 {
        if side == Colour::White { self.surplus } else { -self.surplus }
    }

    /// The squares that hold no arrow.
    #[inline]
    pub(super) fn open(&self) -> Bitboard {
        self.empty | self.amazons[0] | self.amazons[1]
    }

    /// Whether no region holds amazons of both sides.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        let [white, black] = self.amazons;
        white.is_empty() || black.is_empty() || !white.flood(self.open()).intersects(black)
    }

    /// Whether there is more than one region.
    #[inline]
    pub(super) fn has_several_regions(&self) -> bool {
        let open = self.open();
        open.first().is_some_and(|first| Bitboard::from(first).flood(open) != open)
    }

    /// Makes a number of every one-sided region whose filling is found within so many shapes each,
    /// and nothing of those that no amazon stands in. The region of a pending arrow stays.
    pub(super) fn reduce(&mut self, filler: &mut Filler, budget: u64) {
        for region in Regions::of(self.open(), self.amazons) {
            if region.is_contested() || self.shooter.is_some_and(|at| region.squares().contains(at))
            {
                continue;
            }
            let moves = match region.owner() {
                None => 0,
                Some(owner) => {
                    let shape = Shape::connected(region.squares(), region.amazons(owner));
                    let Some(moves) = filler.filling(&shape, budget).exact() else { continue };
                    if owner == Colour::White { i16::from(moves) } else { -i16::from(moves) }
                }
            };
            self.surplus += moves;
            self.empty = self.empty.minus(region.squares());
            self.amazons = self.amazons.map(|side| side.minus(region.squares()));
        }
    }

    /// Plays, and makes a number of what that has cut off.
    #[inline]
    pub(super) fn play(&mut self, play: Play, filler: &mut Filler, budget: u64) {
        match play {
            Play::Step(Step::Queen { from, to }) => {
                let both = Bitboard::from(from) | Bitboard::from(to);
                self.amazons[self.side_to_move.index()] ^= both;
                self.empty ^= both;
                self.shooter = Some(to);
            }
            Play::Step(Step::Arrow(square)) => {
                self.empty = self.empty.without(square);
                self.shooter = None;
                self.side_to_move = !self.side_to_move;
                if may_cut(square, self.open()) {
                    self.reduce(filler, budget);
                }
            }
            Play::Free => {
                self.surplus -= if self.side_to_move == Colour::White { 1 } else { -1 };
                self.side_to_move = !self.side_to_move;
            }
        }
    }

    /// Calls `visit` with all that the side to move may do. A free move is named where it is more
    /// than the answer to one of the other side's.
    #[inline]
    pub(super) fn for_each_play(&self, mut visit: impl FnMut(Play)) {
        if let Some(shooter) = self.shooter {
            let targets = self.empty.queen_targets(shooter).into_iter();
            targets.for_each(|square| visit(Play::Step(Step::Arrow(square))));
            return;
        }
        for from in self.amazons(self.side_to_move) {
            for to in self.empty.queen_targets(from) {
                visit(Play::Step(Step::Queen { from, to }));
            }
        }
        if self.surplus_of(self.side_to_move) > 0 {
            visit(Play::Free);
        }
    }

    /// A hash of 128 bits of all of it.
    #[inline]
    pub(super) fn key(&self) -> [u64; 2] {
        let shooter = self.shooter.map_or(u64::from(u8::MAX), |square| square.index() as u64);
        let rest = u64::from(self.surplus as u16) << 16
            | shooter << 8
            | u64::from(self.side_to_move == Colour::Black);
        let [white, black, empty] =
            [self.amazons[0], self.amazons[1], self.empty].map(Bitboard::bits);
        let mut key = [0x9e37_79b9_7f4a_7c15_u64, 0xc2b2_ae3d_27d4_eb4f];
        for bits in [white, black, empty, u128::from(rest)] {
            let (low, high) = (bits as u64, (bits >> 64) as u64);
            key = [
                fold(key[0] ^ low, key[1].rotate_left(29) ^ high ^ 0xd6e8_feb8_6659_fd93),
                fold(key[1] ^ low.rotate_left(32), key[0] ^ high ^ 0x9fb2_1c65_1e98_df25),
            ];
        }
        key
    }
}

/// Both halves of a product, folded upon each other.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a | 1) * u128::from(b | 1);
    product as u64 ^ (product >> 64) as u64 ^ a.rotate_left(17) ^ b
}

/// Whether a set falls into more parts, or one part fewer, when this square has gone from it, as far
/// as its neighbours tell.
#[inline]
fn may_cut(square: Square, left: Bitboard) -> bool {
    let around = Bitboard::neighbours(square) & left;
    match around.first() {
        None => true,
        Some(first) => {
            // Neighbours that hang together among themselves stay together.
            Bitboard::from(first).flood(around) != around
        }
    }
}
