//! The tree: nodes in the pool, growing at the leaves and recycled where it matters least.
//!
//! What is no longer needed (the moves not played, the subtrees that recycling cuts off) goes on a
//! list of garbage and is taken apart a little at a time, so that no step of the search waits for
//! it. When the memory runs low, a walk through the tree that goes on from visit to visit cuts off
//! nodes that were visited seldom. Their edges keep visits and value, and get a new node when they
//! are visited again.

use super::node::{EDGES, Edge, EdgeRef, Edges, Node, Prior, STEPS, Steps};
use super::pool::{MemoryRefused, Pool, UNIT, Unit};
use crate::game::{Colour, Outcome, Proof, Value};

/// Nodes of garbage taken apart at a time.
const GARBAGE_SLICE: usize = 16;

/// Edges that the recycling walk looks at in one slice.
const WALK_SLICE: usize = 64;

/// Recycling begins when less than 1/16 of the memory is free.
const LOW_WATER: usize = 16;

/// A walk that frees less than 1/16 of the memory makes the next one cut more, for it costs about
/// as much as it gains; one that frees more than 1/4 makes the next one cut less.
const POOR_WALK: usize = 16;
const RICH_WALK: usize = 4;

/// Nodes visited at most so often are cut in the first walk.
const FIRST_CUT: u32 = 4;

pub(super) struct Tree {
    pool: Pool,
    root: Unit,
    garbage: Vec<Unit>,
    /// Where the recycling walk stands: nodes from the root down, each with its next edge.
    walk: Vec<(Unit, Option<EdgeRef>)>,
    /// The recycling walk cuts nodes visited at most so often.
    cut: u32,
    /// The units of garbage taken apart since the walk began.
    freed: usize,
}

impl Tree {
    pub fn new(bytes: usize, side_to_move: Colour) -> Result<Tree, MemoryRefused> {
        let mut tree = Tree {
            pool: Pool::new(bytes)?,
            root: Unit::NONE,
            garbage: Vec::new(),
            walk: Vec::new(),
            cut: FIRST_CUT,
            freed: 0,
        };
        tree.reset(side_to_move);
        Ok(tree)
    }

    /// Forgets everything; the new root has this side to move.
    pub fn reset(&mut self, side_to_move: Colour) {
        self.pool.clear();
        self.garbage.clear();
        self.walk.clear();
        self.cut = FIRST_CUT;
        self.freed = 0;
        self.root = self.pool.allocate().expect("an empty pool has room for a node");
        *self.node_mut(self.root) = Node::new(side_to_move, 0, Value::EVEN);
    }

    /// Makes the node that this edge leads to the new root and everything else garbage.
    pub fn set_root(&mut self, at: EdgeRef) {
        // Cut loose first, or it would be taken apart with the rest.
        let root = std::mem::replace(&mut self.edge_mut(at).child, Unit::NONE);
        self.garbage.push(self.root);
        self.root = root;
        self.walk.clear();
    }

    pub fn root(&self) -> Unit {
        self.root
    }

    #[inline]
    pub fn node(&self, node: Unit) -> &Node {
        self.pool.get(node)
    }

    #[inline]
    pub fn node_mut(&mut self, node: Unit) -> &mut Node {
        self.pool.get_mut(node)
    }

    #[inline]
    pub fn edge(&self, at: EdgeRef) -> &Edge {
        &self.pool.get::<Edges>(at.unit).edges[at.slot]
    }

    #[inline]
    pub fn edge_mut(&mut self, at: EdgeRef) -> &mut Edge {
        &mut self.pool.get_mut::<Edges>(at.unit).edges[at.slot]
    }

    fn first_edge(&self, node: Unit) -> Option<EdgeRef> {
        let node = self.node(node);
        (node.edge_count > 0).then_some(EdgeRef { unit: node.edges, slot: 0 })
    }

    fn edge_after(&self, node: Unit, at: EdgeRef) -> Option<EdgeRef> {
        let node = self.node(node);
        let last = (node.edge_count as usize - 1) % EDGES;
        if at.unit == node.last_edges && at.slot == last {
            None
        } else if at.slot + 1 < EDGES {
            Some(EdgeRef { slot: at.slot + 1, ..at })
        } else {
            Some(EdgeRef { unit: self.pool.get::<Edges>(at.unit).next, slot: 0 })
        }
    }

    /// The steps that were visited, unit by unit, in the order of their first visits, which is that
    /// of their priors.
    #[inline]
    pub fn edge_units(&self, node: Unit) -> impl Iterator<Item = (Unit, &[Edge])> {
        let Node { edges, edge_count, .. } = *self.node(node);
        let mut unit = edges;
        (0..edge_count as usize).step_by(EDGES).map(move |first| {
            let here = unit;
            let chunk = self.pool.get::<Edges>(here);
            unit = chunk.next;
            (here, &chunk.edges[..EDGES.min(edge_count as usize - first)])
        })
    }

