//! Self-play from outside: files that are cut, damaged, sharded and gone on with, and games that
//! follow the rules. What a file consists of is told in the documentation of `learn::data`, and
//! taken apart here by that.

#![cfg(feature = "learn")]

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use otrera::amazons::{Move, Position};
use otrera::endgame::{RegionProver, score};
use otrera::eval::Classical;
use otrera::game::{Colour, Game as _, Outcome, Prover};
use otrera::learn::data::{BLOCK, DataError, Ended, Game, Reader};
use otrera::learn::selfplay::{self, SelfplayError, Settings, Shard, Source, Summary};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn settings() -> Settings {
    Settings { visits: 16, arrow_visits: 8, hash: 1, ..Settings::default() }
}

fn source() -> Source {
    Source { engine: "test".into(), network: None }
}

/// Plays into a file until so many games are in it.
fn play_until(
    path: &Path,
    settings: &Settings,
    games: Range<u64>,
    shard: Shard,
    enough: u64,
) -> Result<Summary, SelfplayError> {
    let stop = AtomicBool::new(false);
    let observe = |progress: &selfplay::Progress| {
        if progress.games >= enough {
            stop.store(true, Ordering::Relaxed);
        }
    };
    selfplay::run(&Classical::default(), &source(), settings, games, shard, path, &stop, &observe)
}

fn play(path: &Path, games: Range<u64>, shard: Shard) -> Summary {
    play_until(path, &settings(), games, shard, u64::MAX).unwrap()
}

/// A file of games.
fn bytes(games: u64) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let summary = play(&path, 0..games, Shard::WHOLE);
    assert!(summary.is_complete());
    fs::read(path).unwrap()
}

/// All that can be read of a file, and why there is no more if there is a reason.
fn read(bytes: &[u8]) -> (Vec<Game>, Option<DataError>) {
    let mut games = Vec::new();
    let mut reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (games, Some(error)),
    };
    while let Some(game) = reader.next() {
        match game {
            Ok(game) => games.push(game),
            Err(error) => {
                assert!(reader.next().is_none(), "nothing follows an error");
                return (games, Some(error));
            }
        }
    }
    (games, None)
}

fn read_all(bytes: &[u8]) -> Vec<Game> {
    let (games, error) = read(bytes);
    assert!(error.is_none(), "{error:?}");
    games
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Where the header ends, and where each block ends with the number of games up to there.
fn layout(bytes: &[u8]) -> (usize, Vec<(usize, usize)>) {
    let header = 16 + number(bytes, 12) + 4;
    let (mut at, mut games) = (header, 0);
    let mut blocks = Vec::new();
    while at < bytes.len() {
        games += number(bytes, at + 4);
        at += 12 + number(bytes, at);
        blocks.push((at, games));
    }
    assert_eq!(at, bytes.len());
    (header, blocks)
}

#[test]
fn a_cut_file_gives_the_games_before_the_cut() {
    let bytes = bytes(400);
    let games = read_all(&bytes);
    assert_eq!(games.len(), 400);
    let (header, blocks) = layout(&bytes);
    assert!(blocks.len() >= 5, "a test of cuts needs blocks");
    for pair in blocks.windows(2) {
        assert!(pair[1].0 - pair[0].0 < 12 + BLOCK + 4096, "little is lost with a block");
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut cuts: Vec<usize> = (0..100).map(|_| rng.random_range(0..bytes.len())).collect();
    cuts.extend([0, 1, 7, 8, 15, 16, header - 1, header, header + 1, header + 11, header + 12]);
    cuts.extend(blocks.iter().flat_map(|&(end, _)| [end - 1, end]));
    for cut in cuts {
        let (found, error) = read(&bytes[..cut]);
        let whole = blocks.iter().rev().find(|&&(end, _)| end <= cut);
        let expected = whole.map_or(0, |&(_, games)| games);
        assert_eq!(found, games[..expected], "cut at {cut}");
        let between = cut == header || whole.is_some_and(|&(end, _)| end == cut);
        assert_eq!(error.is_none(), between, "cut at {cut}: {error:?}");
        if let Some(error) = error {
            assert!(!error.to_string().contains('\n'));
        }
    }
}

#[test]
fn a_flipped_bit_is_refused() {
    let bytes = bytes(60);
    let games = read_all(&bytes);
    let (header, _) = layout(&bytes);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for index in 0..400 {
        let at = if index < 100 { index * header / 100 } else { rng.random_range(0..bytes.len()) };
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << rng.random_range(0..8);
        let (found, error) = read(&damaged);
        assert!(error.is_some(), "byte {at}");
        assert!(games.starts_with(&found), "byte {at}");
    }
}

/// What bears the right checksum and is nonsense all the same.
#[test]
fn nonsense_with_a_sound_checksum_is_refused_or_a_game() {
    let bytes = bytes(10);
    let (header, _) = layout(&bytes);
    let content = &bytes[header + 12..header + 12 + number(&bytes, header)];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut refused = 0;
    for _ in 0..3000 {
        let mut content = content.to_vec();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..content.len());
            content[at] = rng.random();
        }
        content.truncate(rng.random_range(1..2 * content.len()));
        let head = [content.len() as u32, 10];
        let head: Vec<u8> = head.iter().flat_map(|number| number.to_le_bytes()).collect();
        let mut file = bytes[..header].to_vec();
        let sum = crc32fast::hash(&[&head[..], &content].concat());
        file.extend([&head[..], &sum.to_le_bytes(), &content].concat());
        let (found, error) = read(&file);
        refused += u32::from(error.is_some());
        found.iter().for_each(check_game);
    }
    assert!(refused > 1500, "{refused} of 3000");
}

