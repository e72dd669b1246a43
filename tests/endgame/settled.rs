//! Settled positions of whole games: fillings as they occur in play.
//!
//! `tests/data/settled.txt` holds the first settled position of each of some games that this
//! engine played against itself; `cargo test --release --test endgame -- --ignored write_settled`
//! plays them anew.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use otrera::amazons::Position;
use otrera::endgame::{Filler, RegionProver, Shape, score};
use otrera::eval::Classical;
use otrera::game::{Colour, Prover};
use otrera::search::{Limits, Search};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::reference::winner;

/// The first settled position of a game of `nodes` nodes a turn after some random turns, unless
/// the game is over by then.
fn play(nodes: u64, seed: u64) -> Option<Position> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = Position::start();
    for _ in 0..rng.random_range(2..6) {
        position.play_move(*position.legal_moves().choose(&mut rng)?);
    }
    let (evaluator, prover) = (Classical::default(), RegionProver::default());
    let mut search = Search::new(evaluator, prover, 16 << 20, position.clone()).unwrap();
    while !position.is_settled() {
        search.set_root(position.clone(), None);
        let report = search.run(&Limits::nodes(nodes), &AtomicBool::new(false), &mut ());
        for &step in report.lines.first()?.steps.iter().take(2) {
            position.play(step);
        }
    }
    position.has_step().then_some(position)
}

#[test]
#[ignore = "plays the games whose ends are in the data"]
fn write_settled() {
    let mut text = String::from(
        "# The first settled positions of games of this engine against itself, 2 to 5 random turns\n\
         # and then 1000 nodes a turn. Written by the test write_settled.\n",
    );
    for position in (0..400).filter_map(|seed| play(1000, seed)) {
        writeln!(text, "{}", position.fen()).unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/settled.txt");
    std::fs::write(path, text).unwrap();
}

fn settled() -> impl Iterator<Item = Position> {
    let lines = include_str!("../data/settled.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Position::from_fen(line).unwrap())
}

#[test]
fn fillings_of_settled_positions_are_exact() {
    let (mut regions, mut exact) = (0, 0);
    for position in settled() {
        let score = score(&position, 10_000);
        assert!(score.settled);
        assert_eq!(score.contested, 0);
        for part in &score.regions {
            let filling = part.filling.unwrap();
            assert!(u32::from(filling.upper) <= part.region.empty().count());
            regions += 1;
            exact += usize::from(filling.is_exact());
        }
        if let [Some(white), Some(black)] = score.moves_left.map(|filling| filling.exact()) {
            let [own, other] = match position.side_to_move() {
                Colour::White => [white, black],
                Colour::Black => [black, white],
            };
            let side = position.side_to_move();
            let expected = if own > other { side } else { !side };
            assert_eq!(winner(score.proof.unwrap().outcome), expected, "{}", position.fen());
        }
    }
    assert!(regions > 1000);
    assert!(exact * 1000 >= regions * 999, "{exact} of {regions}");
}

#[test]
fn best_moves_end_a_settled_game_as_proven() {
    let mut filler = Filler::new(12);
    for mut position in settled() {
        let proof = RegionProver::default().prove(&position, &mut Default::default()).unwrap();
        let mut turns = 0;
        while position.has_step() {
            let side = position.side_to_move();
            let own = Shape::new(position.one_sided(side), position.amazons(side));
            position.play_move(filler.best_move(&own, 10_000).unwrap());
            turns += 1;
        }
        assert_eq!(winner(proof.outcome), !position.side_to_move());
        assert!(turns <= proof.turns);
    }
}
