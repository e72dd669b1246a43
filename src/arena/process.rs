//! An engine as a process: started in a process group of its own, spoken to in lines, and ended
//! for certain.
//!
//! Nothing an engine does may hold the runner up. Three threads serve each process: one reads its
//! lines, which are of bounded length, into a queue of bounded length; one reads its standard
//! error; one waits for its end, at which it kills whatever the process has left behind in its
//! group, so that no grandchild keeps a pipe open. Every wait of the runner itself has a deadline.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::interrupt::Interrupt;
use super::log::{Kind, Log};
use super::watchdog::Watchdog;
use crate::protocol::{LineError, Lines};

/// How to start an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The program: a path, or a name to be looked up in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder it runs in, if not the runner's.
    pub folder: Option<PathBuf>,
}

/// A line that a process has written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The line, or why it could not be read as text.
    pub text: Result<String, LineError>,
    /// When it was complete.
    pub at: Instant,
}

/// Why a process said nothing, or heard nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Silence {
    /// The deadline has passed.
    Deadline,
    /// The process has ended.
    Exited(ExitStatus),
    /// The process runs on, and has closed its output or its input.
    Closed,
    /// The user wants the match to end.
    Interrupted,
}

enum Event {
    Line(Line),
    Closed,
    Exited(ExitStatus),
}

/// Lines that wait to be read by the runner; a process that writes more has to wait itself.
const QUEUE: usize = 4096;

/// How often a wait looks whether it has been interrupted.
const GLANCE: Duration = Duration::from_millis(20);

/// How long a process may take to end after its output has ended, or the other way round, and to
/// die when it is killed.
const AFTERMATH: Duration = Duration::from_secs(1);

/// How long a process may leave its input pipe full.
const DEAF: Duration = Duration::from_secs(5);

/// Lines of standard error that are remembered, and the length to which each is cut.
const REMEMBERED: (usize, usize) = (100, 400);

/// Bytes of standard error that a process may add to the log.
const LOGGED_ERRORS: usize = 1 << 20;

/// A process group and whether its leader has yet to be reaped, until which its number belongs to
/// no other.
struct Group {
    leader: Pid,
    unreaped: Mutex<bool>,
    watchdog: Option<Arc<Watchdog>>,
}

impl Group {
    fn kill(&self) {
        if *self.unreaped.lock() {
            // It fails only when there is nobody left.
            let _ = rustix::process::kill_process_group(self.leader, Signal::KILL);
        }
    }

    /// Waits for the leader's end and ends the rest of the group.
    fn reap(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(error) = rustix::process::waitid(WaitId::Pid(self.leader), options) {
            if error != rustix::io::Errno::INTR {
                return Err(error.into());
            }
        }
        let mut unreaped = self.unreaped.lock();
        let _ = rustix::process::kill_process_group(self.leader, Signal::KILL);
        let status = child.wait();
        *unreaped = false;
        if let Some(watchdog) = &self.watchdog {
            watchdog.forget(self.leader);
        }
        status
    }
}

/// A running engine process. It is killed, with all its group, when this is dropped.
pub struct Process {
    name: String,
    group: Arc<Group>,
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    /// An event that has arrived after the deadline of the wait that found it.
    early: Option<Event>,
    closed: bool,
    exited: Option<ExitStatus>,
    errors: Arc<Mutex<VecDeque<String>>>,
    log: Log,
}

impl Process {
    /// Starts a process. `name` is for the log, where the process number is added.
    ///
    /// # Errors
    /// When there is no such program, or it cannot be run.
    pub fn spawn(
        name: &str,
        launch: &Launch,
        watchdog: Option<Arc<Watchdog>>,
        log: Log,
    ) -> io::Result<Process> {
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        if let Some(watchdog) = &watchdog {
            watchdog.watch(&mut command);
        }
        let mut child = command.spawn()?;
        let name = &format!("{name}[{}]", child.id());
        log.line(Kind::Remark, name, "started");
        let leader = Pid::from_child(&child);
        let group = Arc::new(Group { leader, unreaped: Mutex::new(true), watchdog });
        let input = child.stdin.take();
        if let Some(input) = &input {
            rustix::io::ioctl_fionbio(input, true)?;
        }
        let (sender, events) = mpsc::sync_channel(QUEUE);
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(output) = child.stdout.take() {
            let sender = sender.clone();
            thread::spawn(move || read_lines(output, &sender));
        }
        if let Some(output) = child.stderr.take() {
            let (errors, name, log) = (Arc::clone(&errors), name.to_owned(), log.clone());
            thread::spawn(move || read_errors(output, &errors, &name, &log));
        }
        let waiting = Arc::clone(&group);
        thread::spawn(move || {
            if let Ok(status) = waiting.reap(&mut child) {
                // Nobody listens any more when the process has been dropped.
                let _ = sender.send(Event::Exited(status));
            }
        });
        Ok(Process {
            name: name.to_owned(),
            group,
            input,
            events,
            early: None,
            closed: false,
            exited: None,
            errors,
            log,
        })
    }

    /// The last lines of its standard error, oldest first.
    pub fn errors(&self) -> Vec<String> {
        self.errors.lock().iter().cloned().collect()
    }

