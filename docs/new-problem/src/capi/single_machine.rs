//! 1||sum w_j C_j, jobs with weights on a single machine.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use super::context::mks_context;
use super::guard::guard;
use super::handle::{self, Handle, get, get_list};
use super::options::mks_options;
use super::pointer::{self, Out, OutArray};
use super::progress::Asked;
use super::result::mks_result;
use super::solution::Solution;
use super::solve::{solve_alone, solve_with};
use super::status::{Failure, mks_status};
use crate::Context;
use crate::single_machine::{Instance, Options, Sequence, solve};

/// Jobs with times and weights.
pub struct mks_single_machine_instance {
    instance: Arc<Instance>,
}

impl Handle for mks_single_machine_instance {
    const NAME: &'static str = "mks_single_machine_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_single_machine_instance {
    fn new(instance: Instance) -> Self {
        mks_single_machine_instance { instance: Arc::new(instance) }
    }
}

impl Solution for Sequence {
    const PROBLEM: &'static CStr = c"single_machine";
}

/// Sequences jobs on one machine so that the sum of their completion times, each multiplied by the
/// job's weight, is least. The simplest call. times[jobs] are the processing times, from 1;
/// weights[jobs] are 0 or more. The sum of all times multiplied by that of all weights is below
/// 2^63. On success order[jobs] holds the jobs in their sequence, *cost the sum, and *bound a
/// proved lower bound on it. The two are equal unless time_limit_seconds is too short for a sort;
/// INFINITY sets no limit.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_single_machine(
    times: *const u64,
    weights: *const u64,
    jobs: usize,
    time_limit_seconds: f64,
    order: *mut u32,
    cost: *mut i64,
    bound: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let times = unsafe { pointer::copy(times, jobs, "times") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { pointer::copy(weights, jobs, "weights") }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let order = unsafe { OutArray::new(order, jobs, "order") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let cost = unsafe { Out::new(cost, "cost") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let bound = unsafe { Out::new(bound, "bound") }?;
        let instance = Instance::new(times, weights)?;
        let run =
            |context: &Context, limits: &_| solve(context, &instance, &Options::default(), limits);
        let (sequence, objective, proved) = solve_alone(time_limit_seconds, run)?;
        order.write(sequence.order())?;
        cost.write(objective);
        bound.write(proved.ok_or_else(|| Failure::not_available("bound"))?);
        Ok(())
    })
}

/// Creates an instance from the processing time, from 1, and the weight, from 0, of each job:
/// times[jobs] and weights[jobs]. The sum of all times multiplied by that of all weights is below
/// 2^63.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_single_machine_instance_create(
    times: *const u64,
    weights: *const u64,
    jobs: usize,
    instance: *mut *mut mks_single_machine_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let times = unsafe { pointer::copy(times, jobs, "times") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { pointer::copy(weights, jobs, "weights") }?;
        Ok(mks_single_machine_instance::new(Instance::new(times, weights)?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Reads an instance from text[length]: "n", then n lines of a time and a weight.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_single_machine_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_single_machine_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_single_machine_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_single_machine_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_single_machine_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_single_machine_instance,
) -> mks_status {
    let build = |path| Ok(mks_single_machine_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// Number of jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_single_machine_instance_jobs(
    instance: *const mks_single_machine_instance,
    jobs: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, jobs, "jobs", |handle| Ok(handle.instance.jobs())) }
}

/// Copies the processing times to times[jobs].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_single_machine_instance_times(
    instance: *const mks_single_machine_instance,
    times: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy =
        |handle: &mks_single_machine_instance, out: OutArray<_>| out.write(handle.instance.times());
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, times, capacity, "times", copy) }
}

/// Copies the weights to weights[capacity]; the capacity must be at least the number of jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_single_machine_instance_weights(
    instance: *const mks_single_machine_instance,
    weights: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_single_machine_instance, out: OutArray<_>| {
        out.write(handle.instance.weights())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, weights, capacity, "weights", copy) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_single_machine_instance_free(
    instance: *mut mks_single_machine_instance,
) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_single_machine_instance::free(instance) };
}

/// Finds the sequence of least cost. The cost is the result's objective. The result always has a
/// solution: if a limit or a stop request comes before the jobs are sorted, it is their order in
/// the instance. The sort is one iteration.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_single_machine_solve(
    context: *const mks_context,
    instance: *const mks_single_machine_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context,
               handle: &mks_single_machine_instance,
               options: &Options,
               asked: &Asked| {
        // A callback may free the instance.
        let instance = Arc::clone(&handle.instance);
        let outcome = solve(context, &instance, options, &asked.showing(Sequence::clone))?;
        Ok(mks_result::new(outcome, |sequence| sequence))
    };
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, result, run) }
}

/// Copies the jobs in their sequence, from a result of ::mks_single_machine_solve, to order[jobs].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_single_machine_order(
    result: *const mks_result,
    order: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy =
        |result: &mks_result, out: OutArray<_>| out.write(result.solution::<Sequence>()?.order());
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, order, capacity, "order", copy) }
}
