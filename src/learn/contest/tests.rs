//! Contests whose results are known beforehand.

use super::*;
use crate::amazons::Step;
use crate::eval::Classical;
use crate::game::{Game, Value};

/// An evaluator that knows nothing.
#[derive(Clone)]
struct Blank;

impl Evaluator<Position> for Blank {
    type Scratch = ();

    fn value(&self, _: &Position, (): &mut ()) -> Value {
        Value::EVEN
    }

    fn priors(&self, _: &Position, steps: &[Step], (): &mut (), weights: &mut Vec<f32>) {
        weights.clear();
        weights.resize(steps.len(), 1.0);
    }
}

fn settings(nodes: u64, games: u64) -> Settings {
    Settings { nodes, games, elo1: 100.0, ..Settings::default() }
}

fn openings() -> Vec<Position> {
    standard(7).unwrap()
}

fn in_threads<T: Send>(threads: usize, job: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(job)
}

fn contest<A, B>(first: &A, second: &B, settings: &Settings) -> Outcome
where
    A: Evaluator<Position> + Clone,
    B: Evaluator<Position> + Clone,
{
    run(first, second, settings, &openings(), &[], &AtomicBool::new(false), &|_| ()).unwrap()
}

#[test]
fn an_evaluator_is_level_with_itself_in_every_pair() {
    let classical = Classical::default();
    let outcome = contest(&classical, &classical, &settings(20, 12));
    assert!(outcome.complete);
    assert_eq!(outcome.standing.wins, [1; 6]);
    assert_eq!(outcome.standing.pairs, Pairs { split: 6, ..Pairs::default() });
    assert_eq!(outcome.standing.score(), Some(0.5));
}

#[test]
fn the_order_of_the_evaluators_only_turns_the_result_round() {
    let (classical, settings) = (Classical::default(), settings(20, 12));
    let one = contest(&classical, &Blank, &settings).standing;
    let other = contest(&Blank, &classical, &settings).standing;
    assert_eq!(one.pairs, other.pairs.reversed());
    assert!(one.wins.iter().zip(&other.wins).all(|(one, other)| one + other == 2));
}

#[test]
fn neither_threads_nor_interruptions_change_the_outcome() {
    let (classical, settings) = (Classical::default(), settings(30, 20));
    let whole = in_threads(1, || contest(&classical, &Blank, &settings)).standing;
    let parallel = in_threads(4, || contest(&classical, &Blank, &settings)).standing;
    assert_eq!(whole, parallel);
    let stop = AtomicBool::new(false);
    let interrupt = |_: &Progress| stop.store(true, Ordering::Relaxed);
    let openings = openings();
    let play = |known: &[u8], stop: &AtomicBool, observe: &(dyn Fn(&Progress) + Sync)| {
        run(&classical, &Blank, &settings, &openings, known, stop, observe).unwrap()
    };
    let first = in_threads(1, || play(&[], &stop, &interrupt));
    assert!(!first.complete);
    assert_eq!(first.standing.wins.len(), 1);
    let rest = play(&first.standing.wins, &AtomicBool::new(false), &|_| ());
    assert_eq!(rest.standing, whole);
}

#[test]
fn a_decided_test_ends_the_contest() {
    let outcome = contest(&Classical::default(), &Blank, &settings(50, 400));
    assert_eq!(outcome.standing.verdict, Some(Hypothesis::H1));
    assert!(outcome.complete);
    assert!(outcome.standing.games.total() < 200, "{:?}", outcome.standing);
    assert_eq!(outcome.standing.games.total(), 2 * outcome.standing.pairs.total());
    // A known result that decides is enough.
    let known = &outcome.standing.wins;
    let again = run(
        &Blank,
        &Blank,
        &settings(50, 400),
        &openings(),
        known,
        &AtomicBool::new(false),
        &|_| panic!("nothing is left to play"),
    );
    assert_eq!(again.unwrap().standing, outcome.standing);
}

#[test]
fn what_cannot_be_played_is_refused() {
    let refused = |settings: Settings, openings: &[Position]| {
        run(&Blank, &Blank, &settings, openings, &[], &AtomicBool::new(false), &|_| ())
            .unwrap_err()
            .to_string()
    };
    let openings = openings();
    assert_eq!(refused(settings(0, 2), &openings), "a contest needs a number of nodes above 0");
    assert_eq!(refused(settings(2, 0), &openings), "a contest needs a number of games above 0");
    assert_eq!(refused(settings(1, 5), &openings[..2]), "5 games need 3 openings, and there are 2");
    let backwards = Settings { elo0: 5.0, elo1: 5.0, ..settings(1, 2) };
    assert_eq!(refused(backwards, &openings), "elo0=5 must be below elo1=5");
}

#[test]
fn the_standard_openings_are_as_described() {
    let (one, other) = (standard(1).unwrap(), standard(2).unwrap());
    assert!(one.iter().all(|opening| opening.turns() == STANDARD_PLIES));
    assert!(one.len() >= Settings::default().pairs());
    assert_ne!(one, other);
    let sorted = |mut openings: Vec<Position>| {
        openings.sort_by_key(Game::hash);
        openings
    };
    assert_eq!(sorted(one), sorted(other));
}

/// Plays the first legal move.
struct First;

impl Player for First {
    fn choose(
        &mut self,
        position: &Position,
        _: &[Step],
    ) -> Result<crate::amazons::Move, ContestError> {
        Ok(position.legal_moves()[0])
    }
}

#[test]
fn games_end_when_counting_decides() {
    // White has two squares of its own, Black one: White to move wins, Black to move loses.
    for (fen, winner) in [("2Q*q1 w", Colour::White), ("2Q*q1 b", Colour::White)] {
        let start = Position::from_fen(fen).unwrap();
        let game = play(&start, [&mut First, &mut First], &|| false).unwrap().unwrap();
        assert_eq!(game, Finished { winner, moves: Vec::new() });
    }
    // With a move left for either side the one to move loses.
    let start = Position::from_fen("1Q*q1 b").unwrap();
    let game = play(&start, [&mut First, &mut First], &|| false).unwrap().unwrap();
    assert_eq!(game.winner, Colour::White);
    // From the start of the game somebody wins in the end.
    let game = play(&Position::start(), [&mut First, &mut First], &|| false).unwrap().unwrap();
    assert!((4..=92).contains(&game.moves.len()), "{}", game.moves.len());
    assert_eq!(play(&Position::start(), [&mut First, &mut First], &|| true).unwrap(), None);
}
