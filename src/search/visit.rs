//! One visit: select, expand, evaluate, backup.
//!
//! Selection is PUCT (Rosin 2011, in the form of Silver et al. 2017): of the visited steps and the
//! most promising untried one, the step is taken whose mean value and prior, weighed against its
//! visits, are highest. A leaf gets its value at its first visit and its steps at the second, for
//! most leaves never see one. What a leaf proves goes up the path as far as it decides.

use super::Search;
use super::node::{Node, PriorStep};
use super::pool::Block;
use crate::game::{Evaluator, Game, Outcome, Proof, Prover, Value};

/// What one worker owns: scratch memory that a visit needs and does not keep.
pub(super) struct Worker<G: Game, E: Evaluator<G>, P: Prover<G>> {
    evaluator: E::Scratch,
    prover: P::Scratch,
    steps: Vec<G::Step>,
    weights: Vec<f32>,
    sorted: Vec<PriorStep>,
    /// The nodes of the visit above the leaf, each with the edge that was taken.
    pub path: Vec<(Block, usize)>,
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
            sorted: Vec::new(),
            path: Vec::new(),
            seldepth: 0,
            proofs: 0,
        }
    }
}

/// What selection found below a node.
enum Choice {
    Edge(usize),
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
        let value = loop {
            let here = *self.tree.node(node);
            if let Some(proof) = here.proof() {
                break Value::of(proof.outcome, here.side_to_move());
            }
            if here.visits == 0 {
                break self.evaluate(&position, node, first_turn);
            }
            if !here.is_expanded() && self.expand(&position, node, first_turn).is_none() {
                break here.mean();
            }
            let index = match self.select(node) {
                Choice::Edge(index) => index,
                Choice::Untried => match self.add_child(&position, node) {
                    Some(index) => index,
                    None => break here.mean(),
                },
                Choice::Nothing => break here.mean(),
            };
            self.worker.path.push((node, index));
            let edge = self.tree.edges(node)[index];
            position.play(G::decode(edge.step.code()));
            node = edge.child;
            if self.tree.node(node).at_turn_start() {
                first_turn = false;
                turns += 1;
            }
        };
        self.worker.seldepth = self.worker.seldepth.max(turns);
        self.backup(node, value);
    }

    /// The value of a leaf for its side to move. A result that is certain is recorded.
    fn evaluate(&mut self, position: &G, node: Block, first_turn: bool) -> Value {
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
            Some(proof) => {
                self.tree.node_mut(node).set_proof(Some(proof));
                Value::of(proof.outcome, position.side_to_move())
            }
            None => self.evaluator.value(position, &mut self.worker.evaluator),
        }
    }

    /// Lists the steps of a node, best first. `None` when the memory is used up.
    pub(super) fn expand(&mut self, position: &G, node: Block, first_turn: bool) -> Option<()> {
        let worker = &mut self.worker;
        position.steps(&mut worker.steps);
        self.evaluator.priors(position, &worker.steps, &mut worker.evaluator, &mut worker.weights);
        if first_turn && !self.turns.is_empty() {
            let played: Vec<G::Step> = worker
                .path
                .iter()
                .map(|&(node, index)| G::decode(self.tree.edges(node)[index].step.code()))
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
        worker.sorted.clear();
        worker.sorted.extend(
            worker
                .steps
                .iter()
                .zip(&worker.weights)
                .filter(|&(_, &weight)| weight > 0.0)
                .map(|(&step, &weight)| PriorStep::new(G::encode(step), weight / sum)),
        );
        worker.sorted.sort_unstable_by_key(|step| step.sort_key());
        self.tree.expand(node, &worker.sorted)
    }

    /// Picks the step to visit: the highest sum of mean value and exploration.
    fn select(&self, node: Block) -> Choice {
        let here = self.tree.node(node);
        let explore = self.constants.cpuct * (here.visits as f32).sqrt();
        let mut best = f32::NEG_INFINITY;
        let mut choice = Choice::Nothing;
        for (index, edge) in self.tree.edges(node).iter().enumerate() {
            let score =
                edge.mean_or_closed() + explore * edge.step.prior() / (1 + edge.visits) as f32;
            if score > best {
                best = score;
                choice = Choice::Edge(index);
            }
        }
        if let Some(step) = self.tree.next_step(node) {
            let reduction = self.constants.fpu_reduction * here.visited_prior.sqrt();
            let score = here.mean().get() - reduction + explore * step.prior();
            if score > best {
                choice = Choice::Untried;
            }
        }
        choice
    }

    /// Makes an edge of the next untried step and returns its index.
    pub(super) fn add_child(&mut self, position: &G, node: Block) -> Option<usize> {
        let step = self.tree.next_step(node)?;
        let mut child = position.clone();
        child.play(G::decode(step.code()));
        self.tree.add_edge(node, Node::new(child.side_to_move(), child.at_turn_start()))
    }

    /// Adds the value, given for the leaf's side to move, to every node of the path.
    fn backup(&mut self, leaf: Block, value: Value) {
        let leaf_side = self.tree.node(leaf).side_to_move();
        let mut proven = self.tree.node(leaf).proof().is_some();
        self.tree.node_mut(leaf).add(value);
        while let Some((parent, index)) = self.worker.path.pop() {
            self.tree.update_edge(parent, index);
            if proven {
                let proof = self.tree.proof_from_edges(parent);
                self.tree.node_mut(parent).set_proof(proof);
                proven = proof.is_some();
            }
            let node = self.tree.node_mut(parent);
            let value = if node.side_to_move() == leaf_side { value } else { -value };
            // A proof that reaches this node replaces what the leaf had to say.
            let value = match node.proof() {
                Some(Proof { outcome: Outcome::Draw, .. }) => Value::EVEN,
                Some(proof) => Value::of(proof.outcome, node.side_to_move()),
                None => value,
            };
            node.add(value);
        }
    }
}
