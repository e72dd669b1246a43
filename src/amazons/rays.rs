//! What a single queen reaches, found from tables instead of step by step.
//!
//! A ray is the set of squares from a square to the edge in one direction, and the queen goes as
//! far as the blocker that is nearest along it. Up the bits that is the lowest one, and
//! subtracting 1 from the blockers changes exactly the bits up to it. Down the bits it is the
//! highest one, and what lies behind it is its own ray (the classical approach of chess programs).

use super::bitboard::{Bitboard, Direction};
use super::square::Square;

/// The rays from one square, in the order of [`Direction::ALL`]: four up the bits, four down.
type Rays = [u128; 8];

static RAYS: [Rays; Square::INDICES] = {
    let mut rays = [[0; 8]; Square::INDICES];
    let mut index = 0;
    while index < Square::INDICES {
        let mut number = 0;
        while number < 8 {
            let mut front = Bitboard::from_bits(1 << index).step(Direction::ALL[number]);
            while !front.is_empty() {
                rays[index][number] |= front.bits();
                front = front.step(Direction::ALL[number]);
            }
            number += 1;
        }
        index += 1;
    }
    rays
};

/// The lowest bit is that of a1, whose rays down the bits are all empty: as the last blocker of
/// every such ray it changes nothing.
const LAST: u128 = 1;

impl Bitboard {
    /// The squares of this set that a queen on `from` reaches in one move when she may cross and
    /// enter the squares of this set only.
    #[inline]
    #[must_use]
    pub fn queen_targets(self, from: Square) -> Bitboard {
        let open = self.bits();
        let rays = &RAYS[from.index()];
        let mut reached = 0;
        for ray in &rays[..4] {
            let blockers = ray & !open;
            reached |= ray & (blockers ^ blockers.wrapping_sub(1));
        }
        for (number, ray) in rays.iter().enumerate().skip(4) {
            let blockers = ray & !open | LAST;
            reached |= ray ^ RAYS[127 - blockers.leading_zeros() as usize][number];
        }
        Bitboard::from_bits(reached & open)
    }
}
