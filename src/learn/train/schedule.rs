//! Which records are looked at in which step, under which symmetry, and how fast is learned there.
//!
//! Everything follows from the seed and the number of the step, so a training that was interrupted
//! goes on as if nothing had happened.

use std::f64::consts::PI;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::dataset::Place;
use crate::amazons::{Symmetry, mix};

/// A record as it is looked at once: under one of the symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The record.
    pub place: Place,
    /// How its board is turned.
    pub symmetry: Symmetry,
}

/// The order of records: pass after pass over all of them, each time shuffled anew.
#[derive(Debug)]
pub struct Order {
    seed: u64,
    places: Vec<Place>,
    /// The pass that `shuffled` is the order of.
    pass: u64,
    shuffled: Vec<u32>,
}

impl Order {
    /// The order of these records, of which there is at least one.
    pub fn new(seed: u64, places: Vec<Place>) -> Order {
        let mut order = Order { seed, places, pass: 0, shuffled: Vec::new() };
        order.shuffle(0);
        order
    }

    fn shuffle(&mut self, pass: u64) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(mix(self.seed ^ mix(pass)));
        self.pass = pass;
        self.shuffled.clear();
        self.shuffled.extend(0..self.places.len() as u32);
        self.shuffled.shuffle(&mut rng);
    }

    /// Fills `picks` with the records of a step that looks at `batch` of them.
    pub fn batch(&mut self, step: u64, batch: usize, picks: &mut Vec<Pick>) {
        picks.clear();
        let count = self.places.len() as u64;
        for number in step * batch as u64..(step + 1) * batch as u64 {
            let pass = number / count;
            if pass != self.pass {
                self.shuffle(pass);
            }
            let index = self.shuffled[(number % count) as usize];
            // All eight symmetries come up in the first eight passes over a record.
            let turn = mix(self.seed ^ mix(u64::from(index))).wrapping_add(pass);
            picks.push(Pick {
                place: self.places[index as usize],
                symmetry: Symmetry::ALL[(turn % 8) as usize],
            });
        }
    }
}

/// The learning rate: it rises in a line to its peak, then falls along half a cosine to a share of
/// it (Loshchilov and Hutter, "SGDR", 2017).
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// The greatest rate.
    pub peak: f32,
    /// What is left of it in the end, as a share.
    pub last: f32,
    /// Steps until the peak.
    pub warm_up: u64,
    /// All steps.
    pub steps: u64,
}

impl Rate {
    /// The rate of a step, counted from 0.
    pub fn at(&self, step: u64) -> f32 {
        if step < self.warm_up {
            return self.peak * (step + 1) as f32 / self.warm_up as f32;
        }
        let falling = (self.steps - self.warm_up).max(1) as f64;
        let way = (step - self.warm_up) as f64 / falling;
        let height = (1.0 + (PI * way).cos()) / 2.0;
        self.peak * (self.last + (1.0 - self.last) * height as f32)
    }
}
