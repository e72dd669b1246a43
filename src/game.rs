//! The ground floor: all that the search knows of a game.
//!
//! A turn is made of *steps*: in the Game of the Amazons a queen step and an arrow, in La-Trel a
//! first move and as many further captures as the player likes. A position knows which kind of
//! step comes next, so the search tree has a node for each step, and nothing is ever listed for
//! each whole turn. The side to move changes only when a turn is complete.
//!
//! Three traits are everything the search asks for: [`Game`] is the rules, [`Evaluator`] an
//! opinion, [`Prover`] a certainty. They are used as generic parameters, never as trait objects,
//! so that the hot path is compiled for the game at hand.

use std::fmt;
use std::ops::Not;

/// One of the two sides. White moves first in every game of this program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Colour {
    /// The first mover.
    White = 0,
    /// The second mover.
    Black = 1,
}

impl Colour {
    /// Both colours, White first: the order of every array indexed by colour.
    pub const BOTH: [Colour; 2] = [Colour::White, Colour::Black];

    /// Index into arrays that hold something for each colour: White 0, Black 1.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Colour {
    type Output = Colour;

    #[inline]
    fn not(self) -> Colour {
        match self {
            Colour::White => Colour::Black,
            Colour::Black => Colour::White,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Colour::White => "white",
            Colour::Black => "black",
        })
    }
}

/// How a game ended, or how it provably ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This colour wins.
    Win(Colour),
    /// Nobody wins. Never in the Game of the Amazons.
    Draw,
}

impl Outcome {
    /// Who wins, if anybody does.
    #[inline]
    pub const fn winner(self) -> Option<Colour> {
        match self {
            Outcome::Win(winner) => Some(winner),
            Outcome::Draw => None,
        }
    }
}

/// An exact result with best play, and how far away the end can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The result.
    pub outcome: Outcome,
    /// An upper bound on the number of turns (of both sides together) until the game is over when
    /// the winner plays well; 0 when it is over already.
    pub turns: u16,
}

/// A value in `[-1, 1]`: -1 a certain loss, +1 a certain win, for the side that the name of the
/// variable or the documentation of the function states. The win probability is `(1 + v) / 2`.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Value(f32);

impl Value {
    /// A certain loss.
    pub const LOSS: Value = Value(-1.0);
    /// Even chances, or a draw.
    pub const EVEN: Value = Value(0.0);
    /// A certain win.
    pub const WIN: Value = Value(1.0);

    /// Takes a number for a value; what lies outside `[-1, 1]` is moved to the nearer end.
    #[inline]
    pub fn new(value: f32) -> Value {
        Value(value.clamp(-1.0, 1.0))
    }

    /// The number, in `[-1, 1]`.
    #[inline]
    pub const fn get(self) -> f32 {
        self.0
    }

    /// The win probability, in `[0, 1]`.
    #[inline]
    pub fn win_probability(self) -> f32 {
        (1.0 + self.0) / 2.0
    }

    /// The value of `outcome` for `side`.
    #[inline]
    pub fn of(outcome: Outcome, side: Colour) -> Value {
        match outcome {
            Outcome::Win(winner) if winner == side => Value::WIN,
            Outcome::Win(_) => Value::LOSS,
            Outcome::Draw => Value::EVEN,
        }
    }
}

impl std::ops::Neg for Value {
    type Output = Value;

    /// The same value from the other side's view.
    #[inline]
    fn neg(self) -> Value {
        Value(-self.0)
    }
}

/// The rules of a game for two players with complete information, a position at a time.
///
/// Cloning must be cheap: the search clones the root position for each visit.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// A part of a turn: for the Amazons a queen step or an arrow.
    type Step: Copy + Eq + fmt::Debug + Send + Sync;

    /// The side that plays the next step. It stays the same between the steps of one turn.
    fn side_to_move(&self) -> Colour;

    /// Whether the next step begins a turn, that is, whether the last turn is complete.
    fn at_turn_start(&self) -> bool;

    /// The result if the game is over here; then there are no steps.
    fn outcome(&self) -> Option<Outcome>;

    /// A hash of everything that tells this position from others: equal positions have equal
    /// hashes, and different ones differ but for bad luck.
    fn hash(&self) -> u64;

    /// Empties `steps` and fills it with the legal steps, in an order that depends on nothing but
    /// the position. In a position without [`outcome`](Game::outcome) there is at least one.
    fn steps(&self, steps: &mut Vec<Self::Step>);

    /// Plays a step, which must be one of [`steps`](Game::steps).
    fn play(&mut self, step: Self::Step);

    /// A step as 16 bits, which is how the tree stores it.
    fn encode(step: Self::Step) -> u16;

    /// The step that [`encode`](Game::encode) made this code from.
    fn decode(code: u16) -> Self::Step;
}

/// An opinion about positions: how good they are, and which steps look promising.
///
/// One evaluator is shared by all workers of a search; what it needs to write to is the scratch
/// that each worker owns.
pub trait Evaluator<G: Game>: Send + Sync {
    /// Working memory and caches of one worker.
    type Scratch: Default + Send;

    /// The value of `position`, which has no outcome yet, for its side to move.
    fn value(&self, position: &G, scratch: &mut Self::Scratch) -> Value;

    /// How promising each of `steps` looks: fills `weights` (emptied first) with one finite number
    /// above zero for each step, in the same order. They need not sum to one.
    ///
    /// `steps` are all legal steps of `position`, as [`Game::steps`] lists them.
    fn priors(
        &self,
        position: &G,
        steps: &[G::Step],
        scratch: &mut Self::Scratch,
        weights: &mut Vec<f32>,
    );
}

/// A source of exact results. It may decline, and must never be wrong.
pub trait Prover<G: Game>: Send + Sync {
    /// Working memory and caches of one worker.
    type Scratch: Default + Send;

    /// The exact result of `position` with best play of both sides, where this prover finds one
    /// within its own small budget.
    fn prove(&self, position: &G, scratch: &mut Self::Scratch) -> Option<Proof>;
}
