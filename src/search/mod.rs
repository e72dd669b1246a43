//! Monte Carlo tree search over any [`Game`].
//!
//! The tree has a node for each step, so a turn of two steps is two levels; the side to move is
//! kept in the node and tells whether a value changes sign on its way up. Each visit evaluates one
//! new leaf; there are no playouts. Exact results, from the rules, from a [`Prover`] or from the
//! children, are kept apart from values and backed up exactly; a step that provably loses is never
//! visited again.
//!
//! The search reads nothing and prints nothing. It is told to stop by a flag or by its
//! [`Observer`], which also receives its reports. With a limit on nodes it is deterministic: the
//! same position, memory, tree and limits give the same report on every machine.

mod constants;
mod node;
mod pool;
mod report;
mod tree;
mod visit;

pub use pool::MemoryRefused;
pub use report::{Line, Observer, Progress, Report};

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use constants::Constants;
use node::{Edge, EdgeRef};
use pool::Unit;
use tree::Tree;
use visit::Worker;

use crate::game::{Evaluator, Game, Prover, Value};

/// Visits between two looks at the clock and the stop flag: far below a millisecond.
const VISITS_PER_LOOK: u64 = 16;

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
    root: G,
    tree: Tree,
    evaluator: E,
    prover: P,
    constants: Constants,
    worker: Worker<G, E, P>,
    /// The whole turns that the present run is restricted to.
    turns: Vec<Vec<G::Step>>,
}

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Search<G, E, P> {
    /// A search from `root` whose tree may use `hash_bytes` bytes.
    ///
    /// # Errors
    /// When the system does not give that much memory.
    pub fn new(evaluator: E, prover: P, hash_bytes: usize, root: G) -> Result<Self, MemoryRefused> {
        Ok(Search {
            tree: Tree::new(hash_bytes, root.side_to_move())?,
            root,
            evaluator,
            prover,
            constants: Constants::default(),
            worker: Worker::default(),
            turns: Vec::new(),
        })
    }

    /// The position that is searched.
    pub fn root(&self) -> &G {
        &self.root
    }

    /// The evaluator, to be told things between two runs. What the tree holds was judged by it as
    /// it was; [`clear`](Search::clear) forgets that.
    pub fn evaluator_mut(&mut self) -> &mut E {
        &mut self.evaluator
    }

    /// Gives the search another evaluator, and forgets what was found with the old one.
    pub fn set_evaluator(&mut self, evaluator: E) {
        self.evaluator = evaluator;
        self.worker = Worker::default();
        self.clear();
    }

    /// The steps of the root that were visited, highest prior first: how often, and the mean value
    /// of the visits for the side to move at the root. A proven step has the value of its result.
    pub fn root_steps(&self) -> impl Iterator<Item = (G::Step, u32, Value)> {
        let root = self.tree.root();
        self.tree.edges(root).map(|(_, edge)| (G::decode(edge.step), edge.visits, edge.mean()))
    }

    /// The mean value of the root's visits, for its side to move, or its result if that is proven.
    pub fn root_value(&self) -> Value {
        let root = self.tree.node(self.tree.root());
        root.proof().map_or(root.mean(), |proof| Value::of(proof.outcome, root.side_to_move()))
    }

    /// The bytes of the tree that are in use.
    pub fn tree_bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// Moves the search to another position. If `path` gives the steps that lead there from the
    /// present root, what the tree holds of it is kept; otherwise the tree begins anew.
    pub fn set_root(&mut self, root: G, path: Option<&[G::Step]>) {
        let kept = match path {
            Some([]) => true,
            Some(steps) => self.follow(steps).map(|at| self.tree.set_root(at)).is_some(),
            None => false,
        };
        self.root = root;
        if kept {
            self.tree.reopen_first_turn();
        } else {
            self.clear();
        }
    }

    /// The edge that the last of these steps from the root is, if it leads to a node.
    fn follow(&self, steps: &[G::Step]) -> Option<EdgeRef> {
        let mut node = self.tree.root();
        let mut last = None;
        for &step in steps {
            let code = G::encode(step);
            let (at, edge) = self.tree.edges(node).find(|(_, edge)| edge.step == code)?;
            if edge.child.is_none() {
                return None;
            }
            node = edge.child;
            last = Some(at);
        }
        last
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.tree.reset(self.root.side_to_move());
    }

    /// Gives the tree another memory budget, in bytes, and forgets what it held.
    ///
    /// # Errors
    /// When the system does not give that much memory; then the tree stays as it was.
    pub fn resize(&mut self, hash_bytes: usize) -> Result<(), MemoryRefused> {
        self.tree = Tree::new(hash_bytes, self.root.side_to_move())?;
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
        self.worker.seldepth = 0;
        self.worker.proofs = 0;
        self.turns.clone_from(&limits.turns);
        if !self.turns.is_empty() {
            self.clear();
        }
        let mut nodes = 0;
        if self.root.outcome().is_none() {
            nodes = self.visit_until(limits, stop, observer, start);
            // Without the memory for it the report has no line.
            let _ = self.complete_first_turn();
        }
        let report = self.report(limits.multipv, nodes, start.elapsed());
        if !self.turns.is_empty() {
            self.turns.clear();
            self.clear();
        }
        report
    }

    /// The loop of visits; returns their number.
    fn visit_until(
        &mut self,
        limits: &Limits<G::Step>,
        stop: &AtomicBool,
        observer: &mut impl Observer<G::Step>,
        start: Instant,
    ) -> u64 {
        let mut reporter = Reporter::new();
        let mut nodes = 0;
        while limits.nodes.is_none_or(|limit| nodes < limit) && !self.is_decided() {
            // The flag carries no data with it, so no ordering is needed.
            if nodes % VISITS_PER_LOOK == 0 && stop.load(Ordering::Relaxed) {
                break;
            }
            self.visit();
            nodes += 1;
            if nodes % VISITS_PER_LOOK == 0 {
                let progress = self.progress(nodes, start.elapsed(), &mut reporter);
                if observer.progress(&progress).is_break() {
                    break;
                }
                if reporter.look(self, limits, &progress, observer).is_break() {
                    break;
                }
            }
        }
        nodes
    }

    /// Whether the root's result is proven, by whole turns in the tree.
    fn is_decided(&self) -> bool {
        self.tree.node(self.tree.root()).proof().is_some()
    }

    fn progress(
        &self,
        nodes: u64,
        elapsed: Duration,
        reporter: &mut Reporter<G::Step>,
    ) -> Progress {
        let mut best: Option<&Edge> = None;
        let mut second = 0;
        for (_, edge) in self.tree.edges(self.tree.root()) {
            match best {
                Some(best) if edge.visits <= best.visits => second = second.max(edge.visits),
                _ => {
                    second = best.map_or(0, |best| best.visits);
                    best = Some(edge);
                }
            }
        }
        let step = best.map(|edge| edge.step);
        if step != reporter.best_step {
            reporter.best_step = step;
            reporter.best_changed_at = nodes;
        }
        Progress {
            nodes,
            elapsed,
            best_visits: best.map_or(0, |edge| u64::from(edge.visits)),
            second_visits: u64::from(second),
            best_value: best.map_or(Value::EVEN, |edge| edge.mean()),
            best_changed_at: reporter.best_changed_at,
        }
    }

    fn report(&self, multipv: usize, nodes: u64, elapsed: Duration) -> Report<G::Step> {
        Report {
            lines: self.lines(multipv),
            nodes,
            elapsed,
            seldepth: self.worker.seldepth,
            hashfull: self.tree.hashfull(),
            proofs: self.worker.proofs,
        }
    }

    /// Sees to it that the best line has at least one whole turn, however short the search was:
    /// where it ends inside the first turn, the step with the highest prior goes on. `None` if the
    /// memory does not suffice even for that.
    fn complete_first_turn(&mut self) -> Option<()> {
        // Recycled now, since nothing may be while a path through the tree is held.
        self.tree.reserve(FIRST_TURN_UNITS);
        let mut position = self.root.clone();
        let mut node = self.tree.root();
        self.worker.path.clear();
        loop {
            let at = self.best_edge(node).or_else(|| self.first_step(&position, node))?;
            let edge = *self.tree.edge(at);
            self.worker.path.push((node, at));
            position.play(G::decode(edge.step));
            if edge.ends_turn() {
                return Some(());
            }
            node = if edge.child.is_none() {
                self.tree.add_node(node, at, position.side_to_move())?
            } else {
                edge.child
            };
        }
    }

    /// Makes an edge, worth what its node is worth, of the step with the highest prior.
    fn first_step(&mut self, position: &G, node: Unit) -> Option<EdgeRef> {
        if self.tree.wants_steps(node) {
            self.expand(position, node, true)?;
        }
        let (step, _) = self.tree.next_step(node)?;
        let mut child = position.clone();
        child.play(G::decode(step));
        self.tree.add_edge(node, child.at_turn_start(), self.tree.node(node).mean())
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

    /// Reports if the best line has a new first turn or has grown, or if a second went by; breaks
    /// when the limit on depth is reached. Looks at the line only now and then, at numbers of
    /// nodes that do not depend on the clock.
    fn look<G: Game<Step = S>, E: Evaluator<G>, P: Prover<G>>(
        &mut self,
        search: &Search<G, E, P>,
        limits: &Limits<S>,
        progress: &Progress,
        observer: &mut impl Observer<S>,
    ) -> ControlFlow<()> {
        let overdue = progress.elapsed >= self.reported_at + REPORT_INTERVAL;
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
            self.reported_at = progress.elapsed;
            self.reported = Some((line.first_turn().to_vec(), line.turns));
            observer.report(&search.report(limits.multipv, progress.nodes, progress.elapsed));
        }
        match limits.depth {
            Some(depth) if line.turns >= depth => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests;
