//! Perft of two turns from the start on one thread, and the targets of single amazons, against a
//! plain loop over sets of squares.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use otrera::amazons::{Bitboard, Move, Position, Square, perft};
use otrera::game::Colour;

/// From `tests/data/amazons.json`.
const LINES: u64 = 4_307_152;

/// The same count without tables: every target is reached step by step.
fn plain(amazons: [Bitboard; 2], empty: Bitboard, side: Colour, depth: u32) -> u64 {
    let mut lines = 0;
    for from in amazons[side.index()] {
        let left = empty.with(from);
        for to in Bitboard::from(from).queen_moves(empty) {
            let arrows = Bitboard::from(to).queen_moves(left);
            if depth == 1 {
                lines += u64::from(arrows.count());
                continue;
            }
            let mut moved = amazons;
            moved[side.index()] = moved[side.index()].without(from).with(to);
            for arrow in arrows {
                lines += plain(moved, left.without(to).without(arrow), !side, depth - 1);
            }
        }
    }
    lines
}

fn perft_two(criterion: &mut Criterion) {
    let start = Position::start();
    let amazons = Colour::BOTH.map(|side| start.amazons(side));
    let mut group = criterion.benchmark_group("perft 2 of the start");
    group.sample_size(20);
    group.bench_function("tables", |bencher| {
        bencher.iter(|| assert_eq!(perft(black_box(&start), 2), LINES));
    });
    group.bench_function("plain", |bencher| {
        bencher.iter(|| {
            assert_eq!(plain(black_box(amazons), start.empty(), Colour::White, 2), LINES);
        });
    });
    group.finish();
}

/// Queens on every square without an arrow in every position of the two games of 1994, with the
/// empty squares around them. There are thousands, lest the branches of a loop be learnt by heart.
fn queens_of_the_games() -> Vec<(Bitboard, Square)> {
    let file: serde_json::Value =
        serde_json::from_str(include_str!("../tests/data/amazons.json")).unwrap();
    let mut queens = Vec::new();
    for game in ["sample_A_1994", "sample_B_1994"] {
        let mut position = Position::start();
        for text in file["games"][game]["moves"].as_array().unwrap() {
            let mv = Move::read(text.as_str().unwrap(), &position).unwrap();
            position.try_move(mv).unwrap();
            let places = position.board().minus(position.arrows());
            queens.extend(places.into_iter().map(|from| (position.empty(), from)));
        }
    }
    queens
}

fn targets(criterion: &mut Criterion) {
    let queens = queens_of_the_games();
    let all = |reach: fn(Bitboard, Square) -> Bitboard| {
        let reached = |&(empty, from): &(Bitboard, Square)| reach(empty, from).bits();
        black_box(&queens).iter().map(reached).fold(0, u128::wrapping_add)
    };
    let plain = |empty: Bitboard, from: Square| Bitboard::from(from).queen_moves(empty);
    let expected = all(plain);
    let mut group = criterion.benchmark_group("targets of single queens");
    group.throughput(Throughput::Elements(queens.len() as u64));
    group.bench_function("rays", |bencher| {
        bencher.iter(|| assert_eq!(all(Bitboard::queen_targets), expected));
    });
    group.bench_function("step by step", |bencher| {
        bencher.iter(|| assert_eq!(all(plain), expected));
    });
    group.finish();
}

criterion_group!(benches, perft_two, targets);
criterion_main!(benches);
