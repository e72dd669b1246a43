//! A search that fails, and an engine that plays on.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use otrera::amazons::{Move, Position, Step};
use otrera::endgame::RegionProver;
use otrera::engine::Selectable;
use otrera::eval::Classical;
use otrera::game::{Evaluator, Value};
use otrera::protocol::Dialect;

use crate::client::Client;

/// Thinks as the classical evaluator until its patience is used up; then it panics once.
#[derive(Clone)]
struct Fragile {
    inner: Classical,
    patience: Arc<AtomicI64>,
}

impl Evaluator<Position> for Fragile {
    type Scratch = <Classical as Evaluator<Position>>::Scratch;

    fn value(&self, position: &Position, scratch: &mut Self::Scratch) -> Value {
        assert_ne!(self.patience.fetch_sub(1, Ordering::Relaxed), 0, "out of patience");
        self.inner.value(position, scratch)
    }

    fn priors(
        &self,
        position: &Position,
        steps: &[Step],
        scratch: &mut Self::Scratch,
        weights: &mut Vec<f32>,
    ) {
        self.inner.priors(position, steps, scratch, weights);
    }
}

/// There is no other.
impl Selectable for Fragile {}

fn assert_survives(patience: i64) {
    let evaluator =
        Fragile { inner: Classical::default(), patience: Arc::new(AtomicI64::new(patience)) };
    let client = Client::of(evaluator, RegionProver::default(), Some(Dialect::Uci));
    let (lines, best) = client.search("go nodes 2000");
    let fault: Vec<&String> =
        lines.iter().filter(|line| line.contains("the search failed")).collect();
    assert_eq!(fault.len(), 1, "{lines:?}");
    assert!(fault[0].contains("out of patience"));
    assert!(lines.last().unwrap().contains(" score "));
    let position = Position::start();
    assert_eq!(position.check_move(Move::read(&best, &position).unwrap()), Ok(()));
    // The next search is as good as any.
    let (lines, _) = client.search("go nodes 2000");
    assert!(lines.last().unwrap().contains("nodes 2000"), "{lines:?}");
    client.close();
}

#[test]
fn a_search_that_fails_at_once_gives_a_legal_move() {
    assert_survives(0);
}

#[test]
fn a_search_that_fails_later_gives_the_best_move_so_far() {
    assert_survives(1000);
}