    /// Writes lines to the process, all at once. May wait for some seconds if it does not read its
    /// input.
    ///
    /// # Errors
    /// When the process does not take the lines, or has ended.
    pub fn send(&mut self, lines: &[String]) -> Result<(), Silence> {
        let mut bytes = Vec::new();
        for line in lines {
            self.log.line(Kind::Sent, &self.name, line);
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        let deadline = Instant::now() + DEAF;
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let Some(input) = &mut self.input else { return Err(self.end_of_input()) };
            match input.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= deadline {
                        return Err(Silence::Deadline);
                    }
                    let mut ready = [PollFd::new(input, PollFlags::OUT)];
                    let glance = GLANCE.try_into().ok();
                    // Whether it is ready, the next write will tell.
                    let _ = rustix::event::poll(&mut ready, glance.as_ref());
                }
                Err(_) => return Err(self.end_of_input()),
            }
        }
        Ok(())
    }

    /// Nobody reads what is written any more: waits a moment for the reason.
    fn end_of_input(&mut self) -> Silence {
        self.input = None;
        let deadline = Instant::now() + AFTERMATH;
        loop {
            match self.receive(deadline, &Interrupt::default()) {
                Ok(_) => {}
                Err(Silence::Exited(status)) => return Silence::Exited(status),
                Err(_) => return Silence::Closed,
            }
        }
    }

    /// Waits for the next line, until the deadline at the latest. A line that was complete before
    /// the deadline counts even if the runner comes to it later.
    ///
    /// # Errors
    /// Why there is none.
    pub fn receive(
        &mut self,
        mut deadline: Instant,
        interrupt: &Interrupt,
    ) -> Result<Line, Silence> {
        loop {
            if let (Some(status), true) = (self.exited, self.closed) {
                return Err(Silence::Exited(status));
            }
            let Some(event) = self.next_event(deadline, interrupt)? else {
                return Err(match self.exited {
                    Some(status) => Silence::Exited(status),
                    None if self.closed => Silence::Closed,
                    None => Silence::Deadline,
                });
            };
            match event {
                Event::Line(line) if line.at > deadline && self.exited.is_none() => {
                    self.early = Some(Event::Line(line));
                    return Err(Silence::Deadline);
                }
                Event::Line(line) => {
                    match &line.text {
                        Ok(text) => self.log.line(Kind::Received, &self.name, text),
                        Err(error) => self.log.line(Kind::Remark, &self.name, error),
                    }
                    return Ok(line);
                }
                // Wait for the other half of the end, if it is not long in coming.
                Event::Closed => {
                    self.closed = true;
                    deadline = deadline.min(Instant::now() + AFTERMATH);
                }
                Event::Exited(status) => {
                    self.log.line(Kind::Remark, &self.name, status);
                    self.exited = Some(status);
                    deadline = Instant::now() + AFTERMATH;
                }
            }
        }
    }

    /// The next event, or `None` when the deadline passes without one.
    fn next_event(
        &mut self,
        deadline: Instant,
        interrupt: &Interrupt,
    ) -> Result<Option<Event>, Silence> {
        if let Some(event) = self.early.take() {
            return Ok(Some(event));
        }
        loop {
            match self.events.try_recv() {
                Ok(event) => return Ok(Some(event)),
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) => {}
            }
            if interrupt.is_raised() {
                return Err(Silence::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            match self.events.recv_timeout(left.min(GLANCE)) {
                Ok(event) => return Ok(Some(event)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    /// Says farewell, closes the process's input, gives it some time to leave, and kills it if it
    /// does not take the hint. Returns whether it left by itself.
    pub fn end(mut self, farewell: &[String], patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut gone = self.exited.is_some() || self.send(farewell).is_err_and(is_exit);
        self.input = None;
        while !gone {
            match self.receive(deadline, &Interrupt::default()) {
                Ok(line) if line.at > deadline => break,
                Ok(_) => {}
                Err(silence) => {
                    gone = is_exit(silence);
                    break;
                }
            }
        }
        if !gone {
            self.log.line(Kind::Remark, &self.name, "ignores the request to leave: killed");
        }
        gone
    }
}

fn is_exit(silence: Silence) -> bool {
    matches!(silence, Silence::Exited(_))
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
        let deadline = Instant::now() + AFTERMATH;
        while self.exited.is_none() && self.receive(deadline, &Interrupt::default()).is_ok() {}
    }
}

fn read_lines(output: impl Read, events: &SyncSender<Event>) {
    for text in Lines::new(output) {
        let line = Line { text, at: Instant::now() };
        if events.send(Event::Line(line)).is_err() {
            return;
        }
    }
    let _ = events.send(Event::Closed);
}

fn read_errors(output: impl Read, errors: &Mutex<VecDeque<String>>, name: &str, log: &Log) {
    let (lines, length) = REMEMBERED;
    let mut logged = 0;
    for line in Lines::new(output) {
        let mut text = line.unwrap_or_else(|error| format!("({error})"));
        if logged < LOGGED_ERRORS {
            logged += text.len() + 1;
            log.line(Kind::Error, name, &text);
            if logged >= LOGGED_ERRORS {
                log.line(Kind::Remark, name, "no more of its standard error is kept");
            }
        }
        if let Some((end, _)) = text.char_indices().nth(length) {
            text.truncate(end);
        }
        let mut errors = errors.lock();
        if errors.len() == lines {
            errors.pop_front();
        }
        errors.push_back(text);
    }
}
