//! F|prmu|Cmax, the permutation flow shop.

pub(super) mod instance;

use std::ffi::CStr;
use std::sync::Arc;

use self::instance::{build, mks_flow_shop_instance};
use super::context::mks_context;
use super::guard::guard;
use super::options::mks_options;
use super::pointer::{self, Out, OutArray, get, get_list};
use super::result::{Solution, mks_result};
use super::solve::{in_order, references, solve_alone, solve_batch_with, solve_with};
use super::status::{Failure, mks_status};
use crate::Context;
use crate::flow_shop::{Instance, Options, Permutation, solve, solve_batch};

/// A sequence with its instance, from which start times are computed on request.
struct Planned {
    permutation: Permutation,
    instance: Arc<Instance>,
}

impl Solution for Planned {
    const PROBLEM: &'static CStr = c"flow_shop";
}

/// Sequences jobs that pass the machines 0, 1, ... in turn so that the last one ends as early as
/// possible. The simplest call. times[jobs * machines] are the processing times, all machines of
/// job 0 first, whole numbers in any unit; no schedule may last 2^31 or longer. On success
/// permutation[jobs] holds the jobs in their sequence, *makespan the time at which the last job
/// ends, and *bound a proved lower bound on every makespan.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop(
    times: *const u32,
    jobs: usize,
    machines: usize,
    time_limit_seconds: f64,
    permutation: *mut u32,
    makespan: *mut i64,
    bound: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let instance = unsafe { build(times, jobs, machines) }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let permutation = unsafe { OutArray::new(permutation, jobs, "permutation") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let makespan = unsafe { Out::new(makespan, "makespan") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let bound = unsafe { Out::new(bound, "bound") }?;
        let run =
            |context: &Context, limits: &_| solve(context, &instance, &Options::default(), limits);
        let (solution, objective, proved) = solve_alone(time_limit_seconds, run)?;
        permutation.write(solution.jobs())?;
        makespan.write(objective);
        let proved = proved.ok_or_else(|| Failure::not_available("bound"))?;
        bound.write(proved);
        Ok(())
    })
}

/// Finds a short schedule and proves a lower bound on the makespan. The result always has a
/// schedule, even if a limit or a stop request ends the solve at once, with one exception: branch
/// and bound proves that no schedule is shorter than the option upper_bound. Beam, iterated greedy
/// and tabu search, and thus "auto", refuse an iteration limit of 0. Branch and bound with an
/// iteration limit runs on the CPU only: with the device as engine it returns
/// ::MKS_STATUS_UNSUPPORTED.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_solve(
    context: *const mks_context,
    instance: *const mks_flow_shop_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context,
               handle: &mks_flow_shop_instance,
               options: &Options,
               solve_options: &_| {
        // A callback may free the instance.
        let instance = Arc::clone(&handle.instance);
        let outcome = solve(context, &instance, options, solve_options)?;
        Ok(mks_result::new(outcome, |permutation| Planned { permutation, instance }))
    };
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, result, run) }
}

/// ::mks_flow_shop_solve for many instances; see BATCHES.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_solve_batch(
    context: *const mks_context,
    instances: *const *mut mks_flow_shop_instance,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context, instances: &[Arc<Instance>], options: &_, solve_options: &_| {
        let outcomes = solve_batch(context, &references(instances)?, options, solve_options)?;
        let keep =
            |permutation, instance: &_| Planned { permutation, instance: Arc::clone(instance) };
        in_order(instances, outcomes, keep)
    };
    let (instances, share) =
        ((instances, count), |handle: &mks_flow_shop_instance| Arc::clone(&handle.instance));
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve_batch_with(context, instances, options, results, share, run) }
}

/// Evaluates a sequence: sets *makespan to the time at which the last job ends if the jobs pass the
/// machines in the order permutation[jobs]. `jobs` must be the instance's number of jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_makespan(
    instance: *const mks_flow_shop_instance,
    permutation: *const u32,
    jobs: usize,
    makespan: *mut i64,
) -> mks_status {
    let value = |handle: &mks_flow_shop_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let permutation = unsafe { pointer::copy(permutation, jobs, "permutation") }?;
        Ok(Permutation::new(permutation).makespan(&handle.instance)?.cast_signed())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, makespan, "makespan", value) }
}

/// Copies the jobs in their sequence to permutation[jobs].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_permutation(
    result: *const mks_result,
    permutation: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        out.write(result.solution::<Planned>()?.permutation.jobs())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, permutation, capacity, "permutation", copy) }
}

/// Copies the start times of the operations to starts[jobs * machines], all machines of job 0
/// first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_starts(
    result: *const mks_result,
    starts: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let planned: &Planned = result.solution()?;
        out.write(&planned.permutation.starts(&planned.instance)?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, starts, capacity, "starts", copy) }
}