#[test]
fn shards_and_threads_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    play(&path("whole"), 7..37, Shard::WHOLE);
    let whole = read_all(&fs::read(path("whole")).unwrap());
    let numbers: Vec<u64> = whole.iter().map(|game| game.number).collect();
    assert_eq!(numbers, (7..37).collect::<Vec<u64>>());
    let mut sharded = Vec::new();
    for index in 0..4 {
        let shard = Shard { index, of: 4 };
        let path = path(&format!("shard{index}"));
        assert_eq!(
            play(&path, 7..37, shard).progress.of,
            if index == 3 { 8 } else { 7 } + u64::from(index == 0)
        );
        let games = read_all(&fs::read(&path).unwrap());
        assert!(games.iter().all(|game| game.number % 4 == u64::from(index)));
        sharded.extend(games);
    }
    sharded.sort_by_key(|game| game.number);
    assert_eq!(sharded, whole);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let path = path(&format!("threads{threads}"));
        pool.install(|| play(&path, 7..37, Shard::WHOLE));
        let same = fs::read(&path).unwrap() == fs::read(folder.path().join("whole")).unwrap();
        assert!(same, "{threads} threads");
    }
}

#[test]
fn a_run_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    play(&path, 0..60, Shard::WHOLE);
    let whole = fs::read(&path).unwrap();
    let (header, blocks) = layout(&whole);
    let in_last = (blocks[blocks.len() - 2].0 + whole.len()) / 2;
    for cut in [0, 5, header - 1, header, header + 6, blocks[0].0, blocks[0].0 + 20, in_last] {
        fs::write(&path, &whole[..cut]).unwrap();
        let summary = play(&path, 0..60, Shard::WHOLE);
        assert!(summary.is_complete());
        let kept = blocks.iter().rev().find(|&&(end, _)| end <= cut);
        assert_eq!(summary.progress.games_before, kept.map_or(0, |&(_, games)| games as u64));
        assert!(fs::read(&path).unwrap() == whole, "cut at {cut}");
    }
    // A complete file is left alone.
    assert_eq!(play(&path, 0..60, Shard::WHOLE).progress.games_before, 60);
    assert!(fs::read(&path).unwrap() == whole);
}

#[test]
fn an_interrupted_run_keeps_what_it_has_and_ends_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    play(&path, 0..60, Shard::WHOLE);
    let whole = fs::read(&path).unwrap();
    let games = read_all(&whole);
    fs::remove_file(&path).unwrap();
    for enough in [0, 1, 4, 25, 26, 60] {
        let summary = play_until(&path, &settings(), 0..60, Shard::WHOLE, enough).unwrap();
        let found = read_all(&fs::read(&path).unwrap());
        assert_eq!(found.len() as u64, summary.progress.games);
        assert!(found.len() as u64 >= enough);
        assert_eq!(found, games[..found.len()]);
    }
    assert!(fs::read(&path).unwrap() == whole);
}

