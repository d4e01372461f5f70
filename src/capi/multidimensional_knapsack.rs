//! The multidimensional knapsack problem.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use super::context::mks_context;
use super::guard::guard;
use super::handle::{self, Handle, get, get_list};
use super::options::mks_options;
use super::pointer::{self, Out, OutArray};
use super::result::mks_result;
use super::solution::Solution;
use super::solve::{Plain, Solve, SolveBatch, solve, solve_alone, solve_batch};
use super::status::{Failure, Result, mks_status};
use crate::Context;
use crate::multidimensional_knapsack::{self as problem, Instance, Options, Selection};

/// Items with profits, numbers of copies and weights in several dimensions, and the capacities of
/// the dimensions.
pub struct mks_multidimensional_knapsack_instance {
    instance: Arc<Instance>,
}

impl Handle for mks_multidimensional_knapsack_instance {
    const NAME: &'static str = "mks_multidimensional_knapsack_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_multidimensional_knapsack_instance {
    fn new(instance: Instance) -> Self {
        mks_multidimensional_knapsack_instance { instance: Arc::new(instance) }
    }
}

impl Solution for Selection {
    const PROBLEM: &'static CStr = c"multidimensional_knapsack";
}

impl Plain for mks_multidimensional_knapsack_instance {
    type Instance = Instance;
    type Options = Options;
    type Found = Selection;
    type Kept = Selection;

    const SOLVE: Solve<Self> = problem::solve;
    const SOLVE_BATCH: SolveBatch<Self> = problem::solve_batch;

    fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    fn keep(selection: Selection, _: &Arc<Instance>) -> Selection {
        selection
    }
}

/// A copy of weights[dimensions * items].
///
/// # Safety
/// Those of [`pointer::copy`].
unsafe fn copy_weights(weights: *const u64, items: usize, dimensions: usize) -> Result<Vec<u64>> {
    let many = || Failure::argument("dimensions", format!("{dimensions} is too many"));
    let count = items.checked_mul(dimensions).ok_or_else(many)?;
    // SAFETY: the caller's promise.
    unsafe { pointer::copy(weights, count, "weights") }
}

/// Fills a 0-1 knapsack with several capacities. The simplest call. The values in profits[items] and
/// weights[dimensions * items] are 0 or more; the weights of all items in the first dimension come
/// first. The sum of the profits is below 2^63, and so is that of the weights in each dimension. On
/// success counts[items] holds 1 for each item taken and 0 for the others, *profit the sum of their
/// profits, and *bound a proved upper bound on the profit.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_multidimensional_knapsack_fill(
    profits: *const u64,
    weights: *const u64,
    items: usize,
    capacities: *const u64,
    dimensions: usize,
    time_limit_seconds: f64,
    counts: *mut u64,
    profit: *mut i64,
    bound: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let profits = unsafe { pointer::copy(profits, items, "profits") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { copy_weights(weights, items, dimensions) }?;
        // SAFETY: the header demands that many elements, or NULL.
        let capacities = unsafe { pointer::copy(capacities, dimensions, "capacities") }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let counts = unsafe { OutArray::new(counts, items, "counts") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let profit = unsafe { Out::new(profit, "profit") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let bound = unsafe { Out::new(bound, "bound") }?;
        let instance = Instance::new(profits, weights, capacities)?;
        let run = |context: &Context, limits: &_| {
            problem::solve(context, &instance, &Options::default(), limits)
        };
        let (selection, objective, proved) = solve_alone(time_limit_seconds, run)?;
        counts.write(&selection.counts)?;
        profit.write(objective);
        bound.write(proved.ok_or_else(|| Failure::not_available("bound"))?);
        Ok(())
    })
}

