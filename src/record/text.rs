//! The tag-pair text, after the manner of PGN (Steven J. Edwards, 1994): headers in brackets, then
//! numbered moves with comments in braces.
//!
//! Written, it is always the same: the seven tags of PGN first, `d1-d7/g7` for moves, lines of at
//! most 80 columns where no word is longer. Read, nearly everything is optional, and moves may
//! stand in any notation, those with blanks and brackets included.

use std::fmt::Write;

use super::thought::Thought;
use super::{Ply, Record, RecordError, RecordErrorKind, result_text, single_spaced};
use crate::amazons::{Move, NotationError, Position};
use crate::game::{Colour, Outcome};

/// The tags that are always written, and what they say when nothing is known.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

const LINE_WIDTH: usize = 80;

/// The record as text, with a blank line at the end.
pub fn write(record: &Record) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    for (name, unknown) in ROSTER {
        match name {
            "Result" => tag(name, result_text(record.result)),
            _ => tag(name, record.tags.get(name).unwrap_or(unknown)),
        }
    }
    let in_roster = |name: &str| ROSTER.iter().any(|(known, _)| *known == name);
    for (name, value) in record.tags.iter().filter(|(name, _)| !in_roster(name)) {
        tag(name, value);
    }
    if record.start != Position::start() {
        tag("SetUp", "1");
        tag("FEN", &record.start.fen());
    }
    text.push('\n');
    let mut lines = Wrapped { text, column: 0 };
    if let Some(preface) = &record.preface {
        lines.comment(preface);
    }
    for (position, ply) in record.walk() {
        let first = position.turns() == record.start.turns();
        match position.side_to_move() {
            Colour::White => lines.word(&format!("{}.", position.full_turn())),
            Colour::Black if first => lines.word(&format!("{}...", position.full_turn())),
            Colour::Black => {}
        }
        lines.word(&ply.mv.to_string());
        let remark = ply.remark.as_deref().unwrap_or_default();
        lines.comment(&format!("{} {remark}", ply.thought));
    }
    lines.word(result_text(record.result));
    lines.text.push_str("\n\n");
    lines.text
}

/// Text that is broken into lines between words.
struct Wrapped {
    text: String,
    column: usize,
}

impl Wrapped {
    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 && self.column + 1 + length > LINE_WIDTH {
            self.text.push('\n');
            self.column = 0;
        }
        if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += length;
    }

    /// Writes a comment, unless it is empty. A closing brace would end it, so it becomes a
    /// bracket.
    fn comment(&mut self, comment: &str) {
        let comment = single_spaced(comment).replace('}', ")");
        if !comment.is_empty() {
            format!("{{{comment}}}").split(' ').for_each(|word| self.word(word));
        }
    }
}

/// Reads all records of a text.
///
/// # Errors
/// What is wrong, and in which line.
pub fn read(text: &str) -> Result<Vec<Record>, RecordError> {
    let mut scanner = Scanner { text, at: 0 };
    let mut records = Vec::new();
    while let Some(record) = Reader::default().read(&mut scanner)? {
        records.push(record);
    }
    Ok(records)
}

