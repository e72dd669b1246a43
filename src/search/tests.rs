//! The search on a game that is none of the program's: tic-tac-toe with turns of two steps (a row,
//! then a column), which has draws and is small enough to be solved by listing everything.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::workers::VISITS_PER_LOOK;
use super::*;
use crate::game::{Colour, Outcome, Proof};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TicTacToe {
    cells: [Option<Colour>; 9],
    side: Colour,
    row: Option<u8>,
}

impl TicTacToe {
    fn start() -> TicTacToe {
        TicTacToe { cells: [None; 9], side: Colour::White, row: None }
    }

    fn winner(&self) -> Option<Colour> {
        const LINES: [[usize; 3]; 8] = [
            [0, 1, 2],
            [3, 4, 5],
            [6, 7, 8],
            [0, 3, 6],
            [1, 4, 7],
            [2, 5, 8],
            [0, 4, 8],
            [2, 4, 6],
        ];
        LINES.iter().find_map(|&[a, b, c]| {
            let cell = self.cells[a]?;
            (self.cells[b] == Some(cell) && self.cells[c] == Some(cell)).then_some(cell)
        })
    }

    fn is_full(&self, row: u8) -> bool {
        let start = 3 * row as usize;
        self.cells[start..start + 3].iter().all(Option::is_some)
    }
}

impl Game for TicTacToe {
    type Step = u8;

    fn side_to_move(&self) -> Colour {
        self.side
    }

    fn at_turn_start(&self) -> bool {
        self.row.is_none()
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.row.is_some() {
            return None;
        }
        match self.winner() {
            Some(colour) => Some(Outcome::Win(colour)),
            None => self.cells.iter().all(Option::is_some).then_some(Outcome::Draw),
        }
    }

    fn hash(&self) -> u64 {
        0 // the search does not ask for it
    }

    fn steps(&self, steps: &mut Vec<u8>) {
        steps.clear();
        match self.row {
            None => steps.extend((0..3).filter(|&row| !self.is_full(row))),
            Some(row) => {
                steps
                    .extend((0..3).filter(|&file| self.cells[(3 * row + file) as usize].is_none()));
            }
        }
    }

    fn play(&mut self, step: u8) {
        match self.row.take() {
            None => self.row = Some(step),
            Some(row) => {
                self.cells[(3 * row + step) as usize] = Some(self.side);
                self.side = !self.side;
            }
        }
    }

    fn encode(step: u8) -> u16 {
        u16::from(step)
    }

    fn decode(code: u16) -> u8 {
        code as u8
    }
}

/// No opinion at all.
struct Uniform;

impl Evaluator<TicTacToe> for Uniform {
    type Scratch = ();

    fn value(&self, _: &TicTacToe, (): &mut ()) -> Value {
        Value::EVEN
    }

    fn priors(&self, _: &TicTacToe, steps: &[u8], (): &mut (), weights: &mut Vec<f32>) {
        weights.clear();
        weights.resize(steps.len(), 1.0);
    }
}

/// Knows nothing.
struct Nothing;

impl Prover<TicTacToe> for Nothing {
    type Scratch = ();

    fn prove(&self, _: &TicTacToe, (): &mut ()) -> Option<Proof> {
        None
    }
}

/// The exact value of a position for its side to move by plain minimax.
fn minimax(position: &TicTacToe, known: &mut HashMap<TicTacToe, i32>) -> i32 {
    if let Some(outcome) = position.outcome() {
        return Value::of(outcome, position.side).get() as i32;
    }
    if let Some(&value) = known.get(position) {
        return value;
    }
    let mut steps = Vec::new();
    position.steps(&mut steps);
    let best = steps
        .into_iter()
        .map(|step| {
            let mut child = position.clone();
            child.play(step);
            let value = minimax(&child, known);
            if child.side == position.side { value } else { -value }
        })
        .max();
    let value = best.unwrap_or_else(|| unreachable!("a position without outcome has steps"));
    known.insert(position.clone(), value);
    value
}

