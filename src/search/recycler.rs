//! The recycling of memory while the search goes on.
//!
//! When the memory runs low, a walk through the tree that goes on from visit to visit cuts off
//! nodes that were visited seldom. Their edges keep visits and value, and get a new node when they
//! are visited again. What is cut off may still have workers in it: it waits until they have left,
//! and is then taken apart a little at a time, so that no step of the search waits for it.

use std::collections::VecDeque;

use super::node::{EDGES, EdgeRef, Edges, Node};
use super::pool::{Stock, Unit};
use super::tree::Tree;

/// Nodes of garbage taken apart at a time.
const GARBAGE_SLICE: usize = 16;

/// Edges that the recycling walk looks at in one slice.
const WALK_SLICE: usize = 64;

/// A walk that frees less than 1/16 of the memory makes the next one cut more, for it costs about
/// as much as it gains; one that frees more than 1/4 makes the next one cut less.
const POOR_WALK: usize = 16;
const RICH_WALK: usize = 4;

/// Nodes visited at most so often are cut in the first walk.
const FIRST_CUT: u32 = 4;

pub(super) struct Recycler {
    /// What was cut off, the oldest first, with the epoch in which it was.
    cut_off: VecDeque<(u64, CutOff)>,
    /// Nodes that were cut off and left by all, with what is below them.
    garbage: Vec<Unit>,
    /// Where the walk stands: nodes from the root down, each with its next edge.
    walk: Vec<(Unit, Option<EdgeRef>)>,
    /// The walk cuts nodes visited at most so often.
    cut: u32,
    /// The units freed since the walk began.
    freed: usize,
}

/// Something that the tree no longer leads to.
#[derive(Clone, Copy)]
enum CutOff {
    /// A node and all below it.
    Node(Unit),
    /// Steps or edges of a node that is still in the tree.
    Unit(Unit),
}

impl Default for Recycler {
    fn default() -> Recycler {
        Recycler {
            cut_off: VecDeque::new(),
            garbage: Vec::new(),
            walk: Vec::new(),
            cut: FIRST_CUT,
            freed: 0,
        }
    }
}

impl Recycler {
    /// Takes a tree for garbage whose root was changed while nobody was in it.
    pub fn begin_anew(&mut self, old_root: Unit) {
        self.garbage.push(old_root);
        self.walk.clear();
    }

    /// Whether there is nothing left to take apart, and the walk cuts whatever it meets.
    pub fn is_exhausted(&self) -> bool {
        self.cut == u32::MAX && self.garbage.is_empty() && self.cut_off.is_empty()
    }

    /// Frees some memory, or comes nearer to it.
    pub fn go_on(&mut self, tree: &Tree, stock: &mut Stock) {
        let oldest = tree.epochs.oldest();
        while let Some(&(epoch, cut_off)) = self.cut_off.front()
            && epoch < oldest
        {
            self.cut_off.pop_front();
            match cut_off {
                CutOff::Node(node) => self.garbage.push(node),
                CutOff::Unit(unit) => {
                    tree.pool.release(stock, unit);
                    self.freed += 1;
                }
            }
        }
        if !self.garbage.is_empty() {
            self.collect_garbage(tree, stock);
        } else if self.cut_off.is_empty() {
            self.walk_on(tree);
        }
    }

    /// Takes garbage apart: each node's own units are released, its children become garbage.
    fn collect_garbage(&mut self, tree: &Tree, stock: &mut Stock) {
        for _ in 0..GARBAGE_SLICE {
            let Some(unit) = self.garbage.pop() else { return };
            let Recycler { garbage, freed, .. } = self;
            let mut release = |unit| {
                tree.pool.release(stock, unit);
                *freed += 1;
            };
            take_branches(tree, tree.node(unit), |part| match part {
                CutOff::Node(child) => garbage.push(child),
                CutOff::Unit(unit) => release(unit),
            });
            release(unit);
        }
    }

    fn walk_on(&mut self, tree: &Tree) {
        if self.walk.is_empty() {
            self.descend(tree, tree.root());
        }
        let mut cut_off = Vec::new();
        for _ in 0..WALK_SLICE {
            let Some(top) = self.walk.last_mut() else { break };
            let (unit, Some(at)) = *top else {
                self.walk.pop();
                if self.walk.is_empty() {
                    self.finish_walk(tree);
                }
                continue;
            };
            let node = tree.node(unit);
            let guard = node.latch.close();
            top.1 = tree.edge_after(node, at);
            let edge = tree.edge(at);
            let child = edge.child.get();
            if child.is_none() {
                continue;
            }
            if !edge.is_proven() && edge.visits.get() <= self.cut {
                edge.child.set(Unit::NONE);
                cut_off.push(CutOff::Node(child));
                continue;
            }
            drop(guard);
            // The result is kept and what proved it is not, except in the root's turn, where the
            // line to be played is told from it.
            if edge.is_proven() && edge.ends_turn() {
                let child = tree.node(child);
                let _guard = child.latch.close();
                take_branches(tree, child, |part| cut_off.push(part));
                child.forget_steps();
            } else {
                self.descend(tree, child);
            }
        }
        if !cut_off.is_empty() {
            let epoch = tree.epochs.advance();
            self.cut_off.extend(cut_off.into_iter().map(|part| (epoch, part)));
        }
    }

    /// The walk goes on below a node.
    fn descend(&mut self, tree: &Tree, unit: Unit) {
        let node = tree.node(unit);
        let _guard = node.latch.close();
        self.walk.push((unit, tree.first_edge(node)));
    }

    /// Adapts the cut to what the walk has freed.
    fn finish_walk(&mut self, tree: &Tree) {
        if self.freed < tree.pool.capacity() / POOR_WALK {
            self.cut = self.cut.saturating_mul(2);
        } else if self.freed > tree.pool.capacity() / RICH_WALK {
            self.cut = (self.cut / 2).max(FIRST_CUT);
        }
        self.freed = 0;
    }

    /// The nodes whose units and children are still to be freed, and the number of single units.
    #[cfg(test)]
    pub fn held(&self) -> (Vec<Unit>, usize) {
        let mut nodes = self.garbage.clone();
        let mut units = 0;
        for &(_, part) in &self.cut_off {
            match part {
                CutOff::Node(node) => nodes.push(node),
                CutOff::Unit(_) => units += 1,
            }
        }
        (nodes, units)
    }
}

/// Names the steps, the edges and the children of a node, which are to be taken from it.
fn take_branches(tree: &Tree, node: &Node, mut take: impl FnMut(CutOff)) {
    let steps = node.steps.get();
    if !steps.is_none() {
        take(CutOff::Unit(steps));
    }
    let count = node.edge_count.get() as usize;
    let mut unit = node.edges.get();
    for first in (0..count).step_by(EDGES) {
        let chunk = tree.pool.get::<Edges>(unit);
        let next = chunk.next.get();
        for edge in &chunk.edges[..EDGES.min(count - first)] {
            let child = edge.child.get();
            if !child.is_none() {
                take(CutOff::Node(child));
            }
        }
        take(CutOff::Unit(unit));
        unit = next;
    }
}
