//! The data of self-play: games, and the files they are kept in.
//!
//! # The format, version 1
//! All numbers are little endian; a *varint* has seven bits of a number in each byte, the lowest
//! first, and its highest bit set in all bytes but the last.
//!
//! | part | bytes |
//! |---|---|
//! | magic | 8: `Otr-game` |
//! | version | 4: 1 |
//! | length of the header | 4 |
//! | header | the JSON text of [`Header`] |
//! | checksum | 4: CRC-32 of everything before it |
//! | blocks | to the end of the file |
//!
//! A block holds whole games, so many as fill [`BLOCK`] bytes and no more; only the last one may
//! hold fewer. What a file contains depends on nothing but its header: not on the time, the machine
//! or the number of threads, nor on how often its making was interrupted.
//!
//! | part of a block | bytes |
//! |---|---|
//! | length of the games | 4 |
//! | number of games | 4 |
//! | checksum | 4: CRC-32 of the two numbers above and the games |
//! | games | one after the other |
//!
//! | part of a game | coded as |
//! |---|---|
//! | number | varint |
//! | start | 0 for the start of the game; else the length of a FEN, a varint, and the FEN |
//! | steps | their number, a varint; then the place of each among the legal steps, a varint |
//! | end | a byte: bit 0 set when Black won, bit 1 when it was played out |
//! | margin | a byte |
//! | records | their number, a varint, and the records |
//!
//! | part of a record | coded as |
//! |---|---|
//! | at | varint: how many steps it is after the record before, or after the start |
//! | value | 2: signed, in units of 1 / 32767 |
//! | visits | the number of steps visited, a varint, and the visits |
//!
//! The visits of a step are a byte: in its upper half by how much the place is above the least
//! possible (0, or one more than that of the step before), in its lower half the visits less one.
//! Either half can be 15, which says that a varint follows with what is above 15, that of the place
//! before that of the visits.
//!
//! Reading checks all of this and that every game is played by the rules, so nothing in a file,
//! wherever it comes from, can do more than be refused. A file that is cut off anywhere gives all
//! games of the blocks before the cut.

mod code;
mod format;
mod game;
mod reader;
mod writer;

pub use code::Fault;
pub use format::{BLOCK, Header, Network, Source};
pub use game::{Ended, Game, Record, is_countable};
pub use reader::{DataError, Reader};
pub(crate) use writer::Held;
pub use writer::Writer;

#[cfg(test)]
pub(crate) use code::decode;
pub(crate) use code::encode;
