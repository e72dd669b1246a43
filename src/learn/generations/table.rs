//! The table of a run: a row for each generation, as text, as JSON and as a curve.

use std::fmt::Write as _;
use std::path::Path;

use plotters::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::GenerationsError;
use super::files::{Files, read_json};
use super::state::{Best, Current, Judged, Played, Seconds, State, Trained};
use crate::arena::statistics::{Estimate, Hypothesis, Tally, elo};

/// A finished generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its number, from 0.
    pub generation: u32,
    /// The [`Settings`](super::Settings) it was made with, as the program had them then.
    pub settings: Json,
    /// The generation whose network played the games and was the opponent in the contest; without
    /// one it was the first teacher.
    pub teacher: Option<u32>,
    /// Its games.
    pub played: Played,
    /// Its training.
    pub trained: Trained,
    /// Its contest.
    pub judged: Judged,
    /// The time it took.
    pub seconds: Seconds,
    /// Elo points over the first teacher: the teacher's and the contest's.
    pub elo: f64,
    /// Half the width of the 95 % interval of that, the contests being independent.
    pub elo_error: f64,
}

impl Row {
    /// The row of a generation all of whose stages are finished.
    pub(super) fn new(current: &Current, teacher: Best) -> Option<Row> {
        let judged = current.judged?;
        // Through text, in which a number of 32 bits has no more digits than it was given.
        let settings =
            serde_json::from_str(&serde_json::to_string(&current.settings).ok()?).ok()?;
        let gain = elo(&Tally::Pairs(judged.pairs));
        // After a clean sweep only a bound is known, which is the cautious figure.
        let gained = gain.value.or(gain.low).or(gain.high).unwrap_or(0.0);
        let error = gain.error().unwrap_or(0.0);
        Some(Row {
            generation: current.generation,
            settings,
            teacher: teacher.generation,
            played: current.played?,
            trained: current.trained?,
            judged,
            seconds: current.seconds,
            elo: teacher.elo + gained,
            elo_error: teacher.error.hypot(error),
        })
    }

    /// The difference to the teacher.
    pub fn gain(&self) -> Estimate {
        elo(&Tally::Pairs(self.judged.pairs))
    }
}

/// All finished generations, in order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Table {
    /// The rows.
    pub rows: Vec<Row>,
}

/// The heads of the columns and their widths.
const COLUMNS: [(&str, usize); 12] = [
    ("gen", 4),
    ("games", 8),
    ("all", 8),
    ("window", 8),
    ("records", 9),
    ("policy", 7),
    ("value", 7),
    ("contest", 9),
    ("Elo to best", 18),
    ("verdict", 9),
    ("Elo", 7),
    ("hours", 7),
];

impl Table {
    /// The table of the run in a directory.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn read(directory: &Path) -> Result<Table, GenerationsError> {
        let path = Files::new(directory).state();
        let state: Option<State> = read_json(&path)?;
        let state = state.ok_or_else(|| GenerationsError::Empty(directory.to_owned()))?;
        Ok(Table { rows: state.rows })
    }

    /// The line with the names of the columns.
    pub fn head() -> String {
        let cells = COLUMNS.iter().map(|(name, width)| format!("{name:>width$}"));
        cells.collect::<Vec<_>>().join(" ")
    }

    /// The line of a row, and of what is new in its settings.
    pub fn line(&self, index: usize) -> String {
        let row = &self.rows[index];
        let all: u64 = self.rows[..=index].iter().map(|row| row.played.games).sum();
        let verdict = match (row.judged.promoted, row.judged.verdict) {
            (true, Some(Hypothesis::H1)) => "better",
            (true, _) => "promoted",
            (false, Some(Hypothesis::H0)) => "no better",
            (false, _) => "kept out",
        };
        let cells = [
            row.generation.to_string(),
            row.played.games.to_string(),
            all.to_string(),
            row.trained.window.to_string(),
            row.played.records.to_string(),
            format!("{:.4}", row.trained.policy_loss),
            format!("{:.4}", row.trained.value_loss),
            format!("{}-{}", row.judged.games.wins, row.judged.games.losses),
            row.gain().to_string(),
            verdict.to_owned(),
            format!("{:.0}", row.elo),
            format!("{:.2}", row.seconds.hours()),
        ];
        let cells = cells.iter().zip(COLUMNS).map(|(cell, (_, width))| format!("{cell:>width$}"));
        let mut line = cells.collect::<Vec<_>>().join(" ");
        if index > 0 {
            for change in changes(&self.rows[index - 1].settings, &row.settings) {
                let _ = write!(line, "\n     {change}");
            }
        }
        line
    }

    /// The whole table as text.
    pub fn text(&self) -> String {
        let mut text = Table::head() + "\n";
        for index in 0..self.rows.len() {
            text.push_str(&self.line(index));
            text.push('\n');
        }
        text
    }

    /// The curve of Elo points over the generations: a mark with its 95 % interval for each, filled
    /// where it took over, and a line through the best so far.
    ///
    /// # Errors
    /// When it cannot be drawn.
    pub fn plot(&self) -> Result<String, GenerationsError> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|error| GenerationsError::Plot(error.to_string()))?;
        Ok(svg)
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        const INK: RGBColor = RGBColor(31, 95, 168);
        let area = SVGBackend::with_string(svg, (800, 480)).into_drawing_area();
        area.fill(&WHITE)?;
        let ends =
            self.rows.iter().flat_map(|row| [row.elo - row.elo_error, row.elo + row.elo_error]);
        let (low, high) =
            ends.fold((0.0f64, 50.0f64), |(low, high), end| (low.min(end), high.max(end)));
        let room = (high - low) / 20.0;
        let last = self.rows.len().max(2) as f64;
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d(-0.5..last - 0.5, low - room..high + room)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .max_light_lines(0)
            .x_labels(self.rows.len().clamp(2, 20))
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .x_desc("generation")
            .y_desc("Elo over the first teacher")
            .draw()?;
        let mut best = vec![(-0.5, 0.0)];
        for row in self.rows.iter().filter(|row| row.judged.promoted) {
            best.push((f64::from(row.generation), row.elo));
        }
        chart.draw_series(LineSeries::new(best, INK.stroke_width(2)))?;
        chart.draw_series(self.rows.iter().map(|row| {
            let x = f64::from(row.generation);
            PathElement::new([(x, row.elo - row.elo_error), (x, row.elo + row.elo_error)], INK)
        }))?;
        chart.draw_series(self.rows.iter().map(|row| {
            let style = if row.judged.promoted { INK.filled() } else { INK.stroke_width(1) };
            Circle::new((f64::from(row.generation), row.elo), 4, style)
        }))?;
        area.present()?;
        Ok(())
    }
}

/// What is different in the second settings, a line for each.
fn changes(before: &Json, after: &Json) -> Vec<String> {
    let mut found = Vec::new();
    compare("", before, after, &mut found);
    found
}

fn compare(name: &str, before: &Json, after: &Json, found: &mut Vec<String>) {
    match (before, after) {
        (Json::Object(before), Json::Object(after)) => {
            for (key, value) in after {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                compare(&name, before.get(key).unwrap_or(&Json::Null), value, found);
            }
        }
        _ if before != after => found.push(format!("{name}: {before} -> {after}")),
        _ => {}
    }
}
