//! The endgame in the most naive way: cells with coordinates, loops, and search of everything.

use std::collections::{BTreeSet, HashMap};

use otrera::amazons::{Bitboard, Position, Square};
use otrera::game::{Colour, Game, Outcome};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

/// File and rank, counted from 0.
pub type Cell = (i32, i32);

/// A position from rows, the top one first: `W`, `B`, `X` and `.`.
pub fn position(rows: &[String], side_to_move: Colour) -> Position {
    let mut amazons = [Bitboard::EMPTY; 2];
    let mut arrows = Bitboard::EMPTY;
    for (rank, row) in rows.iter().rev().enumerate() {
        for (file, piece) in row.chars().enumerate() {
            let square = Square::new(file as u8, rank as u8);
            match piece {
                'W' => amazons[0] = amazons[0].with(square),
                'B' => amazons[1] = amazons[1].with(square),
                'X' => arrows = arrows.with(square),
                _ => assert_eq!(piece, '.'),
            }
        }
    }
    let files = rows[0].len() as u8;
    Position::new(files, rows.len() as u8, amazons, arrows, side_to_move).unwrap()
}

/// The squares of these cells.
pub fn squares(cells: &BTreeSet<Cell>) -> Bitboard {
    cells.iter().map(|&(file, rank)| Square::new(file as u8, rank as u8)).collect()
}

/// The cells of these squares.
pub fn cells(squares: Bitboard) -> BTreeSet<Cell> {
    squares.into_iter().map(|square| (i32::from(square.file()), i32::from(square.rank()))).collect()
}

/// Exhaustive search of the greatest number of moves that amazons can make on given ground. Sets
/// of cells are bits in the order of the list of all cells.
pub struct Exhaustive {
    cells: Vec<Cell>,
    /// For each cell the cells in each of the eight directions, up to the end of the ground.
    rays: Vec<[Vec<usize>; 8]>,
    known: HashMap<(u32, u32), u8>,
}

impl Exhaustive {
    pub fn new(ground: &BTreeSet<Cell>) -> Exhaustive {
        let cells: Vec<Cell> = ground.iter().copied().collect();
        let steps = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
        let ray = |from: Cell, step: Cell| {
            let ahead = (1..).map(|far| (from.0 + far * step.0, from.1 + far * step.1));
            ahead.map_while(|cell| cells.binary_search(&cell).ok()).collect()
        };
        let rays = cells.iter().map(|&from| steps.map(|step| ray(from, step))).collect();
        Exhaustive { cells, rays, known: HashMap::new() }
    }

    /// The filling with amazons on these cells.
    pub fn filling(&mut self, amazons: &BTreeSet<Cell>) -> u8 {
        let (empty, amazons) = self.start(amazons);
        self.longest(empty, amazons)
    }

    /// The moves that follow when the amazon on `shooter` has yet to shoot.
    pub fn filling_after_arrow(&mut self, amazons: &BTreeSet<Cell>, shooter: Cell) -> u8 {
        let (empty, amazons) = self.start(amazons);
        let shooter = self.cells.binary_search(&shooter).unwrap();
        self.longest_after_arrow(empty, amazons, shooter)
    }

    fn start(&self, amazons: &BTreeSet<Cell>) -> (u32, u32) {
        let set = |taken: bool| {
            let cells = self.cells.iter().enumerate();
            cells.filter(|(_, cell)| amazons.contains(cell) == taken).map(|(i, _)| 1 << i).sum()
        };
        (set(false), set(true))
    }

    fn longest(&mut self, empty: u32, amazons: u32) -> u8 {
        if let Some(&known) = self.known.get(&(empty, amazons)) {
            return known;
        }
        let mut best = 0;
        for from in (0..self.cells.len()).filter(|&i| amazons >> i & 1 != 0) {
            for to in self.slides(empty, from) {
                let moved = 1 << from | 1 << to;
                let after = self.longest_after_arrow(empty ^ moved, amazons ^ moved, to);
                best = best.max(1 + after);
            }
        }
        self.known.insert((empty, amazons), best);
        best
    }

    fn longest_after_arrow(&mut self, empty: u32, amazons: u32, shooter: usize) -> u8 {
        let arrows = self.slides(empty, shooter);
        arrows.into_iter().map(|arrow| self.longest(empty ^ 1 << arrow, amazons)).max().unwrap_or(0)
    }

    /// The cells that a queen on `from` reaches over empty cells.
    fn slides(&self, empty: u32, from: usize) -> Vec<usize> {
        let open = |&&cell: &&usize| empty >> cell & 1 != 0;
        self.rays[from].iter().flat_map(|ray| ray.iter().take_while(open).copied()).collect()
    }
}

/// Exhaustive search of whole games. The length is the number of turns (a turn that has begun is
/// one) when the winner hurries and the loser delays.
#[derive(Default)]
pub struct Games {
    known: HashMap<Key, (Colour, u16)>,
}

/// Empty squares, amazons, side to move and pending shooter.
type Key = (Bitboard, [Bitboard; 2], Colour, Option<Square>);

impl Games {
    pub fn result(&mut self, position: &Position) -> (Colour, u16) {
        let side = position.side_to_move();
        let amazons = Colour::BOTH.map(|colour| position.amazons(colour));
        let key = (position.empty(), amazons, side, position.shooter());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let mut steps = Vec::new();
        position.steps(&mut steps);
        let mut best: Option<(Colour, u16)> = None;
        for step in steps {
            let mut next = position.clone();
            next.play(step);
            let turn = u16::from(next.shooter().is_none());
            let (winner, turns) = self.result(&next);
            let found = (winner, turns + turn);
            let better = match best {
                None => true,
                Some((old, _)) if old != winner => winner == side,
                Some((_, old)) => (found.1 < old) == (winner == side) && found.1 != old,
            };
            if better {
                best = Some(found);
            }
        }
        let result = best.unwrap_or((!side, 0));
        self.known.insert(key, result);
        result
    }
}

/// The winner of an outcome.
pub fn winner(outcome: Outcome) -> Colour {
    match outcome {
        Outcome::Win(winner) => winner,
        Outcome::Draw => panic!("there are no draws"),
    }
}

/// A king-connected set of about `size` cells within the board, grown cell by cell. The lower
/// `most_neighbours`, 1 to 8, of a new cell among the old ones, the thinner it is: 1 makes trees.
pub fn random_ground(rng: &mut impl Rng, size: usize, most_neighbours: usize) -> BTreeSet<Cell> {
    let around = |(file, rank): Cell| {
        let steps = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y)));
        steps.filter(|&step| step != (0, 0)).map(move |(x, y)| (file + x, rank + y))
    };
    let mut ground = BTreeSet::from([(rng.random_range(0..10), rng.random_range(0..10))]);
    // A thin set may leave no room to grow.
    for _ in 0..40 * size {
        let cells: Vec<Cell> = ground.iter().copied().collect();
        let next = around(*cells.choose(rng).unwrap()).nth(rng.random_range(0..8)).unwrap();
        let inside = (0..10).contains(&next.0) && (0..10).contains(&next.1);
        let neighbours = around(next).filter(|cell| ground.contains(cell)).count();
        if inside && neighbours <= most_neighbours && ground.len() < size {
            ground.insert(next);
        }
    }
    ground
}

/// Some of these cells.
pub fn random_part(rng: &mut impl Rng, cells: &BTreeSet<Cell>, number: usize) -> BTreeSet<Cell> {
    let mut order: Vec<Cell> = cells.iter().copied().collect();
    order.shuffle(rng);
    order.into_iter().take(number).collect()
}
