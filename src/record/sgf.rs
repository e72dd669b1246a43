//! SGF FF\[4\] with `GM[18]` (Arno Hollosi's Smart Game Format, in which 18 is Amazons).
//!
//! The first mover is Black there, points are two letters with the ranks counted from the top, and
//! a move is three points without anything between: `B[djddgd]`. Only the main line is read.

use std::fmt::Write;

use super::thought::Thought;
use super::{Ply, Record, RecordError, RecordErrorKind, Tags, single_spaced};
use crate::amazons::{Bitboard, Move, Notation, Position, Square};
use crate::game::{Colour, Outcome};

/// Properties of the root and the tags that say the same. The first mover is White here and Black
/// there.
const TAGS: [(&str, &str); 7] = [
    ("EV", "Event"),
    ("PC", "Site"),
    ("DT", "Date"),
    ("RO", "Round"),
    ("PB", "White"),
    ("PW", "Black"),
    ("TM", "TimeControl"),
];

/// The record as an SGF game tree, with a line feed at the end. Tags that SGF has no property for
/// become lines of the game comment.
pub fn write(record: &Record) -> String {
    let mut text = "(;FF[4]GM[18]CA[UTF-8]AP[Otrera]".to_owned();
    let (files, ranks) = (record.start.files(), record.start.ranks());
    // Writing to a string cannot fail, here and below.
    let _ = match files == ranks {
        true => write!(text, "SZ[{files}]"),
        false => write!(text, "SZ[{files}:{ranks}]"),
    };
    let mut comment = String::new();
    for (name, value) in record.tags.iter() {
        match TAGS.iter().find(|(_, tag)| *tag == name) {
            Some((property, _)) => property_to(&mut text, property, value),
            None => {
                let _ = writeln!(comment, "{name}: {value}");
            }
        }
    }
    if let Some(result) = record.result {
        property_to(
            &mut text,
            "RE",
            match result {
                Outcome::Win(Colour::White) => "B+",
                Outcome::Win(Colour::Black) => "W+",
                Outcome::Draw => "Draw",
            },
        );
    }
    comment.push_str(record.preface.as_deref().unwrap_or_default());
    property_to(&mut text, "GC", comment.trim_end());
    if record.start != Position::start() {
        setup(&mut text, &record.start);
    }
    for (position, ply) in record.walk() {
        let property = sgf_colour(position.side_to_move());
        let _ = write!(text, "\n;{property}[{}]", ply.mv.written(Notation::Sgf, &position));
        let remark = ply.remark.as_deref().unwrap_or_default();
        property_to(&mut text, "C", &single_spaced(&format!("{} {remark}", ply.thought)));
    }
    text.push_str(")\n");
    text
}

fn sgf_colour(colour: Colour) -> char {
    match colour {
        Colour::White => 'B',
        Colour::Black => 'W',
    }
}

/// Writes a property, unless its value is empty.
fn property_to(text: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        let value = value.replace('\\', "\\\\").replace(']', "\\]");
        let _ = write!(text, "{name}[{value}]");
    }
}

fn setup(text: &mut String, start: &Position) {
    let pieces = [
        ("AB", start.amazons(Colour::White)),
        ("AW", start.amazons(Colour::Black)),
        ("AA", start.arrows()),
    ];
    for (name, squares) in pieces {
        if squares.first().is_some() {
            text.push_str(name);
            for square in squares {
                let file = (b'a' + square.file()) as char;
                let rank = (b'a' + start.ranks() - 1 - square.rank()) as char;
                let _ = write!(text, "[{file}{rank}]");
            }
        }
    }
    let _ = write!(text, "PL[{}]", sgf_colour(start.side_to_move()));
}

/// Reads all game trees of a text.
///
/// # Errors
/// What is wrong, and in which line.
pub fn read(text: &str) -> Result<Vec<Record>, RecordError> {
    let mut tokens = Tokens { text, at: 0 };
    let mut records = Vec::new();
    while let Some(nodes) = main_line(&mut tokens)? {
        records.push(record(&nodes)?);
    }
    Ok(records)
}

/// A property and the line it stands in.
struct Property {
    name: String,
    values: Vec<String>,
    line: usize,
}

impl Property {
    fn value(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }

    fn error(&self, kind: impl Into<RecordErrorKind>) -> RecordError {
        RecordError { line: self.line, kind: kind.into() }
    }

    fn wrong(&self, wanted: &str) -> RecordError {
        let said = format!("{}[{}]: {wanted}", self.name, single_spaced(self.value()));
        self.error(RecordErrorKind::Sgf(said))
    }
}

struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl Tokens<'_> {
    fn error(&self, said: &str) -> RecordError {
        let line = self.text[..self.at].matches('\n').count() + 1;
        RecordError { line, kind: RecordErrorKind::Sgf(said.to_owned()) }
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at = self.text.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    /// Reads a property; lower-case letters in its name, which older files have, do not count.
    fn property(&mut self) -> Result<Property, RecordError> {
        let line = self.text[..self.at].matches('\n').count() + 1;
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        if length == 0 {
            let found = rest.chars().next().unwrap_or(' ').escape_debug().to_string();
            return Err(self.error(&format!("'{found}' where a property should be")));
        }
        let name = rest[..length].chars().filter(char::is_ascii_uppercase).collect();
        self.at += length;
        let mut values = Vec::new();
        while self.peek() == Some('[') {
            values.push(self.value()?);
        }
        if values.is_empty() {
            return Err(self.error(&format!("the property {name} has no value")));
        }
        Ok(Property { name, values, line })
    }

    /// Reads a value in brackets.
    fn value(&mut self) -> Result<String, RecordError> {
        let unclosed = self.error("a value that begins here does not end");
        let mut value = String::new();
        let mut signs = self.text[self.at + 1..].char_indices();
        while let Some((place, sign)) = signs.next() {
            match sign {
                ']' => {
                    self.at += place + 2;
                    return Ok(value);
                }
                // An escaped line feed only breaks the line in the file.
                '\\' => value.extend(signs.next().map(|(_, sign)| sign).filter(|c| *c != '\n')),
                sign => value.push(sign),
            }
        }
        Err(unclosed)
    }
}

/// The properties of the main line of the next game tree, node by node: the first of several
/// continuations each time.
fn main_line(tokens: &mut Tokens) -> Result<Option<Vec<Vec<Property>>>, RecordError> {
    match tokens.peek() {
        None => return Ok(None),
        Some('(') => {}
        Some(_) => return Err(tokens.error("no game tree: it must begin with '(;'")),
    }
    let mut nodes: Vec<Vec<Property>> = Vec::new();
    let mut depth = 0usize;
    // Once a tree has ended, what follows is another continuation of something.
    let mut main = true;
    loop {
        match tokens.peek() {
            None => return Err(tokens.error("the game tree does not end")),
            Some('(') => {
                depth += 1;
                tokens.at += 1;
            }
            Some(')') => {
                main = false;
                depth -= 1;
                tokens.at += 1;
                if depth == 0 {
                    return Ok(Some(nodes));
                }
            }
            Some(';') => {
                tokens.at += 1;
                if main {
                    nodes.push(Vec::new());
                }
            }
            Some(_) => {
                let property = tokens.property()?;
                match nodes.last_mut() {
                    None => return Err(property.wrong("a property outside of any node")),
                    Some(node) if main => node.push(property),
                    Some(_) => {}
                }
            }
        }
    }
}

/// The board while it is set up.
struct Setup {
    files: u8,
    ranks: u8,
    amazons: [Bitboard; 2],
    arrows: Bitboard,
    placed: bool,
    side_to_move: Colour,
}

impl Setup {
    fn square(&self, property: &Property, text: &str) -> Result<Square, RecordError> {
        let wrong = || property.wrong("two letters of the board are expected");
        let [file, rank] = <[u8; 2]>::try_from(text.as_bytes()).map_err(|_| wrong())?;
        let on_board = |letter: u8, size: u8| {
            let place = letter.to_ascii_lowercase().wrapping_sub(b'a');
            (place < size).then_some(place)
        };
        let (Some(file), Some(row)) = (on_board(file, self.files), on_board(rank, self.ranks))
        else {
            return Err(wrong());
        };
        Ok(Square::new(file, self.ranks - 1 - row))
    }

    /// The squares of a property; `aa:cc` is a rectangle.
    fn squares(&self, property: &Property) -> Result<Bitboard, RecordError> {
        let mut squares = Bitboard::EMPTY;
        for value in &property.values {
            let value = value.trim();
            let (one, other) = value.split_once(':').unwrap_or((value, value));
            let (one, other) = (self.square(property, one)?, self.square(property, other)?);
            let files = one.file().min(other.file())..=one.file().max(other.file());
            for file in files {
                for rank in one.rank().min(other.rank())..=one.rank().max(other.rank()) {
                    squares |= Bitboard::from(Square::new(file, rank));
                }
            }
        }
        Ok(squares)
    }

