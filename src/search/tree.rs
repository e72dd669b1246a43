//! The tree: nodes in the pool, growing at the leaves and recycled where it matters least.
//!
//! What is no longer needed (the moves not played, the subtrees that recycling cuts off) goes on a
//! list of garbage and is taken apart a little at a time, so that no step of the search waits for
//! it. When the memory runs low, a walk through the tree that goes on from visit to visit cuts the
//! branches off nodes that were visited seldom; such a node keeps its own visits and value, and
//! grows anew when it is visited again.

use super::node::{Edge, Node, PriorStep};
use super::pool::{Block, MemoryRefused, Pool};
use crate::game::{Colour, Outcome, Proof};

/// Edges that a node has room for when it gets its first.
const FIRST_EDGES: u16 = 4;

/// Nodes of garbage taken apart at a time.
const GARBAGE_SLICE: usize = 16;

/// Edges that the recycling walk looks at in one slice.
const WALK_SLICE: usize = 64;

/// Recycling begins when less than 1/16 of the memory is free, and a walk that leaves less than
/// 1/8 free makes the next one cut more.
const LOW_WATER: usize = 16;
const HIGH_WATER: usize = 8;

/// Nodes visited at most so often are cut in the first walk.
const FIRST_CUT: u32 = 4;

pub(super) struct Tree {
    pool: Pool,
    root: Block,
    garbage: Vec<Block>,
    /// Where the recycling walk stands: nodes from the root down, each with its next edge.
    walk: Vec<(Block, u16)>,
    /// The recycling walk cuts nodes visited at most so often.
    cut: u32,
}

impl Tree {
    pub fn new(
        bytes: usize,
        side_to_move: Colour,
        at_turn_start: bool,
    ) -> Result<Tree, MemoryRefused> {
        let mut tree = Tree {
            pool: Pool::new(bytes)?,
            root: Block::NONE,
            garbage: Vec::new(),
            walk: Vec::new(),
            cut: FIRST_CUT,
        };
        tree.reset(side_to_move, at_turn_start);
        Ok(tree)
    }

    /// Forgets everything; the new root has this side to move.
    pub fn reset(&mut self, side_to_move: Colour, at_turn_start: bool) {
        self.pool.clear();
        self.garbage.clear();
        self.walk.clear();
        self.cut = FIRST_CUT;
        self.root =
            self.pool.allocate(size_of::<Node>()).expect("an empty pool has room for one node");
        *self.node_mut(self.root) = Node::new(side_to_move, at_turn_start);
    }

    /// Makes a descendant of the root the new root and everything else garbage.
    pub fn set_root(&mut self, path: &[(Block, usize)], root: Block) {
        for (depth, &(node, kept)) in path.iter().enumerate() {
            debug_assert!(depth > 0 || node == self.root);
            for (index, edge) in self.edges(node).to_vec().into_iter().enumerate() {
                if index != kept {
                    self.garbage.push(edge.child);
                }
            }
            self.release_branches(node);
            self.pool.release(node, size_of::<Node>());
        }
        self.root = root;
        self.walk.clear();
    }

    pub fn root(&self) -> Block {
        self.root
    }

    #[inline]
    pub fn node(&self, node: Block) -> &Node {
        self.pool.get(node)
    }

    #[inline]
    pub fn node_mut(&mut self, node: Block) -> &mut Node {
        self.pool.get_mut(node)
    }

    /// The steps that were visited, in the order of their first visits, which is that of their
    /// priors.
    #[inline]
    pub fn edges(&self, node: Block) -> &[Edge] {
        let Node { edges, edge_count, .. } = *self.node(node);
        self.pool.slice(edges, edge_count as usize)
    }

    #[inline]
    pub fn edge_mut(&mut self, node: Block, index: usize) -> &mut Edge {
        let Node { edges, edge_count, .. } = *self.node(node);
        &mut self.pool.slice_mut::<Edge>(edges, edge_count as usize)[index]
    }

