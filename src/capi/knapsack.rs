//! The knapsack problem and its variants.

use std::ffi::{CStr, c_char};
use std::mem::offset_of;
use std::sync::Arc;

use super::context::mks_context;
use super::convert::choice;
use super::guard::guard;
use super::pointer::{self, Handle, Out, OutArray, get, get_list};
use super::result::{Solution, mks_result, solve_alone, solve_with};
use super::solve_options::mks_solve_options;
use super::stamped::{self, Stamped};
use super::status::{Failure, Result, mks_status};
use crate::Context;
use crate::knapsack::{
    self, Batch, Instance, Method, Options, Profile, profile, solve, solve_instances,
};

/// Methods for the knapsack problem. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_knapsack_method {
    /// The core; the dense table where the core grows large and the table is the cheaper one.
    Auto = 0,
    /// Greedy by efficiency, with Dantzig's bound.
    Greedy = 1,
    /// Dynamic programming over the items around the break item, with bounds.
    Core = 2,
    /// The dense table over all capacities; an error if it exceeds the memory.
    Dense = 3,
}

/// Options of ::mks_knapsack_solve; filled by ::mks_knapsack_options_init, then changed where
/// wanted. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_knapsack_options {
    /// Size of this struct for the compiler of the program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_knapsack_method. Default: ::MKS_KNAPSACK_METHOD_AUTO.
    pub method: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and numbers are valid whatever their bytes are.
unsafe impl Stamped for mks_knapsack_options {
    const ARGUMENT: &'static str = "options";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
    const DEFAULT: Self = mks_knapsack_options {
        struct_size: size_of::<Self>(),
        method: mks_knapsack_method::Auto as i32,
        reserved_flags: 0,
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved == [0; 4]
    }
}

/// Items with profits, weights and numbers of copies, and a capacity. It never changes, so several
/// threads may use it at once; freeing must come last. Since 0.1.
pub struct mks_knapsack_instance {
    instance: Arc<Instance>,
}

impl Handle for mks_knapsack_instance {
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

/// Fills a 0-1 knapsack: the simplest call, which needs no other. profits[items] and weights[items]
/// may be 0 and have sums below 2^63. On success counts[items] holds 1 for each item taken and 0
/// for the others, *profit the sum of their profits, and *bound a proved bound that no choice
/// exceeds; if both are equal, it is optimal. Runs on all cores, on a device where that is faster.
/// Any thread. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_fill(
    profits: *const u64,
    weights: *const u64,
    items: usize,
    capacity: u64,
    counts: *mut u64,
    profit: *mut u64,
    bound: *mut u64,
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
        let run =
            |context: &Context, limits: &_| solve(context, &instance, &Options::default(), limits);
        let (solution, objective, proved) = solve_alone(run)?;
        counts.write(&solution.counts)?;
        profit.write(objective);
        bound.write(proved);
        Ok(())
    })
}

/// Makes an instance of the profit, the weight and the number of copies of each item,
/// profits[items], weights[items] and copies[items]; NULL for copies stands for one of each,
/// UINT64_MAX for as many as fit. Profits, weights and the capacity may be 0; the capacity and the
/// sums over all copies that fit alone are below 2^63. As many as fit of an item that weighs
/// nothing and is worth something are refused: there would be no most profit. With profits that
/// equal the weights it is subset sum. The arrays are copied. To be freed with
/// ::mks_knapsack_instance_free. Since 0.1.
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
    unsafe { pointer::make(instance, build) }
}

/// Reads an instance from text[length] in UTF-8, which needs no NUL: "n", then n lines of an index,
/// a profit and a weight, then the capacity; or "n capacity", then n lines of a weight (subset
/// sum), of a profit and a weight, or of a profit, a weight and a number of copies, which may be
/// "inf". To be freed with ::mks_knapsack_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_knapsack_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_knapsack_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { pointer::parse(text, length, instance, build) }
}

/// Reads an instance from a file, named in the operating system's encoding (UTF-8 on Windows), in
/// the formats of ::mks_knapsack_instance_parse. To be freed with ::mks_knapsack_instance_free.
/// Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_knapsack_instance,
) -> mks_status {
    let build = |path| Ok(mks_knapsack_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { pointer::read(path, instance, build) }
}

/// Number of items. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_items(
    instance: *const mks_knapsack_instance,
    items: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, items, "items", |handle| Ok(handle.instance.items())) }
}

/// The capacity. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_capacity(
    instance: *const mks_knapsack_instance,
    capacity: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, capacity, "capacity", |handle| Ok(handle.instance.capacity())) }
}

/// Copies the profits to profits[capacity]; the capacity must be at least the number of items.
/// Since 0.1.
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

/// Copies the weights to weights[capacity]; the capacity must be at least the number of items.
/// Since 0.1.
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

/// Copies the numbers of copies to copies[capacity]; the capacity must be at least the number of
/// items. Since 0.1.
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

/// Frees an instance; NULL is harmless. Results made from it stay valid. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_instance_free(instance: *mut mks_knapsack_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_knapsack_instance::free(instance) };
}

/// Fills in the defaults; `size` is sizeof(mks_knapsack_options). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_options_init(
    options: *mut mks_knapsack_options,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(options, size) }
}

fn convert(given: &mks_knapsack_options) -> Result<Options> {
    let method = choice(
        "options.method",
        given.method,
        &[
            (mks_knapsack_method::Auto as i32, Method::Auto),
            (mks_knapsack_method::Greedy as i32, Method::Greedy),
            (mks_knapsack_method::Core as i32, Method::Core),
            (mks_knapsack_method::Dense as i32, Method::Dense),
        ],
    )?;
    Ok(Options { method })
}

