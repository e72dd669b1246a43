//! `otrera train`: a network from games of self-play.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};

use super::{exit, interrupt};
use crate::learn::train::{self, Findings, Length, Losses, Progress, Report, Settings};

/// Train a network on games of self-play. Ctrl-C ends it early; the same command goes on from
/// there.
///
/// The directory gets the network (network.otrera), what was found out about it (report.json,
/// losses.svg, calibration.svg) and the state of the training (checkpoint).
#[derive(Args, Debug)]
pub struct Arguments {
    /// Where everything goes; made if it is not there
    #[arg(long, value_name = "DIRECTORY")]
    out: PathBuf,
    /// Begin with the weights of another training: its checkpoint
    #[arg(long, value_name = "CHECKPOINT")]
    start: Option<PathBuf>,
    /// How many times over all records [default: 8]
    #[arg(long, conflicts_with = "steps")]
    passes: Option<f64>,
    /// How many steps
    #[arg(long)]
    steps: Option<u64>,
    /// Records in a step
    #[arg(long, default_value_t = Settings::default().batch)]
    batch: usize,
    /// The greatest learning rate
    #[arg(long, default_value_t = Settings::default().rate)]
    rate: f32,
    /// The learning rate in the end, as a share of the greatest
    #[arg(long, default_value_t = Settings::default().last_rate)]
    last_rate: f32,
    /// Steps until the greatest learning rate
    #[arg(long, default_value_t = Settings::default().warm_up)]
    warm_up: u64,
    /// How fast weights decay, as a share of the learning rate
    #[arg(long, default_value_t = Settings::default().weight_decay)]
    weight_decay: f32,
    /// What a loss in the policy counts against one in the value
    #[arg(long, default_value_t = Settings::default().policy_weight)]
    policy_weight: f32,
    /// The share of the game's result in the value learned; the rest is what the search found
    #[arg(long, default_value_t = Settings::default().result_share)]
    result_share: f32,
    /// The part of the training that the average of the weights looks back on, as a share
    #[arg(long, default_value_t = Settings::default().average_share)]
    average_share: f32,
    /// The last part of the training, as a share, in which most numbers are rounded already and the
    /// others learn to make up for it
    #[arg(long, default_value_t = Settings::default().settled_share)]
    settled_share: f32,
    /// Use only the last so many games
    #[arg(long, value_name = "GAMES")]
    last_games: Option<usize>,
    /// Decides the first weights and the order of records
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    /// How many threads; all cores if not given. The network does not depend on it
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Files of games, the oldest first
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Arguments {
    fn settings(&self) -> Settings {
        let length = match (self.steps, self.passes) {
            (Some(steps), _) => Length::Steps(steps),
            (None, Some(passes)) => Length::Passes(passes),
            (None, None) => Settings::default().length,
        };
        Settings {
            seed: self.seed,
            length,
            batch: self.batch,
            rate: self.rate,
            last_rate: self.last_rate,
            warm_up: self.warm_up,
            weight_decay: self.weight_decay,
            policy_weight: self.policy_weight,
            result_share: self.result_share,
            average_share: self.average_share,
            settled_share: self.settled_share,
            last_games: self.last_games,
        }
    }
}

/// Trains, and prints what came of it.
///
/// # Errors
/// Settings that make no sense, and files that cannot be used.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, usize::from))
        .build()
        .context("the threads cannot be started")?;
    let stop = interrupt::flag()?;
    let bar = Bar::new()?;
    let settings = arguments.settings();
    let summary = pool.install(|| {
        let (files, out, start) = (&arguments.files, &arguments.out, arguments.start.as_deref());
        train::run(&settings, files, out, start, &stop, &mut |progress| bar.show(progress))
    });
    bar.0.finish_and_clear();
    let summary = summary?;
    match &summary.report {
        Some(report) => {
            tell(report)?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            writeln!(
                io::stderr(),
                "interrupted after {} of {} steps: the same command goes on from there",
                summary.step,
                summary.steps,
            )?;
            Ok(ExitCode::from(exit::UNDECIDED))
        }
    }
}

/// Prints what there is to know of a network.
fn tell(report: &Report) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for source in &report.sources {
        if let Some(fault) = &source.fault {
            writeln!(io::stderr(), "{}: {fault}; what is before was used", source.path)?;
        }
    }
    let Findings { float, rounded, least, .. } = &report.findings;
    writeln!(
        out,
        "{} games, {} of them held out; {} records, {} steps, {:.0} records a second",
        report.games,
        report.held_out_games,
        report.records,
        report.steps,
        report.records_per_second,
    )?;
    writeln!(out, "held out, {} records:", report.findings.records)?;
    for (name, losses) in
        [("average", float), ("rounded", rounded), ("last", &report.last), ("least", least)]
    {
        let Losses { value, policy } = losses;
        writeln!(out, "  {name:8} value {value:.5}, policy {policy:.5}")?;
    }
    let findings = &report.findings;
    writeln!(
        out,
        "rounded against float: same best step in {:.2}%, mean difference of value {:.5}",
        100.0 * findings.same_best_step,
        findings.value_difference,
    )?;
    writeln!(out, "most visited step thought best in {:.2}%", 100.0 * findings.most_visited_step)?;
    writeln!(out, "calibration: records, predicted, observed")?;
    for decile in &findings.calibration {
        let train::Decile { records, predicted, observed } = decile;
        writeln!(out, "  {records:8}  {predicted:.3}  {observed:.3}")?;
    }
    let cut: usize = report.rounding.iter().map(|rounding| rounding.cut).sum();
    writeln!(out, "{cut} numbers cut in rounding")?;
    Ok(())
}

/// What standard error shows meanwhile.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> anyhow::Result<Bar> {
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} steps  {msg}")?;
        Ok(Bar(ProgressBar::new(0).with_style(style)))
    }

    fn show(&self, progress: &Progress) {
        match progress {
            Progress::Reading { games } => {
                self.0.set_message(format!("{} games read", HumanCount(*games)));
            }
            Progress::Training { step, steps, trained, held_out, records_per_second, left } => {
                self.0.set_length(*steps);
                self.0.set_position(*step);
                let held_out = held_out.map_or(String::new(), |losses| {
                    format!(", held out {:.4} {:.4}", losses.value, losses.policy)
                });
                self.0.set_message(format!(
                    "value {:.4}, policy {:.4}{held_out}; {} records/s, {} left",
                    trained.value,
                    trained.policy,
                    HumanCount(*records_per_second as u64),
                    HumanDuration(*left),
                ));
            }
            Progress::Measuring { records } => {
                self.0.set_message(format!("measuring on {} records", HumanCount(*records as u64)));
            }
        }
    }
}
