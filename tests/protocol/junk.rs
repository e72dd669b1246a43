//! Lines that are no commands: each gets one clear answer and changes nothing.

use otrera::protocol::{Command, Dialect};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::client::Client;

const LINES: usize = 20_000;

/// Words of the grammar and things that look like them.
const WORDS: &[&str] = &[
    "uci",
    "ugi",
    "isready",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "stop",
    "infinite",
    "setoption",
    "name",
    "value",
    "Hash",
    "MultiPV",
    "-1",
    "0",
    "999999999999999999999",
    "1e9",
    "nodes",
    "depth",
    "mate",
    "movetime",
    "wtime",
    "searchmoves",
    "perft",
    "d1d7,d7g7",
    "d1d7",
    "d1d7,d7",
    "d1d7,d8g7",
    "e2e4",
    "Qdd7,g7",
    "z9z9,z9z9",
    "djddgd",
    "bestmove",
    "readyok",
    "10/10",
    "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3",
    "w",
    "b",
    "-",
    "query",
    "p1turn",
    "result",
    "undo",
    "flip",
    "d",
    "eval",
    "quit",
    "ponderhit",
    "\u{0}",
    "\u{7f}",
    "é",
    "🏹",
    "'",
    "\"",
    "%s",
    "{}",
    "..",
    "\\n",
];

struct Junk(Xoshiro256PlusPlus);

impl Junk {
    /// A line of junk, or of something that might be a command.
    fn line(&mut self) -> String {
        let Junk(rng) = self;
        match rng.random_range(0..4) {
            0 => (0..rng.random_range(1..8))
                .map(|_| *WORDS.choose(rng).unwrap())
                .collect::<Vec<_>>()
                .join(" "),
            1 => {
                // A good line with one character changed.
                let good = [
                    "position fen 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1 moves d1d7,d7g7",
                    "setoption name Hash value 64",
                    "go searchmoves d1d7,d7g7 a4a5,a5a4",
                    "go wtime 1000 btime 1000 movestogo 40",
                ];
                let mut line: Vec<char> = good.choose(rng).unwrap().chars().collect();
                let place = rng.random_range(0..line.len());
                line[place] = rng.random_range(' '..='~');
                line.into_iter().collect()
            }
            2 => (0..rng.random_range(1..60)).map(|_| rng.random_range(' '..='~')).collect(),
            _ => (0..rng.random_range(1..60))
                .map(|_| rng.random::<char>())
                .filter(|c| *c != '\n')
                .collect(),
        }
    }
}

/// Whether a line certainly changes nothing: it is no command, or one that cannot be carried out.
fn is_junk(line: &str) -> bool {
    match Dialect::Uci.parse_command(line) {
        Err(_) => true,
        Ok(Some(Command::SetOption { name, value })) => {
            otrera::engine::Options::new().set(&name, value.as_deref()).is_err()
        }
        Ok(Some(Command::Position { start, moves })) => {
            let fen = match &start {
                otrera::protocol::Start::Standard => None,
                otrera::protocol::Start::Fen(fen) => Some(fen.as_str()),
            };
            otrera::engine::History::read(fen, &moves).is_err()
        }
        Ok(_) => false,
    }
}

#[test]
fn junk_gets_one_answer_and_changes_nothing() {
    let client = Client::new(Some(Dialect::Uci));
    client.send("position startpos moves d1d7,d7g7");
    let before = client.answers("d");
    let mut junk = Junk(Xoshiro256PlusPlus::seed_from_u64(1));
    let mut sent = 0;
    while sent < LINES {
        let line = junk.line();
        if !is_junk(&line) {
            continue;
        }
        sent += 1;
        let answer = client.answer(&line);
        assert!(answer.starts_with("info string "), "{line:?}: {answer}");
        assert!(answer.chars().count() < 400, "{line:?}: {answer}");
        assert!(!answer.contains("bestmove") && !answer.contains("readyok"), "{line:?}");
        if sent % 1000 == 0 {
            assert_eq!(client.answers("d"), before, "{line:?}");
        }
    }
    assert_eq!(client.answers("d"), before);
    client.close();
}

#[test]
fn what_is_no_text_gets_one_answer_and_changes_nothing() {
    let client = Client::new(None);
    let before = client.answers("d");
    let mut megabyte = vec![b'x'; 1 << 20];
    megabyte.push(b'\n');
    client.send_bytes(&megabyte);
    assert_eq!(client.answer(""), "info string a line of more than 65536 bytes was skipped");
    client.send_bytes(b"position startpos moves \xff\xfe\n");
    assert_eq!(
        client.answer(""),
        "info string a line that is not UTF-8 (byte 0xff in column 25) was skipped"
    );
    assert_eq!(client.answers("d"), before);
    // A long line that is text and has its limit kept is told like any other.
    let long = format!("go {}", "x".repeat(60_000));
    assert!(client.answer(&long).chars().count() < 200);
    let long = format!("position startpos moves {}", "d1d7,d7g7 ".repeat(6000));
    assert!(client.answer(&long).contains("move 2: "));
    assert_eq!(client.answers("d"), before);
    client.close();
}
