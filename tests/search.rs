//! The search on Amazons, compared with exhaustive play on boards small enough for it.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use otrera::amazons::{Bitboard, Position, Square, Step};
use otrera::endgame::RegionProver;
use otrera::eval::{Classical, Evaluation};
use otrera::game::{Colour, Evaluator, Game, Outcome, Value};
use otrera::search::{Limits, Line, MemoryRefused, Observer, Progress, Report, Search};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Whether the side to move wins, by trying everything.
fn wins(position: &Position, known: &mut HashMap<u64, bool>) -> bool {
    if let Some(&known) = known.get(&position.hash()) {
        return known;
    }
    let mut steps = Vec::new();
    position.steps(&mut steps);
    let side = position.side_to_move();
    let result = steps.into_iter().any(|step| {
        let mut child = position.clone();
        child.play(step);
        wins(&child, known) == (child.side_to_move() == side)
    });
    known.insert(position.hash(), result);
    result
}

/// A random position with one or two amazons a side and at most `empty` empty squares.
fn random_position(rng: &mut Xoshiro256PlusPlus, empty: u32) -> Position {
    let (files, ranks) = (rng.random_range(2..=5), rng.random_range(2..=5));
    let mut free: Vec<Square> = Bitboard::rectangle(files, ranks).into_iter().collect();
    let mut take = |rng: &mut Xoshiro256PlusPlus, count: usize| -> Bitboard {
        (0..count.min(free.len()))
            .map(|_| free.swap_remove(rng.random_range(0..free.len())))
            .collect()
    };
    let white_count = rng.random_range(1..=2);
    let white = take(rng, white_count);
    let black_count = rng.random_range(1..=2);
    let black = take(rng, black_count);
    let left = u32::from(files) * u32::from(ranks) - (white | black).count();
    let arrow_count = left.saturating_sub(rng.random_range(1..=empty)) as usize;
    let arrows = take(rng, arrow_count);
    let side = if rng.random() { Colour::White } else { Colour::Black };
    Position::new(files, ranks, [white, black], arrows, side).expect("disjoint and inside")
}

fn play_line(root: &Position, line: &Line<Step>) -> Position {
    let mut position = root.clone();
    for &step in &line.steps {
        assert!(position.is_legal_step(step), "{step:?} in {position:?}");
        position.play(step);
    }
    position
}

#[test]
fn proofs_agree_with_exhaustive_play() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(41);
    let mut proven = 0;
    for number in 0..400 {
        let root = random_position(&mut rng, 9);
        let mut known = HashMap::new();
        let mut search =
            Search::new(Classical::default(), RegionProver::default(), 4 << 20, root.clone())
                .unwrap();
        search.set_threads([1, 3][number % 2]);
        let report = search.run(&Limits::nodes(5_000), &AtomicBool::new(false), &mut ());
        if root.outcome().is_some() {
            assert!(report.lines.is_empty());
            continue;
        }
        let line = &report.lines[0];
        play_line(&root, line);
        let Some(proof) = line.proof else { continue };
        proven += 1;
        let side = root.side_to_move();
        let exact = wins(&root, &mut known);
        assert_eq!(proof.outcome == Outcome::Win(side), exact, "{root:?}");
        let mut after = root.clone();
        line.first_turn().iter().for_each(|&step| after.play(step));
        assert_eq!(wins(&after, &mut known), !exact, "{root:?}");
    }
    // Most boards of so few squares are proven by 5,000 visits.
    assert!(proven > 200, "{proven} of 400 proven");
}

#[test]
fn lines_are_legal_whole_turns_from_the_start_to_the_end_of_a_game() {
    for threads in [1, 2, 16] {
        play_a_game(threads);
    }
}

fn play_a_game(threads: usize) {
    // So little memory that the trees kept from move to move are recycled all the time.
    let hash_bytes = 128 << 10;
    let mut search =
        Search::new(Classical::default(), RegionProver::default(), hash_bytes, Position::start())
            .unwrap();
    search.set_threads(threads);
    let mut turns = 0;
    while search.root().outcome().is_none() {
        let limits = Limits { nodes: Some(1_500), multipv: 5, ..Limits::default() };
        let report = search.run(&limits, &AtomicBool::new(false), &mut ());
        assert!(!report.lines.is_empty());
        assert!(search.tree_bytes() <= hash_bytes);
        for line in &report.lines {
            assert_eq!(line.steps.len(), 2 * line.turns as usize);
            assert!((-1.0..=1.0).contains(&line.value.get()));
            play_line(search.root(), line);
        }
        let turn = report.lines[0].first_turn().to_vec();
        let mut next = search.root().clone();
        turn.iter().for_each(|&step| next.play(step));
        search.set_root(next, Some(&turn));
        turns += 1;
        assert!(turns <= 92, "the board has 92 squares for arrows");
    }
}

