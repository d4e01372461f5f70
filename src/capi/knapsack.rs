//! The knapsack problem and its variants.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use super::context::mks_context;
use super::guard::guard;
use super::handle::{self, Handle, get, get_list, view};
use super::options::mks_options;
use super::pointer::{self, Out, OutArray};
use super::progress::Asked;
use super::result::mks_result;
use super::solution::Solution;
use super::solve::{Plain, Solve, SolveBatch, solve, solve_alone, solve_batch, solve_with};
use super::status::{Failure, Result, mks_status};
use crate::Context;
use crate::knapsack::{self, Batch, Instance, Method, Options, Profile, profile, solve_instances};

/// Items with profits, weights and numbers of copies, and a capacity.
pub struct mks_knapsack_instance {
    instance: Arc<Instance>,
}

impl Handle for mks_knapsack_instance {
    const NAME: &'static str = "mks_knapsack_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_knapsack_instance {
    fn new(instance: Instance) -> Self {
        mks_knapsack_instance { instance: Arc::new(instance) }
    }
}

impl Solution for knapsack::Solution {
    const PROBLEM: &'static CStr = c"knapsack";
}

impl Solution for Profile {
    const PROBLEM: &'static CStr = c"knapsack_profile";
}

impl Solution for Batch {
    const PROBLEM: &'static CStr = c"knapsack_batch";
}

impl Plain for mks_knapsack_instance {
    type Instance = Instance;
    type Options = Options;
    type Found = knapsack::Solution;
    type Kept = knapsack::Solution;

    const SOLVE: Solve<Self> = knapsack::solve;
    const SOLVE_BATCH: SolveBatch<Self> = knapsack::solve_batch;

    fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    fn keep(solution: knapsack::Solution, _: &Arc<Instance>) -> knapsack::Solution {
        solution
    }
}

/// Fills a 0-1 knapsack. The simplest call. The values in profits[items] and weights[items] are 0
/// or more; each array has a sum below 2^63. On success counts[items] holds 1 for each item taken
/// and 0 for the others, *profit the sum of their profits, and *bound a proved upper bound on the
/// profit.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_fill(
    profits: *const u64,
    weights: *const u64,
    items: usize,
    capacity: u64,
    time_limit_seconds: f64,
    counts: *mut u64,
    profit: *mut i64,
    bound: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let profits = unsafe { pointer::copy(profits, items, "profits") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { pointer::copy(weights, items, "weights") }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let counts = unsafe { OutArray::new(counts, items, "counts") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let profit = unsafe { Out::new(profit, "profit") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let bound = unsafe { Out::new(bound, "bound") }?;
        let instance = Instance::new(profits, weights, capacity)?;
        let run = |context: &Context, limits: &_| {
            knapsack::solve(context, &instance, &Options::default(), limits)
        };
        let (solution, objective, proved) = solve_alone(time_limit_seconds, run)?;
        counts.write(&solution.counts)?;
        profit.write(objective);
        let proved = proved.ok_or_else(|| Failure::not_available("bound"))?;
        bound.write(proved);
        Ok(())
    })
}