fn search(root: TicTacToe, bytes: usize) -> Search<TicTacToe, Uniform, Nothing> {
    Search::new(Uniform, Nothing, bytes, root).unwrap()
}

fn run(search: &mut Search<TicTacToe, Uniform, Nothing>, limits: &Limits<u8>) -> Report<u8> {
    search.run(limits, &AtomicBool::new(false), &mut ())
}

/// All positions at the start of a turn, in the order they are first met.
fn positions() -> Vec<TicTacToe> {
    let mut found = vec![TicTacToe::start()];
    let mut seen: std::collections::HashSet<TicTacToe> = found.iter().cloned().collect();
    let mut next = 0;
    while next < found.len() {
        let position = found[next].clone();
        next += 1;
        if position.outcome().is_some() {
            continue;
        }
        for cell in (0..9u8).filter(|&cell| position.cells[cell as usize].is_none()) {
            let mut child = position.clone();
            child.play(cell / 3);
            child.play(cell % 3);
            if seen.insert(child.clone()) {
                found.push(child);
            }
        }
    }
    found
}

#[test]
fn proofs_equal_minimax() {
    let mut known = HashMap::new();
    let positions = positions();
    // 5478 positions can be reached in tic-tac-toe, a number found in many textbooks.
    assert_eq!(positions.len(), 5478);
    for root in positions.into_iter().step_by(7).filter(|root| root.outcome().is_none()) {
        let empty = root.cells.iter().filter(|cell| cell.is_none()).count();
        if empty > 7 {
            continue; // hundreds of thousands of visits
        }
        let exact = minimax(&root, &mut known);
        let report = run(&mut search(root.clone(), 1 << 20), &Limits::nodes(30_000));
        let line = &report.lines[0];
        let proof = line.proof.unwrap_or_else(|| panic!("not solved: {root:?}"));
        assert_eq!(Value::of(proof.outcome, root.side).get() as i32, exact, "{root:?}");
        assert_eq!(line.first_turn_steps, 2);
        // The first turn keeps the result.
        let mut after = root.clone();
        line.first_turn().iter().for_each(|&step| after.play(step));
        assert_eq!(-minimax(&after, &mut known), exact, "{root:?}");
        assert!(usize::from(proof.turns) <= empty);
    }
}

#[test]
fn little_memory_is_recycled_and_the_search_goes_on() {
    let mut search = search(TicTacToe::start(), 0);
    let report = run(&mut search, &Limits::nodes(3_000));
    assert_eq!(report.nodes, 3_000);
    assert!(search.tree_bytes() <= 64 * 1024);
    assert_eq!(report.lines[0].first_turn_steps, 2);
    let report = run(&mut search, &Limits::nodes(400_000));
    if let Some(proof) = report.lines[0].proof {
        assert_eq!(proof.outcome, Outcome::Draw);
    }
}

#[test]
fn a_node_limit_is_exact_and_the_search_repeats_itself() {
    for nodes in [0, 1, 2, 3, 10, 500] {
        let reports = [(); 2].map(|()| {
            let report = run(&mut search(TicTacToe::start(), 1 << 20), &Limits::nodes(nodes));
            Report { elapsed: Duration::ZERO, ..report }
        });
        assert_eq!(reports[0], reports[1]);
        assert_eq!(reports[0].nodes, nodes);
        assert_eq!(reports[0].lines[0].first_turn_steps, 2);
    }
}

#[test]
fn the_tree_below_the_played_turn_is_kept() {
    let mut search = search(TicTacToe::start(), 1 << 20);
    let first = run(&mut search, &Limits::nodes(600));
    let line = &first.lines[0];
    let mut root = TicTacToe::start();
    line.first_turn().iter().for_each(|&step| root.play(step));
    search.set_root(root.clone(), Some(line.first_turn()));
    let kept = run(&mut search, &Limits::nodes(1));
    let fresh = run(&mut self::search(root, 1 << 20), &Limits::nodes(1));
    // About 600 / 9 visits went below each turn, and an eighth of those below each answer.
    assert!(kept.lines[0].visits >= 4 && fresh.lines[0].visits <= 1);
}

