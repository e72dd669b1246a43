//! Keys of the incremental hash: one for each amazon, arrow and pending shooter on each square,
//! and one for the side to move.

use super::square::Square;
use crate::game::Colour;

const SQUARES: usize = Square::INDICES;

struct Keys {
    amazon: [[u64; SQUARES]; 2],
    arrow: [u64; SQUARES],
    shooter: [u64; SQUARES],
    black_to_move: u64,
}

/// The next number of SplitMix64 (Steele, Lea and Flood 2014), which passes for random.
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mix(*state)
}

/// Spreads every bit of a number over all bits of the result: the finaliser of SplitMix64.
pub(crate) const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const fn fill(state: &mut u64) -> [u64; SQUARES] {
    let mut keys = [0; SQUARES];
    let mut index = 0;
    while index < SQUARES {
        keys[index] = next(state);
        index += 1;
    }
    keys
}

static KEYS: Keys = {
    let mut state = 0x0707_2e2a; // any number does; this one never changes
    Keys {
        amazon: [fill(&mut state), fill(&mut state)],
        arrow: fill(&mut state),
        shooter: fill(&mut state),
        black_to_move: next(&mut state),
    }
};

/// The key of an amazon of this colour on this square.
#[inline]
pub(super) fn amazon(colour: Colour, square: Square) -> u64 {
    KEYS.amazon[colour.index()][square.index()]
}

/// The key of an arrow on this square, or of the square being closed.
#[inline]
pub(super) fn arrow(square: Square) -> u64 {
    KEYS.arrow[square.index()]
}

/// The key of the next step being an arrow shot from this square.
#[inline]
pub(super) fn shooter(square: Square) -> u64 {
    KEYS.shooter[square.index()]
}

/// The key of Black being to move.
#[inline]
pub(super) fn black_to_move() -> u64 {
    KEYS.black_to_move
}
