//! An engine that misbehaves on demand. It plays the first legal move of a small board.

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::process::{self, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use otrera::amazons::{Move, Notation, Position};

/// What the mock does wrong, as a word of its command line.
pub fn run(behaviour: &str, pids: &str) {
    note(pids, process::id());
    let mut mock = Mock { behaviour, pids, position: Position::start(), games: 0, searches: 0 };
    if mock.is("dies-at-start") {
        process::exit(3);
    }
    if mock.is("loads-slowly") {
        sleep(Duration::from_millis(2500));
    }
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        mock.hear(&line);
    }
    // The end of input is a request to leave too.
    if mock.is("ignores-quit") {
        sleep(Duration::from_secs(1000));
    }
}

/// Leaves a process number where the test looks for processes that are left over.
fn note(pids: &str, pid: u32) {
    let file = OpenOptions::new().append(true).create(true).open(pids);
    // The line in one piece: other processes write to the list at the same time.
    let line = format!("{pid}\n");
    file.expect("the list of processes").write_all(line.as_bytes()).expect("a line in it");
}

struct Mock<'a> {
    behaviour: &'a str,
    pids: &'a str,
    position: Position,
    games: u32,
    /// Searches in this game.
    searches: u32,
}

fn say(text: &str) {
    say_bytes(format!("{text}\n").as_bytes());
}

/// Writes as far as somebody reads.
fn say_bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        process::exit(0);
    }
}

impl Mock<'_> {
    fn is(&self, behaviour: &str) -> bool {
        self.behaviour == behaviour
    }

    fn hear(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "uci" => {
                say("id name Mock\noption name Style type combo default plain var plain var odd");
                if !self.is("no-uciok") {
                    say("uciok");
                }
            }
            "setoption" if self.is("refuses-option") => {
                say("info string No such option: Style");
            }
            "isready" if !self.is("no-readyok") => say("readyok"),
            "ucinewgame" => {
                self.games += 1;
                self.searches = 0;
                if self.is("dies-between-games") && self.games == 2 {
                    process::exit(4);
                }
            }
            "position" => self.set(rest),
            "go" => self.go(),
            "quit" if !self.is("ignores-quit") => process::exit(0),
            _ => {}
        }
    }

    fn set(&mut self, rest: &str) {
        let (start, moves) = rest.split_once(" moves ").unwrap_or((rest, ""));
        self.position = match start.strip_prefix("fen ") {
            Some(fen) => Position::from_fen(fen).expect("a position from the referee"),
            None => Position::start(),
        };
        for word in moves.split_whitespace() {
            let mv = Move::read(word, &self.position).expect("a move from the referee");
            self.position.try_move(mv).expect("a legal move from the referee");
        }
    }

    fn go(&mut self) {
        self.searches += 1;
        let second = self.searches == 2;
        let mv = self.position.legal_moves()[0].written(Notation::Uci, &self.position);
        let best = format!("bestmove {mv}");
        match self.behaviour {
            "dies-mid-search" if second => process::exit(7),
            "exits-with-success" if second => process::exit(0),
            "closes-output" if second => {
                rustix::stdio::dup2_stdout(io::stderr()).expect("stderr in place of stdout");
                sleep(Duration::from_secs(1000));
            }
            "never-answers" if second => {}
            "answers-late" if second => {
                sleep(Duration::from_millis(600));
                say(&best);
            }
            "illegal-move" if second => say("bestmove a1a1,a1a1"),
            "garbage-move" if second => say("bestmove xyzzy"),
            "garbage" => {
                say(
                    "\u{1}\u{2} %$ bestmove? readyok? info score cp x\nbest move\ninfo depth -3 pv",
                );
                say(&best);
            }
            "empty-move" if second => say("bestmove"),
            "half-a-move" if second => say(&best[..best.find(',').unwrap_or(best.len())]),
            "no-move" if second => say("bestmove (none)"),
            "two-bestmoves" if second => say(&format!("{best}\n{best}")),
            "megabyte-line" if second => say_bytes(&vec![b'x'; 1 << 20]),
            "megabyte-lines" => {
                say_bytes(&vec![b'x'; 1 << 20]);
                say("");
                say(&best);
            }
            "invalid-utf8" => {
                say_bytes(b"info string \xff\xfe\xc0\n");
                say(&best);
            }
            "invalid-utf8-move" if second => say_bytes(b"bestmove \xff\xfe\n"),
            "floods-stderr" => {
                let mut line = [b'e'; 1000];
                for count in 0..6000 {
                    // Lines at first, then one that does not end.
                    line[999] = if count < 3000 { b'\n' } else { b'e' };
                    let _ = io::stderr().write_all(&line);
                }
                say(&best);
            }
            "leaves-grandchild" if second => {
                let child = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn();
                note(self.pids, child.expect("a sleeping child").id());
                process::exit(5);
            }
            "endless-info" if second => loop {
                say("info depth 1 score cp 1 nodes 1");
            },
            "thinks" => {
                sleep(Duration::from_millis(30));
                say(&best);
            }
            "thinks-long" => {
                sleep(Duration::from_secs(30));
                say(&best);
            }
            "optimist" => say(&format!("info depth 2 score cp 900 pv {mv}\n{best}")),
            "pessimist" => say(&format!("info depth 2 score cp -900 pv {mv}\n{best}")),
            _ => say(&format!("info depth 1 score cp 10 nodes 1 time 0 pv {mv}\n{best}")),
        }
    }
}
