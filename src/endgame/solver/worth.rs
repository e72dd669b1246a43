//! What a contested region is worth, whatever the rest of the board.
//!
//! Let White win a region alone with `n` free moves beside it, or more, and not with fewer. There is
//! such a number for White moving first, and one for White moving second; they say all that can be
//! said of the region by numbers. In Conway's terms a region that White wins moving second with `n`
//! free moves is at least `-n`, so numbers for the regions of a sum bound the sum, and often decide it
//! before anything is searched. They belong to the form of a region: turned, mirrored, moved or with
//! the colours exchanged it is worth the same, or the opposite.

use std::collections::HashMap;

use super::{Effort, FILLING_BUDGET, Solver};
use crate::amazons::{Bitboard, Position, Region, Regions};
use crate::endgame::bound::{certain, possible};
use crate::endgame::frame::canonical;
use crate::endgame::sum::Sum;
use crate::game::Colour;

/// Regions with at most so many empty squares are searched as soon as they are met.
const SMALL: u32 = 9;

/// The most regions that are remembered.
const MOST_FORMS: usize = 1 << 18;

/// Proven bounds on a number of free moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Least {
    /// Fewer do not suffice.
    lower: i16,
    /// So many do.
    upper: i16,
}

impl Least {
    fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// Bounds on one minus the number.
    fn opposite(self) -> Least {
        Least { lower: 1 - self.upper, upper: 1 - self.lower }
    }
}

/// With how many free moves White wins a region alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Worth {
    /// White moves first.
    first: Least,
    /// Black moves first.
    second: Least,
}

impl Worth {
    /// The same for Black: Black wins with more than so many moves for White against it, where White
    /// does not.
    fn opposite(self) -> Worth {
        Worth { first: self.second.opposite(), second: self.first.opposite() }
    }
}

/// What is known of regions.
pub(super) struct Worths {
    /// By their form.
    known: HashMap<[u128; 3], Worth>,
    /// Of those that were asked for last, by their key: in most positions of a search all regions but
    /// one are as they were in the one before.
    recent: Box<[([u64; 2], Worth)]>,
}

/// The number of regions of which the worth is found without their form.
const RECENT: usize = 1 << 12;

impl Default for Worths {
    fn default() -> Worths {
        let nothing = Least { lower: 0, upper: 0 };
        let nothing = Worth { first: nothing, second: nothing };
        Worths { known: HashMap::new(), recent: vec![([0; 2], nothing); RECENT].into() }
    }
}

/// The form of a region, and whether the colours were exchanged for it.
fn form(region: &Sum) -> ([u128; 3], bool) {
    let [white, black] = region.amazons;
    let open = region.open();
    let image = |own: Bitboard, other: Bitboard| canonical([open, own, other].map(Bitboard::bits));
    let (plain, exchanged) = (image(white, black), image(black, white));
    if exchanged < plain { (exchanged, true) } else { (plain, false) }
}

impl Worths {
    fn find(&self, form: &([u128; 3], bool)) -> Option<Worth> {
        let worth = *self.known.get(&form.0)?;
        Some(if form.1 { worth.opposite() } else { worth })
    }

    fn keep(&mut self, form: ([u128; 3], bool), worth: Worth) {
        if self.known.len() >= MOST_FORMS {
            self.known.clear();
        }
        self.known.insert(form.0, if form.1 { worth.opposite() } else { worth });
    }
}

impl Solver {
    /// Who wins a position at the start of a turn, if what small regions are worth says so; at most so
    /// many nodes are spent on those that have not been met yet.
    pub(in crate::endgame) fn glance(&mut self, position: &Position, nodes: u64) -> Option<Colour> {
        let mut sum = Sum::from(position);
        // A larger region leaves too much open: hardly one in fifty such positions would be decided.
        let is_small = |region: Region| region.empty().count() <= SMALL || !region.is_contested();
        if !Regions::of(sum.open(), sum.amazons).all(is_small) {
            return None;
        }
        sum.reduce(&mut self.filler, FILLING_BUDGET);
        let effort = &mut Effort { nodes, is_enough: &mut |_| false };
        self.begin(effort);
        self.winner_by_worth(&sum, effort)
    }

