//! Monte Carlo tree search over any [`Game`].
//!
//! The tree has a node for each step, so a turn of two steps is two levels; the side to move is
//! kept in the node and tells whether a value changes sign on its way up. Each visit evaluates one
//! new leaf; there are no playouts. Exact results, from the rules, from a [`Prover`] or from the
//! children, are kept apart from values and backed up exactly; a step that provably loses is never
//! visited again.
//!
//! The search reads nothing and prints nothing. It is told to stop by a flag or by its
//! [`Observer`], which also receives its reports. With one worker and a limit on nodes it is
//! deterministic: the same position, memory, tree and limits give the same report on every machine.
//! Several workers grow one tree together ([`Search::set_threads`]).

mod constants;
mod latch;
mod node;
mod number;
mod pool;
mod recycler;
mod report;
mod tree;
mod visit;
mod workers;

pub use pool::MemoryRefused;
pub use report::{Line, Observer, Progress, Report};

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use constants::Constants;
use node::{Edge, EdgeRef, Node};
use pool::Stock;
use tree::Tree;
use visit::{Taken, Worker};
use workers::Tally;

use crate::game::{Evaluator, Game, Prover, Value};

/// The most threads that the program offers: more than the cores of any machine it will meet, and few
/// enough for the working memory that each needs.
pub const MOST_THREADS: u16 = 1024;

/// Those who look into the tree beside the workers: the one who watches them.
const WATCHERS: usize = 1;

/// Memory for the longest of turns: each step needs a node, a list of steps and an edge.
const FIRST_TURN_UNITS: usize = 128;

/// A report is made at least so often.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// When a search ends. All limits that are set apply; without any it ends when it is told to, or
/// when the result of the root is proven.
#[derive(Clone, Debug)]
pub struct Limits<S> {
    /// At most so many positions are evaluated.
    pub nodes: Option<u64>,
    /// The search ends when its best line has so many turns.
    pub depth: Option<u32>,
    /// How many lines, each with another first turn, the reports hold.
    pub multipv: usize,
    /// Only these whole turns are considered at the root; all when empty. Such a search begins
    /// with an empty tree and leaves none.
    pub turns: Vec<Vec<S>>,
}

impl<S> Default for Limits<S> {
    fn default() -> Limits<S> {
        Limits { nodes: None, depth: None, multipv: 1, turns: Vec::new() }
    }
}

impl<S> Limits<S> {
    /// A limit of so many evaluated positions and no other.
    pub fn nodes(nodes: u64) -> Limits<S> {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }
}

/// A search: a root position, the tree that has grown from it, and all it needs to grow further.
///
/// ```
/// use otrera::amazons::Position;
/// use otrera::endgame::RegionProver;
/// use otrera::eval::Classical;
/// use otrera::search::{Limits, Search};
/// use std::sync::atomic::AtomicBool;
///
/// let root = Position::start();
/// let mut search = Search::new(Classical::default(), RegionProver::default(), 16 << 20, root)?;
/// let report = search.run(&Limits::nodes(500), &AtomicBool::new(false), &mut ());
/// assert_eq!(report.nodes, 500);
/// let line = &report.lines[0];
/// assert_eq!(line.steps.len(), 2 * line.turns as usize); // whole turns: queen step and arrow
/// # Ok::<(), otrera::search::MemoryRefused>(())
/// ```
pub struct Search<G: Game, E: Evaluator<G>, P: Prover<G>> {
    shared: Shared<G, E, P>,
    /// At least one.
    workers: Vec<Worker<G, E, P>>,
}