    /// The untried step with the highest prior, of an expanded node.
    #[inline]
    pub fn next_step(&self, node: Block) -> Option<PriorStep> {
        let Node { steps, step_count, edge_count, .. } = *self.node(node);
        let steps: &[PriorStep] = self.pool.slice(steps, step_count as usize);
        steps.get(edge_count as usize).copied()
    }

    /// The part of the memory that is in use, in permille.
    pub fn hashfull(&self) -> u16 {
        (self.pool.used() * 1000 / self.pool.capacity()) as u16
    }

    /// The bytes in use.
    pub fn bytes(&self) -> usize {
        self.pool.used() * super::pool::UNIT
    }

    /// Gives a node its steps, highest prior first. Without memory nothing changes.
    pub fn expand(&mut self, node: Block, steps: &[PriorStep]) -> Option<()> {
        let block = self.allocate(size_of_val(steps))?;
        self.pool.slice_mut(block, steps.len()).copy_from_slice(steps);
        let node = self.node_mut(node);
        node.steps = block;
        node.step_count = steps.len() as u16;
        node.edge_count = 0;
        node.visited_prior = 0.0;
        Some(())
    }

    /// Turns the next untried step of a node into an edge, to a child that was never visited, and
    /// returns the index of the edge. Without memory nothing changes.
    pub fn add_edge(&mut self, parent: Block, child: Node) -> Option<usize> {
        let step = self.next_step(parent)?;
        self.make_room_for_edge(parent)?;
        let block = self.allocate(size_of::<Node>())?;
        *self.node_mut(block) = child;
        let index = self.node(parent).edge_count as usize;
        let node = self.node_mut(parent);
        node.edge_count += 1;
        node.visited_prior += step.prior();
        *self.edge_mut(parent, index) = Edge::new(block, step);
        Some(index)
    }

    fn make_room_for_edge(&mut self, parent: Block) -> Option<()> {
        let Node { edges, edge_count, edge_capacity, step_count, .. } = *self.node(parent);
        if edge_count < edge_capacity {
            return Some(());
        }
        let capacity = if edge_capacity == 0 {
            FIRST_EDGES
        } else {
            edge_capacity.saturating_mul(2).min(step_count.next_multiple_of(FIRST_EDGES))
        };
        let block = self.allocate(capacity as usize * size_of::<Edge>())?;
        if edge_capacity > 0 {
            let bytes = edge_capacity as usize * size_of::<Edge>();
            self.pool.copy(edges, block, bytes);
            self.pool.release(edges, bytes);
        }
        let node = self.node_mut(parent);
        node.edges = block;
        node.edge_capacity = capacity;
        Some(())
    }

    /// A block from the pool, after some recycling if need be.
    fn allocate(&mut self, bytes: usize) -> Option<Block> {
        if let Some(block) = self.pool.allocate(bytes) {
            return Some(block);
        }
        self.collect_garbage();
        self.pool.allocate(bytes)
    }

    /// Releases the steps and edges of a node, but not the children.
    fn release_branches(&mut self, node: Block) {
        let Node { steps, step_count, edges, edge_capacity, .. } = *self.node(node);
        if step_count > 0 {
            self.pool.release(steps, step_count as usize * size_of::<PriorStep>());
        }
        if edge_capacity > 0 {
            self.pool.release(edges, edge_capacity as usize * size_of::<Edge>());
        }
        let node = self.node_mut(node);
        node.steps = Block::NONE;
        node.edges = Block::NONE;
        (node.step_count, node.edge_count, node.edge_capacity) = (0, 0, 0);
        node.visited_prior = 0.0;
    }

    /// Makes a leaf of a node: its descendants become garbage.
    fn cut_branches(&mut self, node: Block) {
        let Node { edges, edge_count, .. } = *self.node(node);
        let edges: &[Edge] = self.pool.slice(edges, edge_count as usize);
        self.garbage.extend(edges.iter().map(|edge| edge.child));
        self.release_branches(node);
    }

