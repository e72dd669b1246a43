//! The program itself, on real pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn otrera(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("otrera"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn the_engine_is_what_the_program_is_without_arguments() {
    for (arguments, greeting, last) in
        [(&[][..], "ugi", "ugiok"), (&["uci"], "uci", "uciok"), (&["ugi"], "ugi", "ugiok")]
    {
        let mut child = otrera(arguments).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        write!(input, "{greeting}\r\n").unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let said = String::from_utf8(output.stdout).unwrap();
        // No greeting for people, who are not there.
        assert!(said.starts_with("id name Otrera "), "{said}");
        assert_eq!(said.lines().last(), Some(last));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}

#[test]
fn a_reader_that_leaves_ends_the_engine_quietly() {
    let mut child = otrera(&[]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(b"go infinite\n").unwrap();
    output.read_line(&mut String::new()).unwrap();
    drop(output);
    // The search reports at least once a second, and finds nobody there.
    let left = child.wait_with_output().unwrap();
    assert!(left.status.success(), "{left:?}");
    assert_eq!(String::from_utf8(left.stderr).unwrap(), "");
}
