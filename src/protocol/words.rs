//! Reading a line word by word, and quoting words in answers.

use std::fmt::{self, Write};

/// A line, read from the left one word at a time. Words are separated by white space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Words<'a> {
        Words { rest: line.trim() }
    }

    /// All that has not been read yet, as it was written.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Reads up to the word `end`, which is read too, or to the end of the line. Gives what stands
    /// before it, as it was written, and whether `end` was found.
    pub(super) fn until(&mut self, end: &str) -> (&'a str, bool) {
        let whole = self.rest;
        loop {
            let before = whole[..whole.len() - self.rest.len()].trim_end();
            match self.next() {
                None => return (whole, false),
                Some(word) if word == end => return (before, true),
                Some(_) => {}
            }
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Some(word)
    }
}

/// A piece of input as an answer may quote it: control characters escaped, and cut where it gets
/// too long for a sentence.
#[derive(Clone, PartialEq, Eq)]
pub struct Quoted(pub String);

/// Where a quotation is cut, in characters.
const QUOTED: usize = 40;

impl Quoted {
    pub(super) fn new(text: &str) -> Quoted {
        Quoted(text.to_owned())
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('\'')?;
        for c in self.0.chars().take(QUOTED) {
            match c {
                '\'' | '"' => f.write_char(c)?,
                _ => write!(f, "{}", c.escape_debug())?,
            }
        }
        if self.0.chars().nth(QUOTED).is_some() {
            f.write_char('…')?;
        }
        f.write_char('\'')
    }
}

impl fmt::Debug for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text made fit for one line of an answer: no line breaks or other control characters, and
/// of bounded length.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 1000;
    let mut line: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn until_gives_the_text_between() {
        let mut words = Words::new("name  Debug Log  File value  a  b ");
        assert_eq!(words.next(), Some("name"));
        assert_eq!(words.until("value"), ("Debug Log  File", true));
        assert_eq!(words.rest(), "a  b");
        let mut words = Words::new("value x");
        assert_eq!(words.until("value"), ("", true));
        let mut words = Words::new("Clear Hash");
        assert_eq!(words.until("value"), ("Clear Hash", false));
        assert_eq!(words.rest(), "");
    }

    #[test]
    fn quotations_are_short_and_without_control_characters() {
        assert_eq!(Quoted::new("a\tb\u{7}").to_string(), "'a\\tb\\u{7}'");
        let long = Quoted::new(&"x".repeat(1000)).to_string();
        assert_eq!(long, format!("'{}…'", "x".repeat(QUOTED)));
        assert_eq!(one_line("a\nb\r"), "a b ");
        assert_eq!(one_line(&"é".repeat(2000)).chars().count(), 1001);
    }
}
