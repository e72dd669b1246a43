//! The searching thread: it owns the tree, keeps it between moves, and survives panics.

use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::clock::Budget;
use super::history::History;
use super::player::Event;
use super::reference::{Style, greedy, random};
use super::report::{Line, Report};
use super::settled;
use super::solving::{self, Finding};
use super::verdict::Verdict;
use crate::amazons::{Move, Position, Step, divide_until};
use crate::endgame::{Filler, Solver, TableRefused};
use crate::game::{Evaluator, Prover, Value};
use crate::search::{self, MemoryRefused, Observer, Progress, Search};

/// What the player asks of its thread. It is done in the order it is asked for.
pub(super) enum Work<E> {
    Search(Box<Task>),
    Perft { position: Position, depth: u32, control: Arc<Control> },
    Resize(usize),
    Threads(usize),
    Clear,
    Evaluation(Box<E>),
}

/// A search to be done.
pub(super) struct Task {
    pub(super) history: History,
    pub(super) limits: search::Limits<Step>,
    /// Stop when a win within so many turns is proven.
    pub(super) mate: Option<u16>,
    pub(super) budget: Budget,
    /// Use all the time there is.
    pub(super) analyse: bool,
    /// Who chooses.
    pub(super) style: Style,
    /// Any best line will do, so that one found by counting need not be searched for.
    pub(super) any_line: bool,
    /// Answer only when told to.
    pub(super) infinite: bool,
    pub(super) ponder: bool,
    /// When the search was asked for.
    pub(super) asked: Instant,
    pub(super) control: Arc<Control>,
}

/// How a running search is told something.
#[derive(Default)]
pub(super) struct Control {
    stop: AtomicBool,
    /// When the expected move was played.
    hit: OnceLock<Instant>,
    /// Guards nothing but the sleep of a search that is done and must not answer yet.
    asleep: Mutex<()>,
    told: Condvar,
}

impl Control {
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn ponder_hit(&self, at: Instant) {
        // Only the first one counts.
        let _ = self.hit.set(at);
        self.wake();
    }

    pub(super) fn is_hit(&self) -> bool {
        self.hit.get().is_some()
    }

    fn wake(&self) {
        // Taking the lock orders this after a sleeper's last look at the flags.
        drop(self.asleep.lock().unwrap_or_else(PoisonError::into_inner));
        self.told.notify_all();
    }

    /// Blocks until the search was stopped, or a pondering one has been hit.
    fn sleep(&self, infinite: bool) {
        let asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        let must_wait = |_: &mut ()| !self.is_stopped() && (infinite || !self.is_hit());
        drop(self.told.wait_while(asleep, must_wait).unwrap_or_else(PoisonError::into_inner));
    }
}

/// The searching thread's own.
pub(super) struct Worker<E: Evaluator<Position>, P: Prover<Position>, F> {
    search: Search<Position, E, P>,
    /// The game that led to the root of the search.
    root: History,
    evaluator: E,
    prover: P,
    hash_bytes: usize,
    threads: usize,
    filler: Filler,
    solver: Solver,
    events: F,
}

/// How much is remembered of fillings: 16384 shapes.
const FILLER_BITS: u32 = 13;

/// The bytes of the solver's table.
const SOLVER_BYTES: usize = 24 << 20;

