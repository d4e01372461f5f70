//! The values of structures by their definitions, which share nothing with the recurrences.

use super::instance::{Base, Nussinov};
use super::structure::Structure;
use crate::{Error, Result};

/// The sum of a structure's weights.
pub(super) fn weights(bases: &[Base], model: &Nussinov, structure: &Structure) -> Result<i64> {
    let mut sum = 0;
    for (first, last) in structure.pairs() {
        let [i, j] = [first, last].map(|base| base as usize);
        let weight = model.weight(bases[i], bases[j]);
        check_pair(bases, [i, j], weight > 0, model.hairpin)?;
        sum += i64::from(weight);
    }
    Ok(sum)
}

/// Refuses a pair of bases that can't pair, or are too near to each other.
fn check_pair(bases: &[Base], [i, j]: [usize; 2], is_allowed: bool, hairpin: usize) -> Result<()> {
    let reason = if !is_allowed {
        let [first, last] = [i, j].map(|base| bases[base].name());
        format!("bases {i} and {j}, {first} and {last}, can't pair")
    } else if j - i - 1 < hairpin {
        format!("bases {i} and {j} are a pair with less than {hairpin} bases inside")
    } else {
        return Ok(());
    };
    Err(Error::argument("structure", reason))
}
