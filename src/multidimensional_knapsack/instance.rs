use crate::memory::Gather;
use crate::{Error, Result, memory};

/// Most dimensions.
pub(super) const MOST_DIMENSIONS: usize = 16;
/// A larger number of items is taken for a mistake.
const MOST_ITEMS: usize = 1 << 18;

/// An instance of the multidimensional knapsack problem: items with a profit, a number of copies
/// and a weight in each dimension, and a capacity for each dimension.
///
/// All numbers are whole, from 0. A selection fits if its weights exceed no capacity. One copy of
/// each item is the 0-1 problem. The number of copies counts at most up to how many fit without
/// other items; the sums of profits and, in each dimension, of weights over these copies are below
/// 2^63. All copies of an item without any weight fit, so their number must be bounded if the item
/// has a profit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    profits: Vec<u64>,
    /// Dimension after dimension.
    weights: Vec<u64>,
    /// As given, not reduced to those that fit.
    copies: Vec<u64>,
    capacities: Vec<u64>,
}

impl Instance {
    /// Number of copies for "as many as fit".
    pub const UNBOUNDED: u64 = u64::MAX;

    /// Every item may be taken once. `weights` has those of all items in the first dimension, then
    /// those in the second one, and so on.
    ///
    /// # Errors
    /// Those of [`Instance::bounded`].
    pub fn new(profits: Vec<u64>, weights: Vec<u64>, capacities: Vec<u64>) -> Result<Self> {
        let copies = memory::filled(1, profits.len())?;
        Instance::bounded(profits, weights, copies, capacities)
    }

    /// Every item has a number of copies, which may be 0 or [`Instance::UNBOUNDED`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for lists that differ in length, for more than 16 dimensions or
    /// 2^18 items, for a capacity of 2^63 or more, and for unbounded copies of an item with a
    /// profit and no weight. [`Error::Overflow`] if the sum of the profits, or of the weights in a
    /// dimension, of all copies that fit is 2^63 or more.
    pub fn bounded(
        profits: Vec<u64>,
        weights: Vec<u64>,
        copies: Vec<u64>,
        capacities: Vec<u64>,
    ) -> Result<Self> {
        let (items, dimensions) = (profits.len(), capacities.len());
        if items > MOST_ITEMS {
            return Err(Error::argument("profits", format!("more than {MOST_ITEMS} items")));
        }
        if dimensions > MOST_DIMENSIONS {
            let reason = format!("more than {MOST_DIMENSIONS} dimensions");
            return Err(Error::argument("capacities", reason));
        }
        for (name, given, wanted) in
            [("weights", weights.len(), dimensions * items), ("copies", copies.len(), items)]
        {
            if given != wanted {
                let reason =
                    format!("{given} numbers for {items} items in {dimensions} dimensions");
                return Err(Error::argument(name, reason));
            }
        }
        if let Some(dimension) = capacities.iter().position(|&most| most > i64::MAX as u64) {
            let reason = format!("is {}, 2^63 or more", capacities[dimension]);
            return Err(Error::element("capacities", dimension, reason));
        }
        let instance = Instance { profits, weights, copies, capacities };
        if let Some(item) = (0..items).find(|&item| instance.is_endless(item)) {
            let reason = "is unbounded, but the item weighs nothing and has a profit";
            return Err(Error::element("copies", item, reason));
        }
        instance.check_sums()?;
        Ok(instance)
    }

    /// Whether unlimited copies with a profit fit.
    fn is_endless(&self, item: usize) -> bool {
        self.profits[item] > 0 && self.useful_copies(item) == Instance::UNBOUNDED
    }

    fn check_sums(&self) -> Result<()> {
        let items = self.items();
        let copies: Vec<u64> = (0..items).map(|item| self.useful_copies(item)).gather()?;
        let is_small = |list: &[u64]| {
            let product =
                |(&number, &copies): (&u64, &u64)| u128::from(number) * u128::from(copies);
            list.iter().zip(&copies).map(product).fold(0, u128::saturating_add) <= i64::MAX as u128
        };
        if !is_small(&self.profits) {
            return Err(Error::overflow("the sum of all profits"));
        }
        match self.weights.chunks(items.max(1)).all(is_small) {
            true => Ok(()),
            false => Err(Error::overflow("the sum of all weights in a dimension")),
        }
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.profits.len()
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.capacities.len()
    }

    /// Profit of each item.
    pub fn profits(&self) -> &[u64] {
        &self.profits
    }

    /// The weights of all items in the first dimension, then those in the second one, and so on.
    pub fn weights(&self) -> &[u64] {
        &self.weights
    }

