//! The solver: who wins a position in which something is still contested.
//!
//! Depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002) over the steps of a [`Sum`]: the regions that one side has to itself are
//! numbers, so what happens there is not searched at all, and positions that differ only there are
//! one. A leaf is settled where the bound decides it.
//!
//! - The first numbers of another leaf grow exponentially with the territory that one side has more
//!   than the other. With the same numbers for all leaves, or numbers in proportion to it, the start
//!   of 5 files and 4 ranks takes ten to forty times the nodes.
//! - The proof number of a position with several unproven steps is that of the hardest and the number
//!   of the others (Ueda, Hashimoto, Hashimoto and Iida, "Weak proof-number search", 2008), because
//!   many orders of moves lead to the same end. The sum takes five times the nodes there.
//! - The threshold of a child exceeds the second-best by a quarter (Pawlewicz and Lew, "Improving
//!   depth-first PN-search: 1 + ε trick", 2006), so that the search does not jump between two lines.
//!
//! Where several regions are contested, what each is worth alone may decide (`worth`).
//!
//! Who wins by how much is the same question with free moves given to one side.

mod numbers;
mod table;
mod verify;
mod worth;

use numbers::{MOST, Numbers};
use table::Table;
pub use table::TableRefused;
pub use verify::Verification;
use worth::Worths;

use super::bound::decide;
use super::filling::Filler;
use super::shape::Shape;
use super::sum::{Play, Sum};
use crate::amazons::{Move, Position, Step};
use crate::game::Colour;

/// The binary logarithm of the places in the memory of fillings: four mebibytes.
const FILLER_BITS: u32 = 16;

/// Shapes that may be looked at for one filling inside the search, and for one at its root.
const FILLING_BUDGET: u64 = 100;
const ROOT_FILLING_BUDGET: u64 = 2_000;

/// Nodes between two looks at the clock and the stop flag. A node with large fillings may take a tenth
/// of a millisecond.
const NODES_PER_LOOK: u64 = 16;

/// The nodes that one question about a small region may cost.
const SMALL_NODES: u64 = 2_000;

/// When a search is given up.
pub struct Effort<'a> {
    /// After so many nodes.
    pub nodes: u64,
    /// When this says so. It is asked now and then, and told the nodes of all searches so far.
    pub is_enough: &'a mut dyn FnMut(u64) -> bool,
}

/// A child of the sum in search, and what is known of it for its own side to move.
#[derive(Clone, Copy)]
struct Child {
    sum: Sum,
    key: [u64; 2],
    play: Play,
    numbers: Numbers,
}

/// Finds out who wins, and remembers what it has searched.
pub struct Solver {
    table: Table,
    worths: Worths,
    pub(super) filler: Filler,
    /// The children of all sums on the way down, those of the last one at the end.
    children: Vec<Child>,
    small_nodes: u64,
    nodes: u64,
    last_node: u64,
    next_look: u64,
    given_up: bool,
}

impl Solver {
    /// A solver whose table has so many bytes.
    ///
    /// # Errors
    /// When the system does not give that much memory.
    pub fn new(bytes: usize) -> Result<Solver, TableRefused> {
        Solver::with(bytes, Filler::new(FILLER_BITS), SMALL_NODES)
    }

