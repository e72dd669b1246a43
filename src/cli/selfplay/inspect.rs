//! What a file of self-play holds.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::amazons::{Move, Step};
use crate::game::Game as _;
use crate::learn::data::{DataError, Ended, Game, Header, Reader};

/// Prints the header and statistics of a file, or a game of it. What comes before a damaged part
/// is printed in any case.
pub(super) fn run(path: &Path, number: Option<u64>) -> anyhow::Result<ExitCode> {
    let name = || format!("{}", path.display());
    let mut reader = Reader::open(path).with_context(name)?;
    let mut out = io::stdout().lock();
    if let Some(number) = number {
        for game in reader {
            let game = game.with_context(name)?;
            if game.number == number {
                print_game(&mut out, &game)?;
                out.flush()?;
                return Ok(ExitCode::SUCCESS);
            }
        }
        bail!("{}: it holds no game {number}", path.display());
    }
    let mut statistics = Statistics::default();
    let mut damage: Option<DataError> = None;
    for game in &mut reader {
        match game {
            Ok(game) => statistics.add(&game),
            Err(error) => damage = Some(error),
        }
    }
    print_header(&mut out, reader.header())?;
    statistics.print(&mut out, reader.header(), reader.bytes())?;
    out.flush()?;
    match damage {
        Some(error) => Err(error).with_context(name),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn print_header(out: &mut impl Write, header: &Header) -> io::Result<()> {
    writeln!(out, "engine        {}", header.source.engine)?;
    match &header.source.network {
        Some(network) => {
            writeln!(out, "network       {:08x}, {}", network.checksum, network.provenance)?;
        }
        None => writeln!(out, "network       none: classical evaluation")?,
    }
    writeln!(
        out,
        "numbers       {} to {}",
        header.games.start,
        header.games.end.saturating_sub(1)
    )?;
    writeln!(out, "shard         {}/{}", header.shard, header.shards)?;
    writeln!(out, "settings      {}", header.settings)
}

/// Sums over the games of a file.
#[derive(Default)]
struct Statistics {
    games: u64,
    records: u64,
    plies: u64,
    records_of_arrows: u64,
    visits: u64,
    visited: u64,
    first_player_wins: u64,
    played_out: u64,
    margins: u64,
}

impl Statistics {
    fn add(&mut self, game: &Game) {
        self.games += 1;
        self.records += game.records.len() as u64;
        self.plies += game.steps.len() as u64 / 2;
        self.first_player_wins += u64::from(game.winner == game.start.side_to_move());
        self.played_out += u64::from(game.ended == Ended::PlayedOut);
        self.margins += u64::from(game.margin);
        let at_turn_start = game.start.at_turn_start();
        for record in &game.records {
            self.records_of_arrows += u64::from((record.at % 2 == 0) != at_turn_start);
            self.visited += record.visits.len() as u64;
            self.visits += record.visits.iter().map(|&(_, visits)| u64::from(visits)).sum::<u64>();
        }
    }

    fn print(&self, out: &mut impl Write, header: &Header, bytes: u64) -> io::Result<()> {
        let per = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
        let percent = |part: u64| 100.0 * per(part, self.games);
        writeln!(out, "games         {} of {}", self.games, header.len())?;
        let queen = self.records - self.records_of_arrows;
        writeln!(out, "records       {}: {queen} of queen steps", self.records)?;
        writeln!(out, "plies/game    {:.1}", per(self.plies, self.games))?;
        writeln!(out, "records/game  {:.1}", per(self.records, self.games))?;
        writeln!(out, "first player  wins {:.1}%", percent(self.first_player_wins))?;
        let counted = self.games - self.played_out;
        writeln!(out, "ended         {counted} counted, {} played out", self.played_out)?;
        writeln!(out, "margin        {:.2} moves", per(self.margins, self.games))?;
        writeln!(out, "visits/record {:.1}", per(self.visits, self.records))?;
        writeln!(out, "steps/record  {:.1} visited", per(self.visited, self.records))?;
        writeln!(out, "bytes/record  {:.1}", per(bytes, self.records))
    }
}

/// Prints a game: its moves, and what was found before those that were searched fully.
fn print_game(out: &mut impl Write, game: &Game) -> io::Result<()> {
    writeln!(out, "game {}", game.number)?;
    writeln!(out, "start {}", game.start.fen())?;
    let mut position = game.start.clone();
    let mut legal = Vec::new();
    let mut records = game.records.iter().peekable();
    for (at, &step) in game.steps.iter().enumerate() {
        if position.at_turn_start() {
            let turn: Vec<Move> = Move::whole_turns(&game.steps[at..]).take(1).collect();
            let turn = turn.first().map(Move::to_string).unwrap_or_default();
            writeln!(out, "{:>3} {:<5} {turn}", position.turns() + 1, position.side_to_move())?;
        }
        if let Some(record) = records.next_if(|record| usize::from(record.at) == at) {
            position.steps(&mut legal);
            let mut visits = record.visits.clone();
            visits.sort_by_key(|&(place, visits)| (std::cmp::Reverse(visits), place));
            let visits: Vec<String> = visits
                .iter()
                .map(|&(place, visits)| format!("{} {visits}", name(legal[usize::from(place)])))
                .collect();
            writeln!(out, "      value {:+.3}: {}", record.value.get(), visits.join(", "))?;
        }
        position.play(step);
    }
    writeln!(out, "{position}")?;
    let how = match game.ended {
        Ended::Counted => "counted",
        Ended::PlayedOut => "played out",
    };
    let plural = if game.margin == 1 { "" } else { "s" };
    let Game { winner, margin, .. } = game;
    writeln!(out, "{winner} wins with {margin} move{plural} left, {how}")
}

/// A step as it is written within a turn.
fn name(step: Step) -> String {
    match step {
        Step::Queen { from, to } => format!("{from}-{to}"),
        Step::Arrow(square) => format!("/{square}"),
    }
}
