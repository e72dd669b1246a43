//! Proofs replayed: the winner's moves against every reply.

use std::collections::HashSet;

use super::{Effort, ROOT_FILLING_BUDGET, Solver};
use crate::amazons::Position;
use crate::endgame::Shape;
use crate::endgame::sum::Sum;
use crate::game::{Colour, Game, Outcome};

/// What became of a claim that one side wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verification {
    /// Every reply loses: so many different positions were replayed, to the end of the game or until
    /// only counting was left.
    Confirmed(u64),
    /// Some line does not end as claimed.
    Refuted,
    /// The effort was spent first.
    Unfinished(u64),
}

impl Solver {
    /// Replays the claim that `winner` wins a position: its moves, found by this solver, against every
    /// legal reply, by the rules alone, until the game is over or the fillings of both sides can be
    /// compared. The effort is for each position.
    pub fn verify(
        &mut self,
        position: &Position,
        winner: Colour,
        effort: &mut Effort,
    ) -> Verification {
        let mut replay = Replay { solver: self, winner, known: HashSet::new() };
        let confirmed = replay.check(position, effort);
        let positions = replay.known.len() as u64;
        match confirmed {
            Some(true) => Verification::Confirmed(positions),
            Some(false) => Verification::Refuted,
            None => Verification::Unfinished(positions),
        }
    }
}

struct Replay<'a> {
    solver: &'a mut Solver,
    winner: Colour,
    /// The keys of the positions that have been replayed, or are being.
    known: HashSet<[u64; 2]>,
}

impl Replay<'_> {
    /// Whether the claim holds here; none if that was not found out.
    fn check(&mut self, position: &Position, effort: &mut Effort) -> Option<bool> {
        if let Some(Outcome::Win(winner)) = position.outcome() {
            return Some(winner == self.winner);
        }
        if !self.known.insert(Sum::from(position).key()) {
            return Some(true);
        }
        if position.is_settled()
            && position.shooter().is_none()
            && let Some(winner) = self.counted(position)
        {
            return Some(winner == self.winner);
        }
        if position.side_to_move() == self.winner {
            let steps = self.solver.turn(position, 0, self.winner, effort)?;
            let mut position = position.clone();
            for step in steps {
                if !position.is_legal_step(step) {
                    return Some(false);
                }
                position.play(step);
            }
            return self.check(&position, effort);
        }
        if (effort.is_enough)(self.solver.nodes) {
            return None;
        }
        let mut steps = Vec::new();
        position.steps(&mut steps);
        for step in steps {
            let mut position = position.clone();
            position.play(step);
            if !self.check(&position, effort)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The winner of a settled position, where both fillings are found exactly.
    fn counted(&mut self, position: &Position) -> Option<Colour> {
        let side = position.side_to_move();
        let mut moves = |side| {
            let own = Shape::new(position.one_sided(side), position.amazons(side));
            self.solver.filler.filling(&own, ROOT_FILLING_BUDGET).exact()
        };
        Some(if moves(side)? > moves(!side)? { side } else { !side })
    }
}