#[test]
fn a_file_of_another_run_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    play(&path, 0..3, Shard::WHOLE);
    let before = fs::read(&path).unwrap();
    let refused = |settings: &Settings, games, shard| {
        let error = play_until(&path, settings, games, shard, u64::MAX).unwrap_err();
        assert!(fs::read(&path).unwrap() == before);
        error.to_string()
    };
    let other = Settings { seed: 2, ..settings() };
    assert!(refused(&other, 0..3, Shard::WHOLE).contains("another"));
    assert!(refused(&settings(), 0..4, Shard::WHOLE).contains("another"));
    assert!(refused(&settings(), 0..3, Shard { index: 0, of: 2 }).contains("another"));
    let senseless = Settings { visits: 0, ..settings() };
    assert!(refused(&senseless, 0..3, Shard::WHOLE).contains("visits"));
    let lock = fs::OpenOptions::new().write(true).open(&path).unwrap();
    lock.lock().unwrap();
    assert!(refused(&settings(), 0..3, Shard::WHOLE).contains("another process"));
    drop(lock);
    fs::write(&path, "a letter").unwrap();
    let error = play_until(&path, &settings(), 0..3, Shard::WHOLE, u64::MAX).unwrap_err();
    assert!(error.to_string().contains("no file of self-play"));
    assert_eq!(fs::read(&path).unwrap(), b"a letter");
}

/// That a game is one by the rules, and its records are of its positions.
fn check_game(game: &Game) {
    let mut position = game.start.clone();
    for mv in Move::whole_turns(&game.steps) {
        position.try_move(mv).unwrap();
    }
    let mut after = 0;
    for record in &game.records {
        let at = usize::from(record.at);
        assert!(at >= after && at < game.steps.len());
        after = at + 1;
        let mut position = game.start.clone();
        game.steps[..at].iter().for_each(|&step| position.play(step));
        let mut legal = Vec::new();
        position.steps(&mut legal);
        assert!(record.visits.iter().all(|&(place, _)| usize::from(place) < legal.len()));
        assert!(record.visits.is_sorted_by(|one, other| one.0 < other.0));
        assert!((-1.0..=1.0).contains(&record.value.get()));
    }
}

#[test]
fn games_follow_the_rules_and_are_counted_right() {
    let settings = settings();
    let games = read_all(&bytes(150));
    let mut counted = 0;
    for game in &games {
        check_game(game);
        assert_eq!(game.start, Position::start());
        let mut position = game.start.clone();
        game.steps.iter().for_each(|&step| position.play(step));
        if game.ended == Ended::PlayedOut {
            assert_eq!(position.outcome(), Some(Outcome::Win(game.winner)));
            continue;
        }
        counted += 1;
        assert!(position.has_step());
        let score = score(&position, 1_000_000);
        let side = position.side_to_move();
        let [own, other] = [side, !side].map(|colour| {
            let filling = score.moves_left[colour.index()];
            i32::from(filling.exact().expect("a million shapes are enough"))
        });
        // What the winner has left when they move in turn and the loser cannot.
        let (winner, margin) =
            if own > other { (side, own - other - 1) } else { (!side, other - own) };
        assert_eq!((game.winner, i32::from(game.margin)), (winner, margin), "{}", game.number);
    }
    assert!(counted > 100);
    for game in &games {
        check_visits(game, &settings);
    }
}

/// A search of a fresh root gives all its visits but the first to steps; one of an arrow keeps what
/// the search for the queen step has found out about it.
fn check_visits(game: &Game, settings: &Settings) {
    let sum = |visits: &[(u16, u16)]| visits.iter().map(|&(_, visits)| u32::from(visits)).sum();
    let mut before: Option<&otrera::learn::data::Record> = None;
    for record in &game.records {
        let all: u32 = sum(&record.visits);
        if record.at % 2 == 0 {
            assert_eq!(all, settings.visits - 1);
            before = Some(record);
            continue;
        }
        let queen = before.take().expect("a queen step was searched before its arrow");
        assert_eq!(queen.at + 1, record.at);
        let mut position = game.start.clone();
        game.steps[..usize::from(queen.at)].iter().for_each(|&step| position.play(step));
        let mut legal = Vec::new();
        position.steps(&mut legal);
        let step = game.steps[usize::from(queen.at)];
        let place = legal.iter().position(|&legal| legal == step).unwrap();
        let visited = queen.visits.iter().find(|&&(at, _)| usize::from(at) == place);
        let visits = u32::from(visited.expect("only visited steps are played").1);
        if visits == 1 {
            // Nothing is kept of a step visited once, for it has no node yet; but if it was the best
            // all the same, it was given one with an arrow, so that there was a whole turn to report.
            let [fresh, given] = [settings.arrow_visits - 1, settings.arrow_visits + 1];
            assert!(all == fresh || all == given, "{all}");
        } else {
            assert_eq!(all, visits + settings.arrow_visits - 1);
        }
    }
}

