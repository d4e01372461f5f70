//! Compares the kernels with the CPU.

use super::dense::{cpu_table, device_table, items, select};
use super::instance::Instance;
use super::reduction::Problem;
use crate::opencl::{Failing, Trial, agree};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Error, Result};

const ITEMS: usize = 12;
/// Solves a problem with the program's kind of cells and number of dimensions.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let bytes = trial.define("CELL_BYTES").unwrap_or(8) as usize;
    let most = match bytes {
        2 => 100,
        4 => 1 << 20,
        _ => 1 << 40,
    };
    let dimensions = trial.define("DIMENSIONS").unwrap_or(1) as usize;
    let (context, monitor) =
        (Context::of_one_thread()?, Monitor::maximising(&SolveOptions::default()));
    let problem = Problem::new(&instance(dimensions, most)?, &monitor)?;
    if problem.dimensions() != dimensions {
        let reason = format!("a case of {} dimensions for {dimensions}", problem.dimensions());
        return Err(Error::internal(reason).into());
    }
    let items = items(&problem)?;
    let expected = select(&mut *cpu_table(&context, &monitor, bytes), &problem, &items)?;
    let mut table = device_table(&monitor, trial.device(), bytes, problem.dimensions())?;
    let found = select(&mut *table, &problem, &items)?;
    agree("multidimensional_knapsack", &[found], &[expected])
}

/// Random items, of which about half fit in each dimension. The more dimensions, the fewer
/// capacities has each; the columns of rows are some groups and part of another.
fn instance(dimensions: usize, most: u64) -> Result<Instance> {
    let mut random = Random::new(5);
    let profits: Vec<u64> = (0..ITEMS).map(|_| 1 + random.below(most)).collect();
    let leading = match dimensions {
        0..=2 => 72,
        3 => 9,
        4 => 5,
        5 => 3,
        6 | 7 => 2,
        _ => 1,
    };
    let last = if dimensions < 10 { 300 } else { 40 };
    let (mut weights, mut capacities) = (Vec::new(), Vec::new());
    for dimension in 0..dimensions {
        let capacity = if dimension + 1 < dimensions { leading } else { last };
        // The weights have no common divisor.
        weights.push(1);
        weights.extend((1..ITEMS).map(|_| match capacity {
            // Together they exceed the capacity, so that the dimension stays.
            0..3 => random.below(capacity + 1),
            _ => random.below(capacity / 3 + 1) + capacity / 8,
        }));
        capacities.push(capacity);
    }
    Instance::new(profits, weights, capacities)
}

#[cfg(test)]
mod tests {
    use super::super::device::FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        for (bytes, dimensions) in [(2, 3), (2, 8), (4, 1), (8, 2)] {
            let defines = [("CELL_BYTES", bytes), ("DIMENSIONS", dimensions)];
            let lies: [(_, &[&str]); 2] = [
                ("multidimensional_knapsack_item", &["target"]),
                ("multidimensional_knapsack_back", &[]),
            ];
            expect_lies_to_be_noticed(&FAMILY, &defines, &lies);
        }
    }
}