/// Creates an instance from the profit and the number of copies of each item, profits[items] and
/// copies[items], the weights in each dimension, weights[dimensions * items], and
/// capacities[dimensions]. The weights of all items in the first dimension come first. NULL for
/// copies means one of each item; UINT64_MAX means as many copies as fit. Profits, weights and
/// capacities are 0 or more. Capacities are below 2^63. So are the sums of profits and, in each
/// dimension, of weights over all items, each counted with as many of its copies as fit. Unlimited
/// copies of an item with a profit but no weight are refused. There are at most 16 dimensions and
/// 2^18 items.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_create(
    profits: *const u64,
    weights: *const u64,
    copies: *const u64,
    items: usize,
    capacities: *const u64,
    dimensions: usize,
    instance: *mut *mut mks_multidimensional_knapsack_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let profits = unsafe { pointer::copy(profits, items, "profits") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { copy_weights(weights, items, dimensions) }?;
        // SAFETY: the header demands that many elements, or NULL.
        let capacities = unsafe { pointer::copy(capacities, dimensions, "capacities") }?;
        let instance = if copies.is_null() {
            Instance::new(profits, weights, capacities)
        } else {
            // SAFETY: the header demands that many elements, or NULL.
            let copies = unsafe { pointer::copy(copies, items, "copies") }?;
            Instance::bounded(profits, weights, copies, capacities)
        };
        Ok(mks_multidimensional_knapsack_instance::new(instance?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Reads an instance from text[length], in the format of the OR-Library: the numbers of items and of
/// dimensions and the best known profit, which is ignored; the profits of all items; for each
/// dimension the weights of all items; the capacities.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_multidimensional_knapsack_instance,
) -> mks_status {
    let build =
        |text: &str| Ok(mks_multidimensional_knapsack_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_multidimensional_knapsack_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_multidimensional_knapsack_instance,
) -> mks_status {
    let build = |path| Ok(mks_multidimensional_knapsack_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// Number of items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_items(
    instance: *const mks_multidimensional_knapsack_instance,
    items: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, items, "items", |handle| Ok(handle.instance.items())) }
}

/// Number of dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_dimensions(
    instance: *const mks_multidimensional_knapsack_instance,
    dimensions: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, dimensions, "dimensions", |handle| Ok(handle.instance.dimensions())) }
}

/// Copies the profits to profits[items].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_profits(
    instance: *const mks_multidimensional_knapsack_instance,
    profits: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_multidimensional_knapsack_instance, out: OutArray<_>| {
        out.write(handle.instance.profits())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, profits, capacity, "profits", copy) }
}

/// Copies the weights to weights[dimensions * items], those in the first dimension first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_weights(
    instance: *const mks_multidimensional_knapsack_instance,
    weights: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_multidimensional_knapsack_instance, out: OutArray<_>| {
        out.write(handle.instance.weights())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, weights, capacity, "weights", copy) }
}

/// Copies the numbers of copies to copies[items].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_copies(
    instance: *const mks_multidimensional_knapsack_instance,
    copies: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_multidimensional_knapsack_instance, out: OutArray<_>| {
        out.write(handle.instance.copies())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, copies, capacity, "copies", copy) }
}

/// Copies the capacities to capacities[dimensions].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_capacities(
    instance: *const mks_multidimensional_knapsack_instance,
    capacities: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_multidimensional_knapsack_instance, out: OutArray<_>| {
        out.write(handle.instance.capacities())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, capacities, capacity, "capacities", copy) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_instance_free(
    instance: *mut mks_multidimensional_knapsack_instance,
) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_multidimensional_knapsack_instance::free(instance) };
}

/// Finds the largest profit that fits. It is the result's objective, and the result's bound is an
/// upper bound on it. The result always has a solution, even if a limit or a stop request ends the
/// solve at once. An iteration is a branch and bound or a table. With the method auto, the first
/// iteration is a short branch and bound, and the second is all the rest.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_multidimensional_knapsack_solve(
    context: *const mks_context,
    instance: *const mks_multidimensional_knapsack_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve(context, instance, options, result) }
}

/// ::mks_multidimensional_knapsack_solve for many instances; see BATCHES.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_multidimensional_knapsack_solve_batch(
    context: *const mks_context,
    instances: *const *mut mks_multidimensional_knapsack_instance,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve_batch(context, instances, count, options, results) }
}

/// Checks counts[items], the number of copies taken of each item, and sets *profit to their profit.
/// Returns ::MKS_STATUS_INVALID_ARGUMENT if an item has fewer copies, or if the copies taken do not
/// fit; the last error names the first such item or dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_check(
    instance: *const mks_multidimensional_knapsack_instance,
    counts: *const u64,
    items: usize,
    profit: *mut i64,
) -> mks_status {
    let value = |handle: &mks_multidimensional_knapsack_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let counts = unsafe { pointer::array(counts, items, "counts") }?;
        Ok(handle.instance.profit_of(counts)?.cast_signed())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, profit, "profit", value) }
}

/// Copies the number of copies taken of each item, from a result of
/// ::mks_multidimensional_knapsack_solve, to counts[items].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_multidimensional_knapsack_counts(
    result: *const mks_result,
    counts: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy =
        |result: &mks_result, out: OutArray<_>| out.write(&result.solution::<Selection>()?.counts);
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, counts, capacity, "counts", copy) }
}
