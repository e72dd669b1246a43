//! `otrera bench`: fixed positions, fixed nodes, and a signature that tells whether the engine
//! still plays as it did.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use super::threads;
use crate::amazons::{Position, Step};
use crate::endgame::RegionProver;
use crate::eval::{Evaluation, Kernel};
use crate::search::{Limits, Report, Search};

/// The positions, one a line; lines that begin with `#` say where they are from.
const POSITIONS: &str = include_str!("bench_positions.txt");

/// The nodes for each position that the kept signature belongs to.
const NODES: u64 = 20_000;

/// The memory for each search in MiB, which that signature belongs to as well.
const HASH: u16 = 64;

/// Search fixed positions for a fixed number of nodes each, and print nodes per second, the bytes
/// of the tree for each visit, and a signature over everything found. The signature depends on the
/// engine alone: not on the machine, its speed or its instruction set.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Nodes for each position; another number than this gives another signature
    #[arg(long, default_value_t = NODES)]
    nodes: u64,
    /// Memory for the tree in MiB
    #[arg(long, default_value_t = HASH, value_parser = clap::value_parser!(u16).range(1..))]
    hash: u16,
    /// How many threads search; with more than one there is another signature each time
    #[arg(long, default_value_t = 1, value_parser = threads())]
    threads: u16,
    /// Evaluate positions without vector instructions
    #[arg(long)]
    portable: bool,
}

impl Default for Arguments {
    /// What the kept signature belongs to.
    fn default() -> Arguments {
        Arguments { nodes: NODES, hash: HASH, threads: 1, portable: false }
    }
}

/// Runs the benchmark.
///
/// # Errors
/// No memory for the search, or an output that cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kernel = if arguments.portable { Kernel::PORTABLE } else { Kernel::best() };
    let mut out = io::stdout().lock();
    let (mut nodes, mut elapsed) = (0, Duration::ZERO);
    let signature = search_all(kernel, arguments, |fen, report, bytes| {
        nodes += report.nodes;
        elapsed += report.elapsed;
        writeln!(
            out,
            "{:>9} nodes {:>9.0} nodes/s {:>4} bytes/node  {fen}",
            report.nodes,
            rate(report.nodes, report.elapsed),
            bytes as u64 / report.nodes.max(1),
        )?;
        Ok(())
    })?;
    writeln!(out, "{nodes:>9} nodes {:>9.0} nodes/s, {kernel}", rate(nodes, elapsed))?;
    writeln!(out, "signature: {signature}")?;
    Ok(ExitCode::SUCCESS)
}

/// The signature of this engine, for the record of what it has made.
pub fn signature() -> anyhow::Result<Signature> {
    search_all(Kernel::best(), &Arguments::default(), |_, _, _| Ok(()))
}

/// Searches every position; `each` is given its FEN, the report and the bytes of the tree.
fn search_all(
    kernel: Kernel,
    arguments: &Arguments,
    mut each: impl FnMut(&str, &Report<Step>, usize) -> anyhow::Result<()>,
) -> anyhow::Result<Signature> {
    let evaluator = Evaluation::embedded(kernel);
    let mut signature = Signature::default();
    for fen in POSITIONS.lines().filter(|line| !line.starts_with('#')) {
        let position =
            Position::from_fen(fen).with_context(|| format!("bench position '{fen}'"))?;
        let hash_bytes = usize::from(arguments.hash) << 20;
        let mut search =
            Search::new(evaluator.clone(), RegionProver::default(), hash_bytes, position)?;
        search.set_threads(arguments.threads.into());
        let report = search.run(&Limits::nodes(arguments.nodes), &AtomicBool::new(false), &mut ());
        signature.add(&report);
        each(fen, &report, search.tree_bytes())?;
    }
    Ok(signature)
}

fn rate(nodes: u64, elapsed: Duration) -> f64 {
    nodes as f64 / elapsed.as_secs_f64().max(1e-9)
}

/// A running hash (FNV-1a) over what the searches found.
pub struct Signature(u64);

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Default for Signature {
    fn default() -> Signature {
        Signature(0xcbf2_9ce4_8422_2325)
    }
}

impl Signature {
    fn add(&mut self, report: &Report<Step>) {
        self.word(report.nodes);
        self.word(report.proofs);
        self.word(u64::from(report.seldepth));
        for line in &report.lines {
            self.word(u64::from(line.value.get().to_bits()));
            self.word(line.visits);
            for &step in &line.steps {
                self.word(u64::from(step.code()));
            }
        }
    }

    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
