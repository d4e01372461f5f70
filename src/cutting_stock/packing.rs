use std::collections::BTreeMap;

use super::Instance;
use crate::{Error, Result, memory};

/// The number of items of one type that a pattern cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Position of the item type in the instance.
    pub item: u32,
    /// Number of items.
    pub count: u32,
}

/// The cuts of one stock piece, and the number of stock pieces with these cuts (Gilmore and Gomory
/// 1961).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Number of stock pieces cut this way.
    pub pieces: u32,
    /// The items cut from each.
    pub cuts: Vec<Cut>,
}

impl Pattern {
    /// The same pattern with one cut of each type, in ascending order. It fits a stock piece.
    pub(super) fn merged(&self) -> Pattern {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for cut in self.cuts.iter().filter(|cut| cut.count > 0) {
            *counts.entry(cut.item).or_default() += cut.count;
        }
        let cuts = counts.into_iter().map(|(item, count)| Cut { item, count }).collect();
        Pattern { pieces: self.pieces, cuts }
    }
}

/// A solution of cutting stock: patterns that together cut every demand exactly. The first stock
/// pieces are those in use already, in the order of [`Instance::pinned`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packing {
    patterns: Vec<Pattern>,
}

impl Packing {
    /// A packing of these patterns.
    pub fn new(patterns: Vec<Pattern>) -> Self {
        Packing { patterns }
    }

    /// The patterns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Checks the packing against the instance, independently of the solvers, and returns the
    /// number of stock pieces that it uses.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if a pattern has an unknown item type or is longer than a stock
    /// piece, if a stock piece in use lacks a pinned item, or if the patterns do not meet each
    /// demand exactly.
    pub fn stock_pieces(&self, instance: &Instance) -> Result<u64> {
        let cut = self.cut(instance)?;
        for (item, (cut, &demand)) in cut.into_iter().zip(instance.demands()).enumerate() {
            if cut != demand.into() {
                let reason = format!("{cut} items of type {item} are cut, the demand is {demand}");
                return Err(Error::argument("patterns", reason));
            }
        }
        self.check_pinned(instance)?;
        Ok(self.patterns.iter().map(|pattern| u64::from(pattern.pieces)).sum())
    }

    /// Checks each pattern alone, and returns the number of items of each type that all cut.
    pub(super) fn cut(&self, instance: &Instance) -> Result<Vec<u128>> {
        let mut cut = memory::filled(0u128, instance.types())?;
        for (index, pattern) in self.patterns.iter().enumerate() {
            let mut used = 0u128;
            for &Cut { item, count } in &pattern.cuts {
                let Some(&length) = instance.lengths().get(item as usize) else {
                    let reason = format!("there is no item type {item}, only {}", instance.types());
                    return Err(Error::element("patterns", index, reason));
                };
                used += u128::from(length) * u128::from(count);
                cut[item as usize] += u128::from(pattern.pieces) * u128::from(count);
            }
            let stock_length = instance.stock_length();
            if used > stock_length.into() {
                let reason = format!("is {used} long, a stock piece only {stock_length}");
                return Err(Error::element("patterns", index, reason));
            }
        }
        Ok(cut)
    }

