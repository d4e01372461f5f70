//! Compares the kernels with the definition.
//!
//! A user's operator is not run on numbers for which it is not meant: its kernels are compared with
//! another operator in its place.

use std::sync::Arc;

use super::approach::{Approach, Ring};
use super::coded::{Coded, Facts};
use super::fill::KERNELS;
use super::tables::Tables;
use crate::opencl::{Failing, KernelFamily, Trial};
use crate::random::Random;
use crate::recurrence::algebra::{Algebra, MAX_MIN, MIN_PLUS, MODULAR, OR_AND, SUM_PRODUCT};
use crate::recurrence::engine::{Engine, run};
use crate::recurrence::filled_tables::FilledTables;
use crate::recurrence::problem::Problem;
use crate::recurrence::schedule::Schedule;
use crate::recurrence::{Callback, Instance, Operator, Semiring, check};
use crate::solve::{Monitor, SolveOptions};
use crate::{Error, Result};

/// Tables that are filled in parallel.
const INSTANCES: usize = 2;
/// Operands of an element.
const OPERANDS: u64 = 9;
/// Elements of a block at most.
const BLOCK: usize = 700;

/// Fills tables by the kernels that the program of that family is for.
pub(super) fn compare(trial: &Trial<'_>, family: &'static KernelFamily) -> Result<(), Failing> {
    let kernel = KERNELS[trial.define("KERNEL").unwrap_or(0) as usize];
    let instance = instance(trial, kernel)?;
    run(&instance, &Comparison { trial, family, kernel, instance: &instance })?;
    Ok(())
}

struct Comparison<'t> {
    trial: &'t Trial<'t>,
    family: &'static KernelFamily,
    kernel: &'static str,
    instance: &'t Instance,
}

impl Engine for Comparison<'_> {
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<FilledTables>> {
        if algebra.is_narrow() && self.trial.define("WIDE").is_some() {
            return Ok(None);
        }
        let problem = Problem::new(algebra, self.instance)?.ok_or_else(unfit)?;
        self.compare(&problem)?;
        // The tables have already been compared.
        Ok(Some(FilledTables::default()))
    }
}

impl Comparison<'_> {
    fn compare(&self, problem: &dyn Coded) -> Result<()> {
        let wide_index = self.trial.define("WIDE_INDEX").is_some();
        let mut tables =
            Tables::of(self.trial.device(), self.family, problem, wide_index)?.ok_or_else(unfit)?;
        let define = |name| self.trial.define(name).unwrap_or(1) as usize;
        tables.shape(define("OUTPUTS"), define("SLICES"));
        let expected = check::tables(self.instance)?;
        match self.kernel {
            "recurrence_check" => compare_check(&tables, &expected),
            _ => self.compare_tables(&tables, &expected),
        }
    }

    /// Fills tables by the kernel and compares them.
    fn compare_tables(&self, tables: &Tables<'_>, expected: &[i64]) -> Result<()> {
        let Comparison { trial, kernel, instance, .. } = *self;
        let (problem, monitor) = (tables.problem(), Monitor::new(&SolveOptions::default()));
        let Facts { preset, length, .. } = problem.facts();
        for approach in approaches(trial, kernel, instance)? {
            tables.fill(&approach, preset, length, &monitor)?;
            if tables.is_out_of_range()? {
                return Err(Error::internal(format!("{kernel}: elements are out of range")));
            }
            for (number, row) in expected.chunks_exact(length).enumerate() {
                let mut found = Vec::new();
                problem.decode(&tables.read(number, 0, length)?, 0..length, &mut found);
                if let Some(at) =
                    found.iter().zip(row).position(|(found, expected)| found != expected)
                {
                    let reason =
                        format!("{kernel}: element {at} is {}, not {}", found[at], row[at]);
                    return Err(Error::internal(reason));
                }
            }
        }
        Ok(())
    }
}

/// Checks correct tables with the kernel, and one with a wrong element.
fn compare_check(tables: &Tables<'_>, expected: &[i64]) -> Result<()> {
    let (problem, length) = (tables.problem(), tables.problem().facts().length);
    let write =
        |number, row: &[i64]| tables.write(number, &problem.encode(row)?.ok_or_else(unfit)?);
    expected.chunks_exact(length).enumerate().try_for_each(|(number, row)| write(number, row))?;
    let differs = tables.check(length).is_err();
    let mut wrong = expected[..length].to_vec();
    let at = length - 3;
    wrong[at] = wrong[at - 1];
    write(0, &wrong)?;
    if differs || expected[at] != expected[at - 1] && tables.check(length).is_ok() {
        return Err(Error::internal("recurrence_check: finds other elements wrong"));
    }
    Ok(())
}

fn unfit() -> Box<Error> {
    Error::internal("a self-test with numbers that are too large")
}

