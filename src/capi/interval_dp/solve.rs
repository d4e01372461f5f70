//! Solving interval dynamic programs.

use std::sync::Arc;

use super::form::FormNumber;
use super::instance::mks_interval_dp_instance;
use super::solution::Solved;
use crate::batch::Batch;
use crate::capi::context::mks_context;
use crate::capi::guard::guard;
use crate::capi::handle::{Handle, Held};
use crate::capi::options::mks_options;
use crate::capi::pointer::{self, Out, OutArray};
use crate::capi::progress::Asked;
use crate::capi::result::mks_result;
use crate::capi::solve::{self, Problem, solve_alone};
use crate::capi::status::{Failure, Result, mks_status};
use crate::interval_dp::{self, AnyInstance, Instance, Options, Solution, solve_batch_watched};
use crate::memory::{Gather, Grow};
use crate::{Context, Error, Outcome, Sense, SolveOptions};

/// Finds the least number of scalar multiplications for a chain of count - 1 matrices, where matrix
/// i has dimensions[i] rows and dimensions[i + 1] columns. The simplest call. On success
/// *multiplications is that number, and splits[count - 2] holds the products in a possible order of
/// computation, each as the index of the dimension that it removes. splits may be NULL. If
/// time_limit_seconds ends the call, it returns a balanced tree and its number, which may not be
/// the least, or else ::MKS_STATUS_STOPPED. INFINITY sets no limit.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_matrix_chain(
    dimensions: *const i64,
    count: usize,
    time_limit_seconds: f64,
    splits: *mut u32,
    multiplications: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let dimensions = unsafe { pointer::copy(dimensions, count, "dimensions") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let multiplications = unsafe { Out::new(multiplications, "multiplications") }?;
        let instance = Instance::matrix_chain(dimensions)?;
        let run = |context: &Context, limits: &_| {
            interval_dp::solve(context, &instance, &Options::default(), limits)
        };
        let (solution, cost, _) = solve_alone(time_limit_seconds, run)?;
        let tree = solution.tree.ok_or_else(|| Failure::not_available("tree"))?;
        if !splits.is_null() {
            // SAFETY: the header demands room for that many elements.
            let splits = unsafe { OutArray::new(splits, count - 2, "splits") }?;
            // Parts come before their product.
            splits.write(&tree.nodes().iter().rev().map(|node| node.split).gather()?)?;
        }
        multiplications.write(cost);
        Ok(())
    })
}

/// Finds the value of the last cell, with its tree. The value is the result's objective, of type
/// int64_t or double like the instance's numbers. Whole numbers are solved exactly unless cell_type
/// asks for a type that is not exact. For real numbers, and for whole numbers in doubles whose sums
/// may exceed 2^53, the bound allows for all rounding errors. ::MKS_STATUS_UNSUPPORTED for real
/// numbers whose sums or products may exceed the range of a double, and with the engine device for
/// a method without kernels. If a limit or a stop request ends the solve, the result is a balanced
/// tree, feasible and without a bound. It is ::MKS_SOLUTION_STATUS_STOPPED without a solution if
/// the semiring has no tree, if cells are wanted, or if only a device can compute the split costs.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_solve(
    context: *const mks_context,
    instance: *const mks_interval_dp_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve::solve(context, instance, options, result) }
}

/// ::mks_interval_dp_solve for many instances; see BATCHES.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_solve_batch(
    context: *const mks_context,
    instances: *const *mut mks_interval_dp_instance,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve::solve_batch(context, instances, count, options, results) }
}

impl Problem for mks_interval_dp_instance {
    type Instance = AnyInstance;
    type Options = Options;

    fn share(&self) -> Arc<AnyInstance> {
        Arc::clone(&self.instance)
    }

    fn solve(
        context: &Context,
        instance: &Arc<AnyInstance>,
        options: &Options,
        solve_options: &Asked,
    ) -> Result<mks_result> {
        Ok(match &**instance {
            AnyInstance::Whole(instance) => {
                keep(interval_dp::solve(context, instance, options, solve_options)?, instance)
            }
            AnyInstance::Real(instance) => {
                keep(interval_dp::solve(context, instance, options, solve_options)?, instance)
            }
        })
    }

    fn solve_batch(
        context: &Context,
        instances: &[Arc<AnyInstance>],
        options: &Options,
        solve_options: &SolveOptions,
    ) -> Result<Vec<Held<mks_result>>> {
        let (mut whole, mut real) = (Vec::new(), Vec::new());
        for instance in instances {
            match &**instance {
                AnyInstance::Whole(instance) => whole.try_push(instance)?,
                AnyInstance::Real(instance) => real.try_push(instance)?,
            }
        }
        // One monitor for both, since they share their limits.
        let monitor = &context.watch(Sense::Minimise, solve_options)?;
        let between = whole.len() as f64 / instances.len().max(1) as f64;
        let (instances_of, share) = (&whole[..], (0.0, between));
        let batch =
            Batch { context, instances: instances_of, options: solve_options, monitor, share };
        let whole_outcomes = solve_batch_watched(batch, options)?;
        let (instances_of, share) = (&real[..], (between, 1.0));
        let batch =
            Batch { context, instances: instances_of, options: solve_options, monitor, share };
        let real_outcomes = solve_batch_watched(batch, options)?;
        monitor.conclude_batch();
        let (mut whole_outcomes, mut real_outcomes) =
            (whole_outcomes.into_iter(), real_outcomes.into_iter());
        let missing = || Failure::from(Error::internal("an instance of a batch has no outcome"));
        let result = |instance: &Arc<AnyInstance>| match &**instance {
            AnyInstance::Whole(instance) => {
                Ok(keep(whole_outcomes.next().ok_or_else(missing)?, instance).hold())
            }
            AnyInstance::Real(instance) => {
                Ok(keep(real_outcomes.next().ok_or_else(missing)?, instance).hold())
            }
        };
        instances.iter().map(result).collect()
    }
}

fn keep<V: FormNumber>(outcome: Outcome<Solution<V>, V>, instance: &Instance<V>) -> mks_result {
    mks_result::new(outcome, |solution| Solved::new(solution, instance.kind()))
}