#[test]
fn nothing_is_recorded_once_the_result_is_certain() {
    let prover = RegionProver::default();
    for game in read_all(&bytes(150)) {
        let mut known = Default::default();
        let mut position = game.start.clone();
        let mut proof = None;
        for (at, &step) in game.steps.iter().enumerate() {
            if proof.is_none() && position.at_turn_start() {
                proof = prover.prove(&position, &mut known);
                if proof.is_some() {
                    assert!(game.records.iter().all(|record| usize::from(record.at) < at));
                }
            }
            position.play(step);
        }
        if let Some(proof) = proof {
            assert_eq!(proof.outcome, Outcome::Win(game.winner), "game {}", game.number);
        }
    }
}

#[test]
fn games_differ_and_so_do_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = std::collections::HashSet::new();
    let mut winners = [0; 2];
    for seed in 0..3 {
        let path = folder.path().join(seed.to_string());
        let settings = Settings { seed, ..settings() };
        play_until(&path, &settings, 0..40, Shard::WHOLE, u64::MAX).unwrap();
        for game in read_all(&fs::read(&path).unwrap()) {
            winners[game.winner.index()] += 1;
            let moves: Vec<Move> = Move::whole_turns(&game.steps).collect();
            assert!(seen.insert(moves), "game {} of seed {seed} is another one again", game.number);
        }
    }
    assert!(winners[Colour::White.index()] > 20 && winners[Colour::Black.index()] > 20);
}

fn otrera(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = assert_cmd::Command::cargo_bin("otrera").unwrap();
    command.current_dir(folder).args(["selfplay"]).args(arguments);
    command.timeout(std::time::Duration::from_secs(60)).output().unwrap()
}

const SMALL: &[&str] =
    &["--out", "games", "--games", "5", "--visits", "16", "--hash", "1", "--network", "classical"];

#[test]
fn the_command_plays_and_tells() {
    let folder = tempfile::tempdir().unwrap();
    let played = otrera(folder.path(), SMALL);
    assert_eq!(played.status.code(), Some(0));
    assert!(played.stdout.is_empty());
    assert!(String::from_utf8_lossy(&played.stderr).contains("5 games"));
    let games = read_all(&fs::read(folder.path().join("games")).unwrap());
    assert_eq!(games.len(), 5);

    let told = otrera(folder.path(), &["--inspect", "games"]);
    assert_eq!(told.status.code(), Some(0));
    let told = String::from_utf8(told.stdout).unwrap();
    let records: usize = games.iter().map(|game| game.records.len()).sum();
    assert!(told.contains("5 of 5") && told.contains(&format!("{records}: ")), "{told}");

    let told = otrera(folder.path(), &["--inspect", "games", "--game", "3"]);
    let told = String::from_utf8(told.stdout).unwrap();
    for mv in Move::whole_turns(&games[3].steps) {
        assert!(told.contains(&mv.to_string()), "{mv} in {told}");
    }
    assert_eq!(told.matches("value").count(), games[3].records.len());
    assert!(told.contains(&format!("{} wins with {} move", games[3].winner, games[3].margin)));
}

#[test]
fn the_command_refuses_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(otrera(folder.path(), SMALL).status.code(), Some(0));
    fs::write(folder.path().join("letter"), "Dear reader").unwrap();
    let bytes = fs::read(folder.path().join("games")).unwrap();
    fs::write(folder.path().join("torn"), &bytes[..bytes.len() - 1]).unwrap();
    let other: Vec<&str> = [SMALL, &["--seed", "2"]].concat();
    let senseless: Vec<&str> = [SMALL, &["--full-share", "2"]].concat();
    for (arguments, words) in [
        (&other[..], "another engine, network, settings"),
        (&senseless, "the share of full turns must be 0 to 1, not 2"),
        (&["--out", "new", "--games", "1", "--network", "letter"], "OTRERANN"),
        (&["--out", "new", "--games", "1", "--network", "none"], "none"),
        (&["--inspect", "letter"], "no file of self-play"),
        (&["--inspect", "nothing"], "nothing"),
        (&["--inspect", "torn"], "cut off"),
        (&["--inspect", "games", "--game", "9"], "no game 9"),
        (&["--out", "none/games", "--games", "1"], "none/games"),
    ] {
        let refused = otrera(folder.path(), arguments);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(fs::read(folder.path().join("games")).unwrap(), bytes);
}