/// Creates an instance from the profit, the weight and the number of copies of each item:
/// profits[items], weights[items] and copies[items]. NULL for copies means one of each item;
/// UINT64_MAX means as many copies as fit. Profits, weights and the capacity are 0 or more. The
/// capacity is below 2^63. So are the sums of profits and of weights over all items, each counted
/// with as many of its copies as fit into the capacity. Unlimited copies of an item with a profit
/// but no weight are refused, since the profit would have no maximum. If the profits equal the
/// weights, the problem is subset sum.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_instance_create(
    profits: *const u64,
    weights: *const u64,
    copies: *const u64,
    items: usize,
    capacity: u64,
    instance: *mut *mut mks_knapsack_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let profits = unsafe { pointer::copy(profits, items, "profits") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { pointer::copy(weights, items, "weights") }?;
        let instance = if copies.is_null() {
            Instance::new(profits, weights, capacity)
        } else {
            // SAFETY: the header demands that many elements, or NULL.
            let copies = unsafe { pointer::copy(copies, items, "copies") }?;
            Instance::bounded(profits, weights, copies, capacity)
        };
        Ok(mks_knapsack_instance::new(instance?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Reads an instance from text[length], in one of these formats:
///
/// - "n", then n lines of an index, a profit and a weight, then the capacity;
/// - "n capacity", then n lines of a weight (subset sum);
/// - "n capacity", then n lines of a profit and a weight;
/// - "n capacity", then n lines of a profit, a weight and a number of copies, which may be "inf".
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_knapsack_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_knapsack_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_knapsack_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_knapsack_instance,
) -> mks_status {
    let build = |path| Ok(mks_knapsack_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// Creates a copy of an instance in which every selection has at least pinned[items] copies of the
/// items, because these are packed already. No items pin nothing. ::mks_knapsack_profile and
/// ::mks_knapsack_solve_profits refuse such an instance as ::MKS_STATUS_UNSUPPORTED.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_instance_with_pinned(
    instance: *const mks_knapsack_instance,
    pinned: *const u64,
    items: usize,
    changed: *mut *mut mks_knapsack_instance,
) -> mks_status {
    let value = |handle: &mks_knapsack_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let pinned = unsafe { pointer::copy(pinned, items, "pinned") }?;
        let changed = Instance::clone(&handle.instance).with_pinned(pinned)?;
        Ok(mks_knapsack_instance::new(changed).give())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, changed, "changed", value) }
}

/// Number of items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_items(
    instance: *const mks_knapsack_instance,
    items: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, items, "items", |handle| Ok(handle.instance.items())) }
}

/// The capacity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_capacity(
    instance: *const mks_knapsack_instance,
    capacity: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, capacity, "capacity", |handle| Ok(handle.instance.capacity())) }
}

/// Copies the profits to profits[items].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_profits(
    instance: *const mks_knapsack_instance,
    profits: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy =
        |handle: &mks_knapsack_instance, out: OutArray<_>| out.write(handle.instance.profits());
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, profits, capacity, "profits", copy) }
}

/// Copies the weights to weights[items].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_weights(
    instance: *const mks_knapsack_instance,
    weights: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy =
        |handle: &mks_knapsack_instance, out: OutArray<_>| out.write(handle.instance.weights());
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, weights, capacity, "weights", copy) }
}

/// Copies the numbers of copies to copies[items].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_copies(
    instance: *const mks_knapsack_instance,
    copies: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy =
        |handle: &mks_knapsack_instance, out: OutArray<_>| out.write(handle.instance.copies());
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, copies, capacity, "copies", copy) }
}

/// The number of copies of each item that every selection has: pinned[count], with as many numbers
/// as items, or none if nothing is pinned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_pinned_view(
    instance: *const mks_knapsack_instance,
    pinned: *mut *const u64,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, pinned, count, "pinned", |handle| Ok(handle.instance.pinned())) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_free(instance: *mut mks_knapsack_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_knapsack_instance::free(instance) };
}

/// Refuses a start, and a method that is none of these.
fn check_unused(options: &Options, methods: &[Method]) -> Result<()> {
    if options.start.is_some() {
        return Err(Failure::argument("start", "is not for this function"));
    }
    match options.method {
        method if methods.contains(&method) => Ok(()),
        method => {
            Err(Failure::argument("method", format!("{} is not for this function", method.name())))
        }
    }
}

/// Finds the largest profit that fits. It is the result's objective, and the result's bound is an
/// upper bound on it. The result always has a solution, even if a limit or a stop request ends the
/// solve at once. An iteration is one of the two dynamic programs.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_solve(
    context: *const mks_context,
    instance: *const mks_knapsack_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve(context, instance, options, result) }
}

/// ::mks_knapsack_solve for many instances; see BATCHES.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_solve_batch(
    context: *const mks_context,
    instances: *const *mut mks_knapsack_instance,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve_batch(context, instances, count, options, results) }
}

/// Checks counts[items], the number of copies taken of each item, and sets *profit to their profit.
/// Returns ::MKS_STATUS_INVALID_ARGUMENT if an item has fewer copies, if more of them are pinned,
/// or if the copies taken do not fit; the last error names the first such item.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_check(
    instance: *const mks_knapsack_instance,
    counts: *const u64,
    items: usize,
    profit: *mut i64,
) -> mks_status {
    let value = |handle: &mks_knapsack_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let counts = unsafe { pointer::array(counts, items, "counts") }?;
        Ok(handle.instance.profit_of(counts)?.cast_signed())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, profit, "profit", value) }
}