    /// The same with this filler, and so many nodes for one question about a small region.
    pub(super) fn with(
        bytes: usize,
        filler: Filler,
        small_nodes: u64,
    ) -> Result<Solver, TableRefused> {
        Ok(Solver {
            small_nodes,
            table: Table::new(bytes)?,
            worths: Worths::default(),
            filler,
            children: Vec::new(),
            nodes: 0,
            last_node: 0,
            next_look: 0,
            given_up: false,
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
        self.worths = Worths::default();
        self.filler = Filler::new(FILLER_BITS);
    }

    /// The nodes of all searches so far: positions that were valued, between two steps of a turn or
    /// two turns.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Who wins, when White has `surplus` free moves beside the board (Black, if it is negative); none
    /// if the effort does not suffice to know it.
    pub fn solve(
        &mut self,
        position: &Position,
        surplus: i16,
        effort: &mut Effort,
    ) -> Option<Colour> {
        let root = self.root(position, surplus);
        self.winner(&root, effort)
    }

    /// The steps that end the turn of the side to move, when it is known who wins: those that win,
    /// or else those that were hardest to refute. None if there is no turn to play, or the effort
    /// does not suffice.
    pub fn turn(
        &mut self,
        position: &Position,
        surplus: i16,
        winner: Colour,
        effort: &mut Effort,
    ) -> Option<Vec<Step>> {
        let mut position = position.clone();
        let mut steps = Vec::new();
        loop {
            let sum = self.root(&position, surplus);
            let play = if sum.side_to_move == winner {
                Some(self.winning_play(&sum, effort)?)
            } else {
                self.resistance(&sum)
            };
            let Some(Play::Step(step)) = play else {
                steps.extend(self.free_move(&position)?.steps());
                return Some(steps);
            };
            steps.push(step);
            position.play(step);
            if position.shooter().is_none() {
                return Some(steps);
            }
        }
    }

    /// The turns that follow when both sides play as [`turn`](Solver::turn) says, until nothing is
    /// contested any more, or the effort is spent. A turn that has begun already is not among them.
    pub fn line(&mut self, position: &Position, winner: Colour, effort: &mut Effort) -> Vec<Move> {
        let mut position = position.clone();
        let mut line = Vec::new();
        while !position.is_settled() {
            let Some(steps) = self.turn(&position, 0, winner, effort) else { break };
            steps.iter().for_each(|&step| position.play(step));
            line.extend(Move::whole_turns(&steps));
        }
        line
    }

    fn root(&mut self, position: &Position, surplus: i16) -> Sum {
        let mut root = Sum::from(position);
        root.surplus = surplus;
        root.reduce(&mut self.filler, ROOT_FILLING_BUDGET);
        root
    }

    /// What wins, for a side to move that does.
    fn winning_play(&mut self, sum: &Sum, effort: &mut Effort) -> Option<Play> {
        let first = self.children.len();
        self.list_children(sum, effort);
        let mut children: Vec<Child> = self.children.drain(first..).collect();
        let mover = sum.side_to_move;
        children.sort_by_key(|child| child.numbers.seen_by(child.sum.side_to_move == mover).proof);
        children
            .iter()
            .find_map(|child| (self.winner(&child.sum, effort)? == mover).then_some(child.play))
    }

    /// What took the most work to refute; none if nothing on the board can be played.
    fn resistance(&mut self, sum: &Sum) -> Option<Play> {
        let mut best = None;
        sum.for_each_play(|play| {
            let mut child = *sum;
            child.play(play, &mut self.filler, FILLING_BUDGET);
            let work = self.table.find(child.key()).map_or(0, |(_, work)| work);
            if play != Play::Free && best.is_none_or(|(most, _)| work > most) {
                best = Some((work, play));
            }
        });
        best.map(|(_, play)| play)
    }

    /// A move in regions of its own for the side to move.
    fn free_move(&mut self, position: &Position) -> Option<Move> {
        let side = position.side_to_move();
        let own = Shape::new(position.one_sided(side), position.amazons(side));
        self.filler.best_move(&own, ROOT_FILLING_BUDGET)
    }

    fn winner(&mut self, sum: &Sum, effort: &mut Effort) -> Option<Colour> {
        self.begin(effort);
        self.winner_within(sum, effort)
    }

    fn begin(&mut self, effort: &Effort) {
        self.last_node = self.nodes.saturating_add(effort.nodes);
        self.next_look = self.nodes;
        self.given_up = false;
    }

    /// The same with what is left of the effort.
    fn winner_within(&mut self, sum: &Sum, effort: &mut Effort) -> Option<Colour> {
        let mut numbers = self.known(sum, sum.key(), effort);
        if numbers.is_won().is_none() {
            numbers = self.search(sum, sum.key(), Numbers::ALL, effort).0;
        }
        let mover = sum.side_to_move;
        numbers.is_won().map(|won| if won { mover } else { !mover })
    }

    /// Searches below a sum until one of its numbers reaches its limit or the effort is spent.
    /// Returns its numbers and the expansions behind them.
    fn search(
        &mut self,
        sum: &Sum,
        key: [u64; 2],
        limits: Numbers,
        effort: &mut Effort,
    ) -> (Numbers, u32) {
        let first = self.children.len();
        self.list_children(sum, effort);
        let mut work = 1u32;
        let numbers = loop {
            let outlook = self.outlook(sum, first);
            let Outlook { numbers, .. } = outlook;
            let spent = numbers.proof >= limits.proof || numbers.disproof >= limits.disproof;
            if spent || numbers.is_won().is_some() || self.is_given_up(effort) {
                break numbers;
            }
            let child = self.children[outlook.best];
            let same_side = child.sum.side_to_move == sum.side_to_move;
            let below = outlook.limits_of_best(limits).seen_by(same_side);
            let (numbers, more) = self.search(&child.sum, child.key, below, effort);
            self.children[outlook.best].numbers = numbers;
            work = work.saturating_add(more);
        };
        self.children.truncate(first);
        self.table.keep(key, numbers, work);
        (numbers, work)
    }

    /// Adds the children of a sum to the list.
    fn list_children(&mut self, sum: &Sum, effort: &mut Effort) {
        let first = self.children.len();
        let Solver { children, filler, .. } = self;
        sum.for_each_play(|play| {
            let mut child = *sum;
            child.play(play, filler, FILLING_BUDGET);
            let key = child.key();
            children.push(Child { sum: child, key, play, numbers: Numbers::default() });
        });
        for at in first..self.children.len() {
            let Child { sum: child, key, .. } = self.children[at];
            let numbers = self.known(&child, key, effort);
            self.children[at].numbers = numbers;
            if numbers.seen_by(child.side_to_move == sum.side_to_move).is_won() == Some(true) {
                // Nobody will look at the others.
                self.children.swap(first, at);
                self.children.truncate(first + 1);
                break;
            }
        }
    }

    /// What is remembered of a sum, or seen at a glance.
    fn known(&mut self, sum: &Sum, key: [u64; 2], effort: &mut Effort) -> Numbers {
        if let Some((numbers, _)) = self.table.find(key) {
            return numbers;
        }
        self.nodes += 1;
        let mut winner = decide(sum, &mut self.filler, FILLING_BUDGET).map(|found| found.winner);
        if winner.is_none() && sum.shooter.is_none() && sum.has_several_regions() {
            winner = self.winner_by_worth(sum, effort);
        }
        let numbers = match winner {
            Some(winner) if winner == sum.side_to_move => Numbers::WON,
            Some(_) => Numbers::LOST,
            None => first_numbers(sum),
        };
        self.table.keep(key, numbers, 1);
        numbers
    }

    /// The numbers of a sum from those of its children, which are listed from `first` on.
    fn outlook(&self, sum: &Sum, first: usize) -> Outlook {
        let mut outlook =
            Outlook { numbers: Numbers::LOST, best: first, others: 0, second_proof: u32::MAX };
        let mut open = 0u32;
        for (at, child) in self.children.iter().enumerate().skip(first) {
            let Numbers { proof, disproof } =
                child.numbers.seen_by(child.sum.side_to_move == sum.side_to_move);
            if proof < outlook.numbers.proof {
                outlook.second_proof = outlook.numbers.proof;
                outlook.numbers.proof = proof;
                outlook.best = at;
            } else if proof < outlook.second_proof {
                outlook.second_proof = proof;
            }
            outlook.numbers.disproof = outlook.numbers.disproof.max(disproof);
            open += u32::from(disproof != 0);
        }
        if outlook.numbers.is_won().is_none() {
            outlook.others = open - 1;
            outlook.numbers.disproof = outlook.numbers.disproof.saturating_add(open - 1).min(MOST);
        }
        outlook
    }

    /// Whether the effort is spent.
    fn is_given_up(&mut self, effort: &mut Effort) -> bool {
        if self.nodes >= self.next_look && !self.given_up {
            self.next_look = self.nodes + NODES_PER_LOOK;
            self.given_up = self.nodes >= self.last_node || (effort.is_enough)(self.nodes);
        }
        self.given_up
    }
}

/// The numbers of a sum, and where to go on.
struct Outlook {
    numbers: Numbers,
    /// The child with the lowest proof number, and the next proof number, seen by the side to move
    /// at the sum.
    best: usize,
    second_proof: u32,
    /// What is added to the highest disproof number of the children for their number.
    others: u32,
}

impl Outlook {
    /// How far the search of the best child goes within the limits of its parent, seen by the
    /// parent's side to move.
    fn limits_of_best(&self, limits: Numbers) -> Numbers {
        let second = self.second_proof.min(MOST);
        Numbers {
            proof: limits.proof.min(second + second / 4 + 1),
            disproof: limits.disproof.saturating_sub(self.others),
        }
    }
}

/// What it is worth, in moves, to begin a turn. Found by trying, like the two below: on late positions
/// of games, and on small boards.
const TEMPO: i32 = 2;

/// The binary logarithm of both numbers where nobody is ahead, and the highest one.
const EVEN: i32 = 6;
const STEEPEST: i32 = 20;

/// The numbers of a sum that nothing else is known of. They double with each move that the side to
/// move has less, or more, than the other: free moves, and squares that are nearer to its amazons in
/// queen moves.
fn first_numbers(sum: &Sum) -> Numbers {
    let mover = sum.side_to_move;
    let mut open = sum.empty;
    let mut fronts = [sum.amazons(mover), sum.amazons(!mover)];
    let mut ahead = i32::from(sum.surplus_of(mover));
    loop {
        let [own, other] = fronts.map(|front| front.queen_moves(sum.empty) & open);
        if (own | other).is_empty() {
            break;
        }
        ahead += own.minus(other).count() as i32 - other.minus(own).count() as i32;
        open = open.minus(own | other);
        fronts = [own, other];
    }
    if sum.shooter.is_none() {
        ahead += TEMPO;
    }
    let number = |behind: i32| 1 << (EVEN + behind).clamp(0, STEEPEST);
    Numbers { proof: number(-ahead), disproof: number(ahead) }
}
