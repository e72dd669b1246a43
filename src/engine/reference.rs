//! Reference players: what the search is measured against at the foot of a ladder.

use super::report::{Line, Report};
use super::verdict::Verdict;
use super::worker::Task;
use crate::amazons::{Move, Position, mix};
use crate::game::{Evaluator, Value};

/// Who chooses the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// The search.
    Search,
    /// The best move by static evaluation: both steps of the turn are looked at, and no answer.
    Greedy,
    /// Any legal move, each as likely as the others. The same seed gives the same move in the same
    /// position.
    Random {
        /// The seed.
        seed: u64,
    },
}

impl Style {
    /// The value of the option that stands for the style.
    pub(super) const NAMES: [&'static str; 3] = ["search", "greedy", "random"];
}

/// The moves that may be chosen, in a fixed order.
fn choices(task: &Task) -> Vec<Move> {
    let mut moves = task.history.position().legal_moves();
    if !task.limits.turns.is_empty() {
        moves.retain(|mv| task.limits.turns.iter().any(|turn| *turn == mv.steps()));
    }
    moves
}

/// The move after which the opponent's position is worst by static evaluation; of equals the first.
pub(super) fn greedy<E: Evaluator<Position>>(task: &Task, evaluator: &E) -> Report {
    let mut scratch = E::Scratch::default();
    let mut best: Option<(Value, Move, Verdict)> = None;
    let moves = choices(task);
    let nodes = moves.len() as u64;
    for mv in moves {
        let mut position = task.history.position().clone();
        position.play_move(mv);
        let (value, verdict) = if position.has_step() {
            let value = -evaluator.value(&position, &mut scratch);
            (value, Verdict::Estimate(value))
        } else {
            (Value::WIN, Verdict::Win(1))
        };
        if best.is_none_or(|(least, ..)| value > least) {
            best = Some((value, mv, verdict));
        }
    }
    let line = best.map(|(_, mv, verdict)| Line { moves: vec![mv], verdict });
    Report { nodes, seldepth: 1, ..Report::unsearched(line, task.asked.elapsed()) }
}

/// A move drawn by seed and position.
pub(super) fn random(task: &Task, seed: u64) -> Report {
    let moves = choices(task);
    let mixed = mix(seed ^ mix(task.history.position().hash()));
    // The high half of a product spreads the draw evenly over the moves.
    let index = (u128::from(mixed) * moves.len() as u128) >> 64;
    let mv = moves.get(index as usize).copied();
    let line = mv.map(|mv| Line { moves: vec![mv], verdict: Verdict::Estimate(Value::EVEN) });
    Report::unsearched(line, task.asked.elapsed())
}
