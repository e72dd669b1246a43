//! Moves as people and programs write them.
//!
//! There has never been one way to write a move of this game. Nearly all ways name three squares
//! in the order from, to, arrow and differ in what stands between them, so they are read by one
//! rule: a move number in front, a `Q` and a final `;` are dropped, and the squares are taken as
//! they come, whatever separates them. Three squares are a move; so are four if the second and the
//! third are the same, as in UCI. What is left are the six letters of SGF and of the SAU platform,
//! which count ranks from the top, and the short form of chess, which names an amazon only as far
//! as needed and takes the legal moves to understand.

use std::fmt::Write;
use std::str::FromStr;

use thiserror::Error;

use super::excerpt::excerpt;
use super::position::Position;
use super::square::{MAX_SIZE, Square};
use super::step::Move;

/// A way to write moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Notation {
    /// `d1-d7/g7`, the one this program prefers.
    #[default]
    Canonical,
    /// `d1d7/g7`, as games were published in 1994.
    Plain,
    /// `d1d7,d7g7`, the UCI dialect of Fairy-Stockfish.
    Uci,
    /// `d1-d7(g7)`
    Brackets,
    /// `d1-d7 (g7)`
    SpacedBrackets,
    /// `d1 d7 g7`
    Spaces,
    /// `d1–d7,g7;`
    Dash,
    /// `d1-d7-g7`
    Hyphens,
    /// `d1/d7/g7`
    Slashes,
    /// `d1d7g7`
    Bare,
    /// `Qd1-d7,g7`
    Long,
    /// `Qdd7,g7`, or `Qd7,g7` where no other amazon can play the same: the form of chess.
    Short,
    /// `djddgd`: letters for files and for ranks, which are counted from the top.
    Sgf,
    /// `DJDDGD`, as SGF in upper case: the SAU Game Platform.
    Sau,
}

impl Notation {
    /// All notations, the preferred one first.
    pub const ALL: [Notation; 14] = [
        Notation::Canonical,
        Notation::Plain,
        Notation::Uci,
        Notation::Brackets,
        Notation::SpacedBrackets,
        Notation::Spaces,
        Notation::Dash,
        Notation::Hyphens,
        Notation::Slashes,
        Notation::Bare,
        Notation::Long,
        Notation::Short,
        Notation::Sgf,
        Notation::Sau,
    ];

    /// The name that a command line knows the notation by.
    pub const fn name(self) -> &'static str {
        match self {
            Notation::Canonical => "canonical",
            Notation::Plain => "plain",
            Notation::Uci => "uci",
            Notation::Brackets => "brackets",
            Notation::SpacedBrackets => "spaced-brackets",
            Notation::Spaces => "spaces",
            Notation::Dash => "dash",
            Notation::Hyphens => "hyphens",
            Notation::Slashes => "slashes",
            Notation::Bare => "bare",
            Notation::Long => "long",
            Notation::Short => "short",
            Notation::Sgf => "sgf",
            Notation::Sau => "sau",
        }
    }
}

/// No notation has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is no notation: {names} are known", names = Notation::ALL.map(Notation::name).join(", "))]
pub struct UnknownNotation(pub String);

impl FromStr for Notation {
    type Err = UnknownNotation;

    /// Finds the notation by its [`name`](Notation::name), in lower or upper case.
    fn from_str(text: &str) -> Result<Notation, UnknownNotation> {
        Notation::ALL
            .into_iter()
            .find(|notation| notation.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownNotation(excerpt(text)))
    }
}

/// Why a text is no move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NotationError {
    /// There is nothing to read.
    #[error("the move is empty")]
    Empty,
    /// A part of the text is neither a square nor what stands between squares.
    #[error(
        "'{found}' in the move '{text}' is no square: a letter a to j and a number 1 to 10 are expected"
    )]
    Junk {
        /// The text that was to be a move.
        text: String,
        /// From the offending character on.
        found: String,
    },
    /// Too few or too many squares.
    #[error("the move '{text}' names {squares} squares: a move is from, to and arrow")]
    Squares {
        /// The text that was to be a move.
        text: String,
        /// How many squares it names.
        squares: usize,
    },
    /// Four squares, and the arrow does not start where the amazon arrives.
    #[error("the arrow of '{text}' starts from {origin}, and the amazon arrives on {to}")]
    Torn {
        /// The text that was to be a move.
        text: String,
        /// Where the amazon arrives.
        to: Square,
        /// Where the arrow starts.
        origin: Square,
    },
    /// Six letters, one of which names no file or rank of this board.
    #[error("'{found}' in the move '{text}' names no square of a board with {ranks} ranks")]
    Letters {
        /// The text that was to be a move.
        text: String,
        /// The two letters, file and rank from the top.
        found: String,
        /// The number of ranks of the board.
        ranks: u8,
    },
    /// No legal move fits the short form.
    #[error("no legal move is meant by '{text}'")]
    NoSuchMove {
        /// The text that was to be a move.
        text: String,
    },
    /// Several legal moves fit the short form.
    #[error("'{text}' can mean {first} or {second}: name the square that the amazon leaves")]
    Ambiguous {
        /// The text that was to be a move.
        text: String,
        /// One of the moves that fit.
        first: Move,
        /// Another one.
        second: Move,
    },
}