    /// Who wins a sum of several regions, if what they are worth decides it.
    pub(super) fn winner_by_worth(&mut self, sum: &Sum, effort: &mut Effort) -> Option<Colour> {
        let regions = Regions::of(sum.open(), sum.amazons);
        let worths: Vec<Worth> = regions
            .map(|region| {
                let alone = Sum {
                    amazons: sum.amazons.map(|side| side & region.squares()),
                    empty: sum.empty & region.squares(),
                    side_to_move: Colour::White,
                    shooter: None,
                    surplus: 0,
                };
                self.worth(&alone, effort)
            })
            .collect();
        // With these many free moves beside a region the others are at worst, and at best, the same
        // as so many fewer or more.
        let at_worst: i16 = worths.iter().map(|worth| -worth.second.upper).sum();
        let at_best: i16 = worths.iter().map(|worth| 1 - worth.first.lower).sum();
        let surplus = sum.surplus;
        let (white_wins, black_wins) = if sum.side_to_move == Colour::White {
            let moves_in =
                |worth: &Worth| surplus + at_worst + worth.second.upper >= worth.first.upper;
            (worths.iter().any(moves_in) || surplus + at_worst >= 1, surplus + at_best <= 0)
        } else {
            let moves_in =
                |worth: &Worth| surplus + at_best - (1 - worth.first.lower) < worth.second.lower;
            (surplus + at_worst >= 0, worths.iter().any(moves_in) || surplus + at_best <= -1)
        };
        if white_wins { Some(Colour::White) } else { black_wins.then_some(Colour::Black) }
    }

    /// What a region alone is worth, as far as it is known or quickly found out.
    fn worth(&mut self, region: &Sum, effort: &mut Effort) -> Worth {
        let key = region.key();
        let place = key[0] as usize % RECENT;
        let (recent_key, recent) = self.worths.recent[place];
        if recent_key == key {
            return recent;
        }
        let worth = if region.empty.count() <= SMALL {
            self.worth_by_form(region, effort)
        } else {
            self.rough_worth(region)
        };
        self.worths.recent[place] = (key, worth);
        worth
    }

    /// That of a small region, which is searched for it.
    fn worth_by_form(&mut self, region: &Sum, effort: &mut Effort) -> Worth {
        let form = form(region);
        if let Some(worth) = self.worths.find(&form) {
            return worth;
        }
        let rough = self.rough_worth(region);
        let worth = self.narrow(region, rough, effort);
        self.worths.keep(form, worth);
        worth
    }

    /// Bounds from what each side has for certain and what the other can get.
    fn rough_worth(&mut self, region: &Sum) -> Worth {
        let [(white, white_most), (black, black_most)] = Colour::BOTH.map(|side| {
            let certain = certain(region, side, &mut self.filler, FILLING_BUDGET);
            (i16::from(certain), i16::from(possible(region, side)))
        });
        let second = Least { lower: black - white_most, upper: black_most - white };
        let first = Least { lower: second.lower + 1, upper: second.upper + 1 };
        Worth { first, second }
    }

    /// Narrows bounds by searches, as far as a few nodes go.
    fn narrow(&mut self, region: &Sum, mut worth: Worth, effort: &mut Effort) -> Worth {
        for (mover, least) in
            [(Colour::White, &mut worth.first), (Colour::Black, &mut worth.second)]
        {
            while !least.is_exact() {
                let surplus = (least.lower + least.upper).div_euclid(2);
                let question = Sum { surplus, side_to_move: mover, ..*region };
                match self.aside(&question, self.small_nodes, effort) {
                    Some(Colour::White) => least.upper = surplus,
                    Some(Colour::Black) => least.lower = surplus + 1,
                    None => break,
                }
            }
        }
        worth
    }

    /// Who wins a sum, by a search of at most so many nodes in the middle of another.
    fn aside(&mut self, sum: &Sum, nodes: u64, effort: &mut Effort) -> Option<Colour> {
        let (last_node, given_up) = (self.last_node, self.given_up);
        self.last_node = last_node.min(self.nodes + nodes);
        let winner = self.winner_within(sum, effort);
        self.last_node = last_node;
        // The clock may have run out meanwhile.
        self.given_up = given_up || self.nodes >= last_node;
        winner
    }
}
