//! One visit: select, expand, evaluate, backup.
//!
//! Selection is PUCT (Rosin 2011, in the form of Silver et al. 2017): of the visited steps and the
//! most promising untried one, the step is taken whose mean value and prior, weighed against its
//! visits, are highest. A leaf gets its value at its first visit and its steps at the second, for
//! most leaves never see one. What a leaf proves goes up the path as far as it decides.

use super::Search;
use super::node::{EdgeRef, Prior, STEPS};
use super::pool::Unit;
use crate::game::{Colour, Evaluator, Game, Proof, Prover, Value};

/// What one worker owns: scratch memory that a visit needs and does not keep.
pub(super) struct Worker<G: Game, E: Evaluator<G>, P: Prover<G>> {
    evaluator: E::Scratch,
    prover: P::Scratch,
    steps: Vec<G::Step>,
    weights: Vec<f32>,
    /// Steps with their weights, and the same as the tree keeps them.
    ranked: Vec<(f32, u16)>,
    sorted: Vec<(u16, Prior)>,
    /// The nodes of the visit above the leaf, each with the edge that was taken.
    pub path: Vec<(Unit, EdgeRef)>,
    /// The deepest leaf of this run, in complete turns.
    pub seldepth: u32,
    /// The leaves of this run whose result the prover knew.
    pub proofs: u64,
}

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Default for Worker<G, E, P> {
    fn default() -> Self {
        Worker {
            evaluator: E::Scratch::default(),
            prover: P::Scratch::default(),
            steps: Vec::new(),
            weights: Vec::new(),
            ranked: Vec::new(),
            sorted: Vec::new(),
            path: Vec::new(),
            seldepth: 0,
            proofs: 0,
        }
    }
}

