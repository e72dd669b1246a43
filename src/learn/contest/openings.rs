//! Where the games of a contest begin.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::amazons::Position;
use crate::arena::openings::{Form, Opening, OpeningError, read};

/// The turns, of both sides together, of each standard opening.
pub const STANDARD_PLIES: u16 = 4;

/// The suite that matches between engines use: no side is ahead in it.
const SUITE: &str = include_str!("../../../openings/4-ply.txt");

/// The positions of the standard suite, in an order that the seed decides.
///
/// # Errors
/// Never with the suite that comes with the program.
pub fn standard(seed: u64) -> Result<Vec<Position>, OpeningError> {
    let mut openings: Vec<Position> =
        read(SUITE, Form::Lines, None)?.iter().map(Opening::position).collect();
    openings.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
    Ok(openings)
}
