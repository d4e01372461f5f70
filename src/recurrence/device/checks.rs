//! The host computes some of a device's elements again, from those that they depend on.

use std::ops::Range;

use super::tables::Tables;
use crate::context::{SpotChecks, places, sample};
use crate::random::Random;
use crate::recurrence::{Instance, Semiring, check};
use crate::solve::Monitor;
use crate::{Context, Result, parallel};

/// Elements that one thread computes at a time.
const TASK: usize = 1 << 10;
/// Operands that one thread computes before the others could have begun.
const ALONE: usize = 1 << 14;

/// The checks of all tables of a solve.
pub(super) struct Checks<'a> {
    context: &'a Context,
    instance: &'a Instance,
    /// Elements of each table.
    wanted: usize,
    random: Random,
}

impl<'a> Checks<'a> {
    pub(super) fn new(context: &'a Context, instance: &'a Instance) -> Self {
        // Operators are checked elsewhere: without a callback on the device, and with one a
        // difference need not be the device's fault.
        let wanted = match instance.semiring() {
            Semiring::Custom(_) => 0,
            _ => (SpotChecks::LEAST as usize).div_ceil(instance.instances()),
        };
        Checks { context, instance, wanted, random: places() }
    }

    /// Checks elements of a table, whose elements from the first one on are `values`.
    pub(super) fn check_table(&mut self, number: usize, values: &[i64]) -> Result<()> {
        let runs = self.runs(values.len());
        self.check_runs(number, 0, values, runs)
    }

    /// Reads the parts of a table up to `end` that its checks need, and checks them.
    pub(super) fn read_and_check(
        &mut self,
        tables: &Tables<'_>,
        number: usize,
        end: usize,
        monitor: &Monitor,
    ) -> Result<()> {
        for run in self.runs(end) {
            monitor.check()?;
            let first = run.start.saturating_sub(check::reach(self.instance) as usize);
            let mut values = Vec::new();
            let read = tables.read(number, first, run.end - first)?;
            tables.problem().decode(&read, 0..run.end - first, &mut values);
            self.check_runs(number, first, &values, vec![run])?;
        }
        Ok(())
    }

    /// The elements of a table up to `end` to check.
    fn runs(&mut self, end: usize) -> Vec<Range<usize>> {
        let preset = self.instance.preset() as usize;
        if self.wanted == 0 {
            return Vec::new();
        }
        let mut runs = sample(&mut self.random, end - preset, self.wanted);
        runs.iter_mut().for_each(|run| *run = preset + run.start..preset + run.end);
        runs
    }

    /// `values` begin with element `first`.
    fn check_runs(
        &self,
        number: usize,
        first: usize,
        values: &[i64],
        runs: Vec<Range<usize>>,
    ) -> Result<()> {
        let elements: usize = runs.iter().map(Range::len).sum();
        let mut tasks = runs.into_iter().flat_map(|Range { start, end }| {
            (start..end).step_by(TASK).map(move |begin| begin as u64..end.min(begin + TASK) as u64)
        });
        let check = |range| check::check_all(self.instance, number, first as u64, values, range);
        match elements.saturating_mul(self.instance.operands()) <= ALONE {
            true => tasks.try_for_each(check),
            false => self.context.install(|| parallel::try_for_each(tasks, check))?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cpu_context;

    #[test]
    fn each_wrong_element_of_a_table_with_few_is_found() {
        let context = cpu_context(2);
        // One thread checks the first table, several the second one.
        for length in [2_000, 20_000] {
            let instance = Instance::new(Semiring::MinPlus, vec![5, 2, 1], vec![3; 5], length);
            let instance = instance.unwrap().with_weights(vec![4, -1, 2]).unwrap();
            let values = check::tables(&instance).unwrap();
            let mut checks = Checks::new(&context, &instance);
            checks.check_table(0, &values).unwrap();
            for index in [5, 6, 1_000, length as usize - 1] {
                let mut wrong = values.clone();
                wrong[index] += 1;
                assert!(checks.check_table(0, &wrong).is_err(), "{index} of {length}");
            }
        }
    }
}
