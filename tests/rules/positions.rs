//! Random positions of every kind the program accepts.

use otrera::amazons::{Bitboard, Move, Position, Square};
use otrera::game::Colour;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub type Rng = Xoshiro256PlusPlus;

pub fn rng(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// Any board up to 10x10, up to `most` amazons a side, any share of arrows.
pub fn anything(rng: &mut Rng, most: usize) -> Position {
    let (files, ranks) = (rng.random_range(1..=10), rng.random_range(1..=10));
    on_board(rng, files, ranks, most)
}

/// A board of this size with up to `most` amazons a side and any share of arrows.
pub fn on_board(rng: &mut Rng, files: u8, ranks: u8, most: usize) -> Position {
    let mut squares: Vec<Square> = Bitboard::rectangle(files, ranks).into_iter().collect();
    squares.shuffle(rng);
    let mut take = |count: usize| -> Bitboard {
        let rest = squares.len() - count.min(squares.len());
        squares.drain(rest..).collect()
    };
    let amazons = [take(rng.random_range(0..=most)), take(rng.random_range(0..=most))];
    let share = rng.random_range(0.0..0.8);
    let arrows = squares.into_iter().filter(|_| rng.random_bool(share)).collect();
    let side = if rng.random() { Colour::White } else { Colour::Black };
    let (turns, full_turn) = (rng.random_range(0..100), rng.random_range(1..50));
    Position::new(files, ranks, amazons, arrows, side)
        .expect("the pieces were taken from the board one by one")
        .with_counters(turns, full_turn)
}

/// Plays random legal moves until there are none, calling `visit` before each and at the end.
pub fn random_game(
    rng: &mut Rng,
    mut position: Position,
    mut visit: impl FnMut(&Position, &[Move]),
) {
    loop {
        let moves = position.legal_moves();
        visit(&position, &moves);
        let Some(&mv) = moves.choose(rng) else { return };
        position.play_move(mv);
    }
}

/// Positions of all kinds and phases: every ply of random games from the start and from anywhere.
pub fn many(seed: u64, games: usize, mut visit: impl FnMut(&mut Rng, &Position, &[Move])) {
    let mut rng = rng(seed);
    for game in 0..games {
        let first = if game % 4 == 0 { Position::start() } else { anything(&mut rng, 4) };
        let mut visitors = rng.clone();
        random_game(&mut rng, first, |position, moves| visit(&mut visitors, position, moves));
    }
}
