//! The solver against values from elsewhere and against exhaustive search.

use std::collections::{BTreeSet, HashMap};

use otrera::amazons::{Bitboard, Position, Square};
use otrera::endgame::{Effort, Solver, Verification};
use otrera::game::{Colour, Game};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use crate::oracle::{oracle, rows};
use crate::reference::{position, random_ground, random_part, squares};

const TABLE: usize = 1 << 22;

fn solve(solver: &mut Solver, position: &Position, surplus: i16) -> Colour {
    let all = &mut Effort { nodes: u64::MAX, is_enough: &mut |_| false };
    solver.solve(position, surplus, all).unwrap()
}

/// Who wins, by trying everything.
#[derive(Default)]
struct Exhaustive {
    known: HashMap<(Bitboard, [Bitboard; 2], Colour, Option<Square>), Colour>,
}

impl Exhaustive {
    fn winner(&mut self, position: &Position) -> Colour {
        let side = position.side_to_move();
        let amazons = Colour::BOTH.map(|colour| position.amazons(colour));
        let key = (position.empty(), amazons, side, position.shooter());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let mut steps = Vec::new();
        position.steps(&mut steps);
        let wins = steps.iter().any(|&step| {
            let mut next = position.clone();
            next.play(step);
            self.winner(&next) == side
        });
        let winner = if wins { side } else { !side };
        self.known.insert(key, winner);
        winner
    }
}

#[test]
fn outcomes_from_elsewhere() {
    let mut solver = Solver::new(TABLE).unwrap();
    for entry in oracle()["outcomes"].as_array().unwrap() {
        for (key, side) in [("white_to_move", Colour::White), ("black_to_move", Colour::Black)] {
            let position = position(&rows(entry), side);
            let winner = if entry[key] == "win" { side } else { !side };
            assert_eq!(solve(&mut solver, &position, 0), winner, "{position:?}");
        }
    }
    for (key, side) in [("white_to_move", Colour::White), ("black_to_move", Colour::Black)] {
        let entry = &oracle()["unsound_count"];
        assert_eq!(entry[key], "loss");
        assert_eq!(solve(&mut solver, &position(&rows(entry), side), 0), !side);
    }
}

#[test]
fn solved_starts_from_elsewhere() {
    for start in oracle()["solved_starts"].as_array().unwrap() {
        let size = |key: &str| start[key].as_u64().unwrap() as u8;
        let set = |key: &str| -> Bitboard {
            let names = start[key].as_array().unwrap().iter().map(Value::as_str);
            names.map(|name| name.unwrap().parse::<Square>().unwrap()).collect()
        };
        let amazons = [set("white"), set("black")];
        let (files, ranks) = (size("files"), size("ranks"));
        let position =
            Position::new(files, ranks, amazons, Bitboard::EMPTY, Colour::White).unwrap();
        let first = solve(&mut Solver::new(1 << 26).unwrap(), &position, 0) == Colour::White;
        assert_eq!(first, start["winner"] == "first", "{position:?}");
    }
}

/// A board on which some regions lie, touching each other or not, with amazons on them and at most
/// `most_empty` empty squares; both sides have at least one amazon.
fn strewn(rng: &mut impl Rng, most_empty: usize) -> Position {
    loop {
        let (files, ranks) = (rng.random_range(1..=10), rng.random_range(1..=10));
        let mut ground = BTreeSet::new();
        for _ in 0..rng.random_range(1..=3) {
            let (size, thin) = (rng.random_range(2..=12), rng.random_range(1..=8));
            ground.extend(random_ground(rng, size, thin));
        }
        ground.retain(|&(file, rank)| file < files && rank < ranks);
        let number = rng.random_range(2..=8);
        let amazons = random_part(rng, &ground, number);
        let white_number = rng.random_range(1..number);
        let white = random_part(rng, &amazons, white_number);
        let black: BTreeSet<_> = amazons.difference(&white).copied().collect();
        if white.is_empty() || black.is_empty() || ground.len() - amazons.len() > most_empty {
            continue;
        }
        let arrows = Bitboard::rectangle(files as u8, ranks as u8).minus(squares(&ground));
        let side = *Colour::BOTH.choose(rng).unwrap();
        let amazons = [squares(&white), squares(&black)];
        return Position::new(files as u8, ranks as u8, amazons, arrows, side).unwrap();
    }
}

/// Solves so many random positions, and what follows some random steps, both ways.
fn check_strewn(seed: u64, number: usize, most_empty: usize) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut solver = Solver::new(TABLE).unwrap();
    let (mut contested, mut wins) = (0, 0);
    for _ in 0..number {
        let mut position = strewn(&mut rng, most_empty);
        let mut exhaustive = Exhaustive::default();
        for _ in 0..3 {
            let winner = exhaustive.winner(&position);
            assert_eq!(solve(&mut solver, &position, 0), winner, "{position:?}");
            contested += usize::from(!position.is_settled());
            wins += usize::from(winner == position.side_to_move());
            let mut steps = Vec::new();
            position.steps(&mut steps);
            let Some(&step) = steps.choose(&mut rng) else { break };
            position.play(step);
        }
    }
    assert!(contested > number / 2 && wins > number / 2, "{contested} contested, {wins} won");
}

