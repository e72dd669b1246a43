//! What a search tells of itself: progress for clocks, best lines for people.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::time::Duration;

use super::Shared;
use super::node::{Edge, EdgeRef};
use super::pool::Unit;
use crate::game::{Colour, Evaluator, Game, Outcome, Proof, Prover, Value};

/// Receives what a running search reports. Both methods are called on the thread that runs the search
/// and must not block.
pub trait Observer<S> {
    /// Called every few dozen visits, or each millisecond where several workers search;
    /// [`ControlFlow::Break`] ends the search. Clocks live here.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let _ = progress;
        ControlFlow::Continue(())
    }

    /// Called when the best line has changed or grown, and at least once a second.
    fn report(&mut self, report: &Report<S>) {
        let _ = report;
    }
}

/// An observer that takes no notice.
impl<S> Observer<S> for () {}

/// How far a search has come, as cheaply as it can be told.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Positions evaluated in this run.
    pub nodes: u64,
    /// Time since the run began.
    pub elapsed: Duration,
    /// Visits of the most visited first step, those kept from earlier runs included.
    pub best_visits: u64,
    /// Visits of the second most visited first step.
    pub second_visits: u64,
    /// The value of the most visited first step, for the side to move at the root.
    pub best_value: Value,
    /// The nodes when another first step became the most visited one.
    pub best_changed_at: u64,
}

/// What a search has found so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<S> {
    /// The best whole turns, best first, at most as many as were asked for; at least one when the
    /// root has a legal turn.
    pub lines: Vec<Line<S>>,
    /// Positions evaluated in this run.
    pub nodes: u64,
    /// Time since the run began.
    pub elapsed: Duration,
    /// The deepest leaf of this run, in complete turns.
    pub seldepth: u32,
    /// The part of the memory that is in use, in permille.
    pub hashfull: u16,
    /// Leaves of this run whose result the prover knew.
    pub proofs: u64,
}

/// A line of play from the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<S> {
    /// The steps: whole turns only.
    pub steps: Vec<S>,
    /// The number of turns.
    pub turns: u32,
    /// How many of the steps belong to the first turn.
    pub first_turn_steps: usize,
    /// The value of the line's first turn, for the side to move at the root.
    pub value: Value,
    /// The visits of the position after the line's first turn.
    pub visits: u64,
    /// The result of the line's first turn, when it is proven. Its bound on the turns to the end
    /// is counted from the root.
    pub proof: Option<Proof>,
}

impl<S> Line<S> {
    /// The steps of the line's first turn.
    pub fn first_turn(&self) -> &[S] {
        &self.steps[..self.first_turn_steps]
    }
}

/// How good an edge is for the side that would play it: a proven win (the shorter the better);
/// then what was visited nearly as often as any other, by the value that it has for sure; then the
/// rest that is not proven to lose (the more visits the better, then the higher mean); then a loss
/// (the longer the better).
type Rank = (i8, Reverse<u16>, u32, u16, i32);

impl<G: Game, E: Evaluator<G>, P: Prover<G>> Shared<G, E, P> {
    /// The rank of an edge for this side, where `often` visits are nearly as many as any other has.
    fn rank(&self, side: Colour, edge: &Edge, often: u32) -> Rank {
        let mean = (edge.mean().get() * 1e6) as i32;
        let longest = Reverse(u16::MAX);
        match self.tree.proof(edge) {
            Some(Proof { outcome: Outcome::Win(winner), turns }) if winner == side => {
                (2, Reverse(turns), edge.visits.get(), 0, mean)
            }
            Some(Proof { outcome: Outcome::Win(_), turns }) => (-1, longest, 0, turns, mean),
            _ if edge.visits.get() >= often && !edge.child.get().is_none() => {
                let child = self.tree.node(edge.child.get());
                let doubt = self.constants.choice_doubt * child.standard_error();
                (1, longest, 0, 0, ((edge.mean().get() - doubt) * 1e6) as i32)
            }
            _ => (0, longest, edge.visits.get(), 0, mean),
        }
    }