#[test]
fn lines_begin_with_different_turns_and_only_with_those_asked_for() {
    let mut search = search(TicTacToe::start(), 1 << 20);
    let limits = Limits { nodes: Some(3_000), multipv: 20, ..Limits::default() };
    let report = run(&mut search, &limits);
    let mut turns: Vec<&[u8]> = report.lines.iter().map(Line::first_turn).collect();
    assert_eq!(turns.len(), 9);
    turns.sort();
    turns.dedup();
    assert_eq!(turns.len(), 9);

    let turns = vec![vec![0, 1], vec![2, 2]];
    let limits = Limits { nodes: Some(500), multipv: 20, turns: turns.clone(), ..limits };
    let report = run(&mut search, &limits);
    let mut found: Vec<Vec<u8>> =
        report.lines.iter().map(|line| line.first_turn().to_vec()).collect();
    found.sort();
    assert_eq!(found, turns);
}

#[test]
fn every_unit_in_use_belongs_to_the_tree_or_to_the_garbage() {
    // 64 KiB are used up and recycled many times in each of these games.
    for seed in 0..20u64 {
        let mut root = TicTacToe::start();
        let mut search = search(root.clone(), 0);
        while root.outcome().is_none() {
            let report = run(&mut search, &Limits::nodes(1_000 + 500 * seed));
            assert_eq!(search.shared.tree.count_units() * 64, search.tree_bytes());
            let turn = report.lines[0].first_turn().to_vec();
            turn.iter().for_each(|&step| root.play(step));
            search.set_root(root.clone(), Some(&turn));
            assert_eq!(search.shared.tree.count_units() * 64, search.tree_bytes());
        }
    }
}

#[test]
fn every_tree_can_be_recycled_to_the_end() {
    for nodes in 1..3000 {
        let mut search = search(TicTacToe::start(), 1 << 20);
        run(&mut search, &Limits::nodes(nodes));
        let Search { shared, workers } = &mut search;
        shared.tree.reserve(&mut workers[0].stock, usize::MAX);
        assert!(shared.tree.count_units() < 8, "the root, its steps and its edges");
    }
}

#[test]
fn a_game_that_is_over_has_no_lines() {
    let mut root = TicTacToe::start();
    for step in [0, 0, 1, 0, 0, 1, 1, 1, 0, 2] {
        root.play(step);
    }
    assert_eq!(root.outcome(), Some(Outcome::Win(Colour::White)));
    let report = run(&mut search(root, 1 << 20), &Limits::nodes(100));
    assert!(report.lines.is_empty());
    assert_eq!(report.nodes, 0);
}

#[test]
fn the_observer_and_the_flag_end_the_search() {
    struct Patience(u64);
    impl Observer<u8> for Patience {
        fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
            if progress.nodes >= self.0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }
    let mut search = search(TicTacToe::start(), 1 << 20);
    let limits = Limits::default();
    let report = search.run(&limits, &AtomicBool::new(false), &mut Patience(100));
    assert!((100..100 + 2 * VISITS_PER_LOOK).contains(&report.nodes));
    let report = search.run(&limits, &AtomicBool::new(true), &mut ());
    assert_eq!(report.nodes, 0);
    assert_eq!(report.lines[0].first_turn_steps, 2);
}

/// A search by several workers at once.
fn crowd(root: TicTacToe, bytes: usize, threads: usize) -> Search<TicTacToe, Uniform, Nothing> {
    let mut search = search(root, bytes);
    search.set_threads(threads);
    search
}

#[test]
fn many_workers_prove_what_minimax_does() {
    let mut known = HashMap::new();
    for (number, root) in positions().into_iter().step_by(31).enumerate() {
        let empty = root.cells.iter().filter(|cell| cell.is_none()).count();
        if empty > 7 || root.outcome().is_some() {
            continue;
        }
        let mut search = crowd(root.clone(), 1 << 20, [2, 3, 8, 64][number % 4]);
        let report = run(&mut search, &Limits::default());
        let proof = report.lines[0].proof.unwrap_or_else(|| panic!("not solved: {root:?}"));
        let exact = minimax(&root, &mut known);
        assert_eq!(Value::of(proof.outcome, root.side).get() as i32, exact, "{root:?}");
        let mut after = root.clone();
        report.lines[0].first_turn().iter().for_each(|&step| after.play(step));
        assert_eq!(-minimax(&after, &mut known), exact, "{root:?}");
        assert_eq!(search.shared.tree.count_units() * 64, search.tree_bytes());
    }
}

