//! Positions where only counting is left: no region holds amazons of both sides, so nothing either
//! side does can touch the other. There the best filling is the best play, and no search is needed.

use super::report::Line;
use super::verdict::Verdict;
use crate::amazons::Position;
use crate::endgame::{Filler, Shape};

/// Shapes that may be looked at for one filling: some milliseconds at the most.
const BUDGET: u64 = 10_000;

/// The move of the best filling of a settled position and what it is worth, if the position is
/// settled, a move is left, and the fillings of both sides are found exactly.
pub(super) fn answer(position: &Position, filler: &mut Filler) -> Option<Line> {
    if !position.is_settled() || !position.has_step() {
        return None;
    }
    let side = position.side_to_move();
    let [own, other] = [side, !side]
        .map(|colour| Shape::new(position.one_sided(colour), position.amazons(colour)));
    let own_moves = u16::from(filler.filling(&own, BUDGET).exact()?);
    let other_moves = u16::from(filler.filling(&other, BUDGET).exact()?);
    let mv = filler.best_move(&own, BUDGET)?;
    // The winner plays once more than the loser when it moves first, else as often.
    let verdict = if own_moves > other_moves {
        Verdict::Win(2 * other_moves + 1)
    } else {
        Verdict::Loss(2 * own_moves)
    };
    Some(Line { moves: vec![mv], verdict })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer_to(fen: &str) -> Option<Line> {
        answer(&Position::from_fen(fen).unwrap(), &mut Filler::new(8))
    }

    #[test]
    fn counting_decides() {
        // White has a1 and b1 to fill, Black has e1: two moves against one.
        assert_eq!(answer_to("2Q*q1 w").map(|line| line.verdict), Some(Verdict::Win(3)));
        assert_eq!(answer_to("2Q*q1 b").map(|line| line.verdict), Some(Verdict::Loss(2)));
        // The side to move loses with as many moves as the other.
        assert_eq!(answer_to("1Q*q1 w").map(|line| line.verdict), Some(Verdict::Loss(2)));
    }

    #[test]
    fn the_move_keeps_the_filling() {
        let line = answer_to("2Q*q1 w").unwrap();
        let mut position = Position::from_fen("2Q*q1 w").unwrap();
        position.play_move(line.moves[0]);
        assert_eq!(
            answer(&position, &mut Filler::new(8)).map(|line| line.verdict),
            Some(Verdict::Loss(2)),
            "{}",
            line.moves[0]
        );
    }

    #[test]
    fn nothing_is_said_while_something_is_open_or_when_all_is_over() {
        assert_eq!(answer(&Position::start(), &mut Filler::new(8)), None);
        assert_eq!(answer_to("Q*q1 w"), None);
    }
}