impl Move {
    /// Reads a move in any [`Notation`].
    ///
    /// The position tells how many ranks the letters of SGF and SAU count from, and which moves
    /// the short form can mean. Otherwise the move may well be illegal, and
    /// [`check_move`](Position::check_move) is there to say so.
    ///
    /// # Errors
    /// What is wrong with the text, naming the offending part.
    pub fn read(text: &str, position: &Position) -> Result<Move, NotationError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NotationError::Empty);
        }
        let body = without_number(text);
        let body = body.strip_suffix(';').unwrap_or(body).trim_end();
        let closed = body.strip_suffix(')').filter(|open| open.contains('('));
        let body = closed.unwrap_or(body).trim_end();
        if body.len() == 6 && body.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return read_letters(body, position.ranks());
        }
        let (queen, squares) = match body.strip_prefix(['Q', 'q']) {
            Some(rest) => (true, rest),
            None => (false, body),
        };
        let (origin, squares) = if queen { Origin::split(squares) } else { (None, squares) };
        let found = Found::read(squares)
            .map_err(|rest| NotationError::Junk { text: excerpt(text), found: excerpt(rest) })?;
        match (found.squares, found.count, origin) {
            ([Some(from), Some(to), Some(arrow), None], 3, None) => Ok(Move { from, to, arrow }),
            ([Some(from), Some(to), Some(origin), Some(arrow)], 4, None) => {
                let read = Move { from, to, arrow };
                let torn = NotationError::Torn { text: excerpt(text), to, origin };
                if to == origin { Ok(read) } else { Err(torn) }
            }
            ([Some(to), Some(arrow), None, None], 2, origin) if queen => {
                resolve(text, position, origin, to, arrow)
            }
            (_, squares, _) => Err(NotationError::Squares { text: excerpt(text), squares }),
        }
    }

    /// The move as it is written in `notation`. The position is the one that it is played in: the
    /// short form depends on it, and SGF and SAU on the number of its ranks.
    pub fn written(self, notation: Notation, position: &Position) -> String {
        let Move { from, to, arrow } = self;
        match notation {
            Notation::Canonical => format!("{from}-{to}/{arrow}"),
            Notation::Plain => format!("{from}{to}/{arrow}"),
            Notation::Uci => format!("{from}{to},{to}{arrow}"),
            Notation::Brackets => format!("{from}-{to}({arrow})"),
            Notation::SpacedBrackets => format!("{from}-{to} ({arrow})"),
            Notation::Spaces => format!("{from} {to} {arrow}"),
            Notation::Dash => format!("{from}–{to},{arrow};"),
            Notation::Hyphens => format!("{from}-{to}-{arrow}"),
            Notation::Slashes => format!("{from}/{to}/{arrow}"),
            Notation::Bare => format!("{from}{to}{arrow}"),
            Notation::Long => format!("Q{from}-{to},{arrow}"),
            Notation::Short => format!("Q{}{to},{arrow}", self.short_origin(position)),
            Notation::Sgf => self.letters(b'a', position.ranks()),
            Notation::Sau => self.letters(b'A', position.ranks()),
        }
    }

    /// As much of the square the amazon leaves as tells it from the others that can play the same:
    /// nothing, its file, its rank, or all of it.
    fn short_origin(self, position: &Position) -> String {
        let Move { from, to, arrow } = self;
        let others = position.amazons(position.side_to_move()).without(from);
        let rivals = |same: fn(Square) -> u8| {
            others.into_iter().any(|other| {
                same(other) == same(from)
                    && position.check_move(Move::new(other, to, arrow)).is_ok()
            })
        };
        if !rivals(|_| 0) {
            String::new()
        } else if !rivals(Square::file) {
            char::from(b'a' + from.file()).to_string()
        } else if !rivals(Square::rank) {
            (from.rank() + 1).to_string()
        } else {
            from.to_string()
        }
    }

    fn letters(self, first: u8, ranks: u8) -> String {
        let mut text = String::with_capacity(6);
        for square in [self.from, self.to, self.arrow] {
            // A square above the board, which no legal move has, gets no letter of a rank.
            let rank = ranks.checked_sub(square.rank() + 1).map(|row| char::from(first + row));
            let file = char::from(first + square.file());
            write!(text, "{file}{}", rank.unwrap_or('?')).expect("a String takes everything");
        }
        text
    }
}

