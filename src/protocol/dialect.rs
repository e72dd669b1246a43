//! What the dialects share, and in what words they differ.

use super::command::{self, Command, CommandError};
use super::response::{self, Response, ResponseError};
use super::{uci, ugi};

/// A line protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Dialect {
    /// The universal chess interface, with the moves and positions of Fairy-Stockfish's `amazons`.
    Uci,
    /// The universal game interface.
    Ugi,
}

/// The words in which UCI and UGI differ; the grammar around them is the same.
pub(super) struct Spelling {
    /// The greeting that asks for the engine's name and options.
    pub(super) hello: &'static str,
    /// What ends the answer to it.
    pub(super) hello_done: &'static str,
    pub(super) new_game: &'static str,
    /// The clocks, the first mover's first.
    pub(super) time: [&'static str; 2],
    pub(super) increment: [&'static str; 2],
    /// What `mate` counts.
    pub(super) mate: MateUnit,
    /// Whether `bestmove` is followed by the reply that the engine expects.
    pub(super) expected_reply: bool,
}

/// What the number after `mate` counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MateUnit {
    /// The turns of the side that the engine plays.
    OwnMoves,
    /// The turns of both sides together.
    Turns,
}

impl MateUnit {
    /// The number written for a win within `turns` of both sides, the last of which is the
    /// winner's.
    pub(super) fn of_win(self, turns: u16) -> u16 {
        match self {
            MateUnit::OwnMoves => turns.div_ceil(2),
            MateUnit::Turns => turns,
        }
    }

    /// The turns of both sides that this number of a win stands for.
    pub(super) fn win_turns(self, number: u16) -> u16 {
        match self {
            MateUnit::OwnMoves => number.saturating_mul(2).saturating_sub(1),
            MateUnit::Turns => number,
        }
    }

    /// The number written, after a minus sign, for a loss within `turns` of both sides, the last
    /// of which is the opponent's.
    pub(super) fn of_loss(self, turns: u16) -> u16 {
        match self {
            MateUnit::OwnMoves => turns.div_ceil(2),
            MateUnit::Turns => turns,
        }
    }

    /// The turns of both sides that this number of a loss, without its sign, stands for.
    pub(super) fn loss_turns(self, number: u16) -> u16 {
        match self {
            MateUnit::OwnMoves => number.saturating_mul(2),
            MateUnit::Turns => number,
        }
    }
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 2] = [Dialect::Uci, Dialect::Ugi];

    pub(super) fn spelling(self) -> &'static Spelling {
        match self {
            Dialect::Uci => &uci::SPELLING,
            Dialect::Ugi => &ugi::SPELLING,
        }
    }

    /// The dialect that a client speaks whose first line this is. `None` when the line is common
    /// to several.
    pub fn detect(line: &str) -> Option<Dialect> {
        let word = line.split_whitespace().next()?;
        Dialect::ALL.into_iter().find(|dialect| dialect.spelling().hello == word)
    }

    /// Reads a line that a GUI sends. `None` for a blank line.
    ///
    /// # Errors
    /// Which word is wrong.
    pub fn parse_command(self, line: &str) -> Result<Option<Command>, CommandError> {
        command::parse(line, self.spelling())
    }

    /// Writes a command as a GUI sends it, without the line feed.
    pub fn print_command(self, command: &Command) -> String {
        command::print(command, self.spelling())
    }

    /// Reads a line that an engine sends. A line that is none of the protocol's is a
    /// [`Response::Text`].
    ///
    /// # Errors
    /// Which word is wrong, when the line is one of the protocol's and wrong in itself.
    pub fn parse_response(self, line: &str) -> Result<Response, ResponseError> {
        response::parse(line, self.spelling())
    }

    /// Writes a response as an engine sends it, without the line feed. Whatever the texts in it,
    /// this is one line.
    pub fn print_response(self, response: &Response) -> String {
        response::print(response, self.spelling())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_tells_the_dialect() {
        assert_eq!(Dialect::detect("uci\r"), Some(Dialect::Uci));
        assert_eq!(Dialect::detect(" ugi "), Some(Dialect::Ugi));
        assert_eq!(Dialect::detect("isready"), None);
        assert_eq!(Dialect::detect(""), None);
    }

    #[test]
    fn mate_counts_own_moves_or_turns() {
        // A win in five turns is three own moves; a loss in four turns is two own moves.
        assert_eq!(MateUnit::OwnMoves.of_win(5), 3);
        assert_eq!(MateUnit::OwnMoves.win_turns(3), 5);
        assert_eq!(MateUnit::OwnMoves.of_loss(4), 2);
        assert_eq!(MateUnit::OwnMoves.loss_turns(2), 4);
        assert_eq!(MateUnit::OwnMoves.win_turns(0), 0);
        assert_eq!(MateUnit::Turns.of_win(5), 5);
        assert_eq!(MateUnit::Turns.loss_turns(4), 4);
    }
}
