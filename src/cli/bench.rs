//! `otrera bench`: fixed positions, fixed nodes, and a signature that tells whether the engine
//! still plays as it did.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use crate::amazons::Position;
use crate::endgame::RegionProver;
use crate::eval::{Classical, Kernel, Weights};
use crate::game::Game;
use crate::search::{Limits, Report, Search};

/// The positions, one a line; lines that begin with `#` say where they are from.
const POSITIONS: &str = include_str!("bench_positions.txt");

/// The nodes for each position that the kept signature belongs to.
const NODES: u64 = 20_000;

/// Search fixed positions for a fixed number of nodes each, and print nodes per second, the bytes
/// of the tree for each visit, and a signature over everything found. The signature depends on the
/// engine alone: not on the machine, its speed or its instruction set.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Nodes for each position; another number than this gives another signature
    #[arg(long, default_value_t = NODES)]
    nodes: u64,
    /// Memory for the tree in MiB
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    hash: u16,
    /// Compute the distance fields without vector instructions
    #[arg(long)]
    portable: bool,
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kernel = if arguments.portable { Kernel::PORTABLE } else { Kernel::best() };
    let mut out = io::stdout().lock();
    let mut signature = Signature::default();
    let (mut nodes, mut elapsed) = (0, Duration::ZERO);
    for fen in POSITIONS.lines().filter(|line| !line.starts_with('#')) {
        let position =
            Position::from_fen(fen).with_context(|| format!("bench position '{fen}'"))?;
        let hash_bytes = usize::from(arguments.hash) << 20;
        let evaluator = Classical::new(kernel, Weights::default());
        let mut search = Search::new(evaluator, RegionProver::default(), hash_bytes, position)?;
        let limits = Limits::nodes(arguments.nodes);
        let report = search.run(&limits, &AtomicBool::new(false), &mut ());
        signature.add(&report);
        nodes += report.nodes;
        elapsed += report.elapsed;
        writeln!(
            out,
            "{:>9} nodes {:>9.0} nodes/s {:>4} bytes/node  {fen}",
            report.nodes,
            rate(report.nodes, report.elapsed),
            search.tree_bytes() as u64 / report.nodes.max(1),
        )?;
    }
    writeln!(out, "{nodes:>9} nodes {:>9.0} nodes/s, {kernel}", rate(nodes, elapsed))?;
    writeln!(out, "signature: {:016x}", signature.0)?;
    Ok(ExitCode::SUCCESS)
}

fn rate(nodes: u64, elapsed: Duration) -> f64 {
    nodes as f64 / elapsed.as_secs_f64().max(1e-9)
}

/// A running hash (FNV-1a) over what the searches found.
struct Signature(u64);

impl Default for Signature {
    fn default() -> Signature {
        Signature(0xcbf2_9ce4_8422_2325)
    }
}

impl Signature {
    fn add(&mut self, report: &Report<<Position as Game>::Step>) {
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
