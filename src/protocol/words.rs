//! Reading a line word by word, and texts that fit one line.

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
    fn texts_are_made_to_fit_one_line() {
        assert_eq!(one_line("a\nb\r"), "a b ");
        assert_eq!(one_line(&"é".repeat(2000)).chars().count(), 1001);
    }
}
