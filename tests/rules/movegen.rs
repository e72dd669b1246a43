//! Moves against the slow reference, and the laws that hold in every position.

use std::collections::BTreeSet;

use otrera::amazons::{Bitboard, Move, Position, Square, Step, perft};
use otrera::game::{Colour, Game, Outcome};
use rand::RngExt;

use crate::positions;
use crate::reference::Board;

fn letter(side: Colour) -> char {
    match side {
        Colour::White => 'W',
        Colour::Black => 'B',
    }
}

fn naive(position: &Position) -> Board {
    Board::new(&position.to_string(), letter(position.side_to_move()))
}

#[test]
fn generated_moves_are_exactly_those_of_the_reference() {
    let mut positions = 0;
    positions::many(6, 80, |rng, position, moves| {
        positions += 1;
        let board = naive(position);
        let mut expected: Vec<_> =
            board.moves().into_iter().map(|mv| (board.name(mv), mv)).collect();
        expected.sort();
        let mut found: Vec<String> = moves.iter().map(Move::to_string).collect();
        found.sort();
        assert!(found.iter().eq(expected.iter().map(|(name, _)| name)), "{position:?}");
        if expected.is_empty() {
            return;
        }
        let (name, cells) = &expected[rng.random_range(0..expected.len())];
        let mut after = position.clone();
        after.play_move(Move::read(name, position).unwrap());
        let mut board = board;
        board.play(*cells);
        assert_eq!(naive(&after), board);
    });
    assert!(positions > 1000, "{positions}");
}

#[test]
fn moves_come_in_the_order_of_their_squares() {
    positions::many(7, 40, |_, _, moves| assert!(moves.is_sorted()));
}

#[test]
fn a_move_is_legal_exactly_if_it_is_listed() {
    let mut rng = positions::rng(8);
    for round in 0..300 {
        let (files, ranks) = [(3, 3), (4, 2), (4, 4), (1, 6), (5, 4)][round % 5];
        let position = positions::on_board(&mut rng, files, ranks, 3);
        let listed: BTreeSet<Move> = position.legal_moves().into_iter().collect();
        let squares: Vec<Square> = Bitboard::rectangle(files + 1, ranks).into_iter().collect();
        for &from in &squares {
            for &to in &squares {
                for &arrow in &squares {
                    let mv = Move { from, to, arrow };
                    assert_eq!(position.check_move(mv).is_ok(), listed.contains(&mv), "{mv}");
                    let mut tried = position.clone();
                    assert_eq!(tried.try_move(mv).is_ok(), listed.contains(&mv));
                    if !listed.contains(&mv) {
                        assert_eq!((&tried, tried.turns()), (&position, position.turns()));
                    }
                }
            }
        }
    }
}

#[test]
fn what_forbids_a_move_is_said() {
    let start = Position::start();
    let reason =
        |text: &str| start.check_move(Move::read(text, &start).unwrap()).unwrap_err().to_string();
    assert_eq!(reason("d2-d7/g7"), "no white amazon stands on d2");
    assert_eq!(reason("d10-d7/g7"), "no white amazon stands on d10");
    assert_eq!(reason("d1-d10/g7"), "the amazon on d1 cannot reach d10");
    assert_eq!(reason("d1-e3/g7"), "the amazon on d1 cannot reach e3");
    assert_eq!(reason("d1-d7/j7"), "an arrow from d7 cannot reach j7");
    let mut half = start.clone();
    half.play(Step::Queen { from: "d1".parse().unwrap(), to: "d7".parse().unwrap() });
    let mv = Move::read("d1-d7/g7", &start).unwrap();
    assert_eq!(half.check_move(mv).unwrap_err().to_string(), "the amazon on d7 has yet to shoot");
}

#[test]
fn the_hash_kept_step_by_step_equals_that_from_scratch() {
    positions::many(9, 200, |rng, position, moves| {
        assert_eq!(position.hash(), position.hash_from_scratch());
        if moves.is_empty() {
            return;
        }
        let mut after = position.clone();
        for step in moves[rng.random_range(0..moves.len())].steps() {
            let before = after.hash();
            assert!(after.is_legal_step(step));
            after.play(step);
            assert_eq!(after.hash(), after.hash_from_scratch());
            assert_ne!(after.hash(), before);
        }
        if let Some(flipped) = position.with_side_flipped() {
            assert_eq!(flipped.hash(), flipped.hash_from_scratch());
            assert_eq!(flipped.with_side_flipped().as_ref(), Some(position));
        }
    });
}

#[test]
fn as_a_game_a_position_ends_exactly_when_no_step_is_left() {
    positions::many(10, 200, |_, position, moves| {
        let mut steps = Vec::new();
        Game::steps(position, &mut steps);
        assert_eq!(moves.is_empty(), steps.is_empty());
        let lost = steps.is_empty().then(|| Outcome::Win(!position.side_to_move()));
        assert_eq!(Game::outcome(position), lost);
        for &step in &steps {
            let mut half = position.clone();
            half.play(step);
            let mut arrows = Vec::new();
            Game::steps(&half, &mut arrows);
            assert!(!arrows.is_empty() && Game::outcome(&half).is_none());
            assert_eq!(half.side_to_move(), position.side_to_move());
            assert!(!half.at_turn_start());
            let both = arrows.iter().filter(|arrow| half.is_legal_step(**arrow)).count();
            assert_eq!(both, arrows.len());
        }
    });
}

#[test]
fn targets_of_one_queen_equal_those_of_a_set_of_one() {
    positions::many(11, 100, |_, position, _| {
        for square in Square::all() {
            assert_eq!(
                position.queen_targets(square),
                Bitboard::from(square).queen_moves(position.empty()),
                "{square} in {position:?}"
            );
        }
    });
}

#[test]
fn moves_are_counted_without_being_listed() {
    positions::many(12, 300, |_, position, moves| {
        assert_eq!(position.count_moves(), moves.len() as u64, "{position:?}");
        assert_eq!(perft(position, 1), moves.len() as u64);
        for &mv in moves.iter().take(1) {
            let mut half = position.clone();
            half.play(mv.steps()[0]);
            assert_eq!(half.count_moves(), 0);
        }
    });
}

#[test]
fn perft_equals_the_reference_on_small_boards() {
    let mut rng = positions::rng(13);
    for _ in 0..200 {
        let (files, ranks) = (rng.random_range(1..=4), rng.random_range(1..=4));
        let position = positions::on_board(&mut rng, files, ranks, 2);
        for depth in 0..=3 {
            assert_eq!(perft(&position, depth), naive(&position).perft(depth), "{position:?}");
        }
    }
}
