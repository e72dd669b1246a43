//! The solver against a plain depth-first proof-number search that knows the rules and nothing else:
//! no regions, no bounds, no estimates, one child a turn.
//!
//! Measures both on small starts of which the results are known. The plain search takes most of a
//! minute for that of 5 files and 4 ranks, ten times over, so that is done only where `OTRERA_PLAIN`
//! is set.

use std::collections::HashMap;
use std::env;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use otrera::amazons::Position;
use otrera::endgame::{Effort, Solver};
use otrera::game::Colour;

/// Name, position with White to move, and who wins.
const STARTS: [(&str, &str, Colour); 3] = [
    ("4x4, two amazons", "q3/4/4/3Q w", Colour::White),
    ("4x4", "1qq1/q2q/Q2Q/1QQ1 w", Colour::Black),
    ("5x4", "1q1q1/q3q/Q3Q/1Q1Q1 w", Colour::White),
];

/// Of these the plain search is quick enough to be measured again and again.
const QUICK: usize = 2;

fn solve(position: &Position) -> (Option<Colour>, u64) {
    let mut solver = Solver::new(64 << 20).unwrap();
    let effort = &mut Effort { nodes: u64::MAX, is_enough: &mut |_| false };
    (solver.solve(position, 0, effort), solver.nodes())
}

/// Proof and disproof number, for the side to move.
type Numbers = (u32, u32);

const NEVER: u32 = 1 << 30;

#[derive(Default)]
struct Plain {
    known: HashMap<u64, Numbers>,
    nodes: u64,
}

impl Plain {
    fn solve(&mut self, position: &Position) -> Colour {
        self.search(position, (NEVER, NEVER));
        let side = position.side_to_move();
        if self.known[&position.hash()].0 == 0 { side } else { !side }
    }

    fn search(&mut self, position: &Position, limits: Numbers) {
        self.nodes += 1;
        let mut children = Vec::new();
        position.for_each_move(|mv| {
            let mut child = position.clone();
            child.play_move(mv);
            children.push(child);
        });
        loop {
            let (mut proof, mut disproof, mut second, mut best) = (NEVER, 0, NEVER, None);
            for child in &children {
                let (theirs, ours) = self.known.get(&child.hash()).copied().unwrap_or((1, 1));
                disproof = NEVER.min(disproof + theirs);
                if ours < proof {
                    (second, proof, best) = (proof, ours, Some((child, theirs)));
                } else {
                    second = second.min(ours);
                }
            }
            if proof >= limits.0 || disproof >= limits.1 || proof == 0 || disproof == 0 {
                self.known.insert(position.hash(), (proof, disproof));
                return;
            }
            let Some((child, theirs)) = best else { return };
            let limit = limits.1.min(NEVER) - (disproof - theirs);
            self.search(&child.clone(), (limit, limits.0.min(second + 1)));
        }
    }
}

fn plain(position: &Position) -> (Colour, u64) {
    let mut plain = Plain::default();
    (plain.solve(position), plain.nodes)
}

fn starts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solver");
    group.sample_size(10);
    for (number, (name, fen, winner)) in STARTS.into_iter().enumerate() {
        let position = Position::from_fen(fen).unwrap();
        group.bench_function(format!("{name}, solver"), |bencher| {
            bencher.iter(|| assert_eq!(solve(black_box(&position)).0, Some(winner)));
        });
        if number < QUICK || env::var_os("OTRERA_PLAIN").is_some() {
            group.bench_function(format!("{name}, plain"), |bencher| {
                bencher.iter(|| assert_eq!(plain(black_box(&position)).0, winner));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, starts);
criterion_main!(benches);