/// Copies the number of copies taken of each item, from a result of ::mks_knapsack_solve, to
/// counts[items].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_counts(
    result: *const mks_result,
    counts: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        out.write(&result.solution::<knapsack::Solution>()?.counts)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, counts, capacity, "counts", copy) }
}

/// Finds the largest profit for every capacity from 0 to the instance's capacity, by the dense
/// table. The last profit is the result's objective. ::MKS_STATUS_OUT_OF_MEMORY if the table
/// exceeds the memory limit. A method other than "auto" and "dense" is refused. If a limit or a
/// stop request ends the solve, the result has no values.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_profile(
    context: *const mks_context,
    instance: *const mks_knapsack_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context,
               handle: &mks_knapsack_instance,
               options: &Options,
               solve_options: &Asked| {
        check_unused(options, &[Method::Auto, Method::Dense])?;
        let instance = Arc::clone(&handle.instance);
        Ok(mks_result::new(profile(context, &instance, solve_options)?, |profile| profile))
    };
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, result, run) }
}

/// The largest profit of each capacity, from 0 to the instance's: values[count], from a result of
/// ::mks_knapsack_profile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_profile_view(
    result: *const mks_result,
    values: *mut *const u64,
    count: *mut usize,
) -> mks_status {
    let of = |result: &'static mks_result| Ok(result.solution::<Profile>()?.values());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(result, values, count, "values", of) }
}

/// Solves many knapsacks to optimality. They have the weights, copies and capacity of one instance,
/// but different profits, as in the pricing of column generation. profits[instances * items] holds
/// the profits of one knapsack after the other, each 0 or more; the profits of `instance` itself
/// are ignored. A capacity of 2^29 or more times the common divisor of the weights is
/// ::MKS_STATUS_UNSUPPORTED. Profits with a sum of 2^63 or more, over all copies that fit, are
/// ::MKS_STATUS_INVALID_ARGUMENT; the last error names the first such knapsack. An item without
/// weight may have unlimited copies if its profit is 0. Without items every knapsack has profit 0.
/// The result's objective is the sum of all profits; it has none if the sum exceeds 63 bits. If a
/// limit or a stop request ends the solve, the result has no solution. An iteration is one
/// knapsack. A method other than "auto" is refused.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_solve_profits(
    context: *const mks_context,
    instance: *const mks_knapsack_instance,
    profits: *const u64,
    instances: usize,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context,
               handle: &mks_knapsack_instance,
               options: &Options,
               solve_options: &Asked| {
        check_unused(options, &[Method::Auto])?;
        let instance = Arc::clone(&handle.instance);
        let many = || Failure::argument("instances", format!("{instances} is too many"));
        let numbers = instances.checked_mul(instance.items()).ok_or_else(many)?;
        // SAFETY: the header demands that many elements, or NULL.
        let profits = unsafe { pointer::copy(profits, numbers, "profits") }?;
        let outcome = solve_instances(context, &instance, instances, &profits, solve_options)?;
        Ok(mks_result::new(outcome, |batch| batch))
    };
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, result, run) }
}

/// The largest profit of each knapsack, profits[count], from a result of
/// ::mks_knapsack_solve_profits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_batch_profits_view(
    result: *const mks_result,
    profits: *mut *const u64,
    count: *mut usize,
) -> mks_status {
    let of = |result: &'static mks_result| Ok(&result.solution::<Batch>()?.profits[..]);
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(result, profits, count, "profits", of) }
}

/// The number of copies taken of each item, one knapsack after the other: counts[count], from a
/// result of ::mks_knapsack_solve_profits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_batch_counts_view(
    result: *const mks_result,
    counts: *mut *const u64,
    count: *mut usize,
) -> mks_status {
    let of = |result: &'static mks_result| Ok(&result.solution::<Batch>()?.counts[..]);
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(result, counts, count, "counts", of) }
}
