//! What ends the engines when the runner can no longer do it: after a kill -9, or an abort.
//!
//! A shell waits, in a process group of its own, at the other end of a pipe that only the runner
//! holds open. It is told of every engine's process group, and at the end of the pipe, whatever
//! the reason, it kills those that are left. A new engine writes its own process number into the
//! pipe before its program starts, and holds the pipe open until then, so there is no moment at
//! which an engine runs that the watchdog does not know. A parent-death signal would not do: it
//! follows the thread that spawned the engine, and does not reach what the engine itself starts.

use std::io;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rustix::process::Pid;

/// Keeps the set of groups in a string with a blank on either side of each number.
const SCRIPT: &str = r#"
trap '' INT TERM HUP QUIT
groups=' '
while read -r sign group; do
    case $sign in
        +) groups="$groups$group " ;;
        -) case $groups in
            *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;;
        esac ;;
    esac
done
for group in $groups; do
    kill -s KILL -- "-$group" 2>/dev/null
done
"#;

/// Kills the engines of a runner that is no more.
#[derive(Debug)]
pub struct Watchdog {
    shell: Child,
    /// `None` only while this is dropped.
    pipe: Option<Arc<OwnedFd>>,
}

impl Watchdog {
    /// Starts one, which lasts as long as this value or the runner, whichever ends first.
    ///
    /// # Errors
    /// When the system has no `/bin/sh` or no room for another process.
    pub fn start() -> io::Result<Watchdog> {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let pipe = shell.stdin.take().map(|stdin| Arc::new(OwnedFd::from(stdin)));
        Ok(Watchdog { shell, pipe })
    }

    /// Makes the command tell the watchdog of its process group, which it must lead.
    pub(super) fn watch(&self, command: &mut Command) {
        let Some(pipe) = self.pipe.clone() else { return };
        let register = move || {
            let mut line = [0u8; 16];
            let number = rustix::process::getpid().as_raw_nonzero().get();
            let mut rest = &mut line[..];
            writeln!(rest, "+ {number}")?;
            let unused = rest.len();
            let length = line.len() - unused;
            // Without a watchdog the engine runs all the same.
            let _ = rustix::io::write(&pipe, &line[..length]);
            Ok(())
        };
        // SAFETY: between fork and exec the closure formats a number into an array and makes two
        // system calls; it neither allocates nor takes a lock, and the pipe is open.
        unsafe { command.pre_exec(register) };
    }

    /// Says that this process group is gone.
    pub(super) fn forget(&self, group: Pid) {
        if let Some(pipe) = &self.pipe {
            let line = format!("- {}\n", group.as_raw_nonzero());
            // Without a watchdog there is nobody to tell.
            let _ = rustix::io::write(pipe, line.as_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.pipe = None;
        // At the end of its pipe the shell ends at once.
        let _ = self.shell.wait();
    }
}