    /// The number of visits from which on one of these edges competes with the most visited one.
    fn often<'a>(&self, edges: impl Iterator<Item = &'a Edge>) -> u32 {
        let most = edges.filter(|edge| !edge.is_proven()).map(|edge| edge.visits.get()).max();
        (most.unwrap_or_default() as f32 * self.constants.choice_share) as u32
    }

    /// The best edge of a node, if it has any; of equals the first.
    pub(super) fn best_edge(&self, node: Unit) -> Option<EdgeRef> {
        let node = self.tree.node(node);
        let _guard = node.latch.close();
        let side = node.side_to_move();
        let often = self.often(self.tree.edges(node).map(|(_, edge)| edge));
        let ranked = self.tree.edges(node).enumerate();
        let (_, (best, edge)) = ranked
            .max_by_key(|&(index, (_, edge))| (self.rank(side, edge, often), Reverse(index)))?;
        // A proven draw has few visits, since it needs no more, and is better than a bad position.
        if edge.mean() < Value::EVEN {
            let is_draw = |edge: &Edge| {
                self.tree.proof(edge).is_some_and(|proof| proof.outcome == Outcome::Draw)
            };
            let draw = self.tree.edges(node).find(|(_, edge)| is_draw(edge));
            return Some(draw.map_or(best, |(at, _)| at));
        }
        Some(best)
    }

    /// The line that begins with these edges and goes on with the best ones, cut to whole turns.
    fn line(&self, first: &[EdgeRef]) -> Line<G::Step> {
        let root = self.tree.node(self.tree.root());
        let mut line = Line {
            steps: Vec::new(),
            turns: 0,
            first_turn_steps: 0,
            value: root.mean(),
            visits: 0,
            proof: None,
        };
        let mut whole = 0;
        let mut node = self.tree.root();
        let mut ahead = first.iter();
        while !node.is_none() {
            let Some(at) = ahead.next().copied().or_else(|| self.best_edge(node)) else { break };
            let edge = self.tree.edge(at);
            line.steps.push(G::decode(edge.step()));
            if edge.ends_turn() {
                line.turns += 1;
                whole = line.steps.len();
                if line.turns == 1 {
                    // Before its end a turn's side to move is the root's.
                    line.first_turn_steps = whole;
                    line.visits = u64::from(edge.visits.get());
                    line.proof = self.tree.proof(edge);
                    line.value = edge.mean();
                }
            }
            node = edge.child.get();
        }
        if let Some(proof) = line.proof {
            line.value = Value::of(proof.outcome, self.root.side_to_move());
        }
        line.steps.truncate(whole);
        line
    }

    /// The best line alone.
    pub(super) fn best_line(&self) -> Line<G::Step> {
        self.line(&[])
    }

    /// The best `count` lines, each beginning with another whole turn.
    pub(super) fn lines(&self, count: usize) -> Vec<Line<G::Step>> {
        let best = self.best_line();
        if best.turns == 0 {
            return Vec::new();
        }
        if count <= 1 {
            return vec![best];
        }
        let mut turns = Vec::new();
        self.collect_turns(self.tree.root(), &mut Vec::new(), &mut turns);
        let side = self.root.side_to_move();
        let last = |path: &Vec<EdgeRef>| path.last().map(|&at| self.tree.edge(at));
        let often = self.often(turns.iter().filter_map(last));
        turns.sort_by_cached_key(|path| {
            Reverse(last(path).map(|edge| self.rank(side, edge, often)))
        });
        let mut lines = vec![best];
        for path in turns {
            if lines.len() == count {
                break;
            }
            let line = self.line(&path);
            if line.visits > 0 && line.first_turn() != lines[0].first_turn() {
                lines.push(line);
            }
        }
        lines
    }

    /// Finds every whole turn below a node of the root's turn.
    fn collect_turns(&self, node: Unit, path: &mut Vec<EdgeRef>, turns: &mut Vec<Vec<EdgeRef>>) {
        let node = self.tree.node(node);
        let guard = node.latch.close();
        let edges: Vec<(EdgeRef, &Edge)> = self.tree.edges(node).collect();
        drop(guard);
        for (at, edge) in edges {
            path.push(at);
            let child = edge.child.get();
            if edge.ends_turn() {
                turns.push(path.clone());
            } else if !child.is_none() {
                self.collect_turns(child, path, turns);
            }
            path.pop();
        }
    }
}
