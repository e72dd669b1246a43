//! The open squares line by line, for counting moves without listing them.
//!
//! A square lies on four lines: its rank, its file and its two diagonals. With the open squares
//! of each line at hand as a number of ten bits, how far a queen goes along it is one look into a
//! table, and the number of her moves the sum of four. A change of one square is a change of four
//! bits. (Rotated bitboards do the same for chess: Hyatt 1999.)

use super::bitboard::Bitboard;
use super::square::{MAX_SIZE, Square};

const SIZE: usize = MAX_SIZE as usize;
const DIAGONALS: usize = 2 * SIZE - 1;
/// The number of sets of squares of a line.
const SETS: usize = 1 << SIZE;

/// How many squares a queen reaches along a line: by her place on it, and by its open squares.
/// Whether her own square is open makes no difference.
static REACH: [[u8; SETS]; SIZE] = {
    let mut reach = [[0; SETS]; SIZE];
    let mut place = 0;
    while place < SIZE {
        let mut open = 0;
        while open < SETS {
            let above = (open >> place >> 1).trailing_ones();
            let below = ((open as u16) << (15 - place) << 1).leading_ones();
            reach[place][open] = (above + below) as u8;
            open += 1;
        }
        place += 1;
    }
    reach
};

/// The open squares of all lines. The place of a square on a file is its rank, and on every other
/// line its file.
#[derive(Clone)]
pub(super) struct Lines {
    ranks: [u16; SIZE],
    files: [u16; SIZE],
    rising: [u16; DIAGONALS],
    falling: [u16; DIAGONALS],
}

impl Lines {
    pub(super) fn new(open: Bitboard) -> Lines {
        let mut lines = Lines {
            ranks: [0; SIZE],
            files: [0; SIZE],
            rising: [0; DIAGONALS],
            falling: [0; DIAGONALS],
        };
        for square in open {
            lines.toggle(square);
        }
        lines
    }

    /// Opens a closed square, or closes an open one.
    #[inline]
    pub(super) fn toggle(&mut self, square: Square) {
        let (file, rank) = (square.file() as usize, square.rank() as usize);
        self.ranks[rank] ^= 1 << file;
        self.files[file] ^= 1 << rank;
        self.rising[file + SIZE - 1 - rank] ^= 1 << file;
        self.falling[file + rank] ^= 1 << file;
    }

    /// How many squares a queen on `from` reaches in one move.
    #[inline]
    fn reach(&self, from: Square) -> u32 {
        let (file, rank) = (from.file() as usize, from.rank() as usize);
        let lines = [
            REACH[file][self.ranks[rank] as usize],
            REACH[rank][self.files[file] as usize],
            REACH[file][self.rising[file + SIZE - 1 - rank] as usize],
            REACH[file][self.falling[file + rank] as usize],
        ];
        lines.iter().map(|&reach| u32::from(reach)).sum()
    }

    /// The number of moves, queen step and arrow, of these amazons. `open` are the squares that
    /// these lines hold.
    pub(super) fn count_moves(&mut self, amazons: Bitboard, open: Bitboard) -> u64 {
        let mut moves = 0;
        for from in amazons {
            self.toggle(from); // the arrow may fly across the square just left
            moves += open.queen_targets(from).into_iter().map(|to| self.reach(to)).sum::<u32>();
            self.toggle(from);
        }
        moves.into()
    }
}
