//! A game as it has been played: where it began, and every move since.

use thiserror::Error;

use crate::amazons::{FenError, IllegalMove, Move, NotationError, Position, Square, excerpt};

/// A game between two turns.
#[derive(Clone, Debug)]
pub struct History {
    start: Position,
    moves: Vec<Move>,
    position: Position,
}

/// Why a text is not a move that can be played.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MoveError {
    /// It is no move.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The move is illegal in the position.
    #[error("'{text}' is illegal: {why}")]
    Illegal {
        /// The move as it was written.
        text: String,
        /// What forbids it.
        why: IllegalMove,
    },
}

/// Why a game could not be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SetupError {
    /// The text is no position.
    #[error("the position was refused: {0}")]
    Fen(#[from] FenError),
    /// In the position a turn has begun.
    #[error("the position was refused: the amazon on {0} has yet to shoot, and a turn is whole")]
    ArrowPending(Square),
    /// One of the moves cannot be played.
    #[error("the position was refused: move {number}: {error}")]
    Move {
        /// Which move it is, from 1.
        number: usize,
        /// Why not.
        error: MoveError,
    },
}

/// There is no move to take back.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no move to take back")]
pub struct NothingToUndo;

impl History {
    /// A game that begins here; the position must be at the start of a turn.
    pub fn new(start: Position) -> History {
        debug_assert!(start.shooter().is_none());
        History { position: start.clone(), start, moves: Vec::new() }
    }

    /// The game that begins with this FEN (or at the standard start) and goes on with these
    /// moves, in any notation.
    ///
    /// # Errors
    /// What is wrong, naming the part.
    pub fn read(fen: Option<&str>, moves: &[String]) -> Result<History, SetupError> {
        let start = fen.map_or_else(|| Ok(Position::start()), Position::from_fen)?;
        if let Some(shooter) = start.shooter() {
            return Err(SetupError::ArrowPending(shooter));
        }
        let mut history = History::new(start);
        for (index, text) in moves.iter().enumerate() {
            let mv = history
                .read_move(text)
                .map_err(|error| SetupError::Move { number: index + 1, error })?;
            history.play(mv);
        }
        Ok(history)
    }

    /// Reads a move, in any notation, that is legal now.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read_move(&self, text: &str) -> Result<Move, MoveError> {
        let mv = Move::read(text, &self.position)?;
        self.position
            .check_move(mv)
            .map_err(|why| MoveError::Illegal { text: excerpt(text), why })?;
        Ok(mv)
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.position.play_move(mv);
        self.moves.push(mv);
    }

    /// Takes the last move back.
    ///
    /// # Errors
    /// When there is none.
    pub fn undo(&mut self) -> Result<Move, NothingToUndo> {
        let last = self.moves.pop().ok_or(NothingToUndo)?;
        self.position = self.start.clone();
        for &mv in &self.moves {
            self.position.play_move(mv);
        }
        Ok(last)
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The moves since the start.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The moves that lead here from `earlier`, if that is a part of the same game.
    pub fn since(&self, earlier: &History) -> Option<&[Move]> {
        let same_start = self.start == earlier.start;
        self.moves.strip_prefix(earlier.moves.as_slice()).filter(|_| same_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn error(fen: Option<&str>, text: &str) -> String {
        History::read(fen, &moves(text)).unwrap_err().to_string()
    }

    #[test]
    fn a_game_is_read_in_any_notation_and_taken_back() {
        let mut game = History::read(None, &moves("d1d7,d7g7 d10-d8/d10")).unwrap();
        assert_eq!(game.position().turns(), 2);
        assert_eq!(game.undo().map(|mv| mv.to_string()), Ok("d10-d8/d10".into()));
        assert_eq!(game.position().turns(), 1);
        assert!(game.undo().is_ok());
        assert_eq!(*game.position(), Position::start());
        assert_eq!(game.undo(), Err(NothingToUndo));
    }

    #[test]
    fn errors_name_the_move() {
        assert_eq!(
            error(None, "d1d7,d7g7 d1d7,d7g7"),
            "the position was refused: move 2: 'd1d7,d7g7' is illegal: no black amazon stands on d1"
        );
        assert!(error(None, "e2e4").contains("move 1: "));
        assert!(error(Some("rnbqkbnr/8 w"), "").starts_with("the position was refused: rank 2"));
        assert_eq!(
            error(Some("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - d1 0 1"), ""),
            "the position was refused: the amazon on d1 has yet to shoot, and a turn is whole"
        );
    }

    #[test]
    fn the_way_from_an_earlier_position_is_found() {
        let earlier = History::read(None, &moves("d1d7,d7g7")).unwrap();
        let later = History::read(None, &moves("d1d7,d7g7 d10d8,d8d10 a4a5,a5a4")).unwrap();
        assert_eq!(later.since(&earlier).map(<[Move]>::len), Some(2));
        assert_eq!(later.since(&later).map(<[Move]>::len), Some(0));
        assert_eq!(earlier.since(&later), None);
        let other = History::read(Some("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 b"), &[]).unwrap();
        assert_eq!(later.since(&other), None);
    }
}