    /// The steps that were visited, one by one in the same order.
    #[inline]
    pub fn edges(&self, node: Unit) -> impl Iterator<Item = (EdgeRef, &Edge)> {
        self.edge_units(node).flat_map(|(unit, edges)| {
            edges.iter().enumerate().map(move |(slot, edge)| (EdgeRef { unit, slot }, edge))
        })
    }

    /// Whether the untried steps of a node must be listed before the next can be tried.
    #[inline]
    pub fn wants_steps(&self, node: Unit) -> bool {
        let node = self.node(node);
        node.steps.is_none() && (!node.is_expanded() || node.edge_count < node.step_count)
    }

    /// The untried step with the highest prior, of a node whose steps are listed.
    #[inline]
    pub fn next_step(&self, node: Unit) -> Option<(u16, Prior)> {
        let Node { steps, step_count, edge_count, .. } = *self.node(node);
        if edge_count >= step_count {
            return None;
        }
        let steps = self.pool.get::<Steps>(steps);
        let slot = edge_count as usize % STEPS;
        Some((steps.codes[slot], steps.priors[slot]))
    }

    /// The part of the memory that is in use, in permille.
    pub fn hashfull(&self) -> u16 {
        (self.pool.used() * 1000 / self.pool.capacity()) as u16
    }

    /// The bytes in use.
    pub fn bytes(&self) -> usize {
        self.pool.used() * UNIT
    }

    /// Tells a node how many steps it has, and its first ones, highest prior first; of those it has
    /// no edge for it keeps the first. Without memory nothing changes.
    pub fn set_steps(&mut self, node: Unit, steps: &[(u16, Prior)], count: usize) -> Option<()> {
        let unit = self.pool.allocate()?;
        let tried = self.node(node).edge_count as usize;
        let list: &mut Steps = self.pool.get_mut(unit);
        for (slot, &(code, prior)) in steps[tried..].iter().take(STEPS).enumerate() {
            (list.codes[slot], list.priors[slot]) = (code, prior);
        }
        let node = self.node_mut(node);
        node.steps = unit;
        node.step_count = count as u16;
        Some(())
    }

    /// Makes an edge of the next untried step of a node. Without memory nothing changes.
    pub fn add_edge(&mut self, parent: Unit, ends_turn: bool, value: Value) -> Option<EdgeRef> {
        let (step, prior) = self.next_step(parent)?;
        let count = self.node(parent).edge_count as usize;
        let slot = count % EDGES;
        if slot == 0 {
            let unit = self.pool.allocate()?;
            self.pool.get_mut::<Edges>(unit).next = Unit::NONE;
            let last = self.node(parent).last_edges;
            if last.is_none() {
                self.node_mut(parent).edges = unit;
            } else {
                self.pool.get_mut::<Edges>(last).next = unit;
            }
            self.node_mut(parent).last_edges = unit;
        }
        let at = EdgeRef { unit: self.node(parent).last_edges, slot };
        *self.edge_mut(at) = Edge::new(step, prior, ends_turn, value);
        let node = self.node_mut(parent);
        node.edge_count += 1;
        node.visited_prior += prior.get();
        if (count + 1).is_multiple_of(STEPS) {
            // All that were listed have become edges.
            let used_up = std::mem::replace(&mut node.steps, Unit::NONE);
            self.pool.release(used_up);
        }
        Some(at)
    }

    /// Gives an edge that has none a node, with what the edge knows. Without memory nothing
    /// changes.
    pub fn add_node(&mut self, parent: Unit, at: EdgeRef, side_to_move: Colour) -> Option<Unit> {
        let unit = self.pool.allocate()?;
        let edge = self.edge(at);
        let same_side = self.node(parent).side_to_move() == side_to_move;
        let mean = if same_side { edge.mean() } else { -edge.mean() };
        let node = Node::new(side_to_move, edge.visits, mean);
        *self.node_mut(unit) = node;
        self.edge_mut(at).child = unit;
        Some(unit)
    }

    /// Takes garbage apart: each node's own units are released, its children become garbage.
    fn collect_garbage(&mut self) {
        for _ in 0..GARBAGE_SLICE {
            let Some(node) = self.garbage.pop() else { return };
            self.cut_branches(node);
            self.pool.release(node);
        }
    }

    /// Takes steps and edges from a node; its children become garbage.
    fn cut_branches(&mut self, node: Unit) {
        let steps = self.node(node).steps;
        if !steps.is_none() {
            self.pool.release(steps);
        }
        let mut unit = self.node(node).edges;
        for first in (0..self.node(node).edge_count as usize).step_by(EDGES) {
            let chunk = *self.pool.get::<Edges>(unit);
            let count = EDGES.min(self.node(node).edge_count as usize - first);
            let children = chunk.edges[..count].iter().map(|edge| edge.child);
            self.garbage.extend(children.filter(|child| !child.is_none()));
            self.pool.release(unit);
            unit = chunk.next;
        }
        self.node_mut(node).forget_steps();
    }

    fn free(&self) -> usize {
        self.pool.capacity() - self.pool.used()
    }

    /// Goes on with recycling when memory is low. To be called between visits.
    #[inline]
    pub fn recycle(&mut self) {
        if self.free() < self.pool.capacity() / LOW_WATER {
            self.recycle_slice();
        }
    }

