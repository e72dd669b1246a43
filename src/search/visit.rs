//! One visit: select, expand, evaluate, backup.
//!
//! Selection is PUCT (Rosin 2011, in the form of Silver et al. 2017): of the visited steps and the
//! most promising untried one, the step is taken whose mean value and prior, weighed against its
//! visits, are highest. A leaf gets its value at its first visit and its steps at the second, for
//! most leaves never see one. What a leaf proves goes up the path as far as it decides.
//!
//! Workers that visit at the same time are kept on different ways by the visits of an edge, which
//! count as soon as it is taken.
//!
//! Through nodes that have had many visits several go together, and part where they are few: the way
//! down and back is mostly waiting for memory, and a few visits more change nothing up there.

use std::hint::select_unpredictable;
use std::sync::atomic::{Ordering, fence};

use super::Shared;
use super::latch::Guard;
use super::node::{EDGES, Edge, EdgeRef, Node, Prior, STEPS, Sum, Summary};
use super::pool::{Stock, Unit};
use super::workers::VISITS_PER_LOOK;
use crate::game::{Colour, Evaluator, Game, Proof, Prover, Value};

/// What one worker owns: free memory for the tree, and scratch that a visit needs and does not keep.
/// No cache line of it is another's.
#[repr(align(128))]
pub(super) struct Worker<G: Game, E: Evaluator<G>, P: Prover<G>> {
    /// Its number among the workers.
    pub number: usize,
    pub stock: Stock,
    evaluator: E::Scratch,
    prover: P::Scratch,
    steps: Vec<G::Step>,
    weights: Vec<f32>,
    /// Steps with their weights, and the same as the tree keeps them.
    ranked: Vec<(f32, u16)>,
    sorted: Vec<(u16, Prior)>,
    /// The way of the visit above the leaf.
    pub path: Vec<Taken>,
}

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Worker<G, E, P> {
    pub fn new(number: usize) -> Self {
        Worker {
            number,
            stock: Stock::default(),
            evaluator: E::Scratch::default(),
            prover: P::Scratch::default(),
            steps: Vec::new(),
            weights: Vec::new(),
            ranked: Vec::new(),
            sorted: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Forgets what the evaluator has left with it.
    pub fn forget_evaluations(&mut self) {
        self.evaluator = E::Scratch::default();
    }
}

/// An edge on the way of a visit.
pub(super) struct Taken {
    /// The node it starts from.
    pub node: Unit,
    pub edge: EdgeRef,
    /// The visits that were counted for it on the way down.
    pub announced: u32,
}

/// What selection found below a node.
enum Choice {
    Edge(EdgeRef),
    Untried,
    /// Every step is proven, or another worker is on its first visit there.
    Nothing,
}

/// What a visit has found at its end.
struct Leaf {
    /// The value, for the side to move at the last node of the visit.
    value: Value,
    /// The edge from there that was made, and what it proves.
    edge: Option<(EdgeRef, Colour, Option<Proof>)>,
}

impl Leaf {
    fn known(value: Value) -> Leaf {
        Leaf { value, edge: None }
    }
}

/// Where a visit has come to on its way down.
#[derive(Clone)]
struct Way<G> {
    position: G,
    node: Unit,
    /// Whether the root's turn still lasts.
    first_turn: bool,
    /// The complete turns so far.
    turns: u32,
}

/// What visits have changed about a node.
#[derive(Clone, Copy)]
struct News {
    node: Unit,
    /// The values that were added.
    sum: Sum,
    /// What it has become.
    summary: Summary,
}

/// Visits go together through nodes that were visited at least so often.
const FORK_BELOW: u32 = 1024;

/// How many go together.
struct Company {
    /// One for so many visits of the node where they part.
    share: u64,
    /// And at most so many.
    most: u64,
    /// So many visits count for each edge down to there as soon as it is taken.
    announced: u32,
}

/// With one worker a visit more or less on the way changes nothing.
const ALONE: Company = Company { share: 64, most: 8, announced: 1 };

/// Several workers take each other's cache lines away on the way down and back, so more visits go
/// together, as many as a worker makes between two looks at the clock, and announce themselves so that
/// others go elsewhere: 15 % more visits with two workers.
const CROWDED: Company = Company { share: 16, most: VISITS_PER_LOOK, announced: 32 };

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Shared<G, E, P> {
    fn company(&self) -> Company {
        if self.is_crowded { CROWDED } else { ALONE }
    }

    /// Closes the latch of a node, if there is anybody to keep out.
    #[inline]
    fn close<'a>(&self, node: &'a Node) -> Option<Guard<'a>> {
        self.is_crowded.then(|| node.latch.close())
    }

    /// Makes some visits, at most as many as these, from the root down and back. Returns how many it
    /// made: none when other workers are on the only ways left.
    pub(super) fn visit(&self, worker: &mut Worker<G, E, P>, most: u64) -> u64 {
        let tree = &self.tree;
        tree.recycle(&mut worker.stock);
        let _stay = self.is_crowded.then(|| tree.enter(worker.number));
        worker.path.clear();
        let mut way =
            Way { position: self.root.clone(), node: tree.root(), first_turn: true, turns: 0 };
        let mut fork = None;
        let Some(leaf) = self.descend(worker, &mut way, Some(&mut fork)) else {
            self.turn_back(worker, 0);
            return 0;
        };
        let Some((start, depth)) = fork.filter(|_| most > 1) else {
            self.backup(worker, way.node, &leaf, 0);
            return 1;
        };
        let mut news = self.backup(worker, way.node, &leaf, depth);
        let Company { share, most: most_together, .. } = self.company();
        let visits = u64::from(tree.node(start.node).visits.get()) / share;
        let visits = visits.clamp(1, most_together);
        for _ in 1..visits.min(most) {
            if news.summary.is_proven {
                break;
            }
            let mut way = start.clone();
            let Some(leaf) = self.descend(worker, &mut way, None) else {
                self.turn_back(worker, depth);
                break;
            };
            let more = self.backup(worker, way.node, &leaf, depth);
            news = News { sum: news.sum + more.sum, ..more };
        }
        self.pass_on(worker, news, 0);
        u64::from(news.sum.visits)
    }

    /// Goes down from where a way has come to, to a leaf. Takes note of where the nodes begin that
    /// were visited seldom, and of the length of the path to there. `None` when other workers are on
    /// the only ways left.
    fn descend(
        &self,
        worker: &mut Worker<G, E, P>,
        way: &mut Way<G>,
        mut fork: Option<&mut Option<(Way<G>, usize)>>,
    ) -> Option<Leaf> {
        let tree = &self.tree;
        let leaf = loop {
            let here = tree.node(way.node);
            tree.pool.prefetch(here.last_child.get());
            tree.pool.prefetch(here.last_child_edges.get());
            if here.visits.get() < FORK_BELOW
                && let Some(fork) = fork.take()
            {
                let depth = worker.path.len();
                *fork = (depth > 0).then(|| (way.clone(), depth));
            }
            if let Some(proof) = here.proof() {
                break Leaf::known(Value::of(proof.outcome, here.side_to_move()));
            }
            // Without memory a visit goes no further and says once more what is known.
            let known = Leaf::known(here.mean());
            if here.visits.get() == 0 {
                break Leaf::known(self.evaluate(worker, &way.position, way.first_turn).0);
            }
            if tree.wants_steps(here) {
                let _guard = self.close(here);
                // The end of a game is proven when it is first seen, unless there was no memory for that.
                if let Some(outcome) = way.position.outcome() {
                    here.set_proof(Some(Proof { outcome, turns: 0 }));
                    break Leaf::known(Value::of(outcome, here.side_to_move()));
                }
                // Another worker may have been faster.
                let open = tree.wants_steps(here) && here.proof().is_none();
                if open && self.expand(worker, &way.position, here, way.first_turn).is_none() {
                    break known;
                }
            }
            match self.select(here) {
                Choice::Edge(at) => {
                    let edge = tree.edge(at);
                    way.position.play(G::decode(edge.step()));
                    let mut child = edge.child.get();
                    if child.is_none() {
                        let _guard = self.close(here);
                        // A node that was proven meanwhile may have been taken its edges.
                        if let Some(proof) = here.proof() {
                            break Leaf::known(Value::of(proof.outcome, here.side_to_move()));
                        }
                        let side = way.position.side_to_move();
                        match self.add_node(worker, here, edge, side) {
                            Some(added) => child = added,
                            None => break known,
                        }
                    }
                    let is_shared = here.visits.get() >= FORK_BELOW;
                    let announced = if is_shared { self.company().announced } else { 1 };
                    edge.count(announced as i32, self.is_crowded);
                    here.expect_child(child, tree.node(child));
                    worker.path.push(Taken { node: way.node, edge: at, announced });
                    way.node = child;
                    way.first_turn &= !edge.ends_turn();
                    way.turns += u32::from(edge.ends_turn());
                }
                Choice::Untried => {
                    let guard = self.close(here);
                    let next = here.next_step().filter(|_| here.proof().is_none());
                    // Another worker may have taken the last one, or made the rest pointless.
                    let Some((step, _)) = next else { continue };
                    let expected = Value::new(self.expected(here));
                    let side = here.side_to_move();
                    way.position.play(G::decode(step));
                    let ends_turn = way.position.at_turn_start();
                    let edge = tree.add_edge(&mut worker.stock, here, ends_turn, expected);
                    drop(guard);
                    way.turns += u32::from(ends_turn);
                    let inside = way.first_turn && !ends_turn;
                    let (value, proof) = self.evaluate(worker, &way.position, inside);
                    let mover = way.position.side_to_move();
                    let value = if mover == side { value } else { -value };
                    break Leaf { value, edge: edge.map(|at| (at, mover, proof)) };
                }
                Choice::Nothing if here.proof().is_some() => continue,
                Choice::Nothing if self.is_crowded => return None,
                Choice::Nothing => break known,
            }
        };
        self.tallies[worker.number].deepen(way.turns);
        Some(leaf)
    }

    /// The value of a position for its side to move, and its result if that is certain.
    fn evaluate(
        &self,
        worker: &mut Worker<G, E, P>,
        position: &G,
        first_turn: bool,
    ) -> (Value, Option<Proof>) {
        let proof = match position.outcome() {
            Some(outcome) => Some(Proof { outcome, turns: 0 }),
            // Inside the root's turn a proof would say the result, but not the move that gets it.
            None if first_turn => None,
            None => {
                let proof = self.prover.prove(position, &mut worker.prover);
                if proof.is_some() {
                    self.tallies[worker.number].add_proof();
                }
                proof
            }
        };
        match proof {
            Some(proof) => (Value::of(proof.outcome, position.side_to_move()), Some(proof)),
            None => (self.evaluator.value(position, &mut worker.evaluator), None),
        }
    }

    /// Lists the steps of a node that were not tried yet, best first. `None` when the memory is used up.
    pub(super) fn expand(
        &self,
        worker: &mut Worker<G, E, P>,
        position: &G,
        node: &Node,
        first_turn: bool,
    ) -> Option<()> {
        position.steps(&mut worker.steps);
        self.evaluator.priors(position, &worker.steps, &mut worker.evaluator, &mut worker.weights);
        if first_turn && !self.turns.is_empty() {
            let played: Vec<G::Step> = worker
                .path
                .iter()
                .map(|taken| G::decode(self.tree.edge(taken.edge).step()))
                .collect();
            for (weight, step) in worker.weights.iter_mut().zip(&worker.steps) {
                let allowed = self.turns.iter().any(|turn| {
                    turn.strip_prefix(played.as_slice())
                        .is_some_and(|rest| rest.first() == Some(step))
                });
                if !allowed {
                    *weight = 0.0;
                }
            }
        }
        let sum: f32 = worker.weights.iter().sum();
        worker.ranked.clear();
        let codes = worker.steps.iter().map(|&step| G::encode(step));
        worker.ranked.extend(worker.weights.iter().copied().zip(codes));
        worker.ranked.retain(|&(weight, _)| weight > 0.0);
        // The bits of floats above zero are in their order; of equal weights the lower code is
        // first.
        let order = |&(weight, code): &(f32, u16)| (!weight.to_bits(), code);
        let count = worker.ranked.len();
        // Only those that will be listed need to be in order.
        let listed = node.edge_count.get() as usize + STEPS;
        if listed < count {
            worker.ranked.select_nth_unstable_by_key(listed - 1, order);
            worker.ranked.truncate(listed);
        }
        worker.ranked.sort_unstable_by_key(order);
        worker.sorted.clear();
        let steps = worker.ranked.iter().map(|&(weight, code)| (code, Prior::new(weight / sum)));
        worker.sorted.extend(steps);
        self.tree.set_steps(&mut worker.stock, node, &worker.sorted, count)
    }

    /// Picks the step to visit: the highest sum of mean value and exploration.
    fn select(&self, node: &Node) -> Choice {
        let explore = node.explore.get();
        let mut best = f32::NEG_INFINITY;
        // A place in one number, so that the choice can be made without a branch: which of many
        // scores is the best cannot be foretold.
        let mut place = 0;
        for (unit, edges) in self.tree.edge_units(node) {
            for (slot, edge) in edges.iter().enumerate() {
                let score = edge.score(explore);
                let here = u64::from(unit.0) * EDGES as u64 + slot as u64;
                place = select_unpredictable(score > best, here, place);
                best = best.max(score);
            }
        }
        if let Some((_, prior)) = node.next_step()
            && self.expected(node) + explore * prior.get() > best
        {
            return Choice::Untried;
        }
        let unit = Unit((place / EDGES as u64) as u32);
        let slot = (place % EDGES as u64) as usize;
        // The weight of an edge was seen: with that, all that was written before it.
        fence(Ordering::Acquire);
        if unit.is_none() { Choice::Nothing } else { Choice::Edge(EdgeRef { unit, slot }) }
    }

    /// Gives an edge of a node one of its own, where this side moves. `None` when the memory is used
    /// up.
    pub(super) fn add_node(
        &self,
        worker: &mut Worker<G, E, P>,
        parent: &Node,
        edge: &Edge,
        side_to_move: Colour,
    ) -> Option<Unit> {
        self.tree.add_node(&mut worker.stock, parent, edge, side_to_move, &self.constants)
    }

    /// What an untried step of a node is taken to be worth, for the side to move there.
    #[inline]
    fn expected(&self, node: &Node) -> f32 {
        let reduction = self.constants.fpu_reduction * node.visited_prior.get().sqrt();
        node.mean().get() - reduction
    }

    /// Records at the last node of a visit what was found there, and adds the value to the nodes above
    /// it, as long as the path is longer than this. Returns the news for the node where that ends.
    fn backup(&self, worker: &mut Worker<G, E, P>, node: Unit, leaf: &Leaf, depth: usize) -> News {
        let tree = &self.tree;
        let here = tree.node(node);
        let guard = self.close(here);
        if let Some((at, mover, proof)) = leaf.edge {
            let edge = tree.edge(at);
            edge.set_mean(leaf.value);
            // A node that was proven meanwhile may have been taken its edges.
            if proof.is_some()
                && here.proof().is_none()
                && let Some(child) = self.add_node(worker, here, edge, mover)
            {
                tree.node(child).set_proof(proof);
                tree.update_edge(here, at, child, tree.node(child).summary());
                tree.prove(here);
            }
            edge.arrive();
        }
        let sum = Sum::of(leaf.value);
        here.add(&self.constants, sum);
        let news = News { node, sum, summary: here.summary() };
        drop(guard);
        self.pass_on(worker, news, depth)
    }

    /// Adds news to the nodes above, as long as the path is longer than this. Returns the news for the
    /// node where that ends.
    fn pass_on(&self, worker: &mut Worker<G, E, P>, mut news: News, depth: usize) -> News {
        let tree = &self.tree;
        while worker.path.len() > depth
            && let Some(Taken { node: parent, edge: at, announced }) = worker.path.pop()
        {
            let here = tree.node(parent);
            let _guard = self.close(here);
            let News { node, sum, summary } = news;
            tree.update_edge(here, at, node, summary);
            if sum.visits != announced {
                tree.edge(at).count(sum.visits as i32 - announced as i32, self.is_crowded);
            }
            if summary.is_proven {
                tree.prove(here);
            }
            let side = here.side_to_move();
            let sum = match here.proof() {
                // A proof that reaches this node replaces what the leaf had to say.
                Some(proof) => Sum::of(Value::of(proof.outcome, side)).times(sum.visits),
                None if side == summary.side => sum,
                None => -sum,
            };
            here.add(&self.constants, sum);
            news = News { node: parent, sum, summary: here.summary() };
        }
        news
    }

    /// Takes a visit back that has found no way, as long as the path is longer than this.
    fn turn_back(&self, worker: &mut Worker<G, E, P>, depth: usize) {
        for Taken { edge, announced, .. } in worker.path.drain(depth..) {
            self.tree.edge(edge).count(-(announced as i32), true);
        }
    }
}
