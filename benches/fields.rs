//! The four distance fields of a position on every path that this processor can take, against the
//! plain ray-by-ray loop; and what a value, and a value with priors, cost beside them.
//!
//! A time is that of all positions in `positions.fen` together; criterion's throughput is in
//! positions.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use otrera::amazons::Position;
use otrera::eval::network::{self, Network};
use otrera::eval::{Classical, Fields, Kernel, Weights};
use otrera::game::{Evaluator, Game};

fn positions() -> Vec<Position> {
    include_str!("positions.fen")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| Position::from_fen(line).expect("a position"))
        .collect()
}

fn fields(criterion: &mut Criterion) {
    let positions = positions();
    let mut group = criterion.benchmark_group("fields");
    group.throughput(Throughput::Elements(positions.len() as u64));
    for kernel in Kernel::available() {
        let [mut fields, mut plain] = [Fields::default(), Fields::default()];
        for position in &positions {
            kernel.fill(position, &mut fields);
            Kernel::PORTABLE.fill(position, &mut plain);
            assert_eq!(fields, plain, "{kernel} {position:?}");
        }
        group.bench_function(kernel.to_string(), |bencher| {
            bencher.iter(|| {
                for position in &positions {
                    kernel.fill(black_box(position), black_box(&mut fields));
                }
            });
        });
    }
    group.finish();
}

/// Two evaluators that take different paths agree on these positions.
fn assert_equal<E: Evaluator<Position>>(one: &E, other: &E, positions: &[Position]) {
    let mut scratches = [E::Scratch::default(), E::Scratch::default()];
    let (mut steps, mut weights) = (Vec::new(), [Vec::new(), Vec::new()]);
    for position in positions {
        let [value, expected] = [(one, 0), (other, 1)]
            .map(|(evaluator, i)| evaluator.value(position, &mut scratches[i]));
        assert_eq!(value, expected, "{position:?}");
        position.steps(&mut steps);
        for (evaluator, i) in [(one, 0), (other, 1)] {
            evaluator.priors(position, &steps, &mut scratches[i], &mut weights[i]);
        }
        assert_eq!(weights[0], weights[1], "{position:?}");
    }
}

/// What a value costs, and a value with priors, by an evaluator made for each kernel.
fn evaluation<E: Evaluator<Position>>(
    criterion: &mut Criterion,
    name: &str,
    made_for: impl Fn(Kernel) -> E,
) {
    let positions = positions();
    let plain = made_for(Kernel::PORTABLE);
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(positions.len() as u64));
    for kernel in Kernel::available() {
        let evaluator = made_for(kernel);
        assert_equal(&evaluator, &plain, &positions);
        let (mut scratch, mut weights) = (E::Scratch::default(), Vec::new());
        group.bench_function(format!("value, {kernel}"), |bencher| {
            bencher.iter(|| {
                for position in &positions {
                    black_box(evaluator.value(black_box(position), &mut scratch));
                }
            });
        });
        let listed: Vec<_> = positions
            .iter()
            .map(|position| {
                let mut steps = Vec::new();
                position.steps(&mut steps);
                (position, steps)
            })
            .collect();
        group.bench_function(format!("value and priors, {kernel}"), |bencher| {
            bencher.iter(|| {
                for (position, steps) in &listed {
                    black_box(evaluator.value(black_box(position), &mut scratch));
                    evaluator.priors(position, steps, &mut scratch, &mut weights);
                    black_box(&weights);
                }
            });
        });
    }
    group.finish();
}

fn evaluations(criterion: &mut Criterion) {
    evaluation(criterion, "classical evaluation", |kernel| {
        Classical::new(kernel, Weights::default())
    });
    // What its numbers are makes no difference to the time.
    evaluation(criterion, "network", |kernel| Network::new(kernel, network::Weights::zero()));
}

criterion_group!(benches, fields, evaluations);
criterion_main!(benches);
