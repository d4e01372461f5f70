//! F|prmu|Cmax, the permutation flow shop.

pub(super) mod instance;
pub(super) mod model;
pub(super) mod units;
pub(super) mod upper_bound;
pub(super) mod values;

use std::ffi::CStr;
use std::sync::Arc;

use self::instance::{build, mks_flow_shop_instance};
use super::context::mks_context;
use super::guard::guard;
use super::handle::{get, get_list};
use super::options::mks_options;
use super::pointer::{self, Out, OutArray};
use super::result::mks_result;
use super::solution::Solution;
use super::solve::{Plain, Solve, SolveBatch, solve, solve_alone, solve_batch};
use super::status::{Failure, mks_status};
use crate::Context;
use crate::flow_shop::{self, Instance, Options, Permutation};

/// A sequence with its instance, from which start times are computed on request.
pub(in crate::capi) struct Planned {
    permutation: Permutation,
    instance: Arc<Instance>,
}

impl Solution for Planned {
    const PROBLEM: &'static CStr = c"flow_shop";
}

impl Plain for mks_flow_shop_instance {
    type Instance = Instance;
    type Options = Options;
    type Found = Permutation;
    type Kept = Planned;

    const SOLVE: Solve<Self> = flow_shop::solve;
    const SOLVE_BATCH: SolveBatch<Self> = flow_shop::solve_batch;

    fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    fn keep(permutation: Permutation, instance: &Arc<Instance>) -> Planned {
        Planned { permutation, instance: Arc::clone(instance) }
    }
}

/// Sequences jobs that pass the machines 0, 1, ... in turn so that the last one ends as early as
/// possible. The simplest call. times[jobs * machines] are the processing times, all machines of
/// job 0 first, whole numbers in any unit; no schedule may last 2^31 or longer. On success
/// permutation[jobs] holds the jobs in their sequence, *makespan the time at which the last job
/// ends, and *bound a proved lower bound on every makespan.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop(
    times: *const u64,
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
        let run = |context: &Context, limits: &_| {
            flow_shop::solve(context, &instance, &Options::default(), limits)
        };
        let (solution, objective, proved) = solve_alone(time_limit_seconds, run)?;
        permutation.write(solution.jobs())?;
        makespan.write(objective);
        let proved = proved.ok_or_else(|| Failure::not_available("bound"))?;
        bound.write(proved);
        Ok(())
    })
}

/// Finds a good schedule and proves a lower bound on the objective, which is the makespan unless the
/// instance has another one. The result always has a
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
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve(context, instance, options, result) }
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
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve_batch(context, instances, count, options, results) }
}

/// Checks a sequence, permutation[jobs], and sets *makespan to the time at which its last job ends.
/// Each job must come once, and pinned jobs must come first. Otherwise the call returns
/// ::MKS_STATUS_INVALID_ARGUMENT, and the last error names the first wrong position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_check(
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