/// A place in a text.
#[derive(Clone, Copy)]
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, kind: impl Into<RecordErrorKind>) -> RecordError {
        let line = self.text[..self.at].matches('\n').count() + 1;
        RecordError { line, kind: kind.into() }
    }

    fn skip_blank(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn starts_line(&self) -> bool {
        self.at == 0 || self.text[..self.at].ends_with('\n')
    }

    /// What stands between the opening sign here and this closing one.
    fn enclosed(&mut self, close: char, what: &'static str) -> Result<&'a str, RecordError> {
        let inside = &self.rest()[1..];
        let Some(length) = inside.find(close) else {
            return Err(self.error(RecordErrorKind::Unclosed { what }));
        };
        self.at += length + 2;
        Ok(&inside[..length])
    }

    /// Skips a variation, those inside it included. Comments in it may hold brackets.
    fn skip_variation(&mut self) -> Result<(), RecordError> {
        let began = *self;
        let mut depth = 0usize;
        while let Some(sign) = self.rest().chars().next() {
            match sign {
                '{' => {
                    self.enclosed('}', "a comment")?;
                    continue;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.at += sign.len_utf8();
            if depth == 0 {
                return Ok(());
            }
        }
        Err(began.error(RecordErrorKind::Unclosed { what: "a variation" }))
    }

    /// The next run of signs that are neither white space nor the beginning of a comment.
    fn chunk(&mut self) -> Option<&'a str> {
        self.skip_blank();
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len());
        // A semicolon ends a move when white space follows it; otherwise it begins a comment.
        let mark = rest[..end].find(';').filter(|&mark| mark + 1 < end);
        let end = mark.unwrap_or(end);
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }
}

/// A header line.
struct Header {
    name: String,
    value: String,
    at: usize,
}

/// A record while it is read.
#[derive(Default)]
struct Reader {
    headers: Vec<Header>,
    game: Option<Game>,
}

/// The moves read so far.
struct Game {
    record: Record,
    position: Position,
}

impl Reader {
    /// Reads the next record; `None` when nothing is left.
    fn read(mut self, scanner: &mut Scanner) -> Result<Option<Record>, RecordError> {
        let mut comments: Vec<&str> = Vec::new();
        loop {
            scanner.skip_blank();
            match scanner.rest().chars().next() {
                None => break,
                Some('%') if scanner.starts_line() => scanner.skip_line(),
                Some('[') => {
                    if self.game.is_some() {
                        break;
                    }
                    let here = *scanner;
                    let header = header(scanner)?;
                    if self.headers.iter().any(|known| known.name == header.name) {
                        *scanner = here;
                        break;
                    }
                    self.headers.push(header);
                }
                Some('{') => {
                    let comment = scanner.enclosed('}', "a comment")?;
                    match &mut self.game {
                        Some(game) => game.comment(comment),
                        None => comments.push(comment),
                    }
                }
                Some(';') => {
                    let from = scanner.at + 1;
                    scanner.skip_line();
                    let comment = &scanner.text[from..scanner.at];
                    match &mut self.game {
                        Some(game) => game.comment(comment),
                        None => comments.push(comment),
                    }
                }
                Some('(') => scanner.skip_variation()?,
                Some(_) => {
                    let game = self.game(scanner)?;
                    if game.movetext(scanner)? {
                        break;
                    }
                }
            }
        }
        if self.game.is_none() && self.headers.is_empty() {
            return Ok(None);
        }
        let mut record = {
            self.game(scanner)?;
            let Some(game) = self.game else { return Ok(None) };
            game.record
        };
        let preface = single_spaced(&comments.join(" "));
        record.preface = (!preface.is_empty()).then_some(preface);
        record.conclude();
        Ok(Some(record))
    }

    /// The game that the headers describe, made when its first word is met.
    fn game(&mut self, scanner: &Scanner) -> Result<&mut Game, RecordError> {
        match &mut self.game {
            Some(game) => Ok(game),
            empty => Ok(empty.insert(Game::new(&self.headers, scanner)?)),
        }
    }
}

/// Reads `[Name "value"]`.
fn header(scanner: &mut Scanner) -> Result<Header, RecordError> {
    let at = scanner.at;
    let wrong = scanner.error(RecordErrorKind::Header);
    let rest = &scanner.rest()[1..];
    let (name, value) = rest.split_once('"').ok_or_else(|| wrong.clone())?;
    let name = name.trim();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(wrong);
    }
    let mut text = String::new();
    let mut signs = value.char_indices();
    while let Some((place, sign)) = signs.next() {
        match sign {
            '"' => {
                let after = value[place + 1..].trim_start();
                let after = after.strip_prefix(']').ok_or(wrong)?;
                scanner.at = scanner.text.len() - after.len();
                return Ok(Header { name: name.to_owned(), value: text, at });
            }
            '\\' => text.extend(signs.next().map(|(_, sign)| sign)),
            '\n' => break,
            sign => text.push(sign),
        }
    }
    Err(wrong)
}