/// Refuses a method that is none of these.
fn check_unused(given: &mks_knapsack_options, methods: &[Method]) -> Result<()> {
    match convert(given)?.method {
        method if methods.contains(&method) => Ok(()),
        method => Err(Failure::argument(
            "options.method",
            format!("{} is not for this function", method.name()),
        )),
    }
}

/// Finds the most profit that fits; it is the result's objective, and the result's bound is an
/// upper one. Options may be NULL for the defaults. There always is a solution, even if a limit or
/// a stop request ends the solve at once. An iteration is one of the two dynamic programs. Several
/// threads may solve on one context. The result is to be freed with ::mks_result_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_solve(
    context: *const mks_context,
    instance: *const mks_knapsack_instance,
    options: *const mks_knapsack_options,
    solve_options: *const mks_solve_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run =
        |context: &Context, handle: &mks_knapsack_instance, options: &_, solve_options: &_| {
            // A callback may free the instance.
            let instance = Arc::clone(&handle.instance);
            let outcome = solve(context, &instance, &convert(options)?, solve_options)?;
            Ok(mks_result::new(outcome, |solution| solution))
        };
    // SAFETY: the header demands valid handles, initialised structs and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, solve_options, result, run) }
}

/// Copies how many copies of each item the solution of ::mks_knapsack_solve takes to
/// counts[capacity]; the capacity must be at least the number of items. Since 0.1.
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

/// Finds the most profit for every capacity from 0 to the instance's, by the dense table; the last
/// one is the result's objective. ::MKS_STATUS_OUT_OF_MEMORY if the table exceeds the memory limit.
/// Options may be NULL; a method other than ::MKS_KNAPSACK_METHOD_AUTO and
/// ::MKS_KNAPSACK_METHOD_DENSE is refused. If a limit or a stop request comes first, there are no
/// values. The result is to be freed with ::mks_result_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_profile(
    context: *const mks_context,
    instance: *const mks_knapsack_instance,
    options: *const mks_knapsack_options,
    solve_options: *const mks_solve_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run =
        |context: &Context, handle: &mks_knapsack_instance, options: &_, solve_options: &_| {
            check_unused(options, &[Method::Auto, Method::Dense])?;
            let instance = Arc::clone(&handle.instance);
            Ok(mks_result::new(profile(context, &instance, solve_options)?, |profile| profile))
        };
    // SAFETY: the header demands valid handles, initialised structs and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, solve_options, result, run) }
}

/// Copies the most profit of each capacity, from 0 on, to values[length]; the length must be at
/// least the instance's capacity + 1. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_profile_values(
    result: *const mks_result,
    values: *mut u64,
    length: usize,
) -> mks_status {
    let copy =
        |result: &mks_result, out: OutArray<_>| out.write(result.solution::<Profile>()?.values());
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, values, length, "values", copy) }
}

/// Solves many knapsacks to optimality that have the weights, copies and capacity of an instance
/// and their own profits, as the pricing of column generation asks for them. profits[instances *
/// items] holds those of one instance after the other, which may be 0; those of `instance` itself
/// are not looked at. A capacity of 2^29 or more times the common divisor of the weights is
/// ::MKS_STATUS_UNSUPPORTED. Profits of an instance that have a sum of 2^63 or more, with all
/// copies that fit, are ::MKS_STATUS_INVALID_ARGUMENT, which names the first of them. An item that
/// weighs nothing may be unbounded if it is worth nothing. Without items every instance is worth 0.
/// The result's objective is the sum over all, none beyond 64 bits; if a limit or a stop request
/// comes first, there is no solution. An iteration is one instance. Options may be NULL; a method
/// other than ::MKS_KNAPSACK_METHOD_AUTO is refused. The result is to be freed with
/// ::mks_result_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_knapsack_solve_batch(
    context: *const mks_context,
    instance: *const mks_knapsack_instance,
    profits: *const u64,
    instances: usize,
    options: *const mks_knapsack_options,
    solve_options: *const mks_solve_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run =
        |context: &Context, handle: &mks_knapsack_instance, options: &_, solve_options: &_| {
            check_unused(options, &[Method::Auto])?;
            let instance = Arc::clone(&handle.instance);
            let many = || Failure::argument("instances", format!("{instances} is too many"));
            let numbers = instances.checked_mul(instance.items()).ok_or_else(many)?;
            // SAFETY: the header demands that many elements, or NULL.
            let profits = unsafe { pointer::copy(profits, numbers, "profits") }?;
            let outcome = solve_instances(context, &instance, instances, &profits, solve_options)?;
            Ok(mks_result::new(outcome, |batch| batch))
        };
    // SAFETY: the header demands valid handles, initialised structs and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, solve_options, result, run) }
}

/// Copies the most profit of each instance of ::mks_knapsack_solve_batch to profits[length]; the
/// length must be at least the number of instances. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_batch_profits(
    result: *const mks_result,
    profits: *mut u64,
    length: usize,
) -> mks_status {
    let copy =
        |result: &mks_result, out: OutArray<_>| out.write(&result.solution::<Batch>()?.profits);
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, profits, length, "profits", copy) }
}

/// Copies how many copies of each item the solutions of ::mks_knapsack_solve_batch take, one
/// instance after the other, to counts[length]; the length must be at least the number of instances
/// times that of items. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_knapsack_batch_counts(
    result: *const mks_result,
    counts: *mut u32,
    length: usize,
) -> mks_status {
    let copy =
        |result: &mks_result, out: OutArray<_>| out.write(&result.solution::<Batch>()?.counts);
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, counts, length, "counts", copy) }
}
