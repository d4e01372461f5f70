//! Compares the kernels with the CPU.

use super::{DeviceProfits, DeviceSums, SUMS, Word};
use crate::knapsack::Instance;
use crate::knapsack::blocks::Cell;
use crate::knapsack::dense::bits::Sums;
use crate::knapsack::dense::profits::Profits;
use crate::knapsack::dense::{Job, Problem, Rows, Solve, cells, items};
use crate::opencl::{Failing, Trial, agree};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

/// Items that are filled together, and singly.
const LIGHT: usize = 15;
const HEAVY: usize = 6;
/// Cells to read in a part of a row.
const LOOKS: usize = 24;

/// Rows of some groups and part of another, of the program's kind.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let define = |name| trial.define(name).unwrap_or(1);
    let (context, monitor) = (Context::of_one_thread()?, monitor());
    if trial.define(SUMS) == Some(1) {
        let problem = problem(2 * define("SUM_GROUP") * define("SUM_EACH") * 32 + 1234, true)?;
        let mut device = DeviceSums::new(&context, &monitor, trial.device())?;
        let mut cpu = Sums::new(&context, &monitor);
        return agree("sums", &filled(&mut device, &problem)?, &filled(&mut cpu, &problem)?);
    }
    let problem = problem(2 * define("GROUP") * define("EACH") + 123, false)?;
    let solve = Solve { problem: &problem, monitor: &monitor };
    match trial.define("CELL_BYTES") {
        Some(4) => compare_profits::<i32>(trial, &context, &solve),
        _ => compare_profits::<i64>(trial, &context, &solve),
    }
}

fn compare_profits<T: Cell + Word>(
    trial: &Trial<'_>,
    context: &Context,
    solve: &Solve<'_>,
) -> Result<(), Failing> {
    let Solve { problem, monitor } = solve;
    let mut device = DeviceProfits::<T>::new(context, monitor, trial.device())?;
    let mut cpu = Profits::<T>::new(context, monitor);
    if trial.define("KEEP").is_some() {
        return agree("decisions", &solve.run(&mut device)?, &solve.run(&mut cpu)?);
    }
    agree("profits", &filled(&mut device, problem)?, &filled(&mut cpu, problem)?)
}

fn problem(capacity: u64, sums: bool) -> Result<Problem> {
    let mut random = Random::new(3);
    let mut weights: Vec<u64> = (0..LIGHT).map(|_| 1 + random.below(60)).collect();
    weights.extend((0..HEAVY).map(|_| 1 + random.below(capacity / 2)));
    problem_of(weights, capacity, sums, &mut random)
}

/// Nothing stops a test.
pub(super) fn monitor() -> Monitor {
    Monitor::maximising(&SolveOptions::default())
}

/// The problem of these items, of sums or with random profits.
pub(super) fn problem_of(
    weights: Vec<u64>,
    capacity: u64,
    sums: bool,
    random: &mut Random,
) -> Result<Problem> {
    let instance = match sums {
        true => Instance::subset_sum(weights, capacity)?,
        false => {
            let profits = weights.iter().map(|weight| 1 + weight + random.below(40)).collect();
            Instance::new(profits, weights, capacity)?
        }
    };
    Problem::new(&instance, &monitor())
}

/// The values after all items, and some cells of a part of that row.
fn filled<R: Rows>(rows: &mut R, problem: &Problem) -> Result<Vec<u64>> {
    let cells = cells(problem)?;
    let start = rows.start(cells)?;
    let last = rows.advance(&start, &items(problem, &monitor())?, 0)?;
    let window = rows.window(&last, 64..cells)?;
    let looks = (0..cells - 64).step_by(cells / LOOKS + 1);
    let part: Result<Vec<i64>> = looks.map(|cell| rows.value(&window, cell)).collect();
    let mut values = rows.values(last)?.to_vec();
    values.extend(part?.into_iter().map(|value| value as u64));
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::{FAMILY, SUMS};
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        let window: (_, &[&str]) = ("knapsack_window", &["target"]);
        let sums =
            [("knapsack_sums_quad", &["target"][..]), ("knapsack_sums_fused", &["target"]), window];
        expect_lies_to_be_noticed(&FAMILY, &[("CELL_BYTES", 4), (SUMS, 1)], &sums);
        for bytes in [4, 8] {
            let profits =
                [("knapsack_quad", &["target"][..]), ("knapsack_fused", &["target"]), window];
            expect_lies_to_be_noticed(&FAMILY, &[("CELL_BYTES", bytes), (SUMS, 0)], &profits);
            let keeping = [("CELL_BYTES", bytes), (SUMS, 0), ("GROUP", 64), ("KEEP", 1)];
            expect_lies_to_be_noticed(&FAMILY, &keeping, &[("knapsack_traceback", &[])]);
        }
    }
}
