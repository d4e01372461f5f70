use super::Instance;
use crate::{Error, Result};

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

/// A solution of cutting stock: patterns that together cut every demand exactly.
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
    /// [`Error::InvalidArgument`] if a pattern has an item type that does not exist or is longer
    /// than a stock piece, or if the patterns do not cut exactly as many items of each type as
    /// demanded.
    pub fn stock_pieces(&self, instance: &Instance) -> Result<u64> {
        let mut cut = vec![0u128; instance.types()];
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
        for (item, (cut, &demand)) in cut.into_iter().zip(instance.demands()).enumerate() {
            if cut != demand.into() {
                let reason = format!("{cut} items of type {item} are cut, the demand is {demand}");
                return Err(Error::argument("patterns", reason));
            }
        }
        Ok(self.patterns.iter().map(|pattern| u64::from(pattern.pieces)).sum())
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
            fault(&[good, pattern(u32::MAX, &[(0, 1)])]),
            "patterns: 4294967296 items of type 0 are cut, the demand is 2"
        );
    }
}
