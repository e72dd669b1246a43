//! How the visits of a search are shared out: to one worker on the calling thread, or to several on
//! threads of their own, which the calling thread watches.

use std::any::Any;
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::number::{U32, U64};
use super::visit::Worker;
use super::{Limits, Observer, Reporter, Search, Shared};
use crate::game::{Evaluator, Game, Prover};

/// Visits between two looks at the clock and the stop flag: far below a millisecond.
pub(super) const VISITS_PER_LOOK: u64 = 16;

/// How long who watches the workers sleeps between two looks. A thread that slept is woken before
/// those go on that have worked all the time, however many they are.
const WATCH_INTERVAL: Duration = Duration::from_millis(1);

/// What a worker has done in a run. It alone changes it, and a cache line is its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Tally {
    nodes: U64,
    proofs: U64,
    seldepth: U32,
}

impl Tally {
    /// Its visits.
    pub fn nodes(&self) -> u64 {
        self.nodes.get()
    }

    fn add_nodes(&self, nodes: u64) {
        self.nodes.set(self.nodes.get() + nodes);
    }

    /// The leaves whose result the prover knew.
    pub fn proofs(&self) -> u64 {
        self.proofs.get()
    }

    pub fn add_proof(&self) {
        self.proofs.set(self.proofs.get() + 1);
    }

    /// The deepest leaf, in complete turns.
    pub fn seldepth(&self) -> u32 {
        self.seldepth.get()
    }

    #[inline]
    pub fn deepen(&self, turns: u32) {
        self.seldepth.set(self.seldepth.get().max(turns));
    }
}

/// What one run hands out to its workers, and how it ends for all of them.
struct Run<'a> {
    limit: u64,
    /// The visits that were handed out; more than the limit when all are.
    taken: AtomicU64,
    stop: &'a AtomicBool,
    /// Set when the run is over for another reason.
    halt: AtomicBool,
    at_work: AtomicUsize,
    watcher: Thread,
}

impl Run<'_> {
    /// Takes some visits that nobody else makes; none when the limit is reached.
    fn take(&self) -> u64 {
        // Only the number itself counts, so no ordering is needed; nor for the flags, which carry
        // no data with them.
        let before = self.taken.fetch_add(VISITS_PER_LOOK, Ordering::Relaxed);
        self.limit.saturating_sub(before).min(VISITS_PER_LOOK)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.halt.load(Ordering::Relaxed)
    }
}

/// Ends the run for all when it is dropped, however that comes.
struct Halt<'a>(&'a AtomicBool);

impl Drop for Halt<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A worker at work: tells the watcher when it ends, and the others when it fails.
struct AtWork<'a>(&'a Run<'a>);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let Run { halt, at_work, watcher, .. } = self.0;
        if thread::panicking() {
            halt.store(true, Ordering::Relaxed);
        }
        at_work.fetch_sub(1, Ordering::Release);
        watcher.unpark();
    }
}

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Search<G, E, P> {
    /// Visits until the run that began at `start` ends.
    pub(super) fn visit_until(
        &mut self,
        limits: &Limits<G::Step>,
        stop: &AtomicBool,
        observer: &mut impl Observer<G::Step>,
        start: Instant,
    ) {
        if self.workers.len() == 1 || !self.work_together(limits, stop, observer, start) {
            self.work_alone(limits, stop, observer, start);
        }
    }

    fn work_alone(
        &mut self,
        limits: &Limits<G::Step>,
        stop: &AtomicBool,
        observer: &mut impl Observer<G::Step>,
        start: Instant,
    ) {
        let mut reporter = Reporter::new();
        let Search { shared, workers } = self;
        let worker = &mut workers[0];
        let tally = &shared.tallies[worker.number];
        while limits.nodes.is_none_or(|limit| tally.nodes() < limit) && !shared.is_decided() {
            if tally.nodes() % VISITS_PER_LOOK == 0 && stop.load(Ordering::Relaxed) {
                break;
            }
            let look = VISITS_PER_LOOK - tally.nodes() % VISITS_PER_LOOK;
            let left = limits.nodes.unwrap_or(u64::MAX) - tally.nodes();
            tally.add_nodes(shared.visit(worker, look.min(left)));
            if tally.nodes() % VISITS_PER_LOOK == 0
                && reporter.look(shared, limits, start.elapsed(), observer).is_break()
            {
                break;
            }
        }
    }

    /// Lets the workers visit on threads of their own. Returns whether there was any.
    fn work_together(
        &mut self,
        limits: &Limits<G::Step>,
        stop: &AtomicBool,
        observer: &mut impl Observer<G::Step>,
        start: Instant,
    ) -> bool {
        let mut reporter = Reporter::new();
        let Search { shared, workers } = self;
        let shared = &*shared;
        let guest = workers.len();
        let run = Run {
            limit: limits.nodes.unwrap_or(u64::MAX),
            taken: AtomicU64::new(0),
            stop,
            halt: AtomicBool::new(false),
            at_work: AtomicUsize::new(0),
            watcher: thread::current(),
        };
        let run = &run;
        let fault = thread::scope(|scope| {
            let _halt = Halt(&run.halt);
            let mut threads = Vec::new();
            for worker in workers {
                run.at_work.fetch_add(1, Ordering::Relaxed);
                let at_work = AtWork(run);
                let work = move || {
                    let _at_work = at_work;
                    shared.work(worker, run);
                };
                // Where the system gives no more threads, those there are do the work.
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(_) => break,
                }
            }
            if threads.is_empty() {
                return None;
            }
            while run.at_work.load(Ordering::Acquire) > 0 {
                thread::park_timeout(WATCH_INTERVAL);
                let _stay = shared.tree.enter(guest);
                if reporter.look(shared, limits, start.elapsed(), observer).is_break() {
                    break;
                }
            }
            run.halt.store(true, Ordering::Relaxed);
            let mut fault: Option<Box<dyn Any + Send>> = None;
            for thread in threads {
                fault = thread.join().err().or(fault);
            }
            Some(fault)
        });
        if let Some(Some(fault)) = fault {
            panic::resume_unwind(fault);
        }
        fault.is_some()
    }
}

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Shared<G, E, P> {
    /// Makes visits of a run until it ends.
    fn work(&self, worker: &mut Worker<G, E, P>, run: &Run) {
        loop {
            let mut visits = run.take();
            if visits == 0 || run.is_over() {
                return;
            }
            while visits > 0 {
                if self.is_decided() {
                    return;
                }
                let made = self.visit(worker, visits);
                if made > 0 {
                    self.tallies[worker.number].add_nodes(made);
                    visits -= made;
                } else if run.is_over() {
                    return;
                } else {
                    thread::yield_now();
                }
            }
        }
    }
}