fn read_result(text: &str) -> Option<Option<Outcome>> {
    match text {
        "1-0" => Some(Some(Outcome::Win(Colour::White))),
        "0-1" => Some(Some(Outcome::Win(Colour::Black))),
        "1/2-1/2" => Some(Some(Outcome::Draw)),
        "*" => Some(None),
        _ => None,
    }
}

impl Game {
    fn new(headers: &[Header], scanner: &Scanner) -> Result<Game, RecordError> {
        let mut start = Position::start();
        let mut result = None;
        let mut tags = super::Tags::default();
        for Header { name, value, at } in headers {
            match name.as_str() {
                "FEN" => {
                    let here = Scanner { at: *at, ..*scanner };
                    start = Position::from_fen(value).map_err(|error| here.error(error))?;
                }
                "SetUp" => {}
                "Result" => result = read_result(value.trim()).flatten(),
                _ if ["?", "????.??.??"].contains(&value.as_str()) => {}
                _ => tags.set(name, value),
            }
        }
        let position = start.clone();
        let record = Record { tags, result, ..Record::new(start) };
        Ok(Game { record, position })
    }

    fn comment(&mut self, comment: &str) {
        let Some(ply) = self.record.plies.last_mut() else {
            return;
        };
        let comment = single_spaced(comment);
        let rest = match (ply.thought == Thought::default(), &ply.remark) {
            (true, None) => {
                let (thought, rest) = Thought::split(&comment);
                ply.thought = thought;
                rest
            }
            _ => &comment,
        };
        if !rest.is_empty() {
            ply.remark = Some(match &ply.remark {
                Some(remark) => format!("{remark} {rest}"),
                None => rest.to_owned(),
            });
        }
    }

    /// Reads a move, or one of the words between moves. Whether the game is over with it.
    fn movetext(&mut self, scanner: &mut Scanner) -> Result<bool, RecordError> {
        let here = *scanner;
        let Some(chunk) = scanner.chunk() else { return Ok(false) };
        if let Some(result) = read_result(chunk) {
            // A star says only that the moves end here; the header may know more.
            self.record.result = result.or(self.record.result);
            return Ok(true);
        }
        let is_number = chunk
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .chars()
            .all(|c| ".):…".contains(c));
        let is_mark = chunk.starts_with('$') || chunk.chars().all(|c| "!?".contains(c));
        if is_number || is_mark {
            return Ok(false);
        }
        let mv = self.read_move(chunk, scanner).map_err(|error| {
            let plies = self.record.plies.len();
            here.error(RecordErrorKind::Unreadable { plies, error })
        })?;
        if let Err(error) = self.position.try_move(mv) {
            let plies = self.record.plies.len();
            return Err(here.error(RecordErrorKind::Illegal { plies, mv, error }));
        }
        self.record.plies.push(Ply::from(mv));
        Ok(false)
    }

    /// Reads a move that begins with this chunk: some notations have blanks in them.
    fn read_move(&self, chunk: &str, scanner: &mut Scanner) -> Result<Move, NotationError> {
        let read = |text: &str| Move::read(text.trim_end_matches(['!', '?']), &self.position);
        let first = match read(chunk) {
            Ok(mv) => return Ok(mv),
            Err(error) => error,
        };
        let mut longer = *scanner;
        let mut text = chunk.to_owned();
        for _ in 0..2 {
            let Some(next) = longer.chunk() else { break };
            text.push(' ');
            text.push_str(next);
            if let Ok(mv) = read(&text) {
                *scanner = longer;
                return Ok(mv);
            }
        }
        Err(first)
    }
}
