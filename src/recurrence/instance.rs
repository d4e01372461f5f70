use super::semiring::{FINITE_LIMIT, Semiring};
use crate::memory::Gather;
use crate::{Error, Limits, Result, memory};

/// An S-DP instance: a table ST\[0..n\] whose first elements are preset and whose others follow
/// from
///
/// ```text
/// ST[i] = t_i (+) (w_0 (*) ST[i - a_0]) (+) ... (+) (w_{k-1} (*) ST[i - a_{k-1}]),
///         a_0 > ... > a_{k-1} > 0
/// ```
///
/// over a [`Semiring`], in this order. Weights and terms t_i are optional. Several instances with
/// the same offsets and length form a batch.
#[derive(Debug, Clone)]
pub struct Instance {
    semiring: Semiring,
    offsets: Offsets,
    /// The preset values, instance by instance.
    initial: Vec<i64>,
    /// One term for each element that is not preset, of one instance or of all.
    terms: Option<Vec<i64>>,
    length: u64,
    instances: usize,
}

/// The elements that an element depends on.
#[derive(Debug, Clone)]
pub(super) enum Offsets {
    /// The same offsets everywhere; the weights of one instance or of all.
    Fixed { offsets: Vec<u64>, weights: Option<Vec<i64>> },
    /// Rows of one width. Element j of row r depends on elements j and j - shift_r of the previous
    /// row, on the latter with a gain; for j below the shift, only on element j.
    Rows { width: u64, shifts: Vec<u64>, gains: Vec<i64> },
}

impl Instance {
    /// One table of `length` elements, of which the first a_0 are `initial`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the offsets are empty, not decreasing or contain 0, if the
    /// number of initial values is not a_0, if one of them is out of the semiring's range, if the
    /// length is below a_0, or if the modulus is out of range.
    pub fn new(
        semiring: Semiring,
        offsets: Vec<u64>,
        initial: Vec<i64>,
        length: u64,
    ) -> Result<Self> {
        Instance::batch(semiring, offsets, initial, length, 1)
    }

