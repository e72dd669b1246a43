//! The board drawn for people.

use super::position::Position;
use super::square::Square;
use crate::game::Colour;

impl Position {
    /// What stands on a square: `W` and `B` for amazons, `X` for an arrow, `.` for nothing.
    pub fn sign(&self, square: Square) -> char {
        if self.amazons(Colour::White).contains(square) {
            'W'
        } else if self.amazons(Colour::Black).contains(square) {
            'B'
        } else if self.empty().contains(square) {
            '.'
        } else {
            'X'
        }
    }

    /// The board with the numbers of its ranks on the left and the letters of its files below, a
    /// line each, drawn with the signs that `sign` gives the squares.
    pub fn diagram(&self, sign: impl Fn(Square) -> char) -> String {
        let mut text = String::new();
        let mut row = |head: String, signs: &mut dyn Iterator<Item = char>| {
            text.push_str(&head);
            for sign in signs {
                text.extend([' ', sign]);
            }
            text.push('\n');
        };
        for rank in (0..self.ranks()).rev() {
            let squares = (0..self.files()).map(|file| Square::new(file, rank));
            row(format!("{:>2}", rank + 1), &mut squares.map(&sign));
        }
        row("  ".to_owned(), &mut (0..self.files()).map(|file| (b'a' + file) as char));
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::amazons::Position;

    #[test]
    fn a_small_board_is_drawn() {
        let position = Position::from_fen("Q*1/1q1 w").unwrap();
        assert_eq!(
            position.diagram(|square| position.sign(square)),
            " 2 W X .\n 1 . B .\n   a b c\n"
        );
    }
}
