//! The other end of a session: a GUI whose pipes are channels in memory.

use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use otrera::amazons::Position;
use otrera::endgame::RegionProver;
use otrera::engine::Selectable;
use otrera::eval::Evaluation;
use otrera::game::Prover;
use otrera::protocol::{Dialect, serve};

/// No answer takes so long, even on a machine with other things to do.
const DEADLINE: Duration = Duration::from_secs(60);

/// A GUI with an engine of its own.
pub struct Client {
    input: Sender<Vec<u8>>,
    output: Receiver<String>,
    session: JoinHandle<io::Result<()>>,
}

/// What the engine reads from.
struct Pipe {
    chunks: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.chunks.recv() {
                Ok(chunk) => self.rest = chunk,
                Err(_) => return Ok(0),
            }
        }
        let count = buffer.len().min(self.rest.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// What the engine writes to. Every flush must come with whole lines.
struct Lines {
    lines: Sender<String>,
    unfinished: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unfinished.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8(std::mem::take(&mut self.unfinished)).unwrap();
        assert!(text.ends_with('\n'), "flushed in the middle of a line: {text:?}");
        for line in text.lines() {
            self.lines.send(line.to_owned()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(())
    }
}

impl Client {
    /// An engine as it is shipped.
    pub fn new(dialect: Option<Dialect>) -> Client {
        Client::of(Evaluation::default(), RegionProver::default(), dialect)
    }

    /// An engine that thinks with these.
    pub fn of<E, P>(evaluator: E, prover: P, dialect: Option<Dialect>) -> Client
    where
        E: Selectable,
        P: Prover<Position> + Clone + 'static,
    {
        let (input, chunks) = mpsc::channel();
        let (lines, output) = mpsc::channel();
        let pipe = Pipe { chunks, rest: Vec::new() };
        let sink = Lines { lines, unfinished: Vec::new() };
        let session = thread::spawn(move || serve(evaluator, prover, dialect, pipe, sink));
        Client { input, output, session }
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&self, bytes: &[u8]) {
        // An engine that has left reads no more, and that is found when its answer is missing.
        let _ = self.input.send(bytes.to_vec());
    }

    /// Sends a line.
    pub fn send(&self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// The next line, if one comes in time.
    pub fn line_within(&self, time: Duration) -> Option<String> {
        match self.output.recv_timeout(time) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the engine has left"),
        }
    }

    /// The next line.
    pub fn line(&self) -> String {
        self.line_within(DEADLINE).expect("the engine is silent")
    }

    /// All lines up to the first that begins with `word`, that one included.
    pub fn until(&self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            let found = line.starts_with(word);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// What the engine says before it says that it is ready.
    pub fn answers(&self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// The one line that the engine answers.
    pub fn answer(&self, line: &str) -> String {
        let lines = self.answers(line);
        assert_eq!(lines.len(), 1, "{line:?} is answered by {lines:?}");
        lines.into_iter().next().unwrap()
    }

    /// A search: its lines, and the best move.
    pub fn search(&self, go: &str) -> (Vec<String>, String) {
        self.send(go);
        let mut lines = self.until("bestmove");
        let best = lines.pop().unwrap();
        let best = best.split(' ').nth(1).unwrap().to_owned();
        (lines, best)
    }

    /// Closes the engine's input and waits for it to leave. Gives what it still said.
    pub fn close(self) -> Vec<String> {
        let Client { input, output, session } = self;
        drop(input);
        leave(&output, session)
    }

    /// Waits for the engine to leave by itself. Gives what it still said.
    pub fn wait(self) -> Vec<String> {
        // The input stays open meanwhile.
        let Client { input, output, session } = self;
        let lines = leave(&output, session);
        drop(input);
        lines
    }
}

fn leave(output: &Receiver<String>, session: JoinHandle<io::Result<()>>) -> Vec<String> {
    let asked = Instant::now();
    let mut lines = Vec::new();
    loop {
        match output.recv_timeout(DEADLINE.saturating_sub(asked.elapsed())) {
            Ok(line) => lines.push(line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => panic!("the engine does not leave"),
        }
    }
    session.join().expect("the session panicked").expect("the session failed");
    lines
}
