//! The log of a match: every line between runner and engines, with the time since the start.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

/// A log that several threads write to; copies share it. The default one keeps nothing.
#[derive(Clone, Debug, Default)]
pub struct Log(Option<Arc<Open>>);

#[derive(Debug)]
struct Open {
    began: Instant,
    file: Mutex<BufWriter<File>>,
}

/// What kind of line it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// From the runner to an engine.
    Sent,
    /// From an engine to the runner.
    Received,
    /// From an engine's standard error.
    Error,
    /// A remark of the runner.
    Remark,
}

impl Log {
    /// A new log in this file, which is emptied if it exists.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &Path) -> io::Result<Log> {
        let file = Mutex::new(BufWriter::new(File::create(path)?));
        Ok(Log(Some(Arc::new(Open { began: Instant::now(), file }))))
    }

    /// Writes a line about `who`.
    pub fn line(&self, kind: Kind, who: &str, text: impl fmt::Display) {
        let Some(open) = &self.0 else { return };
        let sign = match kind {
            Kind::Sent => "<",
            Kind::Received => ">",
            Kind::Error => "!",
            Kind::Remark => "#",
        };
        let time = open.began.elapsed().as_secs_f64();
        let mut file = open.file.lock();
        // A full disk must not end a match, and there is nowhere better to tell of it.
        let _ = writeln!(file, "{time:12.6} {who} {sign} {text}");
        if kind != Kind::Received {
            let _ = file.flush();
        }
    }
}
