//! Random positions for the tests of this room.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::amazons::{Bitboard, Position};
use crate::game::{Colour, Game};

/// Positions of all kinds, by their number: some from random play on the standard board, stopped
/// between any two steps, others strewn at random over boards of any size.
pub(super) fn position(number: u64) -> Position {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(number);
    if number.is_multiple_of(2) {
        let steps = rng.random_range(0..160);
        played(Position::start(), steps, &mut rng)
    } else {
        let strewn = strewn(&mut rng);
        played(strewn, number as usize / 2 % 2, &mut rng)
    }
}

/// A position some random steps on, fewer if the game ends before.
fn played(mut position: Position, steps: usize, rng: &mut Xoshiro256PlusPlus) -> Position {
    let mut legal = Vec::new();
    for _ in 0..steps {
        Game::steps(&position, &mut legal);
        let Some(&step) = legal.choose(rng) else { break };
        position.play(step);
    }
    position
}

fn strewn(rng: &mut Xoshiro256PlusPlus) -> Position {
    let (files, ranks) = (rng.random_range(1..=10), rng.random_range(1..=10));
    let open: f64 = rng.random_range(0.2..1.0);
    let mut amazons = [Bitboard::EMPTY; 2];
    let mut arrows = Bitboard::EMPTY;
    let share: f64 = rng.random_range(0.0..0.15);
    for square in Bitboard::rectangle(files, ranks) {
        if rng.random_bool(share) {
            let side = rng.random_range(0..2);
            amazons[side] |= Bitboard::from(square);
        } else if !rng.random_bool(open) {
            arrows |= Bitboard::from(square);
        }
    }
    let side = if rng.random() { Colour::White } else { Colour::Black };
    Position::new(files, ranks, amazons, arrows, side).expect("no square is used twice")
}

/// A position at the start of a turn with the colours of all amazons, and of the side to move,
/// exchanged.
pub(super) fn colours_swapped(position: &Position) -> Position {
    assert!(position.shooter().is_none());
    let amazons = [position.amazons(Colour::Black), position.amazons(Colour::White)];
    Position::new(
        position.files(),
        position.ranks(),
        amazons,
        position.arrows(),
        !position.side_to_move(),
    )
    .expect("it was a position before")
}
