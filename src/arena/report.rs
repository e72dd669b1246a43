//! The report of a match as text: the block that users of fastchess know for two engines, a cross
//! table with ratings for more, and why games ended.

use std::fmt::Write;

use super::cause::Cause;
use super::standing::Standing;
use super::statistics::{
    CrossTable, Estimate, Rating, Sprt, Tally, elo, likelihood_of_superiority, normalized_elo,
};

const RULE: &str = "--------------------------------------------------\n";

/// The whole report. `conditions` says in a few words what was played.
pub fn report(standing: &Standing, sprt: Option<&Sprt>, conditions: &str) -> String {
    let mut text = RULE.to_owned();
    if standing.names().len() == 2 {
        two(&mut text, standing, conditions);
    } else {
        many(&mut text, standing, conditions);
    }
    if let Some(sprt) = sprt {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{}", sprt_line(standing, sprt));
    }
    speeds(&mut text, standing);
    ends(&mut text, standing);
    text.push_str(RULE);
    text
}

/// `LLR: 1.23 (-2.94, 2.94) [0.00, 5.00]`, with the hypotheses in brackets.
pub fn sprt_line(standing: &Standing, sprt: &Sprt) -> String {
    let llr = sprt.llr(&standing.sprt_tally());
    let ((lower, upper), (elo0, elo1)) = (sprt.bounds(), sprt.hypotheses());
    format!("LLR: {llr:.2} ({lower:.2}, {upper:.2}) [{elo0:.2}, {elo1:.2}]")
}

fn two(text: &mut String, standing: &Standing, conditions: &str) {
    let names = standing.names();
    let _ = writeln!(text, "Results of {} vs {} ({conditions}):", names[0], names[1]);
    let tally = standing.table().tally(0, 1);
    let _ = writeln!(text, "Elo: {}, nElo: {}", elo(&tally), normalized_elo(&tally));
    let los = 100.0 * likelihood_of_superiority(&tally);
    let _ = write!(text, "LOS: {los:.2} %");
    if let Tally::Pairs(pairs) = tally {
        let splits = 100.0 * pairs.split as f64 / pairs.total().max(1) as f64;
        let _ = write!(text, ", Split pairs: {splits:.2} %");
        let lost = pairs.ll + pairs.ld;
        if lost > 0 {
            let ratio = (pairs.wd + pairs.ww) as f64 / lost as f64;
            let _ = write!(text, ", Pairs ratio: {ratio:.2}");
        }
    }
    let games = standing.table().games(0, 1);
    let _ = writeln!(
        text,
        "\nGames: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({})",
        games.total(),
        games.wins,
        games.losses,
        games.draws,
        games.points(),
        percent(games.points(), games.total()),
    );
    if let Tally::Pairs(pairs) = tally {
        let _ = writeln!(
            text,
            "Pairs (LL, LD, split, WD, WW): [{}, {}, {}, {}, {}]",
            pairs.ll, pairs.ld, pairs.split, pairs.wd, pairs.ww
        );
    }
}

/// `51.23 %`, or `-` of nothing.
pub(super) fn percent(part: f64, total: u64) -> String {
    if total == 0 { "-".to_owned() } else { format!("{:.2} %", 100.0 * part / total as f64) }
}

fn many(text: &mut String, standing: &Standing, conditions: &str) {
    let _ = writeln!(text, "Results ({conditions}):");
    let ratings = standing.table().ratings();
    let names = standing.names();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
    let _ = writeln!(
        text,
        "{:>4} {:<width$} {:>20} {:>7} {:>9}",
        "Rank", "Name", "Elo", "Games", "Score"
    );
    for (rank, rating) in ratings.iter().enumerate() {
        let _ = writeln!(
            text,
            "{:>4} {:<width$} {:>20} {:>7} {:>9}",
            rank + 1,
            names[rating.engine],
            rating_text(rating),
            rating.games.total(),
            percent(rating.games.points(), rating.games.total()),
        );
    }
    if ratings.iter().any(|rating| rating.bounded) {
        text.push_str(
            "* somebody, or some group, has lost every game against the others: the distances \
             between them\n  are the least that fit, at 95 %\n",
        );
    }
    cross_table(text, standing.table(), &ratings, width, names);
    neighbours(text, standing.table(), &ratings, names);
}

/// `12.34 +/- 5.60`, with a star where it is a bound.
pub(super) fn rating_text(rating: &Rating) -> String {
    let star = if rating.bounded { "*" } else { "" };
    format!("{}{star}", rating.elo)
}

/// Points of each engine (row) against each other (column).
fn cross_table(
    text: &mut String,
    table: &CrossTable,
    ratings: &[Rating],
    width: usize,
    names: &[String],
) {
    let _ = write!(text, "\n{:>4} {:<width$}", "", "");
    for rank in 1..=ratings.len() {
        let _ = write!(text, " {rank:>11}");
    }
    text.push('\n');
    for (rank, row) in ratings.iter().enumerate() {
        let _ = write!(text, "{:>4} {:<width$}", rank + 1, names[row.engine]);
        for column in ratings {
            let games = table.games(row.engine, column.engine);
            let cell = match games.total() {
                0 if row.engine == column.engine => "x".to_owned(),
                0 => "-".to_owned(),
                total => format!("{}/{total}", games.points()),
            };
            let _ = write!(text, " {cell:>11}");
        }
        text.push('\n');
    }
}

/// Each engine against the next one in the ranking, from their own games.
fn neighbours(text: &mut String, table: &CrossTable, ratings: &[Rating], names: &[String]) {
    text.push('\n');
    for pair in ratings.windows(2) {
        let tally = table.tally(pair[0].engine, pair[1].engine);
        let difference: Estimate = elo(&tally);
        if tally.total() > 0 {
            let (better, worse) = (&names[pair[0].engine], &names[pair[1].engine]);
            let _ = writeln!(text, "{better} vs {worse}: Elo {difference}");
        }
    }
}

/// How fast the engines were, where all of them tell.
fn speeds(text: &mut String, standing: &Standing) {
    let names = standing.names().iter().enumerate();
    let said: Option<Vec<String>> = names
        .map(|(engine, name)| Some(format!("{name} {:.0}", standing.speed(engine)?)))
        .collect();
    if let Some(said) = said {
        let _ = writeln!(text, "Nodes per second: {}", said.join(", "));
    }
}

/// Why games ended, and who was at fault.
fn ends(text: &mut String, standing: &Standing) {
    let counts = standing.causes();
    let said = list(counts.iter().filter(|(_, count)| *count > 0));
    if !said.is_empty() {
        let _ = writeln!(text, "Ended by: {said}");
    }
    for (engine, name) in standing.names().iter().enumerate() {
        let faults = standing.faults(engine);
        if !faults.is_empty() {
            let _ = writeln!(text, "Faults of {name}: {}", list(faults.iter()));
        }
    }
}

fn list<'a>(counts: impl Iterator<Item = &'a (Cause, u64)>) -> String {
    counts.map(|(cause, count)| format!("{cause} {count}")).collect::<Vec<_>>().join(", ")
}