/// What all workers use together.
struct Shared<G: Game, E: Evaluator<G>, P: Prover<G>> {
    root: G,
    tree: Tree,
    evaluator: E,
    prover: P,
    constants: Constants,
    /// The whole turns that the present run is restricted to.
    turns: Vec<Vec<G::Step>>,
    /// What each worker has done in the present run.
    tallies: Vec<Tally>,
    /// Whether there is more than one worker.
    is_crowded: bool,
}

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Search<G, E, P> {
    /// A search by one worker from `root` whose tree may use `hash_bytes` bytes.
    ///
    /// # Errors
    /// When the system does not give that much memory.
    pub fn new(evaluator: E, prover: P, hash_bytes: usize, root: G) -> Result<Self, MemoryRefused> {
        let shared = Shared {
            root,
            tree: Tree::new(hash_bytes, 1 + WATCHERS)?,
            evaluator,
            prover,
            constants: Constants::default(),
            turns: Vec::new(),
            tallies: vec![Tally::default()],
            is_crowded: false,
        };
        let mut search = Search { shared, workers: vec![Worker::new(0)] };
        search.clear();
        Ok(search)
    }

    /// The position that is searched.
    pub fn root(&self) -> &G {
        &self.shared.root
    }

    /// The evaluator, to be told things between two runs. What the tree holds was judged by it as
    /// it was; [`clear`](Search::clear) forgets that.
    pub fn evaluator_mut(&mut self) -> &mut E {
        &mut self.shared.evaluator
    }

    /// Gives the search another evaluator, and forgets what was found with the old one.
    pub fn set_evaluator(&mut self, evaluator: E) {
        self.shared.evaluator = evaluator;
        self.workers.iter_mut().for_each(Worker::forget_evaluations);
        self.clear();
    }

    /// Lets so many workers search, at least one, each on a thread of its own. The tree stays. Only
    /// a search by one worker repeats itself.
    pub fn set_threads(&mut self, threads: usize) {
        let threads = threads.max(1);
        for mut worker in self.workers.drain(threads.min(self.workers.len())..) {
            self.shared.tree.restock(&mut worker.stock);
        }
        self.workers.extend((self.workers.len()..threads).map(Worker::new));
        self.shared.tallies.resize_with(threads, Tally::default);
        self.shared.tree.set_guests(threads + WATCHERS);
        self.shared.is_crowded = threads > 1;
    }

    /// The steps of the root that were visited, highest prior first: how often, and the mean value
    /// of the visits for the side to move at the root. A proven step has the value of its result.
    pub fn root_steps(&self) -> impl Iterator<Item = (G::Step, u32, Value)> {
        let tree = &self.shared.tree;
        let edges = tree.edges(tree.node(tree.root()));
        edges.map(|(_, edge)| (G::decode(edge.step()), edge.visits.get(), edge.mean()))
    }

    /// The mean value of the root's visits, for its side to move, or its result if that is proven.
    pub fn root_value(&self) -> Value {
        let root = self.shared.tree.node(self.shared.tree.root());
        root.proof().map_or(root.mean(), |proof| Value::of(proof.outcome, root.side_to_move()))
    }

    /// The bytes of the tree that are in use.
    pub fn tree_bytes(&self) -> usize {
        self.shared.tree.bytes(self.workers.iter().map(|worker| worker.stock.len()).sum())
    }

    /// Moves the search to another position. If `path` gives the steps that lead there from the
    /// present root, what the tree holds of it is kept; otherwise the tree begins anew.
    pub fn set_root(&mut self, root: G, path: Option<&[G::Step]>) {
        let kept = match path {
            Some([]) => true,
            Some(steps) => {
                self.shared.follow(steps).map(|at| self.shared.tree.set_root(at)).is_some()
            }
            None => false,
        };
        self.shared.root = root;
        if kept {
            self.shared.tree.reopen_first_turn();
        } else {
            self.clear();
        }
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.workers.iter_mut().for_each(|worker| worker.stock = Stock::default());
        let Shared { tree, root, constants, .. } = &mut self.shared;
        tree.reset(root.side_to_move(), constants, &mut self.workers[0].stock);
    }

    /// Gives the tree another memory budget, in bytes, and forgets what it held.
    ///
    /// # Errors
    /// When the system does not give that much memory; then the tree stays as it was.
    pub fn resize(&mut self, hash_bytes: usize) -> Result<(), MemoryRefused> {
        self.shared.tree = Tree::new(hash_bytes, self.workers.len() + WATCHERS)?;
        self.clear();
        Ok(())
    }

    /// Searches until a limit is reached, `stop` is set, the observer breaks, or the result of
    /// the root is proven. Blocks until then.
    ///
    /// The report holds at least one line of one whole turn, unless the game is over at the root (or
    /// the memory is too small for the root itself).
    pub fn run(
        &mut self,
        limits: &Limits<G::Step>,
        stop: &AtomicBool,
        observer: &mut impl Observer<G::Step>,
    ) -> Report<G::Step> {
        let start = Instant::now();
        self.shared.tallies.iter_mut().for_each(|tally| *tally = Tally::default());
        self.shared.turns.clone_from(&limits.turns);
        if !limits.turns.is_empty() {
            self.clear();
        }
        if self.shared.root.outcome().is_none() {
            self.visit_until(limits, stop, observer, start);
            // Without the memory for it the report has no line.
            let _ = self.complete_first_turn();
        }
        let report = self.shared.report(limits.multipv, start.elapsed());
        if !limits.turns.is_empty() {
            self.shared.turns.clear();
            self.clear();
        }
        report
    }

    /// Sees to it that the best line has at least one whole turn, however short the search was:
    /// where it ends inside the first turn, the step with the highest prior goes on. `None` if the
    /// memory does not suffice even for that.
    fn complete_first_turn(&mut self) -> Option<()> {
        let Search { shared, workers } = self;
        let worker = &mut workers[0];
        shared.tree.reserve(&mut worker.stock, FIRST_TURN_UNITS);
        let mut position = shared.root.clone();
        let mut node = shared.tree.root();
        worker.path.clear();
        loop {
            let here = shared.tree.node(node);
            let at = match shared.best_edge(node) {
                Some(at) => at,
                None => shared.first_step(worker, &position, here)?,
            };
            let edge = shared.tree.edge(at);
            worker.path.push(Taken { node, edge: at, announced: 0 });
            position.play(G::decode(edge.step()));
            if edge.ends_turn() {
                return Some(());
            }
            node = edge.child.get();
            if node.is_none() {
                let side = position.side_to_move();
                node = shared.add_node(worker, here, edge, side)?;
            }
        }
    }
}

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Shared<G, E, P> {
    /// The edge that the last of these steps from the root is, if it leads to a node.
    fn follow(&self, steps: &[G::Step]) -> Option<EdgeRef> {
        let mut node = self.tree.root();
        let mut last = None;
        for &step in steps {
            let code = G::encode(step);
            let mut edges = self.tree.edges(self.tree.node(node));
            let (at, edge) = edges.find(|(_, edge)| edge.step() == code)?;
            node = edge.child.get();
            if node.is_none() {
                return None;
            }
            last = Some(at);
        }
        last
    }

    /// Makes an edge, worth what its node is worth, of the step with the highest prior.
    fn first_step(
        &self,
        worker: &mut Worker<G, E, P>,
        position: &G,
        node: &Node,
    ) -> Option<EdgeRef> {
        if self.tree.wants_steps(node) {
            self.expand(worker, position, node, true)?;
        }
        let (step, _) = node.next_step()?;
        let mut child = position.clone();
        child.play(G::decode(step));
        let ends_turn = child.at_turn_start();
        let at = self.tree.add_edge(&mut worker.stock, node, ends_turn, node.mean())?;
        self.tree.edge(at).arrive();
        Some(at)
    }

    /// Whether the root's result is proven, by whole turns in the tree.
    fn is_decided(&self) -> bool {
        self.tree.node(self.tree.root()).proof().is_some()
    }

    /// The positions evaluated in this run.
    fn nodes(&self) -> u64 {
        self.tallies.iter().map(Tally::nodes).sum()
    }

    fn progress(&self, elapsed: Duration, reporter: &mut Reporter<G::Step>) -> Progress {
        let nodes = self.nodes();
        let root = self.tree.node(self.tree.root());
        let _guard = root.latch.close();
        let mut best: Option<&Edge> = None;
        let mut second = 0;
        for (_, edge) in self.tree.edges(root) {
            match best {
                Some(best) if edge.visits.get() <= best.visits.get() => {
                    second = second.max(edge.visits.get());
                }
                _ => {
                    second = best.map_or(0, |best| best.visits.get());
                    best = Some(edge);
                }
            }
        }
        let step = best.map(Edge::step);
        if step != reporter.best_step {
            reporter.best_step = step;
            reporter.best_changed_at = nodes;
        }
        Progress {
            nodes,
            elapsed,
            best_visits: best.map_or(0, |edge| u64::from(edge.visits.get())),
            second_visits: u64::from(second),
            best_value: best.map_or(Value::EVEN, Edge::mean),
            best_changed_at: reporter.best_changed_at,
        }
    }

    fn report(&self, multipv: usize, elapsed: Duration) -> Report<G::Step> {
        Report {
            lines: self.lines(multipv),
            nodes: self.nodes(),
            elapsed,
            seldepth: self.tallies.iter().map(Tally::seldepth).max().unwrap_or_default(),
            hashfull: self.tree.hashfull(),
            proofs: self.tallies.iter().map(Tally::proofs).sum(),
        }
    }
}

