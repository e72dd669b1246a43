//! The report of a match as one HTML page that needs nothing else: tables, and plots drawn here as
//! SVG.

use std::fmt::{self, Write};

use super::report::{percent, rating_text, report};
use super::standing::{GameResult, Standing};
use super::statistics::{Sprt, elo};

const STYLE: &str = "
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ddd; padding: 0.2rem 0.7rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
pre { background: #f5f5f2; padding: 0.8rem 1rem; overflow-x: auto; }
svg { width: 100%; height: auto; margin-bottom: 1rem; }
svg text { font: 11px system-ui, sans-serif; fill: #555; }
";

/// The page. `title` heads it, `conditions` says in a few words what was played.
pub fn page(standing: &Standing, sprt: Option<&Sprt>, title: &str, conditions: &str) -> String {
    let mut html = String::new();
    let title = Escaped(title);
    // Writing to a string cannot fail, here and below.
    let _ = write!(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    let summary = report(standing, sprt, conditions);
    let _ = writeln!(html, "<pre>{}</pre>", Escaped(&summary));
    cross_table(&mut html, standing);
    if standing.names().len() == 2 {
        courses(&mut html, standing, sprt);
    }
    causes(&mut html, standing);
    lengths(&mut html, standing);
    time_use(&mut html, standing);
    html.push_str("</body>\n</html>\n");
    html
}

/// Text in which nothing is markup.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A table; everything in it is escaped.
fn table(html: &mut String, head: &[String], rows: &[Vec<String>]) {
    let cells = |html: &mut String, tag: &str, cells: &[String]| {
        html.push_str("<tr>");
        for cell in cells {
            let _ = write!(html, "<{tag}>{}</{tag}>", Escaped(cell));
        }
        html.push_str("</tr>\n");
    };
    html.push_str("<table>\n");
    cells(html, "th", head);
    rows.iter().for_each(|row| cells(html, "td", row));
    html.push_str("</table>\n");
}

fn texts<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}

fn cross_table(html: &mut String, standing: &Standing) {
    html.push_str("<h2>Cross table</h2>\n");
    let ratings = standing.table().ratings();
    let mut head = texts(["Engine", "Elo", "Games", "Score"]);
    head.extend((1..=ratings.len()).map(|rank| rank.to_string()));
    let row = |(rank, own): (usize, &super::statistics::Rating)| {
        let mut row = vec![
            format!("{}. {}", rank + 1, standing.names()[own.engine]),
            rating_text(own),
            own.games.total().to_string(),
            percent(own.games.points(), own.games.total()),
        ];
        row.extend(ratings.iter().map(|other| {
            let games = standing.table().games(own.engine, other.engine);
            match games.total() {
                0 => String::new(),
                total => format!("{}/{total}", games.points()),
            }
        }));
        row
    };
    let rows: Vec<Vec<String>> = ratings.iter().enumerate().map(row).collect();
    table(html, &head, &rows);
}

/// Elo and log likelihood ratio as they went, game by game.
fn courses(html: &mut String, standing: &Standing, sprt: Option<&Sprt>) {
    let mut replay = Standing::new(standing.names().to_vec(), standing.pairings().to_vec());
    let (mut elos, mut ratios) = (Vec::new(), Vec::new());
    for (index, result) in standing.results().iter().enumerate() {
        replay.add(result.clone());
        let games = (index + 1) as f64;
        let estimate = elo(&replay.table().tally(0, 1));
        if let (Some(value), Some(low), Some(high)) = (estimate.value, estimate.low, estimate.high)
        {
            elos.push((games, value, low, high));
        }
        if let Some(sprt) = sprt {
            ratios.push((games, sprt.llr(&replay.sprt_tally())));
        }
    }
    let games = standing.results().len() as f64;
    if elos.len() > 1 {
        html.push_str("<h2>Elo over games</h2>\n");
        // The first few games say next to nothing, and would set the scale.
        let settled = &elos[elos.len() / 10..];
        let lowest = settled.iter().map(|point| point.2).fold(0.0, f64::min);
        let highest = settled.iter().map(|point| point.3).fold(0.0, f64::max);
        let plot = Plot::new((0.0, games), (lowest, highest));
        let mut band: Vec<(f64, f64)> = elos.iter().map(|point| (point.0, point.3)).collect();
        band.extend(elos.iter().rev().map(|point| (point.0, point.2)));
        let line: Vec<(f64, f64)> = elos.iter().map(|point| (point.0, point.1)).collect();
        html.push_str(&plot.svg(&[plot.area(&band), plot.line(&line, "#1f5fa8")]));
    }
    if let Some(sprt) = sprt.filter(|_| ratios.len() > 1) {
        html.push_str("<h2>Log likelihood ratio over games</h2>\n");
        let (lower, upper) = sprt.bounds();
        let lowest = ratios.iter().map(|point| point.1).fold(lower, f64::min);
        let highest = ratios.iter().map(|point| point.1).fold(upper, f64::max);
        let plot = Plot::new((0.0, games), (lowest, highest));
        let bound = |at: f64| plot.line(&[(0.0, at), (games, at)], "#b33");
        html.push_str(&plot.svg(&[bound(lower), bound(upper), plot.line(&ratios, "#1f5fa8")]));
    }
}

fn causes(html: &mut String, standing: &Standing) {
    html.push_str("<h2>How games ended</h2>\n");
    let mut head = texts(["Cause", "Games", "Share"]);
    head.extend(standing.names().iter().map(|name| format!("lost by {name}")));
    let total = standing.results().len() as u64;
    let lost = |engine: usize, cause| {
        let of_cause = standing.results().iter().filter(|result| result.cause == cause);
        of_cause.filter(|result| is_lost(result, engine)).count().to_string()
    };
    let rows: Vec<Vec<String>> = standing
        .causes()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(cause, count)| {
            let mut row = vec![cause.to_string(), count.to_string(), percent(count as f64, total)];
            row.extend((0..standing.names().len()).map(|engine| lost(engine, cause)));
            row
        })
        .collect();
    table(html, &head, &rows);
}

fn is_lost(result: &GameResult, engine: usize) -> bool {
    [result.white, result.black].contains(&engine) && result.half_points(engine) == 0
}

fn lengths(html: &mut String, standing: &Standing) {
    const WIDTH: u32 = 4;
    let turns: Vec<u32> = standing.results().iter().map(|result| result.turns).collect();
    let (Some(shortest), Some(longest)) = (turns.iter().min(), turns.iter().max()) else { return };
    let mean = turns.iter().map(|turns| f64::from(*turns)).sum::<f64>() / turns.len() as f64;
    let _ = write!(
        html,
        "<h2>Lengths of games</h2>\n<p>{shortest} to {longest} turns of both sides together, \
         {mean:.1} on average.</p>\n"
    );
    let mut counts = vec![0u32; (longest / WIDTH + 1) as usize];
    turns.iter().for_each(|turns| counts[(turns / WIDTH) as usize] += 1);
    let most = counts.iter().copied().max().unwrap_or(1);
    let plot = Plot::new((0.0, f64::from(longest + WIDTH)), (0.0, f64::from(most)));
    let bars: Vec<String> = counts
        .iter()
        .zip(0u32..)
        .filter(|(count, _)| **count > 0)
        .map(|(count, place)| {
            let from = f64::from(place * WIDTH);
            plot.bar((from, from + f64::from(WIDTH)), f64::from(*count))
        })
        .collect();
    html.push_str(&plot.svg(&bars));
}

fn time_use(html: &mut String, standing: &Standing) {
    html.push_str("<h2>Time used</h2>\n");
    let head = texts([
        "Engine",
        "Games",
        "Seconds a game",
        "Most",
        "Milliseconds a turn",
        "Nodes a second",
    ]);
    let rows: Vec<Vec<String>> = standing
        .names()
        .iter()
        .enumerate()
        .map(|(engine, name)| {
            let (mut games, mut total, mut most, mut turns) = (0u64, 0u64, 0u64, 0u64);
            for result in standing.results() {
                for (side, player) in [result.white, result.black].into_iter().enumerate() {
                    if player == engine {
                        games += 1;
                        total += result.used_ms[side];
                        most = most.max(result.used_ms[side]);
                        turns += u64::from(result.turns) / 2;
                    }
                }
            }
            let share = |of: u64| total as f64 / of.max(1) as f64;
            vec![
                name.clone(),
                games.to_string(),
                format!("{:.3}", share(games) / 1000.0),
                format!("{:.3}", most as f64 / 1000.0),
                format!("{:.2}", share(turns)),
                standing.speed(engine).map_or_else(String::new, |speed| format!("{speed:.0}")),
            ]
        })
        .collect();
    table(html, &head, &rows);
}

/// A plot: a window of the plane, drawn with its axes.
struct Plot {
    x: (f64, f64),
    y: (f64, f64),
}

impl Plot {
    const WIDTH: f64 = 720.0;
    const HEIGHT: f64 = 260.0;
    const LEFT: f64 = 50.0;
    const RIGHT: f64 = 10.0;
    const TOP: f64 = 10.0;
    const BOTTOM: f64 = 25.0;

    /// A window that is never empty, whatever the ranges.
    fn new(x: (f64, f64), y: (f64, f64)) -> Plot {
        let open =
            |(low, high): (f64, f64)| if high > low { (low, high) } else { (low, low + 1.0) };
        Plot { x: open(x), y: open(y) }
    }

    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let across = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = ((y - self.y.0) / (self.y.1 - self.y.0)).clamp(0.0, 1.0);
        let width = Plot::WIDTH - Plot::LEFT - Plot::RIGHT;
        let height = Plot::HEIGHT - Plot::TOP - Plot::BOTTOM;
        (Plot::LEFT + across * width, Plot::TOP + (1.0 - up) * height)
    }

    fn points(&self, points: &[(f64, f64)]) -> String {
        let place = |point: &(f64, f64)| {
            let (x, y) = self.place(*point);
            format!("{x:.1},{y:.1}")
        };
        points.iter().map(place).collect::<Vec<_>>().join(" ")
    }

    fn line(&self, points: &[(f64, f64)], colour: &str) -> String {
        let points = self.points(points);
        format!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\n"
        )
    }

    fn area(&self, points: &[(f64, f64)]) -> String {
        format!(
            "<polygon points=\"{}\" fill=\"#1f5fa8\" fill-opacity=\"0.15\"/>\n",
            self.points(points)
        )
    }

    fn bar(&self, (from, to): (f64, f64), height: f64) -> String {
        let (left, top) = self.place((from, height));
        let (right, bottom) = self.place((to, self.y.0));
        format!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#1f5fa8\"/>\n",
            right - left - 1.0,
            bottom - top
        )
    }

    /// The whole drawing.
    fn svg(&self, parts: &[String]) -> String {
        let mut svg = format!("<svg viewBox=\"0 0 {} {}\">\n", Plot::WIDTH, Plot::HEIGHT);
        for at in ticks(self.y) {
            let (_, y) = self.place((self.x.0, at));
            let (left, right) = (Plot::LEFT, Plot::WIDTH - Plot::RIGHT);
            let shade = if at == 0.0 { "#888" } else { "#e4e4e4" };
            let _ = write!(
                svg,
                "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"{shade}\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{at}</text>\n",
                left - 6.0,
                y + 4.0
            );
        }
        for at in ticks(self.x) {
            let (x, _) = self.place((at, self.y.0));
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{at}</text>",
                Plot::HEIGHT - 8.0
            );
        }
        parts.iter().for_each(|part| svg.push_str(part));
        svg.push_str("</svg>\n");
        svg
    }
}

/// Round numbers in a range, about five of them.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    // Dividing by the inverse keeps tenths what they are: 3 / 10, not 3 * 0.1.
    let tick = |n: i64| if step < 1.0 { n as f64 / (1.0 / step).round() } else { n as f64 * step };
    (first..=last).map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks((0.0, 10.0)), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks((-3.0, 2.9)), [-2.0, 0.0, 2.0]);
        assert_eq!(ticks((0.0, 1.0)), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    }
}
