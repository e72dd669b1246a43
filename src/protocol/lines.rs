//! Lines from a stream that may hold anything: of bounded length, and only where they are text.

use std::io::{self, BufRead, BufReader, Read};

use thiserror::Error;

/// The longest line that is read, in bytes. A game of a thousand moves is far shorter.
pub const LONGEST_LINE: usize = 1 << 16;

/// Why a line is not one that could be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LineError {
    /// It has more than [`LONGEST_LINE`] bytes. The rest of it is skipped.
    #[error("a line of more than {LONGEST_LINE} bytes was skipped")]
    TooLong,
    /// It is not UTF-8.
    #[error("a line that is not UTF-8 (byte {byte:#04x} in column {column}) was skipped")]
    NotUtf8 {
        /// The first byte that is not part of a character.
        byte: u8,
        /// Its place in the line, from 1.
        column: usize,
    },
}

/// The lines of a stream, without their ends (`\n` or `\r\n`). A last line without an end counts.
///
/// Memory is bounded whatever the stream holds. A line that is too long is an error as soon as it
/// is, not when it ends, so that nobody waits for an answer that would never come.
pub struct Lines<R> {
    reader: BufReader<R>,
    skipping: bool,
}

impl<R: Read> Lines<R> {
    /// The lines of this stream.
    pub fn new(stream: R) -> Lines<R> {
        Lines { reader: BufReader::new(stream), skipping: false }
    }

    /// Waits for bytes. An empty slice at the end of the stream; a stream that fails has ended.
    fn available(&mut self) -> &[u8] {
        loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => break,
            }
        }
        self.reader.buffer()
    }

    /// Reads on to the end of the line that was too long.
    fn skip(&mut self) {
        while self.skipping {
            let bytes = self.available();
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(bytes.len(), |end| end + 1);
            self.skipping = end.is_none() && used > 0;
            self.reader.consume(used);
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Result<String, LineError>;

    /// Blocks until the next line is complete, too long, or the stream has ended.
    fn next(&mut self) -> Option<Result<String, LineError>> {
        self.skip();
        let mut line = Vec::new();
        loop {
            let bytes = self.available();
            if bytes.is_empty() && line.is_empty() {
                return None;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if line.len() + part.len() > LONGEST_LINE {
                self.skipping = true;
                return Some(Err(LineError::TooLong));
            }
            line.extend_from_slice(part);
            let (used, at_end) = (part.len() + usize::from(end.is_some()), bytes.is_empty());
            self.reader.consume(used);
            if end.is_some() || at_end {
                return Some(text(line));
            }
        }
    }
}

fn text(mut line: Vec<u8>) -> Result<String, LineError> {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map_err(|error| {
        let column = error.utf8_error().valid_up_to();
        LineError::NotUtf8 { byte: error.as_bytes()[column], column: column + 1 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Result<String, LineError>> {
        Lines::new(bytes).collect()
    }

    #[test]
    fn ends_of_lines_do_not_matter() {
        let expected = vec![Ok("uci".into()), Ok(String::new()), Ok("quit".into())];
        assert_eq!(lines(b"uci\r\n\nquit"), expected);
        assert_eq!(lines(b"uci\n\r\nquit\n"), expected);
        assert_eq!(lines(b""), vec![]);
    }

    #[test]
    fn what_is_no_text_is_told_and_skipped() {
        let mut bytes = vec![b'x'; 1 << 20];
        bytes.extend_from_slice(b"\nab\xffc\nisready\n");
        assert_eq!(
            lines(&bytes),
            vec![
                Err(LineError::TooLong),
                Err(LineError::NotUtf8 { byte: 0xff, column: 3 }),
                Ok("isready".into())
            ]
        );
    }

    #[test]
    fn the_longest_line_is_read_and_one_byte_more_is_not() {
        assert_eq!(lines(&vec![b'x'; LONGEST_LINE]), vec![Ok("x".repeat(LONGEST_LINE))]);
        assert_eq!(lines(&vec![b'x'; LONGEST_LINE + 1]), vec![Err(LineError::TooLong)]);
    }

    #[test]
    fn a_line_too_long_is_told_before_it_ends() {
        /// Yields a megabyte, and then fails the test if it is asked for more.
        struct Endless(usize);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                assert!(self.0 < 1 << 20, "read on");
                self.0 += buffer.len();
                buffer.fill(b'x');
                Ok(buffer.len())
            }
        }
        assert_eq!(Lines::new(Endless(0)).next(), Some(Err(LineError::TooLong)));
    }
}
