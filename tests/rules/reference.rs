//! The rules in the most naive way: a board of characters, and loops.

use std::fmt::Write;

/// Rows from the top; `W` and `B` amazons, `X` arrows, `.` empty squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    pub rows: Vec<Vec<char>>,
    pub side: char,
}

/// Row from the top and column.
type Cell = (usize, usize);

impl Board {
    pub fn new(rows: &str, side: char) -> Board {
        Board { rows: rows.lines().map(|row| row.chars().collect()).collect(), side }
    }

    fn slides(&self, from: Cell) -> Vec<Cell> {
        let mut cells = Vec::new();
        for row_step in [-1, 0, 1] {
            for column_step in [-1, 0, 1] {
                if (row_step, column_step) == (0, 0) {
                    continue;
                }
                let (mut row, mut column) = (from.0 as isize, from.1 as isize);
                loop {
                    row += row_step;
                    column += column_step;
                    let on_board = row >= 0
                        && column >= 0
                        && (row as usize) < self.rows.len()
                        && (column as usize) < self.rows[0].len();
                    if !on_board || self.rows[row as usize][column as usize] != '.' {
                        break;
                    }
                    cells.push((row as usize, column as usize));
                }
            }
        }
        cells
    }

    pub fn moves(&self) -> Vec<[Cell; 3]> {
        let mut moves = Vec::new();
        for row in 0..self.rows.len() {
            for column in 0..self.rows[row].len() {
                let from = (row, column);
                if self.rows[row][column] != self.side {
                    continue;
                }
                for to in self.slides(from) {
                    let mut after = self.clone();
                    after.rows[from.0][from.1] = '.';
                    after.rows[to.0][to.1] = self.side;
                    moves.extend(after.slides(to).into_iter().map(|arrow| [from, to, arrow]));
                }
            }
        }
        moves
    }

    pub fn play(&mut self, [from, to, arrow]: [Cell; 3]) {
        self.rows[from.0][from.1] = '.';
        self.rows[to.0][to.1] = self.side;
        self.rows[arrow.0][arrow.1] = 'X';
        self.side = if self.side == 'W' { 'B' } else { 'W' };
    }

    /// The move as `d1-d7/g7`.
    pub fn name(&self, cells: [Cell; 3]) -> String {
        let [from, to, arrow] = cells.map(|(row, column)| {
            let mut name = String::from((b'a' + column as u8) as char);
            write!(name, "{}", self.rows.len() - row).unwrap();
            name
        });
        format!("{from}-{to}/{arrow}")
    }

    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let below = |&mv: &[Cell; 3]| {
            let mut after = self.clone();
            after.play(mv);
            after.perft(depth - 1)
        };
        self.moves().iter().map(below).sum()
    }
}
