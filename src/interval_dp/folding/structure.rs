//! Nested pairs of bases.

use std::fmt;
use std::str::FromStr;

use crate::memory::{Gather, Grow};
use crate::{Error, Result, memory};

/// Nested pairs of a sequence's bases, numbered from 0: no two pairs cross or share a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// The partner of each base, or [`Structure::UNPAIRED`].
    partners: Vec<u32>,
}

impl Structure {
    const UNPAIRED: u32 = u32::MAX;

    /// The structure of a sequence of `len` bases with these pairs, in any order, each with the
    /// lower base first.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the first pair beyond the sequence, of equal or of swapped
    /// bases, with a base that another pair has, or that crosses another pair.
    pub fn new(len: usize, pairs: Vec<(u32, u32)>) -> Result<Self> {
        let mut partners = memory::filled(Structure::UNPAIRED, len)?;
        for (index, &(first, last)) in pairs.iter().enumerate() {
            let refused = |reason| Error::element("pairs", index, reason);
            if first >= last || last as usize >= len {
                return Err(refused(format!("({first}, {last}) is no pair of {len} bases")));
            }
            for (base, partner) in [(first, last), (last, first)] {
                if partners[base as usize] != Structure::UNPAIRED {
                    return Err(refused(format!("base {base} has a partner already")));
                }
                partners[base as usize] = partner;
            }
        }
        let structure = Structure { partners };
        match structure.crossing()? {
            Some(base) => {
                let crossing = |&(first, last): &(u32, u32)| first == base || last == base;
                let index = pairs.iter().position(crossing).unwrap_or_default();
                Err(Error::element("pairs", index, "crosses another pair"))
            }
            None => Ok(structure),
        }
    }

    /// A base whose pair crosses another one.
    fn crossing(&self) -> Result<Option<u32>> {
        let mut open = Vec::new();
        for (base, &partner) in (0..).zip(&self.partners) {
            match partner {
                Structure::UNPAIRED => {}
                partner if partner > base => open.try_push(base)?,
                partner if open.pop() != Some(partner) => return Ok(Some(base)),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Number of bases.
    pub fn len(&self) -> usize {
        self.partners.len()
    }

    /// Whether the sequence has no bases.
    pub fn is_empty(&self) -> bool {
        self.partners.is_empty()
    }

    /// The partner of a base; `None` if it is unpaired or beyond the sequence.
    pub fn partner(&self, base: usize) -> Option<usize> {
        let partner = *self.partners.get(base)?;
        (partner != Structure::UNPAIRED).then_some(partner as usize)
    }

    /// The pairs by their first bases, each with the lower base first.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..).zip(&self.partners).filter_map(|(base, &partner)| {
            (partner != Structure::UNPAIRED && base < partner).then_some((base, partner))
        })
    }
}

/// Dots for unpaired bases and brackets for pairs, such as `((...))`.
impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |(base, &partner): (u32, &u32)| match partner {
            Structure::UNPAIRED => '.',
            partner if base < partner => '(',
            _ => ')',
        };
        let text: String = (0..).zip(&self.partners).map(sign).collect();
        f.write_str(&text)
    }
}

/// Reads dots and brackets.
impl FromStr for Structure {
    type Err = Box<Error>;

    fn from_str(text: &str) -> Result<Self> {
        let (mut open, mut pairs) = (Vec::new(), Vec::new());
        let signs: Vec<char> = text.trim().chars().gather()?;
        for (base, &sign) in (0..).zip(&signs) {
            match sign {
                '.' => {}
                '(' => open.try_push(base)?,
                ')' => match open.pop() {
                    Some(first) => pairs.try_push((first, base))?,
                    None => return Err(wrong(base, "closes nothing")),
                },
                _ => return Err(wrong(base, "is neither a dot nor a bracket")),
            }
        }
        match open.pop() {
            Some(base) => Err(wrong(base, "is never closed")),
            None => Structure::new(signs.len(), pairs),
        }
    }
}

fn wrong(base: u32, what: &str) -> Box<Error> {
    Error::element("structure", base as usize, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval_dp::testing::refusal;

    #[test]
    fn structures_are_written_and_read() {
        let structure = Structure::new(9, vec![(1, 7), (2, 3), (4, 6)]).unwrap();
        assert_eq!(structure.to_string(), ".(()(.)).");
        assert_eq!(structure.to_string().parse::<Structure>().unwrap(), structure);
        assert_eq!(structure.pairs().collect::<Vec<_>>(), [(1, 7), (2, 3), (4, 6)]);
        assert_eq!([structure.partner(0), structure.partner(7)], [None, Some(1)]);
    }

    #[test]
    fn what_is_no_structure_is_refused() {
        let of = |pairs: &[(u32, u32)]| refusal(Structure::new(5, pairs.to_vec()));
        assert_eq!(of(&[(0, 2), (1, 3)]), "pairs[0]: crosses another pair");
        assert_eq!(of(&[(0, 2), (2, 3)]), "pairs[1]: base 2 has a partner already");
        assert_eq!(of(&[(0, 5)]), "pairs[0]: (0, 5) is no pair of 5 bases");
        assert_eq!(of(&[(3, 1)]), "pairs[0]: (3, 1) is no pair of 5 bases");
        let read = |text: &str| refusal(text.parse::<Structure>());
        assert_eq!(read("(()"), "structure[0]: is never closed");
        assert_eq!(read("())"), "structure[2]: closes nothing");
        assert_eq!(read("(x)"), "structure[1]: is neither a dot nor a bracket");
    }
}