    /// Recycles until so many units are free, or there is nothing left to cut. To be called
    /// between visits, like [`recycle`](Tree::recycle).
    pub fn reserve(&mut self, units: usize) {
        while self.free() < units && (self.cut < u32::MAX || !self.garbage.is_empty()) {
            self.recycle_slice();
        }
    }

    fn recycle_slice(&mut self) {
        if !self.garbage.is_empty() {
            let used = self.pool.used();
            self.collect_garbage();
            self.freed += used - self.pool.used();
            return;
        }
        if self.walk.is_empty() {
            self.walk.push((self.root, self.first_edge(self.root)));
        }
        for _ in 0..WALK_SLICE {
            let Some(&(node, next)) = self.walk.last() else {
                self.finish_walk();
                return;
            };
            let Some(at) = next else {
                self.walk.pop();
                continue;
            };
            let after = self.edge_after(node, at);
            if let Some(top) = self.walk.last_mut() {
                top.1 = after;
            }
            let edge = *self.edge(at);
            if edge.child.is_none() {
                continue;
            }
            if edge.is_proven() {
                // The result is kept and what proved it is not, except in the root's turn, where
                // the line to be played is told from it.
                if edge.ends_turn() {
                    self.cut_branches(edge.child);
                    continue;
                }
            } else if edge.visits <= self.cut {
                self.edge_mut(at).child = Unit::NONE;
                self.garbage.push(edge.child);
                continue;
            }
            self.walk.push((edge.child, self.first_edge(edge.child)));
        }
    }

    /// Adapts the cut to what the walk has freed.
    fn finish_walk(&mut self) {
        if self.freed < self.pool.capacity() / POOR_WALK {
            self.cut = self.cut.saturating_mul(2);
        } else if self.freed > self.pool.capacity() / RICH_WALK {
            self.cut = (self.cut / 2).max(FIRST_CUT);
        }
        self.freed = 0;
    }

    /// What the edges prove about their node: a win if one of them wins, a loss or a draw when
    /// every step was visited and is proven.
    pub fn proof_from_edges(&self, node: Unit) -> Option<Proof> {
        let parent = self.node(node);
        let side = parent.side_to_move();
        let mut open = !parent.is_expanded() || parent.edge_count < parent.step_count;
        let mut win: Option<u16> = None;
        let mut rest: Option<Proof> = None;
        for (_, edge) in self.edges(node) {
            let Some(proof) = self.proof(edge) else {
                open = true;
                continue;
            };
            if proof.outcome == Outcome::Win(side) {
                win = Some(win.map_or(proof.turns, |least| least.min(proof.turns)));
            } else {
                // A draw is better than a loss; of two losses the longer one is.
                let rank = |proof: Proof| (proof.outcome == Outcome::Draw, proof.turns);
                if rest.is_none_or(|best| rank(best) < rank(proof)) {
                    rest = Some(proof);
                }
            }
        }
        match win {
            Some(turns) => Some(Proof { outcome: Outcome::Win(side), turns }),
            None if open => None,
            None => rest,
        }
    }

    /// The proven result of an edge, its bound on the turns counted from where the edge starts.
    pub fn proof(&self, edge: &Edge) -> Option<Proof> {
        if !edge.is_proven() {
            return None;
        }
        let proof = self.node(edge.child).proof()?;
        Some(Proof { turns: proof.turns.saturating_add(u16::from(edge.ends_turn())), ..proof })
    }

    /// Lets an edge know what its child has become.
    #[inline]
    pub fn update_edge(&mut self, parent: Unit, at: EdgeRef) {
        let side = self.node(parent).side_to_move();
        let child = self.edge(at).child;
        if !child.is_none() {
            let child = *self.node(child);
            self.edge_mut(at).update(&child, side);
        }
    }

    /// Drops every proof about positions inside the root's turn that does not rest on a whole
    /// turn in the tree: the result is known there, but not yet the move that reaches it.
    pub fn reopen_first_turn(&mut self) {
        self.reopen(self.root);
    }

    fn reopen(&mut self, node: Unit) {
        let inside: Vec<EdgeRef> = self
            .edges(node)
            .filter(|(_, edge)| !edge.ends_turn() && !edge.child.is_none())
            .map(|(at, _)| at)
            .collect();
        for at in inside {
            self.reopen(self.edge(at).child);
            self.update_edge(node, at);
        }
        let proof = self.proof_from_edges(node);
        self.node_mut(node).set_proof(proof);
    }

    /// The units of all nodes in the tree and in the garbage, which must be those in use.
    #[cfg(test)]
    pub fn count_units(&self) -> usize {
        let mut open = self.garbage.clone();
        open.push(self.root);
        let mut units = 0;
        while let Some(node) = open.pop() {
            let Node { steps, edge_count, .. } = *self.node(node);
            units += 1 + usize::from(!steps.is_none()) + (edge_count as usize).div_ceil(EDGES);
            let children = self.edges(node).map(|(_, edge)| edge.child);
            open.extend(children.filter(|child| !child.is_none()));
        }
        units
    }
}