/// Plays games of the engine against itself, each from other random first turns, to the very end.
/// Whatever is proven on the way must come true, and where there are few empty squares left, be what
/// exhaustive play says. Returns the number of proofs.
fn check_proofs(games: u64, few: u32) -> usize {
    let mut proofs = 0;
    for seed in 0..games {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut search =
            Search::new(Evaluation::default(), RegionProver::default(), 4 << 20, Position::start())
                .unwrap();
        let mut winners = Vec::new();
        let mut plies = 0;
        while search.root().outcome().is_none() {
            let mut next = search.root().clone();
            if plies < 4 {
                while next.side_to_move() == search.root().side_to_move() {
                    let mut steps = Vec::new();
                    next.steps(&mut steps);
                    next.play(steps[rng.random_range(0..steps.len())]);
                }
                search.set_root(next, None);
                plies += 1;
                continue;
            }
            let report = search.run(&Limits::nodes(400), &AtomicBool::new(false), &mut ());
            let line = &report.lines[0];
            if let Some(proof) = line.proof {
                let winner = proof.outcome.winner().expect("there are no draws");
                winners.push(winner);
                if next.empty().count() < few {
                    let wins = wins(&next, &mut HashMap::new());
                    assert_eq!(winner == next.side_to_move(), wins, "{next:?}");
                }
            }
            line.first_turn().iter().for_each(|&step| next.play(step));
            search.set_root(next, Some(line.first_turn()));
            plies += 1;
        }
        let winner = search.root().outcome().and_then(Outcome::winner);
        assert!(winners.iter().all(|&claimed| Some(claimed) == winner), "game {seed}");
        proofs += winners.len();
    }
    proofs
}

#[test]
fn what_is_proven_in_games_comes_true() {
    // About the last third of a game is proven.
    assert!(check_proofs(6, 9) > 60);
}

#[test]
#[ignore = "takes minutes"]
fn what_is_proven_in_many_games_comes_true() {
    assert!(check_proofs(200, 12) > 2000);
}

#[test]
fn a_full_memory_does_not_end_the_search() {
    let root = Position::start();
    let hash_bytes = 1 << 20;
    let mut search =
        Search::new(Classical::default(), RegionProver::default(), hash_bytes, root.clone())
            .unwrap();
    // Without recycling this many visits need about twenty times the memory.
    let report = search.run(&Limits::nodes(120_000), &AtomicBool::new(false), &mut ());
    assert_eq!(report.nodes, 120_000);
    assert!(search.tree_bytes() <= hash_bytes);
    assert!(report.hashfull >= 700);
    play_line(&root, &report.lines[0]);
    assert!(report.lines[0].turns >= 2);
}

/// Watches a search without end: how long it stood still at most, how often it reported, and what.
#[derive(Default)]
struct Endurance {
    duration: Duration,
    nodes: u64,
    moved_at: Duration,
    longest_pause: Duration,
    reported_at: Duration,
    longest_silence: Duration,
    turns_at_half: u32,
    visits_at_half: u64,
}

impl Observer<Step> for Endurance {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if progress.nodes > self.nodes {
            self.longest_pause = self.longest_pause.max(progress.elapsed - self.moved_at);
            (self.nodes, self.moved_at) = (progress.nodes, progress.elapsed);
        }
        if progress.elapsed < self.duration {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn report(&mut self, report: &Report<Step>) {
        self.longest_silence = self.longest_silence.max(report.elapsed - self.reported_at);
        self.reported_at = report.elapsed;
        if report.elapsed < self.duration / 2 {
            self.turns_at_half = report.lines[0].turns;
            self.visits_at_half = report.lines[0].visits;
        }
    }
}

/// The memory of this process in bytes, where the system tells.
fn resident_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(status.split(' ').nth(1)?.parse::<usize>().ok()? * 4096)
}

