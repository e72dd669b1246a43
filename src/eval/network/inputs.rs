//! What the network sees of a position, as numbers of rows and tables.
//!
//! Everything is told from the side to move, and made of the distance fields: of each empty square
//! how far either side is away, of each amazon where it stands and how much room it has. The
//! policy judges each step by its squares and by a few small features of them, which are looked up
//! in tables by number.
//!
//! These functions are what training uses, and the reference for the quick paths of play.

use crate::amazons::{Bitboard, Direction, Position, Square, Step};
use crate::eval::fields::{Fields, Layers};
use crate::eval::mobility::{length, neighbours, room};
use crate::game::Colour;

/// Classes of a pair of queen distances, own times five plus the opponent's. One distance has five
/// classes: 0 for none, 1 for four and more, 2, 3 and 4 for three, two and one.
pub const QUEEN_PAIRS: usize = 5 * 5;

/// Classes of a pair of king distances, own times six plus the opponent's. One distance has six
/// classes: 0 for none, 1 for five and more, 2 to 5 for four to one.
pub const KING_PAIRS: usize = 6 * 6;

/// Rows that belong to one square, if it is empty: one for each pair of queen distances, then one
/// for each pair of king distances. Two of them are active.
pub const SQUARE_ROWS: usize = QUEEN_PAIRS + KING_PAIRS;

/// The rows of all squares, in the order of their indices. Those of sentinels are never active.
pub const EMPTY_ROWS: usize = Square::INDICES * SQUARE_ROWS;

/// The most empty squares around a square, and none: nine cases.
pub const ROOMS: usize = 9;

/// The rows of amazons and of the shooter: own amazons by square and room, the opponent's by square
/// and room, then the square of the amazon that must shoot.
pub const PIECE_ROWS: usize = 2 * Square::INDICES * ROOMS + Square::INDICES;

/// Phases of the game, told by the empty squares.
pub const PHASES: usize = 8;

/// Sets of weights behind the first layer: one for each phase and kind of step. The set of a
/// position is twice its phase, plus one with an arrow pending.
pub const SETS: usize = 2 * PHASES;

/// Classes of the distances of a step's target: its pair of king distances times five, plus the
/// class of the opponent's queen distance. The mover's own is always one.
pub const TARGETS: usize = KING_PAIRS * 5;

/// Classes of what is around a square: its room times nine, plus three times the own amazons beside
/// it and the opponent's, each cut to two.
pub const SURROUNDINGS: usize = ROOMS * 3 * 3;

/// King steps between the squares of a step, less one.
pub const LENGTHS: usize = 9;

/// Classes of an amazon that is to move: its [`SURROUNDINGS`] times five, plus the class of the
/// least queen distance of the opponent from the empty squares around it.
pub const ORIGINS: usize = SURROUNDINGS * 5;

/// Counts that [`gain`] can have: what is more counts as the last.
pub const GAIN: usize = 32;

/// Classes of what a queen step gains: its [`gain`] times five, plus the class of the opponent's
/// queen distance.
pub const GAINS: usize = GAIN * 5;

/// Counts that [`cut`] can have for the opponent's amazons, and for own ones: what is more counts
/// as the last.
pub const CUT_THEIRS: usize = 20;
/// See [`CUT_THEIRS`].
pub const CUT_MINE: usize = 12;

/// Classes of what a piece on a square cuts off: from the opponent times [`CUT_MINE`], plus from
/// the mover.
pub const CUTS: usize = CUT_THEIRS * CUT_MINE;

/// The fewest empty squares of each phase but the last.
const PHASE_LEAST: [u32; PHASES - 1] = [85, 77, 69, 61, 53, 45, 35];

/// The phase of a position: 0 with 85 empty squares and more, 7 with fewer than 35.
#[inline]
pub fn phase(position: &Position) -> usize {
    let empty = position.empty().count();
    PHASE_LEAST.iter().map(|&least| usize::from(empty < least)).sum()
}

/// The set of a position.
#[inline]
pub fn set(position: &Position) -> usize {
    2 * phase(position) + usize::from(position.shooter().is_some())
}

/// Fills `empty` with the active rows of empty squares, below [`EMPTY_ROWS`], two for each square,
/// and `pieces` with those of amazons and shooter, below [`PIECE_ROWS`].
pub fn rows(position: &Position, classes: &Classes, empty: &mut Vec<u16>, pieces: &mut Vec<u16>) {
    empty.clear();
    pieces.clear();
    for square in position.empty() {
        let first = square.index() * SQUARE_ROWS;
        empty.push((first + usize::from(classes.queen[square.index()])) as u16);
        empty.push((first + QUEEN_PAIRS + usize::from(classes.king[square.index()])) as u16);
    }
    let mover = position.side_to_move();
    for (side, colour) in [mover, !mover].into_iter().enumerate() {
        for square in position.amazons(colour) {
            let place = side * Square::INDICES + square.index();
            pieces.push((place * ROOMS + room(position, square)) as u16);
        }
    }
    if let Some(shooter) = position.shooter() {
        pieces.push((2 * Square::INDICES * ROOMS + shooter.index()) as u16);
    }
}