#[test]
fn random_positions_are_solved_as_by_exhaustive_search() {
    check_strewn(1, 3000, 8);
}

#[test]
#[ignore = "some minutes"]
fn twenty_thousand_random_positions_are_solved_as_by_exhaustive_search() {
    check_strewn(2, 20_000, 10);
}

/// The same position with a strip of its own above it on which this side has so many free moves.
fn with_strip(position: &Position, side: Colour, moves: u8) -> Position {
    let ranks = position.ranks() + 2;
    let top = |file| Square::new(file, ranks - 1);
    let mut amazons = Colour::BOTH.map(|side| position.amazons(side));
    amazons[side.index()] = amazons[side.index()].with(top(0));
    let strip: Bitboard = (0..=moves).map(top).collect();
    let open = position.open() | strip;
    let files = position.files().max(moves + 1);
    let arrows = Bitboard::rectangle(files, ranks).minus(open);
    Position::new(files, ranks, amazons, arrows, position.side_to_move()).unwrap()
}

#[test]
fn free_moves_are_worth_a_strip_of_ones_own() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut solver = Solver::new(TABLE).unwrap();
    let mut changed = 0;
    for _ in 0..600 {
        let position = strewn(&mut rng, 6);
        if position.ranks() > 8 {
            continue;
        }
        let plain = solve(&mut solver, &position, 0);
        for side in Colour::BOTH {
            for moves in 1..=3 {
                let surplus = if side == Colour::White { 1 } else { -1 } * i16::from(moves);
                let winner = solve(&mut solver, &position, surplus);
                let wider = with_strip(&position, side, moves);
                assert_eq!(Exhaustive::default().winner(&wider), winner, "{wider:?}");
                assert_eq!(solve(&mut solver, &wider, 0), winner, "{wider:?}");
                // Free moves never hurt.
                assert!(winner == plain || winner == side);
                changed += usize::from(winner != plain);
            }
        }
    }
    assert!(changed > 300, "{changed}");
}

#[test]
fn turns_keep_what_is_won() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut solver = Solver::new(TABLE).unwrap();
    let mut turns = 0;
    for _ in 0..900 {
        let mut position = strewn(&mut rng, 8);
        let mut exhaustive = Exhaustive::default();
        let winner = exhaustive.winner(&position);
        while position.outcome().is_none() {
            assert_eq!(solve(&mut solver, &position, 0), winner);
            let all = &mut Effort { nodes: u64::MAX, is_enough: &mut |_| false };
            let steps = solver.turn(&position, 0, winner, all);
            for step in steps.unwrap_or_else(|| panic!("no turn in {position:?}")) {
                assert!(position.is_legal_step(step), "{step:?} in {position:?}");
                position.play(step);
            }
            assert!(position.at_turn_start());
            assert_eq!(exhaustive.winner(&position), winner, "{position:?}");
            turns += 1;
        }
    }
    assert!(turns > 1000, "{turns}");
}

#[test]
fn claims_are_verified_or_refuted() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut solver = Solver::new(TABLE).unwrap();
    let mut positions = 0;
    for _ in 0..500 {
        let position = strewn(&mut rng, 7);
        let winner = solve(&mut solver, &position, 0);
        let all = &mut Effort { nodes: u64::MAX, is_enough: &mut |_| false };
        match solver.verify(&position, winner, all) {
            Verification::Confirmed(replayed) => positions += replayed,
            other => panic!("{other:?} for {position:?}"),
        }
        // The solver plays no turn that wins where none does, so the false claim stays unproven.
        let position = strewn(&mut rng, 7);
        let loser = !solve(&mut solver, &position, 0);
        let effort = &mut Effort { nodes: 1000, is_enough: &mut |_| false };
        assert!(!matches!(solver.verify(&position, loser, effort), Verification::Confirmed(_)));
    }
    assert!(positions > 2000, "{positions}");
}

#[test]
fn little_effort_gives_no_answer_and_more_gives_the_same() {
    let position = Position::from_fen("1q1q1/q3q/Q3Q/1Q1Q1 w").unwrap();
    let mut solver = Solver::new(1 << 26).unwrap();
    let mut asked = 0;
    let mut is_enough = |_| {
        asked += 1;
        asked > 2
    };
    let effort = &mut Effort { nodes: u64::MAX, is_enough: &mut is_enough };
    assert_eq!(solver.solve(&position, 0, effort), None);
    assert_eq!(asked, 3);
    let effort = &mut Effort { nodes: 1000, is_enough: &mut |_| false };
    assert_eq!(solver.solve(&position, 0, effort), None);
    assert!((1000..5000).contains(&solver.nodes()));
}