/// Decides when a report is due.
struct Reporter<S> {
    best_step: Option<u16>,
    best_changed_at: u64,
    /// The first turn and the depth of the last report.
    reported: Option<(Vec<S>, u32)>,
    reported_at: Duration,
    next_look: u64,
}

impl<S: Copy + Eq> Reporter<S> {
    fn new() -> Self {
        Reporter {
            best_step: None,
            best_changed_at: 0,
            reported: None,
            reported_at: Duration::ZERO,
            next_look: 0,
        }
    }

    /// Asks the observer whether to go on. Reports if the best line has a new first turn or has
    /// grown, or if a second went by; breaks when the limit on depth is reached. Looks at the line
    /// only now and then, where one worker searches at numbers of nodes that do not depend on the
    /// clock.
    fn look<G: Game<Step = S>, E: Evaluator<G>, P: Prover<G>>(
        &mut self,
        search: &Shared<G, E, P>,
        limits: &Limits<S>,
        elapsed: Duration,
        observer: &mut impl Observer<S>,
    ) -> ControlFlow<()> {
        let progress = search.progress(elapsed, self);
        observer.progress(&progress)?;
        let overdue = elapsed >= self.reported_at + REPORT_INTERVAL;
        if progress.nodes < self.next_look && !overdue {
            return ControlFlow::Continue(());
        }
        self.next_look = progress.nodes + (progress.nodes / 32).max(64);
        let line = search.best_line();
        if line.turns == 0 {
            return ControlFlow::Continue(());
        }
        let news = self
            .reported
            .as_ref()
            .is_none_or(|(turn, depth)| !line.steps.starts_with(turn) || line.turns > *depth);
        if news || overdue {
            self.reported_at = elapsed;
            self.reported = Some((line.first_turn().to_vec(), line.turns));
            observer.report(&search.report(limits.multipv, elapsed));
        }
        match limits.depth {
            Some(depth) if line.turns >= depth => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests;
