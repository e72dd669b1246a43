//! The score of a position: what each side has for certain, region by region, and who wins if that
//! decides it.

use super::filling::{Filler, Filling};
use super::prover::prove;
use super::shape::Shape;
use crate::amazons::{Position, Region};
use crate::game::{Colour, Proof};

/// The binary logarithm of the places in the memory of fillings: a mebibyte.
const MEMORY_BITS: u32 = 14;

/// What a position is worth when counted. Fillings count the turns after a pending arrow.
#[derive(Clone, Debug)]
pub struct Score {
    /// The regions that hold an amazon, in the order of their first squares.
    pub regions: Vec<RegionScore>,
    /// The moves that each side has in its own regions for certain, White first.
    pub moves_left: [Filling; 2],
    /// The number of empty squares in contested regions.
    pub contested: u32,
    /// Whether no region is contested.
    pub settled: bool,
    /// The result with best play, where counting proves it.
    pub proof: Option<Proof>,
}

/// A region that holds an amazon.
#[derive(Clone, Debug)]
pub struct RegionScore {
    /// The region.
    pub region: Region,
    /// The moves that its owner has in it; `None` when it is contested.
    pub filling: Option<Filling>,
}

impl Score {
    /// The side that has more moves left in its own regions, if one certainly has.
    pub fn ahead(&self) -> Option<Colour> {
        let [white, black] = self.moves_left;
        if white.lower > black.upper {
            Some(Colour::White)
        } else if black.lower > white.upper {
            Some(Colour::Black)
        } else {
            None
        }
    }
}

/// Scores a position, expanding at most `budget` shapes for each filling it needs.
pub fn score(position: &Position, budget: u64) -> Score {
    let mut filler = Filler::new(MEMORY_BITS);
    let mut score = Score {
        regions: Vec::new(),
        moves_left: [Filling::default(); 2],
        contested: 0,
        settled: position.is_settled(),
        proof: None,
    };
    for region in position.regions() {
        let filling = region.owner().map(|owner| {
            let shape = Shape::new(region.squares(), region.amazons(owner));
            let filling = filler.filling(&shape.with_shooter(position.shooter()), budget);
            let sum = &mut score.moves_left[owner.index()];
            *sum = *sum + filling;
            filling
        });
        if region.is_contested() {
            score.contested += region.empty().count();
        }
        if filling.is_some() || region.is_contested() {
            score.regions.push(RegionScore { region, filling });
        }
    }
    score.proof = prove(position, &mut filler, budget);
    score
}
