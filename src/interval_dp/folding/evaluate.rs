//! The values of structures by their definitions, which share nothing with the recurrences.

use super::base::Base;
use super::energies::{Energies, LARGEST_LOOP, LEAST_HAIRPIN};
use super::model::Nussinov;
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

/// The sum of the energies of a structure's loops.
pub(super) fn energy(bases: &[Base], energies: &Energies, structure: &Structure) -> Result<i64> {
    let mut sum = 0;
    for (first, last) in structure.pairs() {
        let [i, j] = [first, last].map(|base| base as usize);
        let kind = Energies::kind(bases[i], bases[j]);
        check_pair(bases, [i, j], kind.is_some(), LEAST_HAIRPIN)?;
        sum += of_loop(bases, energies, structure, [i, j])?;
    }
    Ok(sum)
}

/// The energy of the loop that a pair closes: the bases inside, up to the pairs inside.
fn of_loop(
    bases: &[Base],
    energies: &Energies,
    structure: &Structure,
    [i, j]: [usize; 2],
) -> Result<i64> {
    let (mut branches, mut inner, mut unpaired) = (0i64, [i, j], 0usize);
    let mut base = i + 1;
    while base < j {
        match structure.partner(base) {
            Some(partner) => {
                (branches, inner) = (branches + 1, [base, partner]);
                base = partner;
            }
            None => unpaired += 1,
        }
        base += 1;
    }
    let [k, l] = inner;
    let kind = |i: usize, j: usize| Energies::kind(bases[i], bases[j]).unwrap_or_default();
    Ok(match branches {
        0 => energies.hairpin[unpaired.min(LARGEST_LOOP)].into(),
        1 if unpaired == 0 => energies.stack[kind(i, j)][kind(k, l)].into(),
        1 if unpaired > LARGEST_LOOP => {
            let reason = format!(
                "the loop between the pairs of bases {i} and {k} has {unpaired} unpaired bases, \
                 more than {LARGEST_LOOP}"
            );
            return Err(Error::argument("structure", reason));
        }
        1 if k == i + 1 || l + 1 == j => energies.bulge[unpaired].into(),
        1 => energies.interior[unpaired].into(),
        _ => {
            i64::from(energies.multi)
                + (branches + 1) * i64::from(energies.branch)
                + unpaired as i64 * i64::from(energies.unpaired)
        }
    })
}
