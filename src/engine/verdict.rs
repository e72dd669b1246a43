//! What the search thinks of a line, in the terms that people and GUIs use.

use crate::game::{Colour, Outcome, Proof, Value};

/// A score, for the side to move at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// An opinion.
    Estimate(Value),
    /// A proven win within this many turns of both sides together; the last one is the winner's,
    /// so the number is odd.
    Win(u16),
    /// A proven loss within this many turns; the last one is the opponent's, so the number is
    /// even. 0 when there is no legal turn.
    Loss(u16),
}

/// The value that a hundred centipawns stand for is a win probability of 64 %: 343 * 0.28 /
/// sqrt(1 - 0.28²) is 100.
const SCALE: f32 = 343.0;

/// The largest score in centipawns that is not a proof.
const LARGEST: i32 = 9999;

/// A value in centipawns: `343 v / sqrt(1 - v²)`, rounded, and within ±9999.
///
/// | win probability | 0.5 | 0.55 | 0.6 | 0.64 | 0.75 | 0.9 | 0.99 |
/// |---|---|---|---|---|---|---|---|
/// | centipawns | 0 | 34 | 70 | 100 | 198 | 457 | 1689 |
///
/// Near the middle this is the logistic curve of Elo, on which 100 points are 64 % too; it rises
/// faster at the ends, and needs nothing but operations that give the same bits everywhere.
pub fn centipawns(value: Value) -> i32 {
    let v = value.get();
    let rest = ((1.0 - v) * (1.0 + v)).max(0.0).sqrt();
    let cp = SCALE * v / rest.max(1e-3);
    (cp.round() as i32).clamp(-LARGEST, LARGEST)
}

impl Verdict {
    /// The verdict on a line of this value and proof, for `side`.
    ///
    /// A bound on the turns to the end is taken down by one where its parity is that of the other
    /// result: the loser never has the last turn.
    pub fn new(value: Value, proof: Option<Proof>, side: Colour) -> Verdict {
        match proof {
            Some(Proof { outcome: Outcome::Win(winner), turns }) if winner == side => {
                Verdict::Win(turns.saturating_sub(1) | 1)
            }
            Some(Proof { outcome: Outcome::Win(_), turns }) => Verdict::Loss(turns & !1),
            Some(Proof { outcome: Outcome::Draw, .. }) => Verdict::Estimate(Value::EVEN),
            None => Verdict::Estimate(value),
        }
    }

    /// This verdict if it is proven, or else the other one.
    pub(super) fn or(self, other: Verdict) -> Verdict {
        if let Verdict::Estimate(_) = self { other } else { self }
    }

    /// The chances of win, draw and loss, in permille.
    pub fn wdl(self) -> [u16; 3] {
        let win = match self {
            Verdict::Win(_) => 1000,
            Verdict::Loss(_) => 0,
            Verdict::Estimate(value) => (value.win_probability() * 1000.0).round() as u16,
        };
        [win, 0, 1000 - win]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_follow_the_formula_and_its_table() {
        let of = |probability: f32| centipawns(Value::new(2.0 * probability - 1.0));
        let table =
            [(0.5, 0), (0.55, 34), (0.6, 70), (0.64, 100), (0.75, 198), (0.9, 457), (0.99, 1689)];
        for (probability, cp) in table {
            // 343 * v / sqrt(1 - v²), in double precision.
            let v = 2.0 * f64::from(probability) - 1.0;
            assert_eq!((343.0 * v / (1.0 - v * v).sqrt()).round() as i32, cp);
            assert_eq!(of(probability), cp, "{probability}");
            assert_eq!(of(1.0 - probability), -cp, "{probability}");
        }
        assert_eq!(centipawns(Value::WIN), LARGEST);
        assert_eq!(centipawns(Value::LOSS), -LARGEST);
    }

    #[test]
    fn centipawns_rise_with_the_value() {
        let all: Vec<i32> =
            (-1000..=1000).map(|i| centipawns(Value::new(i as f32 / 1000.0))).collect();
        assert!(all.is_sorted());
    }

    #[test]
    fn the_winner_has_the_last_turn() {
        let verdict = |winner, turns| {
            let proof = Proof { outcome: Outcome::Win(winner), turns };
            Verdict::new(Value::EVEN, Some(proof), Colour::White)
        };
        assert_eq!(verdict(Colour::White, 1), Verdict::Win(1));
        assert_eq!(verdict(Colour::White, 2), Verdict::Win(1));
        assert_eq!(verdict(Colour::White, 5), Verdict::Win(5));
        assert_eq!(verdict(Colour::White, 6), Verdict::Win(5));
        assert_eq!(verdict(Colour::Black, 0), Verdict::Loss(0));
        assert_eq!(verdict(Colour::Black, 4), Verdict::Loss(4));
        assert_eq!(verdict(Colour::Black, 5), Verdict::Loss(4));
    }

    #[test]
    fn wdl_adds_up() {
        assert_eq!(Verdict::Estimate(Value::new(0.28)).wdl(), [640, 0, 360]);
        assert_eq!(Verdict::Win(3).wdl(), [1000, 0, 0]);
        assert_eq!(Verdict::Loss(2).wdl(), [0, 0, 1000]);
    }
}