    /// Checks that the first pieces have the items of those in use.
    fn check_pinned(&self, instance: &Instance) -> Result<()> {
        let mut given = self.patterns.iter().enumerate();
        let (mut pattern, mut left) = (None, 0);
        for pinned in instance.pinned() {
            let mut wanted = pinned.pieces;
            while wanted > 0 {
                if left == 0 {
                    pattern = given.find(|(_, pattern)| pattern.pieces > 0);
                    left = pattern.map_or(0, |(_, pattern)| pattern.pieces);
                }
                let Some((index, pattern)) = pattern else {
                    let reason = "are fewer stock pieces than those with pinned items";
                    return Err(Error::argument("patterns", reason));
                };
                for &Cut { item, count } in &pinned.cuts {
                    let own = pattern.cuts.iter().filter(|cut| cut.item == item);
                    let own: u64 = own.map(|cut| u64::from(cut.count)).sum();
                    if own < count.into() {
                        let reason = format!("has {own} items of type {item}, {count} are pinned");
                        return Err(Error::element("patterns", index, reason));
                    }
                }
                let both = wanted.min(left);
                (wanted, left) = (wanted - both, left - both);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(pieces: u32, cuts: &[(u32, u32)]) -> Pattern {
        Pattern { pieces, cuts: cuts.iter().map(|&(item, count)| Cut { item, count }).collect() }
    }

    #[test]
    fn stock_pieces_are_counted() {
        let instance = Instance::new(vec![4, 3], vec![5, 3], 10).unwrap();
        let packing = Packing::new(vec![
            pattern(2, &[(0, 2)]),
            pattern(1, &[(0, 1), (1, 2)]),
            pattern(1, &[(1, 1)]),
        ]);
        assert_eq!(packing.stock_pieces(&instance).unwrap(), 4);
        let open = vec![pattern(2, &[(0, 1), (0, 1)]), pattern(1, &[(1, 1)])];
        let pinned = instance.clone().with_pinned(open).unwrap();
        assert_eq!(pinned.pinned()[0], pattern(2, &[(0, 2)]));
        assert_eq!(packing.stock_pieces(&pinned).unwrap(), 4);
        let nothing = Instance::new(vec![7], vec![0], 10).unwrap();
        assert_eq!(Packing::new(vec![]).stock_pieces(&nothing).unwrap(), 0);
    }

    #[test]
    fn faults_are_found() {
        let instance = Instance::new(vec![4, 3], vec![2, 3], 10).unwrap();
        let fault = |patterns: &[Pattern]| {
            Packing::new(patterns.to_vec()).stock_pieces(&instance).unwrap_err().to_string()
        };
        let good = pattern(1, &[(0, 1), (1, 2)]);
        assert_eq!(
            fault(&[good.clone(), pattern(1, &[(2, 1)])]),
            "patterns[1]: there is no item type 2, only 2"
        );
        assert_eq!(
            fault(&[pattern(1, &[(0, 2), (1, 1)])]),
            "patterns[0]: is 11 long, a stock piece only 10"
        );
        assert_eq!(
            fault(std::slice::from_ref(&good)),
            "patterns: 1 items of type 0 are cut, the demand is 2"
        );
        assert_eq!(
            fault(&[good.clone(), pattern(u32::MAX, &[(0, 1)])]),
            "patterns: 4294967296 items of type 0 are cut, the demand is 2"
        );
        let pinned = instance.clone().with_pinned(vec![pattern(2, &[(1, 1)])]).unwrap();
        let fault = |patterns: &[Pattern]| {
            Packing::new(patterns.to_vec()).stock_pieces(&pinned).unwrap_err().to_string()
        };
        let (four, three) = (pattern(1, &[(0, 1)]), pattern(1, &[(1, 1)]));
        assert_eq!(
            fault(&[good.clone(), four.clone(), three.clone()]),
            "patterns[1]: has 0 items of type 1, 1 are pinned"
        );
        assert!(Packing::new(vec![good, three, four]).stock_pieces(&pinned).is_ok());
        let five = instance.with_pinned(vec![pattern(5, &[])]).unwrap();
        let all = Packing::new(vec![pattern(1, &[(0, 2)]), pattern(1, &[(1, 3)])]);
        let few = all.stock_pieces(&five).unwrap_err().to_string();
        assert_eq!(few, "patterns: are fewer stock pieces than those with pinned items");
    }

    #[test]
    fn pinned_items_exist_and_fit() {
        let instance = Instance::new(vec![4, 3], vec![2, 3], 10).unwrap();
        let fault = |patterns: &[Pattern]| {
            instance.clone().with_pinned(patterns.to_vec()).unwrap_err().to_string()
        };
        let open = pattern(1, &[(0, 1)]);
        assert_eq!(
            fault(&[open.clone(), pattern(1, &[(2, 1)])]),
            "pinned[1]: there is no item type 2, only 2"
        );
        assert_eq!(fault(&[pattern(1, &[(0, 3)])]), "pinned[0]: is 12 long, a stock piece only 10");
        assert_eq!(
            fault(&[open, pattern(2, &[(0, 1)])]),
            "pinned: have 3 items of type 0, the demand is 2"
        );
        assert_eq!(
            fault(&[pattern(u32::MAX, &[])]),
            "pinned: 4294967299 stock pieces and 5 items are more than 4294967295"
        );
        let long = Instance::new(vec![1 << 60], vec![4], 1 << 61).unwrap();
        assert_eq!(
            long.with_pinned(vec![pattern(1, &[(0, 1)])]).unwrap_err().to_string(),
            "the length of all stock pieces, counted twice, does not fit into 63 bits"
        );
    }
}
