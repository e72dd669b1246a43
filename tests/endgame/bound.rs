//! The bound against exhaustive search of whole games on small boards.

use otrera::amazons::{Bitboard, Position};
use otrera::endgame::{RegionProver, RegionScratch};
use otrera::game::{Colour, Game, Prover};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::reference::{Games, winner};

/// A board with pieces strewn over it and `empty` squares left.
fn random_position(rng: &mut impl Rng, files: u8, ranks: u8, empty: usize) -> Position {
    let mut squares: Vec<_> = Bitboard::rectangle(files, ranks).into_iter().collect();
    squares.shuffle(rng);
    let mut pieces = squares.split_off(empty.min(squares.len()));
    let mut amazons = [Bitboard::EMPTY; 2];
    for side in &mut amazons {
        let number = rng.random_range(1..=3.min(pieces.len() / 2));
        *side = pieces.split_off(pieces.len() - number).into_iter().collect();
    }
    let side = *Colour::BOTH.choose(rng).unwrap();
    Position::new(files, ranks, amazons, pieces.into_iter().collect(), side).unwrap()
}

#[derive(Default)]
struct Tally {
    scratch: RegionScratch,
    positions: usize,
    proven: usize,
    pending_proven: usize,
    wins: usize,
}

/// Compares the proof of a position, if any, with the result of its game.
fn check(position: &Position, games: &mut Games, tally: &mut Tally) {
    tally.positions += 1;
    let Some(proof) = RegionProver::default().prove(position, &mut tally.scratch) else {
        assert!(!(position.is_settled() && position.at_turn_start()), "{position:?}");
        assert!(position.outcome().is_none());
        return;
    };
    let (expected, turns) = games.result(position);
    assert_eq!(winner(proof.outcome), expected, "{position:?}");
    // The reference counts a turn when its arrow is shot, so a pending one counts in both.
    assert!(turns <= proof.turns, "{position:?}: {turns} turns, {proof:?}");
    assert!(u32::from(proof.turns) <= position.empty().count());
    tally.proven += 1;
    tally.pending_proven += usize::from(position.shooter().is_some());
    tally.wins += usize::from(expected == position.side_to_move());
}

fn check_random(seed: u64, number: usize, files: u8, ranks: u8, most_empty: usize) -> Tally {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut tally = Tally::default();
    let mut steps = Vec::new();
    for _ in 0..number {
        let empty = rng.random_range(0..=most_empty);
        let mut position = random_position(&mut rng, files, ranks, empty);
        let mut games = Games::default();
        loop {
            check(&position, &mut games, &mut tally);
            position.steps(&mut steps);
            let Some(&step) = steps.choose(&mut rng) else { break };
            position.play(step);
        }
    }
    tally
}

#[test]
fn proofs_are_never_contradicted_by_whole_games() {
    for (seed, number, files, ranks, most_empty) in [
        (1, 3000, 4, 4, 7),
        (2, 3000, 5, 4, 7),
        (3, 2000, 5, 5, 7),
        (4, 2000, 7, 2, 7),
        (5, 300, 5, 5, 9),
    ] {
        let tally = check_random(seed, number, files, ranks, most_empty);
        assert!(tally.proven > tally.positions / 4, "{} of {}", tally.proven, tally.positions);
        assert!(tally.pending_proven > number / 4);
        assert!(tally.wins > number / 4);
    }
}
