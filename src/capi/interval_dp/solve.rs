//! Solving interval dynamic programs.

use std::sync::Arc;

use super::instance::mks_interval_dp_instance;
use super::options::{convert, mks_interval_dp_options};
use super::solution::{CellValues, Solved};
use crate::capi::context::{mks_context, quiet_options};
use crate::capi::guard::guard;
use crate::capi::pointer::{self, Out, OutArray};
use crate::capi::result::{mks_result, solve_with};
use crate::capi::solve_options::mks_solve_options;
use crate::capi::status::{Failure, mks_status};
use crate::interval_dp::{AnyInstance, Instance, Options, solve};
use crate::{Context, SolveOptions};

/// The least number of scalar multiplications for a chain of count - 1 matrices, where matrix i has dimensions[i] rows
/// and dimensions[i + 1] columns: the simplest call, which needs no other. On success splits[count - 2] holds the
/// order: the products in the order in which they may be done, each named by the dimension that it removes; NULL leaves
/// it out. Any thread. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_matrix_chain(
    dimensions: *const i64,
    count: usize,
    splits: *mut u32,
    multiplications: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let dimensions = unsafe { pointer::copy(dimensions, count, "dimensions") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let multiplications = unsafe { Out::new(multiplications, "multiplications") }?;
        let instance = Instance::matrix_chain(dimensions)?;
        let context = Context::new(quiet_options())?;
        let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
        let cost = outcome.objective.ok_or_else(|| Failure::not_available("objective"))?;
        let tree = outcome.solution.and_then(|solution| solution.tree);
        let tree = tree.ok_or_else(|| Failure::not_available("tree"))?;
        if !splits.is_null() {
            // SAFETY: the header demands room for that many elements.
            let splits = unsafe { OutArray::new(splits, count - 2, "splits") }?;
            // Parts come before what they are parts of.
            splits.write(&tree.nodes().iter().rev().map(|node| node.split).collect::<Vec<_>>())?;
        }
        multiplications.write(cost);
        Ok(())
    })
}

/// Finds the value of the last cell, with its tree: the result's objective, of type int64_t or double as the instance's
/// numbers. Options may be NULL for the defaults. Whole numbers are solved exactly unless a type of cell is asked for
/// that is not exact; of real numbers the bound allows for all roundings. A limit or a stop request leaves no solution.
/// Several threads may solve on one context. The result is to be freed with ::mks_result_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_solve(
    context: *const mks_context,
    instance: *const mks_interval_dp_instance,
    options: *const mks_interval_dp_options,
    solve_options: *const mks_solve_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context, handle: &mks_interval_dp_instance, options: &_, solve_options: &_| {
        // A callback may free the instance.
        let instance = Arc::clone(&handle.instance);
        let options = convert(options)?;
        Ok(match &*instance {
            AnyInstance::Whole(instance) => {
                let outcome = solve(context, instance, &options, solve_options)?;
                mks_result::new(outcome, |solution| Solved::new(solution, instance.kind(), CellValues::Whole))
            }
            AnyInstance::Real(instance) => {
                let outcome = solve(context, instance, &options, solve_options)?;
                mks_result::new(outcome, |solution| Solved::new(solution, instance.kind(), CellValues::Real))
            }
        })
    };
    // SAFETY: the header demands valid handles, initialised structs and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, solve_options, result, run) }
}
