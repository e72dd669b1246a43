//! The values of `tests/data/amazons.json`, agreed by programs that share no code with this one.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use otrera::amazons::{Bitboard, Move, Position, Square, divide, divide_until, perft};
use otrera::game::Colour;
use serde::Deserialize;

use crate::reference::Board;

#[derive(Deserialize)]
struct Oracle {
    games: BTreeMap<String, Game>,
    perft: Vec<Start>,
    perft_midgame: Midgame,
}

#[derive(Deserialize)]
struct Game {
    moves: Vec<String>,
    legal_moves_before: Vec<u64>,
    #[serde(rename = "final")]
    last: Last,
}

#[derive(Deserialize)]
struct Last {
    side_to_move: String,
    board_rank10_first: Vec<String>,
    legal_moves_white: u64,
    legal_moves_black: u64,
}

#[derive(Deserialize)]
struct Start {
    files: u8,
    ranks: u8,
    white: Vec<String>,
    black: Vec<String>,
    perft: Vec<u64>,
}

#[derive(Deserialize)]
struct Midgame {
    positions: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    fen: String,
    perft: Vec<u64>,
}

fn oracle() -> Oracle {
    serde_json::from_str(include_str!("../data/amazons.json")).unwrap()
}

impl Start {
    fn position(&self) -> Position {
        let squares = |names: &[String]| -> Bitboard {
            names.iter().map(|name| name.parse::<Square>().unwrap()).collect()
        };
        let amazons = [squares(&self.white), squares(&self.black)];
        Position::new(self.files, self.ranks, amazons, Bitboard::EMPTY, Colour::White).unwrap()
    }
}

#[test]
fn the_games_are_replayed_with_the_right_number_of_moves_before_every_ply() {
    let games = oracle().games;
    assert_eq!(games.len(), 3);
    for (name, game) in games {
        let mut position = Position::start();
        assert_eq!(game.moves.len(), game.legal_moves_before.len(), "{name}");
        for (text, &count) in game.moves.iter().zip(&game.legal_moves_before) {
            assert_eq!(position.count_moves(), count, "{name}, {text}");
            let mv = Move::read(text, &position).unwrap();
            position.try_move(mv).unwrap_or_else(|error| panic!("{name}, {text}: {error}"));
        }
        assert_eq!(position.turns() as usize, game.moves.len());
        assert_eq!(position.to_string().lines().collect::<Vec<_>>(), game.last.board_rank10_first);
        let to_move = if game.last.side_to_move == "W" { Colour::White } else { Colour::Black };
        assert_eq!(position.side_to_move(), to_move, "{name}");
        let other = position.with_side_flipped().unwrap();
        let [white, black] = match to_move {
            Colour::White => [&position, &other],
            Colour::Black => [&other, &position],
        };
        assert_eq!(white.count_moves(), game.last.legal_moves_white, "{name}");
        assert_eq!(black.count_moves(), game.last.legal_moves_black, "{name}");
    }
}

/// Positions of the oracle with their numbers of lines of 1, 2, … turns.
fn counted() -> Vec<(Position, Vec<u64>)> {
    let Oracle { perft, perft_midgame, .. } = oracle();
    let starts = perft.into_iter().map(|start| (start.position(), start.perft));
    let lines = perft_midgame.positions.into_iter();
    starts.chain(lines.map(|line| (line.fen.parse().unwrap(), line.perft))).collect()
}

/// Counts by listing everything.
fn listed(position: &Position, depth: usize) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let below = |&mv: &Move| {
        let mut after = position.clone();
        after.play_move(mv);
        listed(&after, depth - 1)
    };
    moves.iter().map(below).sum()
}

#[test]
fn listed_moves_give_the_perft_numbers() {
    for (position, counts) in counted() {
        for (depth, &count) in (1..).zip(&counts).filter(|(_, count)| **count < 10_000_000) {
            assert_eq!(listed(&position, depth), count, "depth {depth} of {}", position.fen());
        }
    }
}

#[test]
fn perft_gives_the_perft_numbers() {
    for (position, counts) in counted() {
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth), count, "depth {depth} of {}", position.fen());
        }
    }
}

#[test]
fn divide_gives_the_perft_numbers_move_by_move() {
    for (position, counts) in counted() {
        assert_eq!(perft(&position, 0), 1);
        assert_eq!(divide(&position, 0), []);
        for (depth, &count) in (1..).zip(&counts).filter(|(_, count)| **count < 10_000_000) {
            let divided = divide(&position, depth);
            assert!(divided.iter().map(|(mv, _)| *mv).eq(position.legal_moves()));
            assert_eq!(divided.iter().map(|(_, lines)| lines).sum::<u64>(), count);
            for (mv, lines) in divided.into_iter().step_by(100) {
                let mut after = position.clone();
                after.play_move(mv);
                let expected = if depth == 1 { 1 } else { listed(&after, depth as usize - 1) };
                assert_eq!(lines, expected);
            }
        }
    }
}

#[test]
fn divide_stops_when_told_and_keeps_what_is_done() {
    let stop = AtomicBool::new(false);
    let done = Mutex::new(Vec::new());
    let divided = divide_until(&stop, &Position::start(), 3, |mv, lines| {
        done.lock().unwrap().push((mv, lines));
        stop.store(true, Ordering::Relaxed);
    });
    let mut done = done.into_inner().unwrap();
    done.sort();
    assert_eq!(divided, done);
    assert!((1..2176).contains(&divided.len()), "{}", divided.len());
    for (mv, lines) in divided {
        let mut after = Position::start();
        after.play_move(mv);
        assert_eq!(perft(&after, 2), lines);
    }
}

#[test]
fn the_reference_gives_the_perft_numbers() {
    for (position, counts) in counted() {
        let side = if position.side_to_move() == Colour::White { 'W' } else { 'B' };
        let board = Board::new(&position.to_string(), side);
        for (depth, &count) in (1..).zip(&counts).filter(|(_, count)| **count < 300_000) {
            assert_eq!(board.perft(depth), count, "depth {depth} of {}", position.fen());
        }
    }
}
