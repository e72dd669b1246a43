//! The tree: nodes in the pool, growing at the leaves and recycled where it matters least.
//!
//! Any number of workers grow it at once. What belongs to a node (its numbers, steps and edges) is
//! changed by who holds its latch, and nobody holds two; a search by one worker alone needs none.
//! Selection looks without the latch, so that workers that only pass do not wait for each other: what
//! is linked is complete before it is linked, nothing that can be reached is used for something else
//! before all have left the tree, and who acts on what was seen looks again with the latch closed.
//! Where a method takes a `&Node`, its latch is the caller's business.

use parking_lot::Mutex;

use super::constants::Constants;
use super::latch::{Epochs, Stay};
use super::node::{EDGES, Edge, EdgeRef, Edges, Node, Prior, STEPS, Steps, Summary};
use super::pool::{MemoryRefused, Pool, Stock, UNIT, Unit};
use super::recycler::Recycler;
use crate::game::{Colour, Outcome, Proof, Value};

/// Recycling begins when less than 1/16 of the memory is free.
const LOW_WATER: usize = 16;

pub(super) struct Tree {
    pub(super) pool: Pool,
    pub(super) epochs: Epochs,
    root: Unit,
    recycler: Mutex<Recycler>,
}

impl Tree {
    /// A tree in a memory of so many bytes, for at most so many who enter it.
    pub fn new(bytes: usize, guests: usize) -> Result<Tree, MemoryRefused> {
        Ok(Tree {
            pool: Pool::new(bytes)?,
            epochs: Epochs::new(guests),
            root: Unit::NONE,
            recycler: Mutex::default(),
        })
    }

    /// Allows so many to enter from now on.
    pub fn set_guests(&mut self, guests: usize) {
        self.epochs.resize(guests);
    }

    /// Takes back what a worker holds ready that is going to work no more.
    pub fn restock(&self, stock: &mut Stock) {
        self.pool.restock(stock);
    }

    /// Forgets everything; the new root has this side to move. All stocks but this must be empty.
    pub fn reset(&mut self, side_to_move: Colour, constants: &Constants, stock: &mut Stock) {
        *stock = Stock::default();
        self.pool.clear();
        *self.recycler.get_mut() = Recycler::default();
        self.root = self.pool.allocate(stock).expect("an empty pool has room for a node");
        self.node(self.root).begin(constants, side_to_move, 0, Value::EVEN);
    }

    /// Makes the node that this edge leads to the new root and everything else garbage.
    pub fn set_root(&mut self, at: EdgeRef) {
        // Cut loose first, or it would be taken apart with the rest.
        let edge = self.edge(at);
        let root = edge.child.get();
        edge.child.set(Unit::NONE);
        let recycler = self.recycler.get_mut();
        recycler.begin_anew(self.root);
        self.root = root;
    }

    pub fn root(&self) -> Unit {
        self.root
    }

