//! Lobes: parts of a shape that hang on a single square, and what must be lost in them.
//!
//! If a square, the gate, cuts a shape in two, no line leads from one part to the other but across
//! the gate. So whatever happens beyond it touches the smaller part, the lobe, only along the lines
//! through the gate. Suppose the amazons beyond could do anything at all there, at any time: stand
//! on the next square of each such line, and move and shoot elsewhere without end. The squares of
//! the lobe that even then can be neither shot at nor left under an amazon are lost for certain.
//! Lobes that share no square lose independently of each other, but an amazon ends in one of them.
//!
//! Dead ends of three squares that do not lie in line are lobes of this kind: going in, an amazon
//! must shoot at the square it came from or at the one it is going to, so it comes to the end only
//! to stay there. Two of them cost a move at least if there is one amazon.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::shape::{Outline, Shape};
use crate::amazons::{Bitboard, Direction, Square};

/// The most squares of a lobe, its gate included.
const LARGEST: u32 = 12;

/// The most states that are looked at in one lobe.
const MOST_STATES: u64 = 4000;

/// A number of squares that are certainly empty when no more moves can be made in a connected
/// shape, 0 if none is known, and the number of states of lobes that were looked at to find it, at
/// most `budget`.
pub(super) fn certainly_lost(part: &Shape, budget: u64) -> (u8, u64) {
    let mut lobes: Vec<Lobe> = Outline::of(part.squares())
        .cutting(part.squares())
        .into_iter()
        .filter_map(|gate| Lobe::behind(gate, part))
        .collect();
    lobes.sort_by_key(|lobe| Reverse(lobe.squares.count()));
    let mut taken = Bitboard::EMPTY;
    let mut spent = 0;
    // By the number of amazons that end in the lobes so far.
    let mut lost = vec![0; part.amazons().count() as usize + 1];
    for lobe in lobes {
        if !lobe.squares.intersects(taken) {
            let (in_lobe, states) = lobe.least_lost(MOST_STATES.min(budget - spent));
            spent += states;
            if let Some(in_lobe) = in_lobe {
                taken |= lobe.squares;
                lost = least_sums(&lost, &in_lobe);
            }
        }
    }
    (lost.into_iter().min().unwrap_or(0), spent)
}

/// For each number, the least sum of an entry of `a` and one of `b` whose places add up to it.
fn least_sums(a: &[u8], b: &[u8]) -> Vec<u8> {
    let least = |sum: usize| (0..=sum).map(|i| a[i].saturating_add(b[sum - i])).min();
    (0..a.len()).map(|sum| least(sum).unwrap_or(u8::MAX)).collect()
}

/// Squares that hang on the rest of a shape by one of them, the gate.
struct Lobe {
    squares: Bitboard,
    amazons: Bitboard,
    /// The amazons beyond the gate.
    outside: u32,
    /// For each direction in which a line through the gate leads outside, the squares of the lobe
    /// on that line, the gate first.
    lines: Vec<Vec<Square>>,
}

/// What is left of a lobe: its squares without an arrow, and the amazons on them.
type State = (Bitboard, Bitboard);

impl Lobe {
    /// All but the largest of the parts that `gate` cuts a shape into, with the gate.
    fn behind(gate: Square, part: &Shape) -> Option<Lobe> {
        let mut rest = part.squares().without(gate);
        let mut largest = Bitboard::EMPTY;
        while let Some(first) = rest.first() {
            let piece = Bitboard::from(first).flood(rest);
            rest = rest.minus(piece);
            if piece.count() > largest.count() {
                largest = piece;
            }
        }
        let squares = part.squares().minus(largest);
        if squares.count() < 2 || squares.count() > LARGEST {
            return None;
        }
        let amazons = part.amazons() & squares;
        let lines = Direction::ALL
            .into_iter()
            .filter(|&direction| Bitboard::from(gate).step(direction).intersects(largest))
            .map(|direction| line(gate, opposite(direction), squares))
            .collect();
        let outside = (part.amazons() & largest).count();
        Some(Lobe { squares, amazons, outside, lines })
    }

    /// The fewest empty squares of the lobe that can be left with no amazon in it, with one, and so
    /// on (`u8::MAX` if that cannot be); nothing if none need be left, or looking at `budget` states
    /// does not tell. And the number of states looked at.
    fn least_lost(&self, budget: u64) -> (Option<Vec<u8>>, u64) {
        let start = (self.squares, self.amazons);
        let mut seen = HashSet::from([start]);
        let mut fresh = vec![start];
        let mut least = vec![u8::MAX; (self.amazons.count() + self.outside) as usize + 1];
        let mut spent = 0;
        while let Some(state) = fresh.pop() {
            let (squares, amazons) = state;
            let least_with = &mut least[amazons.count() as usize];
            *least_with = squares.minus(amazons).count().min((*least_with).into()) as u8;
            if least[0] == 0 || spent == budget {
                return (None, spent);
            }
            spent += 1;
            self.for_each_successor(state, |next| {
                if seen.insert(next) {
                    fresh.push(next);
                }
            });
        }
        (Some(least), spent)
    }

