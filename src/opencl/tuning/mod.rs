//! Tuning: the values of a kernel family's tunables, by device.
//!
//! A family declares its tunables. Rows give the values; [`rows`] reads them from text. The rows of
//! several sources are layers, see [`Tuning`].

mod merge;
mod rows;
mod tokens;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub(crate) use self::merge::merged;
#[cfg(any(test, fuzzing))]
pub(crate) use self::rows::fuzz;
pub(crate) use self::rows::{Row, Rows};
use super::facts::DeviceInfo;
use super::recipe::KernelFamily;
use super::source::{Source, source};

/// Names and values of a program's defines, sorted by name.
pub(crate) type Defines = BTreeMap<&'static str, u64>;

/// The rows that the library ships.
const SHIPPED: Source = source!("rows.txt");

/// A number that decides the speed of a family's kernels, not their results.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tunable {
    /// Name and meaning, with a colon between: one text takes less space in the library than two.
    text: &'static str,
    pub(crate) range: Range,
}

/// From the least number of a range the first step leads this part of the range up.
const STEPS: u64 = 16;

/// The values that a tunable may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    /// The powers of two with exponents from the first to the second number.
    Powers(u32, u32),
    /// All numbers from the first to the second.
    Numbers(u32, u32),
}

impl Tunable {
    /// A tunable whose values are powers of two. The text is `NAME: meaning`.
    pub(crate) const fn power(text: &'static str, (least, most): (u64, u64)) -> Self {
        Tunable { text, range: Range::Powers(least.ilog2(), most.ilog2()) }
    }

    /// A tunable whose values are all numbers of a range. The text is `NAME: meaning`.
    pub(crate) const fn number(text: &'static str, (least, most): (u64, u64)) -> Self {
        assert!(least <= most && most <= u32::MAX as u64);
        Tunable { text, range: Range::Numbers(least as u32, most as u32) }
    }

    /// Name and meaning.
    #[inline(never)] // for size
    pub(super) fn parts(&self) -> (&'static str, &'static str) {
        self.text.split_once(": ").unwrap_or((self.text, ""))
    }

    pub(crate) fn name(&self) -> &'static str {
        self.parts().0
    }
}

impl Range {
    /// The least value. It is the value of a tunable that no row sets.
    pub(super) fn least(self) -> u64 {
        match self {
            Range::Powers(least, _) => 1 << least,
            Range::Numbers(least, _) => least.into(),
        }
    }

    pub(super) fn most(self) -> u64 {
        match self {
            Range::Powers(_, most) => 1 << most,
            Range::Numbers(_, most) => most.into(),
        }
    }

    /// Why the value is not allowed.
    fn refusal(self, value: u64) -> Option<String> {
        let (least, most) = (self.least(), self.most());
        let is_power = matches!(self, Range::Numbers(..)) || value.is_power_of_two();
        let what = if matches!(self, Range::Powers(..)) { "a power of two " } else { "" };
        (!(least..=most).contains(&value) || !is_power)
            .then(|| format!("must be {what}from {least} to {most}, not {value}"))
    }

    #[cfg(test)]
    pub(super) fn allows(self, value: u64) -> bool {
        self.refusal(value).is_none()
    }

    /// The next larger value that is worth a try: a factor of two or one and a half away.
    pub(super) fn above(self, value: u64) -> Option<u64> {
        let (least, most) = (self.least(), self.most());
        let next = match self {
            Range::Powers(..) => value.saturating_mul(2),
            Range::Numbers(..) => {
                (value + (value / 2).max(1)).max(least + (most - least) / STEPS).min(most)
            }
        };
        (value < next && next <= most).then_some(next)
    }

    /// The next smaller value that is worth a try.
    pub(super) fn below(self, value: u64) -> Option<u64> {
        let (least, most) = (self.least(), self.most());
        let next = match self {
            Range::Powers(..) => value / 2,
            Range::Numbers(..) if value <= least + (most - least) / STEPS => least,
            Range::Numbers(..) => (value - (value / 3).max(1)).max(least),
        };
        (least <= next && next < value).then_some(next)
    }

    /// The allowed value next to any number: that below it, if the range has one.
    pub(super) fn fit(self, value: u128) -> u64 {
        let value = value.clamp(self.least().into(), self.most().into()) as u64;
        match self {
            Range::Powers(..) if value > 0 => 1 << value.ilog2(),
            _ => value,
        }
    }
}

/// The rows of a context in layers, the most specific source first.
#[derive(Debug, Clone)]
pub(crate) struct Tuning {
    layers: Vec<Arc<Rows>>,
}

impl Tuning {
    /// The shipped rows below `others`, the most specific of which comes first. `families` are all
    /// families of the library.
    pub(crate) fn new(families: &[&'static KernelFamily], others: Vec<Rows>) -> Tuning {
        static KNOWN: OnceLock<Arc<Rows>> = OnceLock::new();
        // A test reads the shipped rows. Without them each tunable would have its least value.
        let read = || Arc::new(Rows::parse(&SHIPPED.text(), families).unwrap_or_default());
        let shipped = Arc::clone(KNOWN.get_or_init(read));
        Tuning { layers: others.into_iter().map(Arc::new).chain([shipped]).collect() }
    }

    /// These rows above all others.
    pub(crate) fn below(&self, rows: Rows) -> Tuning {
        let layers = [Arc::new(rows)].into_iter().chain(self.layers.iter().cloned());
        Tuning { layers: layers.collect() }
    }

    /// Values of all tunables of a family on a device. The first layer with a matching row decides,
    /// in a layer the most specific row, for each name separately.
    pub(crate) fn values(&self, family: &KernelFamily, info: &DeviceInfo) -> Defines {
        let mut values = Defines::new();
        for rows in &self.layers {
            for (name, amount) in rows.matching(family.name, info) {
                if let Some(tunable) = family.tuning.iter().find(|tunable| tunable.name() == name) {
                    values.entry(tunable.name()).or_insert_with(|| amount.on(info, tunable.range));
                }
            }
        }
        for tunable in family.tuning {
            values.entry(tunable.name()).or_insert_with(|| tunable.range.least());
        }
        values
    }

    /// Rows with the values of all tunables of these families on a device, as a text that the
    /// library can read.
    pub(crate) fn shown(&self, families: &[&'static KernelFamily], info: &DeviceInfo) -> String {
        let of_family = |family: &&'static KernelFamily| {
            let values: Vec<_> = self.values(family, info).into_iter().collect();
            (!values.is_empty()).then(|| Row::of_device(family.name, info, &values))
        };
        Rows::of(families.iter().filter_map(of_family).collect()).to_string()
    }
}

#[cfg(test)]
mod tests;
