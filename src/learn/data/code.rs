//! Games as bytes, and back. The format is told in the documentation of [`data`](super).

use thiserror::Error;

use super::game::{Ended, Game, Record, is_countable};
use crate::amazons::{FenError, Position, Step};
use crate::game::{Colour, Game as _, Value};

/// The greatest size of a coded value.
const VALUE_ONE: f32 = 32767.0;

/// The half of a byte that says more follows.
const MORE: u64 = 15;

const BLACK_WON: u8 = 1;
const PLAYED_OUT: u8 = 2;

/// Why bytes, or a game, are no game of self-play.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// There is less than there should be.
    #[error("it ends too early")]
    Ends,
    /// There is more than there should be.
    #[error("something follows its last game")]
    Trailing,
    /// A number does not fit where it belongs.
    #[error("a number in it is too large")]
    Large,
    /// The text of the start is not UTF-8.
    #[error("the text of its start cannot be read")]
    Text,
    /// The start is no position.
    #[error("its start is no position: {0}")]
    Start(FenError),
    /// A step is not legal.
    #[error("its step {} is not legal", .0 + 1)]
    Step(usize),
    /// A record is not of a position of the game, in their order.
    #[error("its record {} is not of a position of the game", .0 + 1)]
    Place(usize),
    /// A record has no visits, or not of legal steps in their order, once or more each.
    #[error("the visits of its record {} are not of legal steps", .0 + 1)]
    Visits(usize),
    /// A value is outside `[-1, 1]`.
    #[error("the value of its record {} is outside -1 to 1", .0 + 1)]
    Value(usize),
    /// The end is not what it is said to be.
    #[error("it does not end as it says")]
    End,
}

/// Appends a game to `bytes`. When it is refused, `bytes` is as before.
pub(crate) fn encode(game: &Game, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    let before = bytes.len();
    let result = encode_game(game, bytes);
    if result.is_err() {
        bytes.truncate(before);
    }
    result
}

fn encode_game(game: &Game, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    push(bytes, game.number);
    if game.start == Position::start() {
        bytes.push(0);
    } else {
        let fen = game.start.fen();
        push(bytes, fen.len() as u64);
        bytes.extend(fen.as_bytes());
    }
    push(bytes, game.steps.len() as u64);
    let mut replay = Replay::new(game.start.clone());
    for (index, &step) in game.steps.iter().enumerate() {
        let place = replay.legal().iter().position(|&legal| legal == step);
        let place = place.ok_or(Fault::Step(index))?;
        push(bytes, place as u64);
        replay.play(place, index)?;
    }
    replay.check_end(game.winner, game.ended)?;
    let winner = if game.winner == Colour::Black { BLACK_WON } else { 0 };
    let ended = if game.ended == Ended::PlayedOut { PLAYED_OUT } else { 0 };
    bytes.push(winner | ended);
    bytes.push(game.margin);
    push(bytes, game.records.len() as u64);
    let mut least = 0;
    for (index, record) in game.records.iter().enumerate() {
        let legal = replay.legal_at(record.at.into()).ok_or(Fault::Place(index))?;
        let above = u64::from(record.at).checked_sub(least).ok_or(Fault::Place(index))?;
        push(bytes, above);
        least = u64::from(record.at) + 1;
        let value = (record.value.get() * VALUE_ONE).round() as i16;
        bytes.extend(value.to_le_bytes());
        encode_visits(&record.visits, legal, bytes).ok_or(Fault::Visits(index))?;
    }
    Ok(())
}

fn encode_visits(visits: &[(u16, u16)], legal: u16, bytes: &mut Vec<u8>) -> Option<()> {
    if visits.is_empty() {
        return None;
    }
    push(bytes, visits.len() as u64);
    let mut least = 0;
    for &(place, count) in visits {
        if place >= legal {
            return None;
        }
        let above = u64::from(place).checked_sub(least)?;
        let more = u64::from(count).checked_sub(1)?;
        bytes.push((above.min(MORE) << 4 | more.min(MORE)) as u8);
        for rest in [above, more] {
            if rest >= MORE {
                push(bytes, rest - MORE);
            }
        }
        least = u64::from(place) + 1;
    }
    Some(())
}

