//! Engines that misbehave, and what becomes of the match: it does not hang, it loses no finished
//! game, it names the cause, and it leaves no process behind.
//!
//! There is no harness, because this program is also the engine: called with the word `mock` it
//! misbehaves as asked.

#![expect(clippy::print_stdout, reason = "without a harness the test program prints its results")]

mod faults;
mod interruptions;
mod mock;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;
use std::{env, thread};

/// A test and its name.
pub struct Test {
    name: String,
    run: Box<dyn Fn() + Send + Sync>,
}

impl Test {
    /// A test that passes if `run` does not panic.
    pub fn new(name: &str, run: impl Fn() + Send + Sync + 'static) -> Test {
        Test { name: name.to_owned(), run: Box::new(run) }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if let [word, behaviour, pids] = &words[..]
        && word == "mock"
    {
        mock::run(behaviour, pids);
        return ExitCode::SUCCESS;
    }
    let tests: Vec<Test> = faults::tests().into_iter().chain(interruptions::tests()).collect();
    if words.iter().any(|word| word == "--list") {
        tests.iter().for_each(|test| println!("{}: test", test.name));
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let chosen = |test: &Test| {
        filters.is_empty() || filters.iter().any(|filter| test.name.contains(filter.as_str()))
    };
    run_all(tests.into_iter().filter(chosen).collect())
}

/// Runs tests, which mostly wait, several at a time.
fn run_all(mut tests: Vec<Test>) -> ExitCode {
    const AT_A_TIME: usize = 6;
    println!("\nrunning {} tests", tests.len());
    tests.reverse();
    let queue = Mutex::new(tests);
    let failed = Mutex::new(Vec::new());
    let next = || queue.lock().expect("nobody panics with the queue").pop();
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(test) = next() {
                    let began = Instant::now();
                    let passed = panic::catch_unwind(AssertUnwindSafe(|| (test.run)())).is_ok();
                    let word = if passed { "ok" } else { "FAILED" };
                    println!(
                        "test {} ... {word} ({:.1} s)",
                        test.name,
                        began.elapsed().as_secs_f64()
                    );
                    if !passed {
                        failed.lock().expect("nobody panics with the list").push(test.name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panics with the list");
    match failed.is_empty() {
        true => {
            println!("\ntest result: ok.\n");
            ExitCode::SUCCESS
        }
        false => {
            println!("\ntest result: FAILED: {}\n", failed.join(", "));
            ExitCode::from(101)
        }
    }
}