    /// Number of copies of each item, as given.
    pub fn copies(&self) -> &[u64] {
        &self.copies
    }

    /// The capacity of each dimension.
    pub fn capacities(&self) -> &[u64] {
        &self.capacities
    }

    /// An item's weights, dimension by dimension.
    pub(super) fn weights_of(&self, item: usize) -> impl Iterator<Item = u64> + '_ {
        self.weights.get(item..).unwrap_or_default().iter().step_by(self.items()).copied()
    }

    /// Number of copies of an item that exist and fit without other items.
    pub(super) fn useful_copies(&self, item: usize) -> u64 {
        let fitting = |(weight, &capacity): (u64, &u64)| capacity.checked_div(weight);
        let most = self.weights_of(item).zip(&self.capacities).filter_map(fitting).min();
        self.copies[item].min(most.unwrap_or(u64::MAX))
    }

    /// Profit of taking `counts` copies of each item. Shares no code with the solvers.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there are fewer copies, or if they do not fit.
    pub fn profit_of(&self, counts: &[u64]) -> Result<u64> {
        let items = self.items();
        if counts.len() != items {
            let reason = format!("{} counts for {items} items", counts.len());
            return Err(Error::argument("counts", reason));
        }
        if let Some(item) = (0..items).find(|&item| counts[item] > self.copies[item]) {
            let reason = format!("is {}, the most is {}", counts[item], self.copies[item]);
            return Err(Error::element("counts", item, reason));
        }
        let total = |numbers: &[u64]| {
            let product = |(&number, &count): (&u64, &u64)| u128::from(number) * u128::from(count);
            numbers.iter().zip(counts).map(product).fold(0, u128::saturating_add)
        };
        for (dimension, &capacity) in self.capacities.iter().enumerate() {
            let weight = total(&self.weights[dimension * items..][..items]);
            if weight > capacity.into() {
                let reason =
                    format!("weigh {weight} in dimension {dimension}, the capacity is {capacity}");
                return Err(Error::argument("counts", reason));
            }
        }
        let profit = total(&self.profits);
        u64::try_from(profit).map_err(|_| Error::overflow("the profit of all copies"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message<T>(result: Result<T>) -> String {
        result.err().unwrap().to_string()
    }

    #[test]
    fn each_fault_of_an_argument_is_named() {
        let new = |profits: &[u64], weights: &[u64], capacities: &[u64]| {
            message(Instance::new(profits.to_vec(), weights.to_vec(), capacities.to_vec()))
        };
        assert_eq!(
            new(&[1, 2], &[1, 2, 3], &[4, 5]),
            "weights: 3 numbers for 2 items in 2 dimensions"
        );
        assert_eq!(new(&[], &[], &[1; 17]), "capacities: more than 16 dimensions");
        assert_eq!(
            new(&[1], &[1, 1], &[4, 1 << 63]),
            "capacities[1]: is 9223372036854775808, 2^63 or more"
        );
        assert_eq!(
            new(&[1 << 62; 2], &[1; 4], &[4; 2]),
            "the sum of all profits does not fit into 63 bits"
        );
        let heavy = [1, 1, 1 << 62, 1 << 62];
        assert_eq!(
            new(&[1; 2], &heavy, &[4, 1 << 62]),
            "the sum of all weights in a dimension does not fit into 63 bits"
        );
        let unbounded = |profit, weight| {
            let copies = vec![Instance::UNBOUNDED];
            Instance::bounded(vec![profit], vec![weight], copies, vec![7])
        };
        assert_eq!(
            message(unbounded(1, 0)),
            "copies[0]: is unbounded, but the item weighs nothing and has a profit"
        );
        assert!(unbounded(0, 0).is_ok() && unbounded(1, 2).is_ok());
        assert_eq!(unbounded(1, 2).unwrap().useful_copies(0), 3);
    }

    #[test]
    fn selections_are_checked() {
        let instance =
            Instance::bounded(vec![5, 4], vec![3, 2, 0, 4], vec![1, 2], vec![7, 5]).unwrap();
        assert_eq!(instance.profit_of(&[1, 1]).unwrap(), 9);
        assert_eq!(
            message(instance.profit_of(&[0, 2])),
            "counts: weigh 8 in dimension 1, the capacity is 5"
        );
        assert_eq!(message(instance.profit_of(&[2, 0])), "counts[0]: is 2, the most is 1");
        assert_eq!(message(instance.profit_of(&[1])), "counts: 1 counts for 2 items");
    }
}