/// Appends a varint.
fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads the game that `bytes` begins with, and moves `bytes` behind it.
pub(crate) fn decode(bytes: &mut &[u8]) -> Result<Game, Fault> {
    let number = varint(bytes)?;
    let start = match length(bytes)? {
        0 => Position::start(),
        length => {
            let fen = bytes.split_off(..length).ok_or(Fault::Ends)?;
            Position::from_fen(str::from_utf8(fen).map_err(|_| Fault::Text)?)
                .map_err(Fault::Start)?
        }
    };
    let mut replay = Replay::new(start.clone());
    let mut steps = Vec::new();
    for index in 0..length(bytes)? {
        let place = length(bytes)?;
        steps.push(replay.play(place, index)?);
    }
    let end = byte(bytes)?;
    if end & !(BLACK_WON | PLAYED_OUT) != 0 {
        return Err(Fault::End);
    }
    let winner = if end & BLACK_WON != 0 { Colour::Black } else { Colour::White };
    let ended = if end & PLAYED_OUT != 0 { Ended::PlayedOut } else { Ended::Counted };
    replay.check_end(winner, ended)?;
    let margin = byte(bytes)?;
    let mut records = Vec::new();
    let mut least = 0;
    for index in 0..length(bytes)? {
        let at = length(bytes)?.checked_add(least).ok_or(Fault::Large)?;
        let legal = replay.legal_at(at).ok_or(Fault::Place(index))?;
        least = at + 1;
        let value = i16::from_le_bytes([byte(bytes)?, byte(bytes)?]);
        if value == i16::MIN {
            return Err(Fault::Value(index));
        }
        let value = Value::new(f32::from(value) / VALUE_ONE);
        let visits = decode_visits(bytes, legal, index)?;
        records.push(Record { at: at as u16, visits, value });
    }
    Ok(Game { number, start, steps, records, winner, margin, ended })
}

fn decode_visits(bytes: &mut &[u8], legal: u16, index: usize) -> Result<Vec<(u16, u16)>, Fault> {
    let count = length(bytes)?;
    if count == 0 || count > legal.into() {
        return Err(Fault::Visits(index));
    }
    let mut visits = Vec::with_capacity(count);
    let mut least = 0;
    for _ in 0..count {
        let halves = u64::from(byte(bytes)?);
        let [above, more] = [rest(halves >> 4, bytes)?, rest(halves & MORE, bytes)?];
        let place = above.checked_add(least).ok_or(Fault::Large)?;
        if place >= legal.into() {
            return Err(Fault::Visits(index));
        }
        let times = more.checked_add(1).and_then(|times| u16::try_from(times).ok());
        visits.push((place as u16, times.ok_or(Fault::Large)?));
        least = place + 1;
    }
    Ok(visits)
}

/// A number that begins with this half of a byte.
fn rest(half: u64, bytes: &mut &[u8]) -> Result<u64, Fault> {
    if half < MORE {
        return Ok(half);
    }
    varint(bytes)?.checked_add(MORE).ok_or(Fault::Large)
}

fn byte(bytes: &mut &[u8]) -> Result<u8, Fault> {
    bytes.split_off_first().copied().ok_or(Fault::Ends)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, Fault> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = byte(bytes)?;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return Err(Fault::Large);
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Fault::Large)
}

/// A varint that counts or indexes something.
fn length(bytes: &mut &[u8]) -> Result<usize, Fault> {
    usize::try_from(varint(bytes)?).map_err(|_| Fault::Large)
}

/// A game played over again, with the number of legal steps of each of its positions.
struct Replay {
    position: Position,
    legal: Vec<Step>,
    counts: Vec<u16>,
}

impl Replay {
    fn new(start: Position) -> Replay {
        let mut replay = Replay { position: start, legal: Vec::new(), counts: Vec::new() };
        replay.position.steps(&mut replay.legal);
        replay
    }

    fn legal(&self) -> &[Step] {
        &self.legal
    }

    /// Plays the legal step at this place, step `index` of the game.
    fn play(&mut self, place: usize, index: usize) -> Result<Step, Fault> {
        let step = *self.legal.get(place).ok_or(Fault::Step(index))?;
        self.counts.push(self.legal.len() as u16);
        self.position.play(step);
        self.position.steps(&mut self.legal);
        Ok(step)
    }

    /// How many steps were legal so many steps after the start, where one was played.
    fn legal_at(&self, at: usize) -> Option<u16> {
        self.counts.get(at).copied()
    }

    /// Checks the end as far as it can be without counting.
    fn check_end(&self, winner: Colour, ended: Ended) -> Result<(), Fault> {
        let position = &self.position;
        let sound = match ended {
            Ended::Counted => is_countable(position),
            Ended::PlayedOut => !position.has_step() && winner != position.side_to_move(),
        };
        if sound { Ok(()) } else { Err(Fault::End) }
    }
}