    /// `instances` tables with the same offsets and length; `initial` holds a_0 values for each,
    /// instance by instance.
    ///
    /// # Errors
    /// Those of [`Instance::new`], [`Error::InvalidArgument`] for 0 instances, and
    /// [`Error::Overflow`] for more than 2^63 elements in all.
    pub fn batch(
        semiring: Semiring,
        offsets: Vec<u64>,
        initial: Vec<i64>,
        length: u64,
        instances: usize,
    ) -> Result<Self> {
        semiring.check()?;
        let &largest =
            offsets.first().ok_or_else(|| Error::argument("offsets", "there are none"))?;
        if u32::try_from(offsets.len()).is_err() {
            return Err(Error::argument("offsets", "there are 2^32 or more"));
        }
        for (index, &offset) in offsets.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| offsets[before]);
            if offset == 0 {
                return Err(Error::element("offsets", index, "must be at least 1"));
            }
            if let Some(before) = before.filter(|&before| before <= offset) {
                let reason =
                    format!("is {offset}, not below the {before} before it: offsets decrease");
                return Err(Error::element("offsets", index, reason));
            }
        }
        if instances == 0 {
            return Err(Error::argument("instances", "must be at least 1"));
        }
        if initial.len() as u128 != u128::from(largest) * instances as u128 {
            let each = if instances == 1 {
                String::new()
            } else {
                format!(" for each of {instances} instances")
            };
            let reason =
                format!("{} values, but the largest offset needs {largest}{each}", initial.len());
            return Err(Error::argument("initial", reason));
        }
        Instance::check_length(length, largest)?;
        check_size(length, instances)?;
        check_all("initial", &initial, |value| semiring.check_value(value))?;
        let offsets = Offsets::Fixed { offsets, weights: None };
        Ok(Instance { semiring, offsets, initial, terms: None, length, instances })
    }

    /// Refuses a length below the number of initial values, the largest offset.
    pub(crate) fn check_length(length: u64, largest_offset: u64) -> Result<()> {
        if length < largest_offset {
            let reason = format!("is {length}, below the {largest_offset} initial values");
            return Err(Error::argument("length", reason));
        }
        Ok(())
    }

    /// Adds weights: one for each offset, shared by all instances, or one for each offset of each
    /// instance.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a wrong number of weights or one out of range, for a
    /// knapsack, and for a custom operator with a callback for `combine` but none for `weigh`;
    /// [`Error::Overflow`] if the sum of the absolute weights of (+,*) is 2^63 or more.
    pub fn with_weights(mut self, new: Vec<i64>) -> Result<Self> {
        let Offsets::Fixed { offsets, weights } = &mut self.offsets else {
            return Err(Error::argument("weights", "a knapsack has its own"));
        };
        let count = offsets.len();
        if new.len() != count && new.len() as u128 != count as u128 * self.instances as u128 {
            let reason = format!("{} weights for {count} offsets", new.len());
            return Err(Error::argument("weights", reason));
        }
        if let Semiring::Custom(operator) = &self.semiring
            && operator.combine.is_some()
            && operator.weigh.is_none()
        {
            return Err(Error::argument("operator", "has no callback for weights"));
        }
        check_all("weights", &new, |weight| self.semiring.check_weight(weight))?;
        if matches!(self.semiring, Semiring::SumProduct) {
            for weights in new.chunks(count) {
                let sum: u128 =
                    weights.iter().map(|weight| u128::from(weight.unsigned_abs())).sum();
                if sum > i64::MAX as u128 {
                    return Err(Error::overflow("the sum of the weights"));
                }
            }
        }
        *weights = Some(new);
        Ok(self)
    }

    /// Adds terms: one for each element that is not preset, `length` - a_0 of them, shared by all
    /// instances, or as many for each instance.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a wrong number of terms or one out of range, and for a
    /// knapsack.
    pub fn with_terms(mut self, terms: Vec<i64>) -> Result<Self> {
        if matches!(self.offsets, Offsets::Rows { .. }) {
            return Err(Error::argument("terms", "a knapsack has none"));
        }
        let count = self.length - self.preset();
        if terms.len() as u64 != count
            && terms.len() as u128 != u128::from(count) * self.instances as u128
        {
            let reason = format!("{} terms for {count} elements that are not preset", terms.len());
            return Err(Error::argument("terms", reason));
        }
        check_all("terms", &terms, |term| self.semiring.check_value(term))?;
        self.terms = Some(terms);
        Ok(self)
    }

    /// The 0-1 knapsack as the source linearises it (Matsumae 2022, Section 4.3): row i of C + 1
    /// elements holds the largest profit of the first i items for each capacity up to C. The
    /// offsets are C + 1 and C + 1 + w_i. The latter applies only where item i fits, a condition
    /// that the source omits.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a capacity of 0 and for lists that differ in length;
    /// [`Error::Overflow`] for profits with a sum beyond 2^59 or more than 2^63 elements;
    /// [`Error::OutOfMemory`] if a row needs more than half of the memory that is free now. The
    /// same call may succeed later.
    pub fn knapsack(weights: Vec<u64>, profits: Vec<u64>, capacity: u64) -> Result<Self> {
        Instance::knapsack_within(weights, profits, capacity, &Limits::default())
    }

    /// [`Instance::knapsack`] with a row within the memory limit.
    ///
    /// # Errors
    /// Those of [`Instance::knapsack`].
    pub fn knapsack_within(
        weights: Vec<u64>,
        profits: Vec<u64>,
        capacity: u64,
        limits: &Limits,
    ) -> Result<Self> {
        // Both operands of an element would be the previous one, which no pipeline can process.
        if capacity == 0 {
            return Err(Error::argument("capacity", "must be at least 1"));
        }
        if weights.len() != profits.len() {
            let reason = format!("{} profits for {} weights", profits.len(), weights.len());
            return Err(Error::argument("profits", reason));
        }
        let sum: u128 = profits.iter().copied().map(u128::from).sum();
        if sum > FINITE_LIMIT as u128 {
            return Err(Box::new(Error::Overflow {
                what: "the sum of the profits",
                range: "the range up to 2^59",
            }));
        }
        let too_long = || Error::overflow("the number of elements");
        let width = capacity.checked_add(1).ok_or_else(too_long)?;
        let length = (weights.len() as u64 + 1).checked_mul(width).ok_or_else(too_long)?;
        check_size(length, 1)?;
        let preset = usize::try_from(width).map_err(|_| too_long())?;
        let required = u128::from(width) * 8;
        let too_large = || {
            let what = format!("a row of {width} elements");
            Box::new(Error::OutOfMemory { what, required, limit: limits.memory_bytes() })
        };
        // Ask the operating system for the limit only if the row is large.
        if required > 1 << 20 && required > limits.memory_bytes().into() {
            return Err(too_large());
        }
        let initial = memory::zeroed(preset)?;
        let gains = profits.iter().map(|&profit| profit as i64).gather()?;
        let offsets = Offsets::Rows { width, shifts: weights, gains };
        Ok(Instance {
            semiring: Semiring::MaxPlus,
            offsets,
            initial,
            terms: None,
            length,
            instances: 1,
        })
    }

    /// The semiring.
    pub fn semiring(&self) -> &Semiring {
        &self.semiring
    }

    /// Number of elements of each table, including the preset ones.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Number of instances of the batch, at least 1.
    pub fn instances(&self) -> usize {
        self.instances
    }

    /// Most operands of an element: the number k of offsets.
    pub fn operands(&self) -> usize {
        match &self.offsets {
            Offsets::Fixed { offsets, .. } => offsets.len(),
            Offsets::Rows { .. } => 2,
        }
    }

    /// The offsets in decreasing order; `None` for a knapsack, whose offsets differ by row.
    pub fn offsets(&self) -> Option<&[u64]> {
        match &self.offsets {
            Offsets::Fixed { offsets, .. } => Some(offsets),
            Offsets::Rows { .. } => None,
        }
    }

    /// Number of preset elements of each table.
    pub fn preset(&self) -> u64 {
        match &self.offsets {
            Offsets::Fixed { offsets, .. } => offsets[0],
            Offsets::Rows { width, .. } => *width,
        }
    }

    /// Whether the instance has weights.
    pub(super) fn is_weighted(&self) -> bool {
        matches!(self.offsets, Offsets::Fixed { weights: Some(_), .. })
    }

    /// Whether all instances of the batch have the same weights, or none.
    pub(super) fn shares_weights(&self) -> bool {
        match &self.offsets {
            Offsets::Fixed { offsets, weights: Some(weights) } => weights.len() == offsets.len(),
            _ => true,
        }
    }

    pub(super) fn structure(&self) -> &Offsets {
        &self.offsets
    }

    /// The terms; `None` if there are none.
    pub fn terms(&self) -> Option<&[i64]> {
        self.terms.as_deref()
    }

    /// The weights; `None` if there are none, and for a knapsack.
    pub fn weights(&self) -> Option<&[i64]> {
        match &self.offsets {
            Offsets::Fixed { weights, .. } => weights.as_deref(),
            Offsets::Rows { .. } => None,
        }
    }

    /// The preset values, instance by instance.
    pub fn initial_values(&self) -> &[i64] {
        &self.initial
    }

    /// Weights and profits of the items of a knapsack; `None` for other recurrences.
    pub fn items(&self) -> Option<(&[u64], &[i64])> {
        match &self.offsets {
            Offsets::Fixed { .. } => None,
            Offsets::Rows { shifts, gains, .. } => Some((shifts, gains)),
        }
    }

    /// The preset values of one instance.
    pub(super) fn initial(&self, instance: usize) -> &[i64] {
        let count = self.initial.len() / self.instances;
        &self.initial[instance * count..][..count]
    }

    /// Number of operands in all tables, a measure of the work.
    pub(super) fn work(&self) -> u64 {
        self.work_of(self.instances)
    }

    /// Number of operands in this many tables of the batch.
    pub(super) fn work_of(&self, tables: usize) -> u64 {
        (self.length - self.preset())
            .saturating_mul(self.operands() as u64)
            .saturating_mul(tables as u64)
    }

    /// The smallest offset: that many neighbouring elements do not depend on each other.
    pub(super) fn smallest_offset(&self) -> u64 {
        match &self.offsets {
            Offsets::Fixed { offsets, .. } => offsets[offsets.len() - 1],
            Offsets::Rows { width, .. } => *width,
        }
    }
}

fn check_size(length: u64, instances: usize) -> Result<()> {
    if u128::from(length) * instances as u128 > i64::MAX as u128 {
        return Err(Error::overflow("the number of elements"));
    }
    Ok(())
}

fn check_all(
    argument: &'static str,
    list: &[i64],
    check: impl Fn(i64) -> Result<(), String>,
) -> Result<()> {
    for (index, &value) in list.iter().enumerate() {
        check(value).map_err(|reason| Error::element(argument, index, reason))?;
    }
    Ok(())
}