/// The approaches that launch the kernel.
fn approaches(trial: &Trial<'_>, kernel: &str, instance: &Instance) -> Result<Vec<Approach>> {
    let pipeline = |visit| Schedule::new(instance, visit, None).map(Approach::Pipeline);
    Ok(match kernel {
        "recurrence_sequential" => vec![Approach::Sequential],
        "recurrence_tournament" => vec![Approach::Tournament],
        "recurrence_pipeline" if instance.offsets().is_none() => {
            vec![pipeline(instance.operands())?]
        }
        "recurrence_pipeline" => vec![pipeline(1)?, pipeline(instance.operands())?],
        "recurrence_ring" => {
            let step = instance.smallest_offset() as usize;
            vec![Approach::Ring(Ring { size: trial.define("RING").unwrap_or(1) as usize, step })]
        }
        "recurrence_respond" => vec![Approach::Blocks(BLOCK)],
        _ => vec![Approach::Gather],
    })
}

/// An instance that would use this program.
fn instance(trial: &Trial<'_>, kernel: &str) -> Result<Instance> {
    let define = |name| trial.define(name);
    let mut random = Random::new(5);
    if define("ROWS").is_some() {
        let mut list = |most| (0..7).map(|_| 1 + random.below(most)).collect::<Vec<u64>>();
        let (weights, profits) =
            (list(20), list(if define("WIDE").is_some() { 1 << 40 } else { 1000 }));
        return Instance::knapsack(weights, profits, 70);
    }
    let (semiring, most) = match define("SEMIRING") {
        Some(MIN_PLUS) => {
            (Semiring::MinPlus, if define("WIDE").is_some() { 1 << 40 } else { 1000 })
        }
        Some(SUM_PRODUCT) => (Semiring::SumProduct, 3),
        Some(MODULAR) => {
            let modulus = define("MODULUS").unwrap_or(2);
            (Semiring::Modular(modulus), modulus)
        }
        Some(OR_AND) => (Semiring::OrAnd, 1 << 40),
        Some(MAX_MIN) => (Semiring::MaxMin, 1 << 40),
        _ => (Semiring::Custom(operator(define("WEIGHTED").is_some())), 1 << 20),
    };
    let (smallest, largest, more) = sizes(trial, kernel);
    let step = (largest - smallest) / (OPERANDS - 1);
    let between = (1..OPERANDS - 1).map(|number| largest - number * step);
    let offsets: Vec<u64> = [largest].into_iter().chain(between).chain([smallest]).collect();
    let mut list = |count: usize| (0..count).map(|_| random.below(most) as i64).collect::<Vec<_>>();
    let initial = list(largest as usize * INSTANCES);
    let (weights, terms) = (list(offsets.len() * INSTANCES), list(more as usize * INSTANCES));
    let weighted = !matches!(semiring, Semiring::Custom(_)) || define("WEIGHTED").is_some();
    // The blocks' kernels use one response for all instances, or one for each.
    let instance = Instance::batch(semiring, offsets, initial, largest + more, INSTANCES)?
        .with_terms(terms)?;
    if weighted { instance.with_weights(weights) } else { Ok(instance) }
}

/// The smallest and the largest offset, and the number of elements to fill: several launches of
/// several groups and part of another.
fn sizes(trial: &Trial<'_>, kernel: &str) -> (u64, u64, u64) {
    let define = |name| trial.define(name).unwrap_or(1);
    match kernel {
        "recurrence_ring" => {
            let size = define("RING");
            let group = define("GROUP").min(define("SINGLE_GROUP"));
            let smallest = if define("OUTPUTS") == 1 { 50 } else { define("OUTPUTS") * group - 9 };
            let smallest = smallest.min((size - 20) / 2);
            (smallest, size - smallest - 3, 2 * smallest + 77)
        }
        "recurrence_gather" => (1100, 1400, 2300),
        "recurrence_respond" => (17, 60, 1000),
        _ => (17, 60, 150),
    }
}

/// A commutative operator: addition of 20 bits.
fn operator(weighted: bool) -> Operator {
    let mut source =
        "long combine(long left, long right) { return (left + right) & 0xfffff; }".to_owned();
    if weighted {
        source.push_str(
            "\nlong weigh(long weight, long value) { return (weight ^ value) & 0xfffff; }",
        );
    }
    let weigh: Callback = Arc::new(|weight, value| (weight ^ value) & 0xfffff);
    Operator {
        source: Some(source),
        combine: Some(Arc::new(|left, right| (left + right) & 0xfffff)),
        weigh: weighted.then_some(weigh),
        ..Operator::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::opencl::testing::expect_lies_to_be_noticed;
    use crate::recurrence::device::FAMILY;
    use crate::recurrence::device::fill::KERNELS;

    #[test]
    fn wrong_kernels_are_barred() {
        // (min,+) in 32 bits with its zero, and sums of products, which have no kernel for blocks.
        let kernels = || (0..).zip(KERNELS).filter(|&(_, kernel)| kernel != "recurrence_check");
        let sums = kernels().filter(|&(_, kernel)| kernel != "recurrence_respond");
        let all =
            kernels().map(|kernel| (0, 1 << 30, kernel)).chain(sums.map(|kernel| (1, 0, kernel)));
        for (semiring, zero, (number, kernel)) in all {
            let mut defines = vec![("OUTPUTS", 1), ("SLICES", 1), ("KERNEL", number)];
            defines.extend([("SEMIRING", semiring), ("ZERO", zero), ("LIMIT", 1 << 27)]);
            defines.extend((kernel == "recurrence_ring").then_some(("RING", 1024)));
            expect_lies_to_be_noticed(&FAMILY, &defines, &[(kernel, &["all"])]);
        }
    }
}
