//! How structures are valued.

use super::base::Base;
use super::energies::Energies;
use crate::solve::Sense;

/// Nussinov's model: the structure with the largest sum of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nussinov {
    /// Weight of a pair of G and C. Pairs of weight 0 are not allowed.
    pub gc: u32,
    /// Weight of a pair of A and U.
    pub au: u32,
    /// Weight of a pair of G and U.
    pub gu: u32,
    /// Least number of bases between the two of a pair.
    pub hairpin: usize,
}

impl Default for Nussinov {
    /// As many pairs as possible, with three bases or more in each hairpin.
    fn default() -> Self {
        Nussinov { gc: 1, au: 1, gu: 1, hairpin: 3 }
    }
}

impl Nussinov {
    /// The weight of a pair; 0 if it is not allowed.
    pub fn weight(&self, first: Base, last: Base) -> u32 {
        match (first, last) {
            (Base::G, Base::C) | (Base::C, Base::G) => self.gc,
            (Base::A, Base::U) | (Base::U, Base::A) => self.au,
            (Base::G, Base::U) | (Base::U, Base::G) => self.gu,
            _ => 0,
        }
    }
}

/// What a structure is worth.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Model {
    /// The sum of its pairs' weights, to be maximised.
    Nussinov(Nussinov),
    /// The energy of its loops in tenths of kcal/mol, to be minimised.
    Zuker(Box<Energies>),
}

impl Model {
    pub(super) fn sense(&self) -> Sense {
        match self {
            Model::Nussinov(_) => Sense::Maximise,
            Model::Zuker(_) => Sense::Minimise,
        }
    }
}