/// The pairs of distances of every square, by index; 0 where a square is not empty.
pub struct Classes {
    /// Classes of queen distances, below [`QUEEN_PAIRS`].
    pub queen: [u8; Square::INDICES],
    /// Classes of king distances, below [`KING_PAIRS`].
    pub king: [u8; Square::INDICES],
}

impl Classes {
    /// The classes of a position, which these are the fields of.
    pub fn of(position: &Position, fields: &Fields) -> Classes {
        let mut classes = Classes { queen: [0; Square::INDICES], king: [0; Square::INDICES] };
        for (side, queen, king) in
            [(position.side_to_move(), 5, 6), (!position.side_to_move(), 1, 1)]
        {
            add(&mut classes.queen, &fields.queen, side, 4, queen);
            add(&mut classes.king, &fields.king, side, 5, king);
        }
        classes
    }
}

/// Adds to the class of each square an amount for each distance below `last` that the side is within,
/// and once more if it gets there at all.
fn add(
    classes: &mut [u8; Square::INDICES],
    layers: &Layers,
    side: Colour,
    last: usize,
    amount: u8,
) {
    let near = (1..last).map(|distance| layers.within(side, distance));
    for square in near.chain([layers.reachable(side)]).flatten() {
        classes[square.index()] += amount;
    }
}

/// What the policy looks at in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepInputs {
    /// Where the amazon starts; for an arrow, the shooter.
    pub from: Square,
    /// Where the amazon or the arrow arrives.
    pub to: Square,
    /// The distances of the target, below [`TARGETS`].
    pub target: usize,
    /// What is around the target, below [`SURROUNDINGS`].
    pub surroundings: usize,
    /// The length of the step, below [`LENGTHS`].
    pub length: usize,
    /// What is around the origin, below [`ORIGINS`]. Counts for queen steps only.
    pub origin: usize,
    /// What a queen step gains, below [`GAINS`]. Counts for queen steps only.
    pub gain: usize,
    /// What the target cuts off, below [`CUTS`].
    pub cut: usize,
}

/// The inputs of each of these steps, in their order, into `inputs`.
pub fn steps(
    position: &Position,
    fields: &Fields,
    classes: &Classes,
    steps: &[Step],
    inputs: &mut Vec<StepInputs>,
) {
    let (mover, opponent) = (position.side_to_move(), !position.side_to_move());
    // Most squares belong to several steps.
    let (mut around, mut origins) = ([None; Square::INDICES], [None; Square::INDICES]);
    let mut targets = [None; Square::INDICES];
    let near = fields.queen.within(mover, 1);
    let mut around = |square: Square| {
        *around[square.index()].get_or_insert_with(|| surroundings(position, square))
    };
    inputs.clear();
    inputs.extend(steps.iter().map(|&step| {
        let to = step.target();
        let from = match step {
            Step::Queen { from, .. } => from,
            Step::Arrow(to) => position.shooter().unwrap_or(to),
        };
        let theirs = usize::from(classes.queen[to.index()] % 5);
        let (gain, cut) = *targets[to.index()].get_or_insert_with(|| {
            let gain = gain(position, near, to).min(GAIN - 1) * 5 + theirs;
            let [mine, theirs] = [mover, opponent].map(|side| cut(position, side, to));
            (gain, theirs.min(CUT_THEIRS - 1) * CUT_MINE + mine.min(CUT_MINE - 1))
        });
        StepInputs {
            from,
            to,
            target: usize::from(classes.king[to.index()]) * 5 + theirs,
            surroundings: around(to),
            length: length(from, to),
            origin: *origins[from.index()].get_or_insert_with(|| {
                around(from) * 5 + pressure(position, fields, from, opponent)
            }),
            gain,
            cut,
        }
    }));
}

/// What is around a square, below [`SURROUNDINGS`].
#[inline(always)]
pub fn surroundings(position: &Position, square: Square) -> usize {
    let around = neighbours(square);
    let beside = |colour| (around & position.amazons(colour)).count().min(2) as usize;
    let mover = position.side_to_move();
    room(position, square) * 9 + beside(mover) * 3 + beside(!mover)
}

/// The class of the least queen distance of the opponent from the empty squares around one.
#[inline(always)]
pub fn pressure(position: &Position, fields: &Fields, square: Square, opponent: Colour) -> usize {
    let around: Bitboard = neighbours(square) & position.empty();
    (1..4).filter(|&distance| fields.queen.within(opponent, distance).intersects(around)).count()
        + usize::from(fields.queen.reachable(opponent).intersects(around))
}

/// The number of squares that a queen on an empty square would have in reach, but for those in
/// `near`.
pub fn gain(position: &Position, near: Bitboard, square: Square) -> usize {
    position.queen_targets(square).minus(near).count() as usize
}

/// The number of squares by which a piece on an empty square would shorten the rays of this side's
/// amazons, the square itself among them; a square on several rays counts for each.
pub fn cut(position: &Position, side: Colour, square: Square) -> usize {
    let empty = position.empty();
    let after = |direction: Direction| {
        let mut squares = 0;
        let mut here = Bitboard::from(square).step(direction);
        while here.intersects(empty) {
            squares += 1;
            here = here.step(direction);
        }
        (squares, here)
    };
    let rays = Direction::ALL
        .into_iter()
        .filter(|direction| after(direction.opposite()).1.intersects(position.amazons(side)));
    rays.map(|direction| 1 + after(direction).0).sum()
}
