//! Fillings of every one-sided region in the settled positions of whole games, each found by a
//! filler that has seen nothing yet, and the prover's answer to positions where it has none.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use otrera::amazons::Position;
use otrera::endgame::{Filler, RegionProver, RegionScratch, Shape};
use otrera::game::Prover;

const SETTLED: &str = include_str!("../tests/data/settled.txt");
const BUDGET: u64 = 10_000;

fn positions(text: &str) -> impl Iterator<Item = Position> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Position::from_fen(line).unwrap())
}

/// The one-sided regions that have an empty square.
fn shapes() -> Vec<Shape> {
    positions(SETTLED)
        .flat_map(|position| position.regions().collect::<Vec<_>>())
        .filter(|region| !region.empty().is_empty())
        .filter_map(|region| Some(Shape::new(region.squares(), region.amazons(region.owner()?))))
        .collect()
}

/// The times for all shapes, each by a filler that knows nothing, in ascending order. Its memory
/// is small, so that clearing it does not outweigh the search.
fn times(shapes: &[Shape]) -> Vec<Duration> {
    let mut times: Vec<Duration> = shapes
        .iter()
        .map(|shape| {
            let mut filler = Filler::new(8);
            let begun = Instant::now();
            let filling = filler.filling(black_box(shape), BUDGET);
            let elapsed = begun.elapsed();
            assert!(filling.is_exact());
            elapsed
        })
        .collect();
    times.sort_unstable();
    times
}

fn fillings(criterion: &mut Criterion) {
    let shapes = shapes();
    let mut group = criterion.benchmark_group("filling of a settled region");
    for (name, permille) in [("median", 500), ("99th percentile", 990), ("worst", 1000)] {
        let rank = (shapes.len() - 1) * permille / 1000;
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|runs| (0..runs).map(|_| times(&shapes)[rank]).sum());
        });
    }
    let mut filler = Filler::new(14);
    group.throughput(Throughput::Elements(shapes.len() as u64));
    group.bench_function("all, from memory", |bencher| {
        bencher.iter(|| {
            for shape in &shapes {
                assert!(filler.filling(black_box(shape), BUDGET).is_exact());
            }
        });
    });
    group.finish();
}

fn proofs(criterion: &mut Criterion) {
    let settled: Vec<Position> = positions(SETTLED).collect();
    let start = Position::start();
    let prover = RegionProver::default();
    let mut scratch = RegionScratch::default();
    let mut group = criterion.benchmark_group("prover");
    group.bench_function("start", |bencher| {
        bencher.iter(|| assert_eq!(prover.prove(black_box(&start), &mut scratch), None));
    });
    group.throughput(Throughput::Elements(settled.len() as u64));
    group.bench_function("settled, from memory", |bencher| {
        bencher.iter(|| {
            for position in &settled {
                assert!(prover.prove(black_box(position), &mut scratch).is_some());
            }
        });
    });
    group.finish();
}

criterion_group!(benches, fillings, proofs);
criterion_main!(benches);