impl<E, P, F> Worker<E, P, F>
where
    E: Evaluator<Position> + Clone,
    P: Prover<Position> + Clone,
    F: Fn(Event),
{
    pub(super) fn new(
        evaluator: E,
        prover: P,
        hash_bytes: usize,
        events: F,
    ) -> Result<Self, MemoryRefused> {
        let root = History::new(Position::start());
        let position = root.position().clone();
        let search = Search::new(evaluator.clone(), prover.clone(), hash_bytes, position)?;
        let filler = Filler::new(FILLER_BITS);
        let solver = Solver::new(SOLVER_BYTES);
        let solver = solver.map_err(|TableRefused { bytes }| MemoryRefused { bytes })?;
        Ok(Worker {
            search,
            root,
            evaluator,
            prover,
            hash_bytes,
            threads: 1,
            filler,
            solver,
            events,
        })
    }

    /// Works until the player is gone.
    pub(super) fn run(mut self, work: &Receiver<Work<E>>) {
        for work in work {
            match work {
                Work::Search(task) => self.search(*task),
                Work::Perft { position, depth, control } => {
                    let divided = divide_until(&control.stop, &position, depth, |_, _| {});
                    let stopped = control.is_stopped();
                    (self.events)(Event::Counted { divided, depth, stopped });
                }
                Work::Resize(bytes) => match self.search.resize(bytes) {
                    Ok(()) => self.hash_bytes = bytes,
                    Err(error) => (self.events)(Event::MemoryRefused(error)),
                },
                Work::Threads(threads) => {
                    self.threads = threads;
                    self.search.set_threads(threads);
                }
                Work::Clear => {
                    self.search.clear();
                    self.solver.clear();
                }
                Work::Evaluation(evaluator) => {
                    self.evaluator = (*evaluator).clone();
                    self.search.set_evaluator(*evaluator);
                }
            }
        }
    }

    /// Searches, and answers when an answer is wanted.
    fn search(&mut self, task: Task) {
        let mut found = None;
        let thought = panic::catch_unwind(AssertUnwindSafe(|| self.think(&task, &mut found)));
        let report = thought.unwrap_or_else(|panic| {
            self.recover(&task.history);
            (self.events)(Event::Fault(message(panic.as_ref())));
            found.unwrap_or_else(|| fallback(&task))
        });
        // A search whose memory was too small for anything has no line, but there may be a move.
        let report = if report.lines.is_empty() { fallback(&task) } else { report };
        if task.infinite || task.ponder {
            task.control.sleep(task.infinite);
        }
        (self.events)(Event::Done(report));
    }

    /// The search proper. What it has reported is left in `found` too.
    fn think(&mut self, task: &Task, found: &mut Option<Report>) -> Report {
        match task.style {
            Style::Search => {}
            Style::Greedy => return greedy(task, &self.evaluator),
            Style::Random { seed } => return random(task, seed),
        }
        if let Some(report) = self.count(task) {
            return report;
        }
        let steps: Option<Vec<Step>> = task
            .history
            .since(&self.root)
            .map(|moves| moves.iter().flat_map(|mv| mv.steps()).collect());
        let position = task.history.position().clone();
        let side = position.side_to_move();
        if steps.as_ref().is_none_or(|steps| !steps.is_empty()) {
            self.search.set_root(position, steps.as_deref());
            self.root = task.history.clone();
        }
        let lost = match self.solve(task) {
            Some(Finding::Win(line)) => return self.unsearched(task, line),
            Some(Finding::Loss(verdict)) => Some(verdict),
            None => None,
        };
        let mut watch = Watch { task, events: &self.events, found, mate_found: false };
        let report = self.search.run(&task.limits, &task.control.stop, &mut watch);
        let mut report = Report::new(&report, side, task.asked.elapsed());
        if let Some(verdict) = lost
            && let Some(line) = report.lines.first_mut()
        {
            line.verdict = line.verdict.or(verdict);
        }
        report
    }

    /// What needs no search because only counting is left.
    fn count(&mut self, task: &Task) -> Option<Report> {
        let position = task.history.position();
        let line = task.any_line.then(|| settled::answer(position, &mut self.filler)).flatten()?;
        Some(self.unsearched(task, line))
    }

    /// What the solver finds out about the root before the search.
    fn solve(&mut self, task: &Task) -> Option<Finding> {
        if !task.any_line || task.mate.is_some() {
            return None;
        }
        let is_fresh = self.search.root_steps().next().is_none();
        let value = (!is_fresh).then(|| self.search.root_value());
        solving::solve(task.history.position(), &mut self.solver, task, value)
    }

    /// The report of a line that was found without a search.
    fn unsearched(&self, task: &Task, line: Line) -> Report {
        let report = Report::unsearched(Some(line), task.asked.elapsed());
        if task.infinite || task.ponder {
            // The end of it will be told only when somebody asks for it.
            (self.events)(Event::Report(report.clone()));
        }
        report
    }

    /// A new search in place of one that panicked, whose tree may be broken.
    fn recover(&mut self, history: &History) {
        self.root = history.clone();
        self.filler = Filler::new(FILLER_BITS);
        self.solver.clear();
        let position = history.position().clone();
        let (evaluator, prover) = (self.evaluator.clone(), self.prover.clone());
        match Search::new(evaluator, prover, self.hash_bytes, position.clone()) {
            Ok(mut search) => {
                search.set_threads(self.threads);
                self.search = search;
            }
            // Without memory for a second one, the old one begins anew.
            Err(_) => self.search.set_root(position, None),
        }
    }
}

/// Watches the clock, and passes reports on.
struct Watch<'a, F> {
    task: &'a Task,
    events: &'a F,
    found: &'a mut Option<Report>,
    mate_found: bool,
}

impl<F: Fn(Event)> Observer<Step> for Watch<'_, F> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let task = self.task;
        let hit = task.control.hit.get();
        if task.infinite || (task.ponder && hit.is_none()) {
            return ControlFlow::Continue(());
        }
        let thinking = task.asked.elapsed();
        let charged = hit.map_or(thinking, Instant::elapsed);
        let spent = task.budget.is_spent(thinking, charged, progress, task.analyse);
        if spent || self.mate_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn report(&mut self, report: &search::Report<Step>) {
        let side = self.task.history.position().side_to_move();
        let report = Report::new(report, side, self.task.asked.elapsed());
        if let (Some(wanted), Some(Line { verdict: Verdict::Win(turns), .. })) =
            (self.task.mate, report.lines.first())
        {
            self.mate_found = *turns <= wanted;
        }
        *self.found = Some(report.clone());
        (self.events)(Event::Report(report));
    }
}

/// Any legal move, if there is one, for a search that failed before it had one.
fn fallback(task: &Task) -> Report {
    let wanted = task.limits.turns.first().and_then(|steps| Move::whole_turns(steps).next());
    let mv = wanted.or_else(|| task.history.position().legal_moves().first().copied());
    let line = mv.map(|mv| Line { moves: vec![mv], verdict: Verdict::Estimate(Value::EVEN) });
    Report::unsearched(line, task.asked.elapsed())
}

/// What a panic said.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}