    fn collect_garbage(&mut self) {
        for _ in 0..GARBAGE_SLICE {
            let Some(node) = self.garbage.pop() else { return };
            self.cut_branches(node);
            self.pool.release(node, size_of::<Node>());
        }
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

    fn recycle_slice(&mut self) {
        if !self.garbage.is_empty() {
            self.collect_garbage();
            return;
        }
        if self.walk.is_empty() {
            self.walk.push((self.root, 0));
        }
        for _ in 0..WALK_SLICE {
            let Some((node, next)) = self.walk.last_mut() else {
                self.finish_walk();
                return;
            };
            let (node, index) = (*node, *next as usize);
            *next += 1;
            match self.edges(node).get(index) {
                None => {
                    self.walk.pop();
                }
                // A node is expanded at its second visit, so below one of a single visit there is
                // nothing, and its cache line need not be fetched.
                Some(edge) if edge.visits > 1 => {
                    let child = edge.child;
                    if self.node(child).edge_count == 0 && edge.visits > self.cut {
                        continue;
                    }
                    if edge.visits > self.cut {
                        self.walk.push((child, 0));
                    } else if self.node(child).is_expanded() {
                        self.cut_branches(child);
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// Adapts the cut to what the walk has freed.
    fn finish_walk(&mut self) {
        if self.free() < self.pool.capacity() / HIGH_WATER {
            self.cut = self.cut.saturating_mul(2);
        } else {
            self.cut = (self.cut / 2).max(FIRST_CUT);
        }
    }

    /// What the edges prove about their node: a win if one of them wins, a loss or a draw when
    /// every step was visited and is proven.
    pub fn proof_from_edges(&self, node: Block) -> Option<Proof> {
        let parent = self.node(node);
        let side = parent.side_to_move();
        let complete = parent.is_expanded() && parent.edge_count == parent.step_count;
        let mut win: Option<u16> = None;
        let mut rest: Option<Proof> = None;
        let mut open = !complete;
        for edge in self.edges(node) {
            let child = self.node(edge.child);
            let Some(proof) = child.proof() else {
                open = true;
                continue;
            };
            let turns = proof.turns.saturating_add(u16::from(child.at_turn_start()));
            if proof.outcome == Outcome::Win(side) {
                win = Some(win.map_or(turns, |least| least.min(turns)));
            } else {
                // A draw is better than a loss; of two losses the longer one is.
                let rank = |proof: Proof| (proof.outcome == Outcome::Draw, proof.turns);
                let candidate = Proof { outcome: proof.outcome, turns };
                if rest.is_none_or(|best| rank(best) < rank(candidate)) {
                    rest = Some(candidate);
                }
            }
        }
        match win {
            Some(turns) => Some(Proof { outcome: Outcome::Win(side), turns }),
            None if open => None,
            None => rest,
        }
    }

    /// Records what was proven about a child in its edge.
    pub fn update_edge(&mut self, parent: Block, index: usize) {
        let side = self.node(parent).side_to_move();
        let child = *self.node(self.edges(parent)[index].child);
        let edge = self.edge_mut(parent, index);
        edge.update(&child, side);
        if child.proof().is_some() {
            edge.close();
        }
    }

    /// Drops every proof about positions inside the root's turn that does not rest on a whole
    /// turn in the tree: the result is known there, but not yet the move that reaches it.
    pub fn reopen_first_turn(&mut self) {
        self.reopen(self.root);
    }

    fn reopen(&mut self, node: Block) {
        for index in 0..self.edges(node).len() {
            let child = self.edges(node)[index].child;
            if !self.node(child).at_turn_start() {
                self.reopen(child);
                self.update_edge(node, index);
            }
        }
        let proof = self.proof_from_edges(node);
        self.node_mut(node).set_proof(proof);
    }
}
