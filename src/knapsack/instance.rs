use std::ops::Range;

use crate::{Error, Result, memory, parallel};

/// Text of the error for unbounded copies of an item with a profit and no weight.
pub(super) const UNBOUNDED_PROFIT: &str = "is unbounded, but the item weighs nothing and is worth something, so that there is no most profit";

/// Items that a thread checks at a time.
const PART: usize = 1 << 18;

/// A larger number of item types is taken for a mistake.
const MAX_ITEMS: usize = u32::MAX as usize;

/// An instance of the knapsack problem: items with a profit, a weight and a number of copies, and a
/// capacity.
///
/// Profits, weights and the capacity are whole numbers from 0. One copy of each item is the 0-1
/// problem, several are the bounded one, [`Instance::UNBOUNDED`] copies are the unbounded one, and
/// profits equal to the weights are subset sum. The number of copies counts at most up to how many
/// fit without other items; the sums of profits and of weights over these copies are below 2^63. An
/// instance may have no items, and items too heavy to fit. All copies of an item without weight
/// fit, so their number must be bounded if the item has a profit. Some copies may be pinned because
/// they are packed already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    profits: Vec<u64>,
    weights: Vec<u64>,
    /// As given, not reduced to those that fit.
    copies: Vec<u64>,
    capacity: u64,
    /// Copies of each item that every selection has; empty if none were given.
    pinned: Vec<u64>,
    /// The sum of the profits of all copies that fit without other items.
    most_profit: u64,
}

impl Instance {
    /// Number of copies for "as many as fit".
    pub const UNBOUNDED: u64 = u64::MAX;

    /// A 0-1 knapsack: every item may be taken once.
    ///
    /// # Errors
    /// Those of [`Instance::bounded`].
    pub fn new(profits: Vec<u64>, weights: Vec<u64>, capacity: u64) -> Result<Self> {
        let copies = memory::filled(1, weights.len())?;
        Instance::bounded(profits, weights, copies, capacity)
    }