/// Drops a leading move number with the dots or the bracket after it.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == text.len() {
        return text;
    }
    let rest = rest.strip_prefix(')').unwrap_or_else(|| rest.trim_start_matches(['.', '…']));
    rest.trim_start()
}

/// What a text begins with that may stand between two squares.
fn separators(text: &str) -> &str {
    let separator = |c| matches!(c, '-' | '–' | '—' | '−' | '/' | ',' | '(' | ')' | ' ' | '\t');
    &text[..text.len() - text.trim_start_matches(separator).len()]
}

/// The squares of a text: the first four, and how many there are.
struct Found {
    squares: [Option<Square>; 4],
    count: usize,
}

impl Found {
    /// Reads squares until the text ends. Returns what is left of the text where a square should
    /// be and is not.
    fn read(text: &str) -> Result<Found, &str> {
        let mut found = Found { squares: [None; 4], count: 0 };
        let mut rest = text;
        while !rest.is_empty() {
            let between = if found.count == 0 { "" } else { separators(rest) };
            let next = &rest[between.len()..];
            let (square, length) =
                leading_square(next).ok_or(if next.is_empty() { rest } else { next })?;
            if let Some(place) = found.squares.get_mut(found.count) {
                *place = Some(square);
            }
            found.count += 1;
            rest = &next[length..];
        }
        Ok(found)
    }
}

/// The square that a text begins with and the length of its name; rank 10 goes before rank 1.
fn leading_square(text: &str) -> Option<(Square, usize)> {
    let length = if text.get(1..3) == Some("10") { 3 } else { 2 };
    let square = text.get(..length)?.parse().ok()?;
    Some((square, length))
}

/// The part of a square that the short form may name.
#[derive(Clone, Copy)]
enum Origin {
    File(u8),
    Rank(u8),
}

impl Origin {
    /// Takes a lone file or a lone rank off the front of a text.
    fn split(text: &str) -> (Option<Origin>, &str) {
        let bytes = text.as_bytes();
        match bytes {
            [b'1', b'0', b'a'..=b'j' | b'A'..=b'J', ..] => (Some(Origin::Rank(9)), &text[2..]),
            [digit @ b'1'..=b'9', b'a'..=b'j' | b'A'..=b'J', ..] => {
                (Some(Origin::Rank(digit - b'1')), &text[1..])
            }
            [letter @ (b'a'..=b'j' | b'A'..=b'J'), b'a'..=b'j' | b'A'..=b'J', ..] => {
                (Some(Origin::File(letter.to_ascii_lowercase() - b'a')), &text[1..])
            }
            _ => (None, text),
        }
    }

    fn fits(self, square: Square) -> bool {
        match self {
            Origin::File(file) => square.file() == file,
            Origin::Rank(rank) => square.rank() == rank,
        }
    }
}

/// The only legal move to these squares by an amazon that `origin` fits.
fn resolve(
    text: &str,
    position: &Position,
    origin: Option<Origin>,
    to: Square,
    arrow: Square,
) -> Result<Move, NotationError> {
    let mut fitting = position
        .amazons(position.side_to_move())
        .into_iter()
        .filter(|&from| origin.is_none_or(|origin| origin.fits(from)))
        .map(|from| Move { from, to, arrow })
        .filter(|&candidate| position.check_move(candidate).is_ok());
    match (fitting.next(), fitting.next()) {
        (None, _) => Err(NotationError::NoSuchMove { text: excerpt(text) }),
        (Some(only), None) => Ok(only),
        (Some(first), Some(second)) => {
            Err(NotationError::Ambiguous { text: excerpt(text), first, second })
        }
    }
}

/// Reads six letters, three times a file from the left and a rank from the top.
fn read_letters(text: &str, ranks: u8) -> Result<Move, NotationError> {
    let square = |pair: usize| {
        let letters = &text[2 * pair..2 * pair + 2];
        let [file, row] = [0, 1].map(|i| letters.as_bytes()[i].to_ascii_lowercase() - b'a');
        if file < MAX_SIZE && row < ranks {
            Ok(Square::new(file, ranks - 1 - row))
        } else {
            Err(NotationError::Letters { text: text.to_owned(), found: letters.to_owned(), ranks })
        }
    };
    Ok(Move { from: square(0)?, to: square(1)?, arrow: square(2)? })
}