/// Searches from the start for so long in so much memory, which must suffice and be recycled without
/// a halt.
#[expect(clippy::print_stderr, reason = "these figures are what the test is run for")]
fn endure(hash_mib: usize, duration: Duration) {
    let (evaluator, prover) = (Evaluation::default(), RegionProver::default());
    let mut search = Search::new(evaluator, prover, hash_mib << 20, Position::start()).unwrap();
    let mut endurance = Endurance { duration, ..Endurance::default() };
    let report = search.run(&Limits::default(), &AtomicBool::new(false), &mut endurance);
    let line = &report.lines[0];
    play_line(search.root(), line);
    let resident = resident_bytes().unwrap_or_default();
    eprintln!(
        "{hash_mib} MiB: {} nodes in {:?}, resident {} MiB, hashfull {}, longest pause {:?}, longest \
         silence {:?}; after half of the time {} visits and {} turns of the best line, then {} and {}",
        report.nodes,
        report.elapsed,
        resident >> 20,
        report.hashfull,
        endurance.longest_pause,
        endurance.longest_silence,
        endurance.visits_at_half,
        endurance.turns_at_half,
        line.visits,
        line.turns,
    );
    assert!(resident <= (hash_mib + 64) << 20);
    assert!(line.visits > endurance.visits_at_half);
    // Bounds that a busy machine does not break.
    assert!(endurance.longest_pause < Duration::from_secs(1));
    assert!(endurance.longest_silence < Duration::from_secs(3));
}

#[test]
#[ignore = "takes ten minutes"]
fn ten_minutes_in_16_mib() {
    endure(16, Duration::from_secs(600));
}

#[test]
#[ignore = "takes ten minutes"]
fn ten_minutes_in_64_mib() {
    endure(64, Duration::from_secs(600));
}

#[test]
#[ignore = "takes ten minutes"]
fn ten_minutes_in_1024_mib() {
    endure(1024, Duration::from_secs(600));
}

/// Judges as the classical evaluation does, and counts how often each thread has asked.
#[derive(Default)]
struct Counting {
    classical: Classical,
    asked: Mutex<HashMap<ThreadId, u64>>,
}

impl Evaluator<Position> for &Counting {
    type Scratch = <Classical as Evaluator<Position>>::Scratch;

    fn value(&self, position: &Position, scratch: &mut Self::Scratch) -> Value {
        *self.asked.lock().unwrap().entry(thread::current().id()).or_default() += 1;
        self.classical.value(position, scratch)
    }

    fn priors(
        &self,
        position: &Position,
        steps: &[Step],
        scratch: &mut Self::Scratch,
        weights: &mut Vec<f32>,
    ) {
        self.classical.priors(position, steps, scratch, weights);
    }
}

#[test]
fn none_of_many_threads_starves() {
    for threads in [2, 16, 64] {
        let counting = Counting::default();
        let (prover, root) = (RegionProver::default(), Position::start());
        let mut search = Search::new(&counting, prover, 64 << 20, root).unwrap();
        search.set_threads(threads);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_secs(1));
                stop.store(true, Ordering::Relaxed);
            });
            search.run(&Limits::default(), &stop, &mut ());
        });
        let asked = counting.asked.lock().unwrap();
        assert_eq!(asked.len(), threads, "some did nothing at all");
        let fewest = asked.values().min().unwrap();
        let mean = asked.values().sum::<u64>() / threads as u64;
        // However few the cores are, the system gives each its turn many times in a second.
        assert!(*fewest > mean / 50, "{fewest} of {mean} on average with {threads} threads");
    }
}

#[test]
fn memory_that_is_not_there_is_refused_and_the_tree_kept() {
    // Half of the address space is more than any system gives.
    let too_much = usize::MAX / 2;
    let (evaluator, prover) = (Classical::default(), RegionProver::default());
    let mut search = Search::new(evaluator, prover, 1 << 20, Position::start()).unwrap();
    search.run(&Limits::nodes(100), &AtomicBool::new(false), &mut ());
    let used = search.tree_bytes();
    assert_eq!(search.resize(too_much), Err(MemoryRefused { bytes: too_much }));
    assert_eq!(search.tree_bytes(), used);
}