    fn take(&mut self, property: &Property) -> Result<(), RecordError> {
        match property.name.as_str() {
            "SZ" => {
                let value = property.value();
                let (files, ranks) = value.split_once(':').unwrap_or((value, value));
                let wrong = || property.wrong("a board size from 1 to 10 is expected");
                let size = |text: &str| {
                    text.trim()
                        .parse()
                        .ok()
                        .filter(|size| (1..=10).contains(size))
                        .ok_or_else(wrong)
                };
                (self.files, self.ranks) = (size(files)?, size(ranks)?);
            }
            "AB" => self.amazons[0] |= self.squares(property)?,
            "AW" => self.amazons[1] |= self.squares(property)?,
            "AA" => self.arrows |= self.squares(property)?,
            "PL" => {
                self.side_to_move = match property.value().trim() {
                    "B" | "b" | "1" => Colour::White,
                    "W" | "w" | "2" => Colour::Black,
                    _ => return Err(property.wrong("B or W is expected")),
                }
            }
            _ => {}
        }
        self.placed |= ["AB", "AW", "AA"].contains(&property.name.as_str());
        Ok(())
    }

    fn position(&self) -> Result<Position, RecordErrorKind> {
        let position = if self.placed {
            Position::new(self.files, self.ranks, self.amazons, self.arrows, self.side_to_move)?
        } else {
            let start = match (self.files, self.ranks) {
                (10, 10) => Position::start(),
                (8, 8) => Position::from_fen("2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w")?,
                (files, ranks) => {
                    let said = format!("a board of {files}x{ranks} without its amazons (AB, AW)");
                    return Err(RecordErrorKind::Sgf(said));
                }
            };
            match start.with_side_flipped() {
                Some(flipped) if self.side_to_move == Colour::Black => flipped,
                _ => start,
            }
        };
        Ok(position)
    }
}

fn record(nodes: &[Vec<Property>]) -> Result<Record, RecordError> {
    let empty = Vec::new();
    let root = nodes.first().unwrap_or(&empty);
    if let Some(game) = root.iter().find(|property| property.name == "GM")
        && game.value().trim() != "18"
    {
        return Err(game.wrong("another game; Amazons is GM[18]"));
    }
    let mut setup = Setup {
        files: 10,
        ranks: 10,
        amazons: [Bitboard::EMPTY; 2],
        arrows: Bitboard::EMPTY,
        placed: false,
        side_to_move: Colour::White,
    };
    // The size comes first whatever the order in the file, since the points depend on it.
    let (sizes, others): (Vec<&Property>, Vec<&Property>) =
        root.iter().partition(|property| property.name == "SZ");
    for property in sizes.into_iter().chain(others) {
        setup.take(property)?;
    }
    let line = root.first().map_or(1, |property| property.line);
    let start = setup.position().map_err(|kind| RecordError { line, kind })?;
    let mut record = Record::new(start);
    record.tags = tags(root);
    record.result = root.iter().find(|property| property.name == "RE").and_then(result);
    record.preface = root
        .iter()
        .filter(|property| property.name == "GC" || property.name == "C")
        .map(|property| single_spaced(property.value()))
        .find(|text| !text.is_empty());
    play(&mut record, nodes)?;
    record.conclude();
    Ok(record)
}

fn tags(root: &[Property]) -> Tags {
    let mut tags = Tags::default();
    for (name, tag) in TAGS {
        if let Some(property) = root.iter().find(|property| property.name == name) {
            tags.set(tag, property.value());
        }
    }
    tags
}

/// Who won, from `B+`, `W+3.5`, `Black+Time`, `Draw`, `0`.
fn result(property: &Property) -> Option<Outcome> {
    let value = property.value().trim().to_ascii_lowercase();
    let (winner, plus) = value.split_once('+').map_or((value.as_str(), false), |(w, _)| (w, true));
    match winner {
        "b" | "black" if plus => Some(Outcome::Win(Colour::White)),
        "w" | "white" if plus => Some(Outcome::Win(Colour::Black)),
        "draw" | "0" => Some(Outcome::Draw),
        _ => None,
    }
}

/// Plays the moves of the main line. Which colour a move is written for does not matter, since the
/// sides move in turn.
fn play(record: &mut Record, nodes: &[Vec<Property>]) -> Result<(), RecordError> {
    let mut position = record.start.clone();
    for node in nodes {
        let Some(property) = node.iter().find(|property| ["B", "W"].contains(&&*property.name))
        else {
            continue;
        };
        let plies = record.plies.len();
        let mv = Move::read(property.value(), &position)
            .map_err(|error| property.error(RecordErrorKind::Unreadable { plies, error }))?;
        position
            .try_move(mv)
            .map_err(|error| property.error(RecordErrorKind::Illegal { plies, mv, error }))?;
        let mut ply = Ply::from(mv);
        if let Some(comment) = node.iter().find(|property| property.name == "C") {
            let comment = single_spaced(comment.value());
            let (thought, rest) = Thought::split(&comment);
            ply.thought = thought;
            ply.remark = (!rest.is_empty()).then(|| rest.to_owned());
        }
        record.plies.push(ply);
    }
    Ok(())
}
