//! What is shown while a match goes on: a live line on a terminal, an occasional line elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;

use crate::arena::report;
use crate::arena::schedule::Pairing;
use crate::arena::standing::{GameResult, Standing};
use crate::arena::statistics::{Sprt, elo};
use crate::arena::tournament::Observer;

/// How often a line is written where no terminal shows the live line.
const OCCASION: Duration = Duration::from_secs(30);

/// Shows the standing.
pub struct Live {
    bar: ProgressBar,
    sprt: Option<Sprt>,
    conditions: String,
    rating_interval: Option<usize>,
    began: Instant,
    /// The games that were finished before.
    before: usize,
    /// When a line was written last, where there is no terminal.
    written: Mutex<Option<Instant>>,
}

impl Live {
    /// Begins with what is finished already.
    pub fn new(
        standing: &Standing,
        sprt: Option<Sprt>,
        conditions: &str,
        rating_interval: Option<usize>,
    ) -> Live {
        let games = standing.pairings().len();
        let bar = ProgressBar::with_draw_target(Some(games as u64), ProgressDrawTarget::stderr());
        // The template is a constant that is known to be right; a wrong one would only look plain.
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_msg}") {
            bar.set_style(style);
        }
        let terminal = io::stderr().is_terminal();
        let live = Live {
            bar,
            sprt,
            conditions: conditions.to_owned(),
            rating_interval,
            began: Instant::now(),
            before: standing.results().len(),
            written: Mutex::new((!terminal).then(Instant::now)),
        };
        live.show(standing);
        live
    }

    /// Takes the live line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self, standing: &Standing) {
        self.bar.set_position(standing.results().len() as u64);
        self.bar.set_message(self.line(standing));
    }

    /// Score, Elo, LLR, rate and time left.
    fn line(&self, standing: &Standing) -> String {
        let mut parts = Vec::new();
        if standing.names().len() == 2 {
            let games = standing.table().games(0, 1);
            let points = games.points();
            let score =
                format!("{} {}-{}", standing.names()[0], points, games.total() as f64 - points);
            parts.push(score);
            parts.push(format!("Elo {}", elo(&standing.table().tally(0, 1))));
        } else if let Some(best) = standing.table().ratings().first()
            && best.games.total() > 0
        {
            parts.push(format!("first: {}", standing.names()[best.engine]));
        }
        if let Some(sprt) = &self.sprt {
            parts.push(report::sprt_line(standing, sprt));
        }
        let played = standing.results().len() - self.before;
        if played > 0 {
            let a_game = self.began.elapsed().as_secs_f64() / played as f64;
            let left = (standing.pairings().len() - standing.results().len()) as f64;
            parts.push(format!("{:.1} games/min", 60.0 / a_game.max(1e-9)));
            let left = Duration::try_from_secs_f64(a_game * left).unwrap_or_default();
            parts.push(format!("{} left at most", HumanDuration(left)));
        }
        parts.join("  ")
    }

    /// Writes to standard output above the live line. If nobody reads it the match goes on all
    /// the same.
    fn print(&self, text: &str) {
        self.bar.suspend(|| {
            let _ = io::stdout().lock().write_all(text.as_bytes());
        });
    }

    fn write_line(&self, text: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(io::stderr().lock(), "{text}");
        });
    }
}

impl Observer for Live {
    fn finished(&self, _: &Pairing, _: &GameResult, standing: &Standing) {
        let finished = standing.results().len();
        if self.rating_interval.is_some_and(|interval| finished.is_multiple_of(interval)) {
            self.print(&report::report(standing, self.sprt.as_ref(), &self.conditions));
        }
        self.show(standing);
        let mut written = self.written.lock();
        if written.is_some_and(|last| last.elapsed() >= OCCASION) {
            *written = Some(Instant::now());
            let line = self.line(standing);
            self.write_line(&format!("{finished}/{} {line}", standing.pairings().len()));
        }
    }

    fn warned(&self, warning: &str) {
        self.write_line(&format!("otrera match: {warning}"));
    }
}