/// What selection found below a node.
enum Choice {
    Edge(EdgeRef),
    Untried,
    /// Every step is proven; only at a node that is proven itself.
    Nothing,
}

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Search<G, E, P> {
    /// Makes one visit from the root down and back.
    pub(super) fn visit(&mut self) {
        self.tree.recycle();
        let mut position = self.root.clone();
        let mut node = self.tree.root();
        let mut first_turn = true;
        let mut turns = 0;
        self.worker.path.clear();
        let (value, proven) = loop {
            let here = *self.tree.node(node);
            if let Some(proof) = here.proof() {
                break (Value::of(proof.outcome, here.side_to_move()), false);
            }
            if here.visits == 0 {
                break (self.evaluate(&position, first_turn).0, false);
            }
            // Without memory a visit goes no further and says once more what is known.
            let known = (here.mean(), false);
            if self.tree.wants_steps(node) && self.expand(&position, node, first_turn).is_none() {
                break known;
            }
            match self.select(node) {
                Choice::Edge(at) => {
                    let edge = *self.tree.edge(at);
                    position.play(G::decode(edge.step));
                    let child = if edge.child.is_none() {
                        let side = position.side_to_move();
                        self.tree.add_node(node, at, side)
                    } else {
                        Some(edge.child)
                    };
                    let Some(child) = child else { break known };
                    self.worker.path.push((node, at));
                    node = child;
                    first_turn &= !edge.ends_turn();
                    turns += u32::from(edge.ends_turn());
                }
                Choice::Untried => {
                    let Some((step, _)) = self.tree.next_step(node) else { break known };
                    position.play(G::decode(step));
                    turns += u32::from(position.at_turn_start());
                    break self.visit_leaf(&position, node, here.side_to_move(), first_turn);
                }
                Choice::Nothing => break known,
            }
        };
        self.worker.seldepth = self.worker.seldepth.max(turns);
        self.tree.node_mut(node).add(value);
        if proven {
            self.prove(node);
        }
        self.backup(node, value);
    }

    /// Evaluates a position that no visit has reached before and makes an edge to it. Returns its
    /// value for `side`, which moves at the parent, and whether its result is proven.
    fn visit_leaf(
        &mut self,
        position: &G,
        parent: Unit,
        side: Colour,
        first_turn: bool,
    ) -> (Value, bool) {
        let at_turn_start = position.at_turn_start();
        let (value, proof) = self.evaluate(position, first_turn && !at_turn_start);
        let value = if position.side_to_move() == side { value } else { -value };
        let Some(at) = self.tree.add_edge(parent, at_turn_start, value) else {
            return (value, false);
        };
        if proof.is_none() {
            return (value, false);
        }
        let node = self.tree.add_node(parent, at, position.side_to_move());
        if let Some(node) = node {
            self.tree.node_mut(node).set_proof(proof);
            self.tree.update_edge(parent, at);
        }
        (value, node.is_some())
    }

    /// The value of a position for its side to move, and its result if that is certain.
    fn evaluate(&mut self, position: &G, first_turn: bool) -> (Value, Option<Proof>) {
        let proof = match position.outcome() {
            Some(outcome) => Some(Proof { outcome, turns: 0 }),
            // Inside the root's turn a proof would say the result, but not the move that gets it.
            None if first_turn => None,
            None => {
                let proof = self.prover.prove(position, &mut self.worker.prover);
                self.worker.proofs += u64::from(proof.is_some());
                proof
            }
        };
        match proof {
            Some(proof) => (Value::of(proof.outcome, position.side_to_move()), Some(proof)),
            None => (self.evaluator.value(position, &mut self.worker.evaluator), None),
        }
    }

    /// Lists the steps of a node that were not tried yet, best first. `None` when the memory is used up.
    pub(super) fn expand(&mut self, position: &G, node: Unit, first_turn: bool) -> Option<()> {
        let worker = &mut self.worker;
        position.steps(&mut worker.steps);
        self.evaluator.priors(position, &worker.steps, &mut worker.evaluator, &mut worker.weights);
        if first_turn && !self.turns.is_empty() {
            let played: Vec<G::Step> =
                worker.path.iter().map(|&(_, at)| G::decode(self.tree.edge(at).step)).collect();
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
        let listed = self.tree.node(node).edge_count as usize + STEPS;
        if listed < count {
            worker.ranked.select_nth_unstable_by_key(listed - 1, order);
            worker.ranked.truncate(listed);
        }
        worker.ranked.sort_unstable_by_key(order);
        worker.sorted.clear();
        let steps = worker.ranked.iter().map(|&(weight, code)| (code, Prior::new(weight / sum)));
        worker.sorted.extend(steps);
        self.tree.set_steps(node, &worker.sorted, count)
    }

    /// Picks the step to visit: the highest sum of mean value and exploration.
    fn select(&self, node: Unit) -> Choice {
        let here = self.tree.node(node);
        let exploration = self.constants.exploration(here.variance(), here.visits);
        let explore = exploration * (here.visits as f32).sqrt();
        let mut best = f32::NEG_INFINITY;
        let mut choice = Choice::Nothing;
        for (unit, edges) in self.tree.edge_units(node) {
            for (slot, edge) in edges.iter().enumerate() {
                let explored = explore * edge.prior() / (1 + edge.visits) as f32;
                let score = edge.mean().get() + explored;
                if score > best && !edge.is_proven() {
                    best = score;
                    choice = Choice::Edge(EdgeRef { unit, slot });
                }
            }
        }
        if let Some((_, prior)) = self.tree.next_step(node) {
            let reduction = self.constants.fpu_reduction * here.visited_prior.sqrt();
            let score = here.mean().get() - reduction + explore * prior.get();
            if score > best {
                choice = Choice::Untried;
            }
        }
        choice
    }

    /// Records what the edges of a node prove. Returns whether they prove anything.
    fn prove(&mut self, node: Unit) -> bool {
        let proof = self.tree.proof_from_edges(node);
        self.tree.node_mut(node).set_proof(proof);
        proof.is_some()
    }

    /// Adds the value, given for the side to move at `node`, to every node above it.
    fn backup(&mut self, node: Unit, value: Value) {
        let side = self.tree.node(node).side_to_move();
        let mut proven = self.tree.node(node).proof().is_some();
        while let Some((parent, at)) = self.worker.path.pop() {
            self.tree.update_edge(parent, at);
            proven = proven && self.prove(parent);
            let node = self.tree.node_mut(parent);
            let value = match node.proof() {
                // A proof that reaches this node replaces what the leaf had to say.
                Some(proof) => Value::of(proof.outcome, node.side_to_move()),
                None if node.side_to_move() == side => value,
                None => -value,
            };
            node.add(value);
        }
    }
}