#[test]
fn many_workers_share_a_node_limit_and_the_visits_of_the_root() {
    for (threads, nodes) in [(2, 1), (2, 1000), (5, 3333), (64, 5000), (64, 1)] {
        let mut search = crowd(TicTacToe::start(), 1 << 22, threads);
        let report = run(&mut search, &Limits::nodes(nodes));
        assert_eq!(report.nodes, nodes);
        assert_eq!(report.lines[0].first_turn_steps, 2);
        // Each visit but the first ones, which evaluated the root itself, went over one edge, and
        // none is left on its way.
        let visits: u64 = search.root_steps().map(|(_, visits, _)| u64::from(visits)).sum();
        assert!((nodes.saturating_sub(threads as u64)..=nodes.max(1)).contains(&visits));
        // One worker goes on with what the many have left.
        search.set_threads(1);
        assert_eq!(run(&mut search, &Limits::nodes(7)).nodes, 7);
    }
}

#[test]
fn many_workers_in_little_memory_lose_none_of_it() {
    for threads in [2, 7, 64] {
        let mut root = TicTacToe::start();
        let mut search = crowd(root.clone(), 0, threads);
        while root.outcome().is_none() {
            let report = run(&mut search, &Limits::nodes(40_000));
            assert!(search.tree_bytes() <= 64 * 1024);
            assert_eq!(search.shared.tree.count_units() * 64, search.tree_bytes());
            let turn = report.lines[0].first_turn().to_vec();
            turn.iter().for_each(|&step| root.play(step));
            search.set_root(root.clone(), Some(&turn));
            assert_eq!(search.shared.tree.count_units() * 64, search.tree_bytes());
            // Fewer workers, and then as many as before: what they held ready is not lost.
            search.set_threads(threads / 2);
            assert_eq!(search.shared.tree.count_units() * 64, search.tree_bytes());
            search.set_threads(threads);
        }
    }
}

#[test]
fn many_workers_stop_when_told() {
    let stop = AtomicBool::new(false);
    // Lines without end are grown: nothing but the flag ends this search.
    let mut search = crowd(TicTacToe::start(), 0, 64);
    let limits = Limits { turns: vec![vec![0, 0], vec![1, 1]], ..Limits::default() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let report = search.run(&limits, &stop, &mut ());
        assert_eq!(report.lines[0].first_turn_steps, 2);
        // A bound that only a hang can break.
        assert!(report.elapsed < Duration::from_secs(20));
    });
}

/// Fails at its thousandth look.
struct Fragile(std::sync::atomic::AtomicU32);

impl Evaluator<TicTacToe> for Fragile {
    type Scratch = ();

    fn value(&self, _: &TicTacToe, (): &mut ()) -> Value {
        let looks = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        assert!(looks != 1000, "looked too often");
        Value::EVEN
    }

    fn priors(&self, root: &TicTacToe, steps: &[u8], (): &mut (), weights: &mut Vec<f32>) {
        Uniform.priors(root, steps, &mut (), weights);
    }
}

#[test]
fn a_worker_that_fails_ends_the_search_for_all() {
    for threads in [1, 2, 16] {
        let looks = std::sync::atomic::AtomicU32::new(0);
        let mut search = Search::new(Fragile(looks), Nothing, 0, TicTacToe::start()).unwrap();
        search.set_threads(threads);
        let run = std::panic::AssertUnwindSafe(|| {
            search.run(&Limits::default(), &AtomicBool::new(false), &mut ())
        });
        let fault = std::panic::catch_unwind(run).unwrap_err();
        assert_eq!(fault.downcast_ref::<&str>(), Some(&"looked too often"));
    }
}