    /// The squares that a queen outside sees, the amazons being in the way.
    fn seen_from_outside(&self, empty: Bitboard) -> Bitboard {
        let seen = |line: &Vec<Square>| {
            line.iter().copied().take_while(|&square| empty.contains(square)).collect::<Bitboard>()
        };
        self.lines.iter().map(seen).fold(Bitboard::EMPTY, |all, line| all | line)
    }

    /// Whether a queen on this square sees a square outside.
    fn sees_outside(&self, square: Square, empty: Bitboard) -> bool {
        self.lines.iter().any(|line| {
            let way = line.iter().position(|&other| other == square);
            way.is_some_and(|way| line[..way].iter().all(|&between| empty.contains(between)))
        })
    }

    /// Calls `visit` with the states that one move makes of a state, as far as they differ in the
    /// lobe, and with some that do not.
    fn for_each_successor(&self, (squares, amazons): State, mut visit: impl FnMut(State)) {
        let empty = squares.minus(amazons);
        let all = self.amazons.count() + self.outside;
        let mut shoot = |amazons: Bitboard, targets: Bitboard, elsewhere: bool| {
            if elsewhere {
                visit((squares, amazons));
            }
            targets.into_iter().for_each(|arrow| visit((squares.without(arrow), amazons)));
        };
        let mut arrive = |from: Option<Square>, to: Option<Square>| {
            let mut amazons = amazons;
            let mut empty = empty;
            if let Some(from) = from {
                (amazons, empty) = (amazons.without(from), empty.with(from));
            }
            match to {
                Some(to) => {
                    (amazons, empty) = (amazons.with(to), empty.without(to));
                    shoot(amazons, empty.queen_targets(to), self.sees_outside(to, empty));
                }
                None => shoot(amazons, self.seen_from_outside(empty), true),
            }
        };
        for from in amazons {
            empty.queen_targets(from).into_iter().for_each(|to| arrive(Some(from), Some(to)));
            if self.sees_outside(from, empty) {
                arrive(Some(from), None);
            }
        }
        if amazons.count() < all {
            arrive(None, None);
            self.seen_from_outside(empty).into_iter().for_each(|to| arrive(None, Some(to)));
        }
    }
}

/// The squares of a set on the line from a square on, that square first.
fn line(from: Square, direction: Direction, squares: Bitboard) -> Vec<Square> {
    let mut line = Vec::new();
    let mut front = Bitboard::from(from) & squares;
    while let Some(square) = front.first() {
        line.push(square);
        front = front.step(direction) & squares;
    }
    line
}

fn opposite(direction: Direction) -> Direction {
    Direction::ALL[(direction as usize + 4) % 8]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::seq::IteratorRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// The most moves in a shape, by search of everything.
    fn most_moves(squares: Bitboard, amazons: Bitboard, known: &mut HashMap<State, u8>) -> u8 {
        if let Some(&most) = known.get(&(squares, amazons)) {
            return most;
        }
        let mut most = 0;
        for from in amazons {
            let empty = squares.minus(amazons);
            for to in Bitboard::from(from).queen_moves(empty) {
                let moved = amazons.without(from).with(to);
                for arrow in Bitboard::from(to).queen_moves(squares.minus(moved)) {
                    most = most.max(1 + most_moves(squares.without(arrow), moved, known));
                }
            }
        }
        known.insert((squares, amazons), most);
        most
    }

    #[test]
    fn what_is_certainly_lost_is_lost() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut some, mut all) = (0, 0);
        for _ in 0..1500 {
            // A tree of diagonal and straight steps, on a board of seven by seven.
            let board = Bitboard::rectangle(7, 7);
            let mut squares = Bitboard::from(board.into_iter().choose(&mut rng).unwrap());
            for square in (0..150).filter_map(|_| board.into_iter().choose(&mut rng)) {
                let neighbours = Bitboard::neighbours(square) & squares;
                if neighbours.count() == 1 && squares.count() < 13 {
                    squares = squares.with(square);
                }
            }
            let number = rng.random_range(1..=3);
            let amazons = squares.into_iter().sample(&mut rng, number).into_iter().collect();
            let part = Shape::new(squares, amazons);
            let (lost, _) = certainly_lost(&part, u64::MAX);
            let exact = part.most() - most_moves(squares, amazons, &mut HashMap::new());
            assert!(lost <= exact, "{part:?}: {lost} of {exact}");
            some += u32::from(lost > 0);
            all += u32::from(exact > 0);
        }
        assert!(some * 3 > all, "{some} of {all}");
    }

    #[test]
    fn crooked_dead_ends_cost_as_much_as_the_lobes_say() {
        // a1 b2 c1 d2 and j1 i2 h1 g2, with the amazon between them on e1 f1.
        let squares = ["a1", "b2", "c1", "d2", "e1", "f1", "g2", "h1", "i2", "j1"];
        let [amazon, other] = ["e1", "b2"].map(|name| name.parse::<Square>().unwrap());
        let squares = squares.into_iter().map(|name| name.parse::<Square>().unwrap()).collect();
        let one = Bitboard::from(amazon);
        for amazons in [one, one.with(other)] {
            let part = Shape::new(squares, amazons);
            let exact = part.most() - most_moves(squares, amazons, &mut HashMap::new());
            assert_eq!(certainly_lost(&part, 1000).0, exact);
        }
    }
}