    /// A bounded knapsack: every item has a number of copies, which may be 0 or
    /// [`Instance::UNBOUNDED`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for lists that differ in length, for a capacity of 2^63 or more,
    /// and for unbounded copies of an item with a profit and no weight. [`Error::Overflow`] if the
    /// sum of the profits or of the weights of all copies that fit is 2^63 or more.
    pub fn bounded(
        profits: Vec<u64>,
        weights: Vec<u64>,
        copies: Vec<u64>,
        capacity: u64,
    ) -> Result<Self> {
        let items = weights.len();
        for (name, given) in [("profits", profits.len()), ("copies", copies.len())] {
            if given != items {
                return Err(Error::argument(name, format!("{given} {name} for {items} weights")));
            }
        }
        if items > MAX_ITEMS {
            return Err(Error::argument("weights", format!("more than {MAX_ITEMS} items")));
        }
        if capacity > i64::MAX as u64 {
            return Err(Error::argument("capacity", format!("is {capacity}, 2^63 or more")));
        }
        let is_endless = |&item: &usize| {
            copies[item] == Instance::UNBOUNDED && weights[item] == 0 && profits[item] > 0
        };
        if let Some(item) = (0..items).find(is_endless) {
            return Err(Error::element("copies", item, UNBOUNDED_PROFIT));
        }
        let pinned = Vec::new();
        let mut instance = Instance { profits, weights, copies, capacity, pinned, most_profit: 0 };
        let sum = |list: &[u64], what: &'static str| {
            let sum = list
                .iter()
                .enumerate()
                .map(|(item, &number)| {
                    u128::from(number) * u128::from(instance.useful_copies(item))
                })
                .fold(0, u128::saturating_add);
            i64::try_from(sum).map(i64::unsigned_abs).map_err(|_| Error::overflow(what))
        };
        let most_profit = sum(&instance.profits, "the sum of all profits")?;
        sum(&instance.weights, "the sum of all weights")?;
        instance.most_profit = most_profit;
        Ok(instance)
    }

    /// An unbounded knapsack: every item may be taken as often as it fits.
    ///
    /// # Errors
    /// Those of [`Instance::bounded`].
    pub fn unbounded(profits: Vec<u64>, weights: Vec<u64>, capacity: u64) -> Result<Self> {
        let copies = memory::filled(Instance::UNBOUNDED, weights.len())?;
        Instance::bounded(profits, weights, copies, capacity)
    }

    /// A subset sum problem: the largest sum of weights that does not exceed the capacity.
    ///
    /// # Errors
    /// Those of [`Instance::bounded`].
    pub fn subset_sum(weights: Vec<u64>, capacity: u64) -> Result<Self> {
        Instance::new(memory::copied(&weights)?, weights, capacity)
    }

    /// The same instance with these numbers of copies, one for each item, in every selection. An
    /// empty list pins nothing.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a list of another length, with the first item of which there
    /// are fewer copies, and if the pinned copies do not fit.
    pub fn with_pinned(mut self, pinned: Vec<u64>) -> Result<Self> {
        self.pinned = Vec::new();
        if !pinned.is_empty() {
            let _profit = self.check_fit(&pinned).map_err(|error| error.about("pinned"))?;
        }
        self.pinned = pinned;
        Ok(self)
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.weights.len()
    }

    /// The sum of the profits of all copies that fit without other items.
    pub(super) fn most_profit(&self) -> u64 {
        self.most_profit
    }

    /// Profit of each item.
    pub fn profits(&self) -> &[u64] {
        &self.profits
    }

    /// Weight of each item.
    pub fn weights(&self) -> &[u64] {
        &self.weights
    }

    /// Number of copies of each item, as given.
    pub fn copies(&self) -> &[u64] {
        &self.copies
    }

    /// The capacity.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The number of copies of each item that every selection has; empty if none were given.
    pub fn pinned(&self) -> &[u64] {
        &self.pinned
    }

    /// Number of copies of an item that exist and fit without other items.
    #[inline]
    pub(super) fn useful_copies(&self, item: usize) -> u64 {
        match self.copies[item] {
            // A division takes longer.
            copies @ 0..=1 => copies * u64::from(self.weights[item] <= self.capacity),
            copies => copies.min(self.capacity.checked_div(self.weights[item]).unwrap_or(u64::MAX)),
        }
    }

    /// Items with a profit and no weight, with all their copies.
    pub(super) fn free_items(&self) -> impl Iterator<Item = (usize, u64)> {
        let is_free = move |&item: &usize| self.weights[item] == 0 && self.profits[item] > 0;
        (0..self.items()).filter(is_free).map(|item| (item, self.copies[item]))
    }

    /// Profit of taking `counts` copies of each item. Shares no code with the solvers.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there are fewer copies, if more of them are pinned, or if they
    /// do not fit.
    pub fn profit_of(&self, counts: &[u64]) -> Result<u64> {
        let profit = self.check_fit(counts)?;
        let lacks = |(_, (count, pinned)): &(usize, (&u64, &u64))| count < pinned;
        if let Some((item, (count, pinned))) =
            counts.iter().zip(&self.pinned).enumerate().find(lacks)
        {
            let reason = format!("is {count}, {pinned} copies are pinned");
            return Err(Error::element("counts", item, reason));
        }
        u64::try_from(profit).map_err(|_| Error::overflow("the profit of all copies"))
    }

    /// Refuses copies that do not exist or do not fit; returns their profit. The threads of the
    /// current pool share many items.
    fn check_fit(&self, counts: &[u64]) -> Result<u128> {
        let items = self.items();
        if counts.len() != items {
            return Err(Error::argument(
                "counts",
                format!("{} counts for {items} items", counts.len()),
            ));
        }
        let parts = (0..items).step_by(PART);
        let sums =
            parallel::try_map(parts, |first| self.sums(counts, first..(first + PART).min(items)))?;
        let (weight, profit) = sums.into_iter().fold((0u128, 0u128), |sum, part| {
            (sum.0.saturating_add(part.0), sum.1.saturating_add(part.1))
        });
        if weight > self.capacity.into() {
            let reason = format!("weigh {weight}, the capacity is {}", self.capacity);
            return Err(Error::argument("counts", reason));
        }
        Ok(profit)
    }

    /// Weight and profit of the copies of some items. Refuses copies that do not exist.
    fn sums(&self, counts: &[u64], items: Range<usize>) -> Result<(u128, u128)> {
        let (mut weight, mut profit) = (0u128, 0u128);
        for item in items {
            let count = counts[item];
            if count == 0 {
                continue;
            }
            if count > self.copies[item] {
                let reason = format!("is {count}, the most is {}", self.copies[item]);
                return Err(Error::element("counts", item, reason));
            }
            let count = u128::from(count);
            weight = weight.saturating_add(count * u128::from(self.weights[item]));
            profit = profit.saturating_add(count * u128::from(self.profits[item]));
        }
        Ok((weight, profit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_of_an_argument_is_named() {
        let message = |result: Result<Instance>| result.unwrap_err().to_string();
        assert_eq!(
            message(Instance::new(vec![1], vec![1, 2], 3)),
            "profits: 1 profits for 2 weights"
        );
        assert_eq!(
            message(Instance::bounded(vec![1], vec![1], vec![], 3)),
            "copies: 0 copies for 1 weights"
        );
        let endless = message(Instance::unbounded(vec![1, 1], vec![2, 0], 3));
        assert_eq!(endless, format!("copies[1]: {UNBOUNDED_PROFIT}"));
        assert!(Instance::unbounded(vec![1, 0], vec![2, 0], 3).is_ok(), "worth nothing");
        assert_eq!(
            message(Instance::new(vec![1], vec![1], 1 << 63)),
            "capacity: is 9223372036854775808, 2^63 or more"
        );
        assert_eq!(
            message(Instance::new(vec![1 << 62, 1 << 62], vec![1, 2], 3)),
            "the sum of all profits does not fit into 63 bits"
        );
        assert_eq!(
            message(Instance::new(vec![1, 2], vec![1 << 62, 1 << 62], i64::MAX as u64)),
            "the sum of all weights does not fit into 63 bits"
        );
        assert_eq!(
            message(Instance::unbounded(vec![3], vec![1], i64::MAX as u64)),
            "the sum of all profits does not fit into 63 bits"
        );
        assert!(
            Instance::new(vec![1, 2], vec![u64::MAX, u64::MAX], 5).is_ok(),
            "too heavy to count"
        );
    }

    #[test]
    fn pinned_copies_exist_and_fit() {
        let instance = Instance::bounded(vec![5, 4], vec![3, 2], vec![1, 2], 5).unwrap();
        let pin = |pinned: &[u64]| instance.clone().with_pinned(pinned.to_vec());
        let refusal = |pinned: &[u64]| pin(pinned).unwrap_err().to_string();
        assert_eq!(refusal(&[1]), "pinned: 1 counts for 2 items");
        assert_eq!(refusal(&[2, 0]), "pinned[0]: is 2, the most is 1");
        assert_eq!(refusal(&[1, 2]), "pinned: weigh 7, the capacity is 5");
        let pinned = pin(&[0, 1]).unwrap();
        assert_eq!(pinned.pinned(), [0, 1]);
        assert_eq!(pinned.profit_of(&[1, 1]).unwrap(), 9);
        let lacking = pinned.profit_of(&[1, 0]).unwrap_err().to_string();
        assert_eq!(lacking, "counts[1]: is 0, 1 copies are pinned");
        assert_eq!(pinned.with_pinned(vec![]).unwrap(), instance);
    }

    #[test]
    fn solutions_are_checked() {
        let instance = Instance::bounded(vec![5, 4], vec![3, 2], vec![1, 2], 5).unwrap();
        assert_eq!(instance.profit_of(&[1, 1]).unwrap(), 9);
        let refusal = |counts: &[u64]| instance.profit_of(counts).unwrap_err().to_string();
        assert_eq!(refusal(&[1, 2]), "counts: weigh 7, the capacity is 5");
        assert_eq!(refusal(&[0, 3]), "counts[1]: is 3, the most is 2");
        assert_eq!(refusal(&[0]), "counts: 1 counts for 2 items");
    }
}