    /// Enters the tree as one of its guests: units that can be reached stay what they are until the
    /// stay ends.
    #[inline]
    pub fn enter(&self, guest: usize) -> Stay<'_> {
        self.epochs.enter(guest)
    }

    #[inline]
    pub fn node(&self, node: Unit) -> &Node {
        self.pool.get(node)
    }

    #[inline]
    pub fn edge(&self, at: EdgeRef) -> &Edge {
        &self.pool.get::<Edges>(at.unit).edges[at.slot]
    }

    pub(super) fn first_edge(&self, node: &Node) -> Option<EdgeRef> {
        (node.edge_count.get() > 0).then(|| EdgeRef { unit: node.edges.get(), slot: 0 })
    }

    pub(super) fn edge_after(&self, node: &Node, at: EdgeRef) -> Option<EdgeRef> {
        let last = (node.edge_count.get() as usize).checked_sub(1)? % EDGES;
        if at.unit == node.last_edges.get() && at.slot == last {
            None
        } else if at.slot + 1 < EDGES {
            Some(EdgeRef { slot: at.slot + 1, ..at })
        } else {
            Some(EdgeRef { unit: self.pool.get::<Edges>(at.unit).next.get(), slot: 0 })
        }
    }

    /// The places of the steps that were visited, unit by unit, in the order of their first visits,
    /// which is that of their priors. The last of them may be empty.
    #[inline]
    pub fn edge_units(&self, node: &Node) -> impl Iterator<Item = (Unit, &[Edge; EDGES])> {
        let mut unit = node.edges.get();
        std::iter::from_fn(move || {
            let here = unit;
            (!here.is_none()).then(|| {
                let chunk = self.pool.get::<Edges>(here);
                unit = chunk.next.get();
                (here, &chunk.edges)
            })
        })
    }

    /// The steps that were visited, one by one in the same order.
    #[inline]
    pub fn edges(&self, node: &Node) -> impl Iterator<Item = (EdgeRef, &Edge)> {
        let places = self.edge_units(node).flat_map(|(unit, edges)| {
            edges.iter().enumerate().map(move |(slot, edge)| (EdgeRef { unit, slot }, edge))
        });
        places.take(node.edge_count.get().into())
    }

    /// Whether the untried steps of a node must be listed before the next can be tried.
    #[inline]
    pub fn wants_steps(&self, node: &Node) -> bool {
        node.steps.get().is_none()
            && (!node.is_expanded() || node.edge_count.get() < node.step_count.get())
    }

    /// Lets a node that has steps listed know which is the next.
    fn find_next_step(&self, node: &Node) {
        let edge_count = node.edge_count.get();
        let is_left = edge_count < node.step_count.get();
        let steps: &Steps = self.pool.get(node.steps.get());
        node.set_next_step(is_left.then(|| steps.get(edge_count as usize % STEPS)));
    }

    /// The part of the memory that is in use, in permille; what the workers hold ready counts too.
    pub fn hashfull(&self) -> u16 {
        let used = self.pool.capacity() - self.pool.free();
        (used * 1000 / self.pool.capacity()) as u16
    }

    /// The bytes in use, of which so many units are held ready.
    pub fn bytes(&self, stocked: usize) -> usize {
        (self.pool.capacity() - self.pool.free() - stocked) * UNIT
    }

    /// Tells a node how many steps it has, and its first ones, highest prior first; of those it has
    /// no edge for it keeps the first. Without memory nothing changes.
    pub fn set_steps(
        &self,
        stock: &mut Stock,
        node: &Node,
        steps: &[(u16, Prior)],
        count: usize,
    ) -> Option<()> {
        let unit = self.pool.allocate(stock)?;
        self.pool.get::<Steps>(unit).list(&steps[node.edge_count.get() as usize..]);
        node.steps.set(unit);
        node.step_count.set(count as u16);
        self.find_next_step(node);
        Some(())
    }

    /// Makes an edge of the next untried step of a node, whose first visit is on its way; until it
    /// is back the edge has this value. Without memory nothing changes.
    pub fn add_edge(
        &self,
        stock: &mut Stock,
        parent: &Node,
        ends_turn: bool,
        value: Value,
    ) -> Option<EdgeRef> {
        let (step, prior) = parent.next_step()?;
        let count = parent.edge_count.get();
        let slot = count as usize % EDGES;
        if slot == 0 {
            let unit = self.pool.allocate(stock)?;
            let empty = self.pool.get::<Edges>(unit);
            empty.next.set(Unit::NONE);
            empty.edges.iter().for_each(Edge::leave_empty);
            let last = parent.last_edges.get();
            if last.is_none() {
                parent.edges.set(unit);
            } else {
                self.pool.get::<Edges>(last).next.set(unit);
            }
            parent.last_edges.set(unit);
        }
        let at = EdgeRef { unit: parent.last_edges.get(), slot };
        self.edge(at).begin(step, prior, ends_turn, value);
        parent.edge_count.set(count + 1);
        parent.visited_prior.set(parent.visited_prior.get() + prior.get());
        if (count as usize + 1).is_multiple_of(STEPS) {
            // All that were listed have become edges.
            self.pool.release(stock, parent.steps.get());
            parent.steps.set(Unit::NONE);
            parent.set_next_step(None);
        } else {
            self.find_next_step(parent);
        }
        Some(at)
    }

    /// The node of an edge, which begins with what the edge knows if there was none yet. Without
    /// memory nothing changes.
    pub fn add_node(
        &self,
        stock: &mut Stock,
        parent: &Node,
        edge: &Edge,
        side_to_move: Colour,
        constants: &Constants,
    ) -> Option<Unit> {
        let present = edge.child.get();
        if !present.is_none() {
            return Some(present);
        }
        let unit = self.pool.allocate(stock)?;
        let same_side = parent.side_to_move() == side_to_move;
        let mean = if same_side { edge.mean() } else { -edge.mean() };
        self.node(unit).begin(constants, side_to_move, edge.visits.get(), mean);
        edge.child.set(unit);
        Some(unit)
    }

    /// Goes on with recycling when memory is low, unless another worker does. To be called between
    /// visits.
    #[inline]
    pub fn recycle(&self, stock: &mut Stock) {
        if self.pool.free() < self.pool.capacity() / LOW_WATER {
            self.recycle_slice(stock);
        }
    }

    #[cold]
    fn recycle_slice(&self, stock: &mut Stock) {
        if let Some(mut recycler) = self.recycler.try_lock() {
            recycler.go_on(self, stock);
        }
    }

    /// Recycles until so many units are free or in this stock, or there is nothing left to cut. To
    /// be called while nobody is in the tree.
    pub fn reserve(&mut self, stock: &mut Stock, units: usize) {
        let mut recycler = std::mem::take(self.recycler.get_mut());
        while self.pool.free() + stock.len() < units && !recycler.is_exhausted() {
            recycler.go_on(self, stock);
        }
        *self.recycler.get_mut() = recycler;
    }

    /// What the edges prove about their node: a win if one of them wins, a loss or a draw when
    /// every step was visited and is proven.
    fn proof_from_edges(&self, parent: &Node) -> Option<Proof> {
        let side = parent.side_to_move();
        let mut open = !parent.is_expanded() || parent.edge_count.get() < parent.step_count.get();
        let mut win: Option<u16> = None;
        let mut rest: Option<Proof> = None;
        for (_, edge) in self.edges(parent) {
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

    /// Records what the edges of a node prove, unless its result is known already. Returns whether
    /// it is now.
    pub fn prove(&self, node: &Node) -> bool {
        if node.proof().is_none() {
            node.set_proof(self.proof_from_edges(node));
        }
        node.proof().is_some()
    }

    /// The proven result of an edge, its bound on the turns counted from where the edge starts.
    pub fn proof(&self, edge: &Edge) -> Option<Proof> {
        if !edge.is_proven() {
            return None;
        }
        let proof = self.node(edge.child.get()).proof()?;
        Some(Proof { turns: proof.turns.saturating_add(u16::from(edge.ends_turn())), ..proof })
    }

    /// Lets an edge of a node know what the node that a visit went to from it has become.
    #[inline]
    pub fn update_edge(&self, parent: &Node, at: EdgeRef, child: Unit, summary: Summary) {
        let edge = self.edge(at);
        // What was cut off meanwhile may still tell its value, but cannot show a proof any more.
        let is_proven = summary.is_proven && edge.child.get() == child;
        edge.update(Summary { is_proven, ..summary }, parent.side_to_move());
    }

    /// Drops every proof about positions inside the root's turn that does not rest on a whole
    /// turn in the tree: the result is known there, but not yet the move that reaches it. To be
    /// called while nobody is in the tree.
    pub fn reopen_first_turn(&mut self) {
        self.reopen(self.root);
    }

    fn reopen(&self, unit: Unit) {
        let node = self.node(unit);
        for (at, edge) in self.edges(node) {
            let child = edge.child.get();
            if !edge.ends_turn() && !child.is_none() {
                self.reopen(child);
                edge.forget_proof();
                self.update_edge(node, at, child, self.node(child).summary());
            }
        }
        node.set_proof(self.proof_from_edges(node));
    }

    /// The units of all nodes in the tree and of what was cut off, which must be those in use.
    #[cfg(test)]
    pub fn count_units(&mut self) -> usize {
        let (mut open, mut units) = self.recycler.get_mut().held();
        open.push(self.root);
        while let Some(node) = open.pop() {
            let node = self.node(node);
            let edge_units = (node.edge_count.get() as usize).div_ceil(EDGES);
            units += 1 + usize::from(!node.steps.get().is_none()) + edge_units;
            let children = self.edges(node).map(|(_, edge)| edge.child.get());
            open.extend(children.filter(|child| !child.is_none()));
        }
        units
    }
}
