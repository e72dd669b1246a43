//! Which steps and moves are legal, and how many.

use super::bitboard::Bitboard;
use super::lines::Lines;
use super::position::{IllegalMove, Position};
use super::square::Square;
use super::step::{Move, Step};

impl Position {
    /// The empty squares that a queen's move from this square leads to.
    #[inline]
    pub fn queen_targets(&self, from: Square) -> Bitboard {
        self.empty().queen_targets(from)
    }

    /// Calls `f` with every legal step: amazons and their targets in the order a1, b1, … j10.
    #[inline]
    pub fn for_each_step(&self, mut f: impl FnMut(Step)) {
        match self.shooter() {
            Some(shooter) => {
                self.queen_targets(shooter).into_iter().for_each(|to| f(Step::Arrow(to)))
            }
            None => {
                for from in self.amazons(self.side_to_move()) {
                    for to in self.queen_targets(from) {
                        f(Step::Queen { from, to });
                    }
                }
            }
        }
    }

    /// Whether the side to move can play a step. Without one, at the start of a turn, it has lost.
    #[inline]
    pub fn has_step(&self) -> bool {
        let movers = match self.shooter() {
            Some(shooter) => Bitboard::from(shooter),
            None => self.amazons(self.side_to_move()),
        };
        movers.grown().intersects(self.empty())
    }

    /// The squares that the amazon which has gone `from`-`to` may shoot at.
    #[inline]
    pub fn arrow_targets(&self, from: Square, to: Square) -> Bitboard {
        self.empty().with(from).without(to).queen_targets(to)
    }

    /// Calls `f` with every legal move. Positions with a pending arrow have none: their turn has
    /// begun.
    pub fn for_each_move(&self, mut f: impl FnMut(Move)) {
        if self.shooter().is_some() {
            return;
        }
        self.for_each_step(|step| {
            if let Step::Queen { from, to } = step {
                self.arrow_targets(from, to)
                    .into_iter()
                    .for_each(|arrow| f(Move { from, to, arrow }));
            }
        });
    }

    /// All legal moves, in the order of [`for_each_move`](Position::for_each_move).
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.for_each_move(|mv| moves.push(mv));
        moves
    }

    /// The number of legal moves, found without listing them.
    pub fn count_moves(&self) -> u64 {
        match self.shooter() {
            Some(_) => 0,
            None => Lines::new(self.empty())
                .count_moves(self.amazons(self.side_to_move()), self.empty()),
        }
    }

    /// Whether this step is legal.
    pub fn is_legal_step(&self, step: Step) -> bool {
        match (step, self.shooter()) {
            (Step::Arrow(square), Some(shooter)) => self.queen_targets(shooter).contains(square),
            (Step::Queen { from, to }, None) => {
                self.amazons(self.side_to_move()).contains(from)
                    && self.queen_targets(from).contains(to)
            }
            _ => false,
        }
    }

    /// Whether this move is legal, found without listing the others.
    ///
    /// # Errors
    /// What forbids it.
    pub fn check_move(&self, mv: Move) -> Result<(), IllegalMove> {
        let Move { from, to, arrow } = mv;
        let side = self.side_to_move();
        if let Some(shooter) = self.shooter() {
            Err(IllegalMove::ArrowPending(shooter))
        } else if !self.amazons(side).contains(from) {
            Err(IllegalMove::NoAmazon { side, from })
        } else if !self.queen_targets(from).contains(to) {
            Err(IllegalMove::NoWay { from, to })
        } else if !self.arrow_targets(from, to).contains(arrow) {
            Err(IllegalMove::NoShot { to, arrow })
        } else {
            Ok(())
        }
    }
}
