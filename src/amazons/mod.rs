//! The rules of the Game of the Amazons: squares, positions, steps, notation, regions, perft.
//!
//! The game (Walter Zamkauskas, 1988): on a 10x10 board each side has four amazons. A turn has two
//! parts, both mandatory: one amazon moves like a chess queen over empty squares, then shoots an
//! arrow from where it stands, again like a queen. The arrow stays. Whoever cannot complete a turn
//! loses; there are no draws, no captures and no passing.

mod bitboard;
mod diagram;
mod excerpt;
mod fen;
mod lines;
mod movegen;
mod notation;
mod perft;
mod position;
mod rays;
mod regions;
mod square;
mod step;
mod symmetry;
mod zobrist;

pub use bitboard::{Bitboard, Direction, Squares};
pub(crate) use excerpt::excerpt;
pub use fen::FenError;
pub use notation::{Notation, NotationError, UnknownNotation};
pub use perft::{divide, divide_until, perft};
pub use position::{IllegalMove, Position, PositionError};
pub use regions::{Region, Regions};
pub use square::{MAX_SIZE, Square, SquareError};
pub use step::{Move, Step};
pub use symmetry::Symmetry;
pub(crate) use zobrist::mix;

use crate::game::{Colour, Game, Outcome};

impl Game for Position {
    type Step = Step;

    #[inline]
    fn side_to_move(&self) -> Colour {
        Position::side_to_move(self)
    }

    #[inline]
    fn at_turn_start(&self) -> bool {
        self.shooter().is_none()
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        (!self.has_step()).then(|| Outcome::Win(!self.side_to_move()))
    }

    #[inline]
    fn hash(&self) -> u64 {
        Position::hash(self)
    }

    #[inline]
    fn steps(&self, steps: &mut Vec<Step>) {
        steps.clear();
        self.for_each_step(|step| steps.push(step));
    }

    #[inline]
    fn play(&mut self, step: Step) {
        Position::play(self, step);
    }

    #[inline]
    fn encode(step: Step) -> u16 {
        step.code()
    }

    #[inline]
    fn decode(code: u16) -> Step {
        Step::from_code(code)
    }
}
