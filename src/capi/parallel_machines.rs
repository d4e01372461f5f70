//! P||Cmax.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use super::context::mks_context;
use super::guard::guard;
use super::handle::{self, Handle, get, get_list, view};
use super::options::mks_options;
use super::pointer::{self, Out, OutArray};
use super::result::mks_result;
use super::solution::Solution;
use super::solve::{Plain, Solve, SolveBatch, solve, solve_alone, solve_batch};
use super::status::{Failure, Result, mks_status};
use crate::Context;
use crate::parallel_machines::{self, Instance, Options, Schedule};

/// Jobs with processing times, to be run on identical machines.
pub struct mks_parallel_machines_instance {
    instance: Arc<Instance>,
}

impl Handle for mks_parallel_machines_instance {
    const NAME: &'static str = "mks_parallel_machines_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_parallel_machines_instance {
    fn new(instance: Instance) -> Self {
        mks_parallel_machines_instance { instance: Arc::new(instance) }
    }
}

fn machine_count(machines: usize) -> Result<u32> {
    let beyond = || Failure::argument("machines", format!("is {machines}, 2^32 or more"));
    u32::try_from(machines).map_err(|_| beyond())
}

/// A schedule with its instance, from which start times are computed on request.
pub(super) struct Planned {
    schedule: Schedule,
    instance: Arc<Instance>,
}

impl Solution for Planned {
    const PROBLEM: &'static CStr = c"parallel_machines";
}

impl Plain for mks_parallel_machines_instance {
    type Instance = Instance;
    type Options = Options;
    type Found = Schedule;
    type Kept = Planned;

    const SOLVE: Solve<Self> = parallel_machines::solve;
    const SOLVE_BATCH: SolveBatch<Self> = parallel_machines::solve_batch;

    fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    fn keep(schedule: Schedule, instance: &Arc<Instance>) -> Planned {
        Planned { schedule, instance: Arc::clone(instance) }
    }
}

/// Plans jobs on identical machines so that the last one ends as early as possible. The simplest
/// call. times[jobs] are the processing times, whole numbers in any unit with a sum below 2^63. On
/// success assignment[jobs] holds the machine of each job, numbered from 0, *makespan the time at
/// which the last job ends, and *bound a proved lower bound on every makespan.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_parallel_machines(
    times: *const u64,
    jobs: usize,
    machines: usize,
    time_limit_seconds: f64,
    assignment: *mut u32,
    makespan: *mut i64,
    bound: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let times = unsafe { pointer::copy(times, jobs, "times") }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let assignment = unsafe { OutArray::new(assignment, jobs, "assignment") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let makespan = unsafe { Out::new(makespan, "makespan") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let bound = unsafe { Out::new(bound, "bound") }?;
        let instance = Instance::new(times, machine_count(machines)?)?;
        let run = |context: &Context, limits: &_| {
            parallel_machines::solve(context, &instance, &Options::default(), limits)
        };
        let (schedule, objective, proved) = solve_alone(time_limit_seconds, run)?;
        assignment.write(schedule.assignment())?;
        makespan.write(objective);
        let proved = proved.ok_or_else(|| Failure::not_available("bound"))?;
        bound.write(proved);
        Ok(())
    })
}

/// Creates an instance from the processing times times[jobs], whole numbers in any unit with a sum
/// below 2^63, and at least one machine.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_parallel_machines_instance_create(
    times: *const u64,
    jobs: usize,
    machines: usize,
    instance: *mut *mut mks_parallel_machines_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let times = unsafe { pointer::copy(times, jobs, "times") }?;
        Ok(mks_parallel_machines_instance::new(Instance::new(times, machine_count(machines)?)?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Reads an instance from text[length], in one of two formats: "p p_cmax n m", then n times and a
/// closing 0; or "m n", then n times.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_parallel_machines_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_parallel_machines_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_parallel_machines_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_parallel_machines_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_parallel_machines_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_parallel_machines_instance,
) -> mks_status {
    let build = |path| Ok(mks_parallel_machines_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// Creates a copy of an instance in which job pinned[k] runs on machine machines[k] in every
/// schedule, because it runs there already: pinned[count] and machines[count], each job once.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_parallel_machines_instance_with_pinned(
    instance: *const mks_parallel_machines_instance,
    pinned: *const u32,
    machines: *const u32,
    count: usize,
    changed: *mut *mut mks_parallel_machines_instance,
) -> mks_status {
    let value = |handle: &mks_parallel_machines_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let pinned = unsafe { pointer::copy(pinned, count, "pinned") }?;
        // SAFETY: as above.
        let machines = unsafe { pointer::copy(machines, count, "machines") }?;
        let changed = Instance::clone(&handle.instance).with_pinned(pinned, machines)?;
        Ok(mks_parallel_machines_instance::new(changed).give())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, changed, "changed", value) }
}

/// Number of jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_instance_jobs(
    instance: *const mks_parallel_machines_instance,
    jobs: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, jobs, "jobs", |instance| Ok(instance.instance.jobs())) }
}

/// Number of machines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_instance_machines(
    instance: *const mks_parallel_machines_instance,
    machines: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(instance, machines, "machines", |instance| Ok(instance.instance.machines() as usize))
    }
}

/// Copies the processing times to times[jobs].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_instance_times(
    instance: *const mks_parallel_machines_instance,
    times: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_parallel_machines_instance, out: OutArray<_>| {
        out.write(handle.instance.times())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, times, capacity, "times", copy) }
}

/// The jobs that are pinned to machines: pinned[count].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_instance_pinned_view(
    instance: *const mks_parallel_machines_instance,
    pinned: *mut *const u32,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, pinned, count, "pinned", |handle| Ok(handle.instance.pinned())) }
}

/// The machine of each job of ::mks_parallel_machines_instance_pinned_view: machines[count].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_instance_pinned_machines_view(
    instance: *const mks_parallel_machines_instance,
    machines: *mut *const u32,
    count: *mut usize,
) -> mks_status {
    let of =
        |handle: &'static mks_parallel_machines_instance| Ok(handle.instance.pinned_machines());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, machines, count, "machines", of) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_instance_free(
    instance: *mut mks_parallel_machines_instance,
) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_parallel_machines_instance::free(instance) };
}

/// Finds a short schedule and proves a lower bound on the makespan. The result always has a
/// schedule, even if a limit or a stop request ends the solve at once. An iteration is one table of
/// the approximation scheme, or one attempt to find a schedule for a target or to refute it.
/// ::MKS_STATUS_UNSUPPORTED if a device is asked for and the method has no kernels, and for the
/// method "ptas" with pinned jobs.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_parallel_machines_solve(
    context: *const mks_context,
    instance: *const mks_parallel_machines_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve(context, instance, options, result) }
}

/// ::mks_parallel_machines_solve for many instances; see BATCHES.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_parallel_machines_solve_batch(
    context: *const mks_context,
    instances: *const *mut mks_parallel_machines_instance,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve_batch(context, instances, count, options, results) }
}

/// Checks a schedule in which job j runs on machine assignment[j], with assignment[jobs], and sets
/// *makespan to the time at which its last job ends. Returns ::MKS_STATUS_INVALID_ARGUMENT if a
/// machine does not exist, or if a pinned job is on another machine; the last error names the first
/// such job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_check(
    instance: *const mks_parallel_machines_instance,
    assignment: *const u32,
    jobs: usize,
    makespan: *mut i64,
) -> mks_status {
    let value = |handle: &mks_parallel_machines_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let assignment = unsafe { pointer::copy(assignment, jobs, "assignment") }?;
        Ok(Schedule::new(assignment).makespan(&handle.instance)?.cast_signed())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, makespan, "makespan", value) }
}

/// Copies the machine of each job, numbered from 0, to machines[jobs].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_assignment(
    result: *const mks_result,
    machines: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        out.write(result.solution::<Planned>()?.schedule.assignment())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, machines, capacity, "machines", copy) }
}

/// Copies the start time of each job to starts[jobs]. Each machine runs its jobs without pause in
/// the order of their numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_parallel_machines_starts(
    result: *const mks_result,
    starts: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let planned: &Planned = result.solution()?;
        out.write(&planned.schedule.starts(&planned.instance)?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, starts, capacity, "starts", copy) }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use proptest::prelude::*;

    use super::*;

    /// Parses, reads the times and frees.
    fn parse(text: &[u8]) -> (mks_status, Vec<u64>) {
        let mut instance = ptr::null_mut();
        // SAFETY: the text and the output are valid.
        let status = unsafe {
            mks_parallel_machines_instance_parse(text.as_ptr().cast(), text.len(), &mut instance)
        };
        assert_eq!(instance.is_null(), status != mks_status::Ok);
        let (mut jobs, mut times) = (0, Vec::new());
        // SAFETY: the instance is NULL, an error, or just made.
        if unsafe { mks_parallel_machines_instance_jobs(instance, &mut jobs) } == mks_status::Ok {
            times.resize(jobs, 0);
            // SAFETY: there is as much room as the length says.
            let read =
                unsafe { mks_parallel_machines_instance_times(instance, times.as_mut_ptr(), jobs) };
            assert_eq!(read, mks_status::Ok);
        }
        // SAFETY: NULL or just made.
        unsafe { mks_parallel_machines_instance_free(instance) };
        (status, times)
    }

    /// Words that come close to an instance.
    fn words() -> impl Strategy<Value = String> {
        let number = prop_oneof![0..9u64, any::<u64>()].prop_map(|number| number.to_string());
        let word = prop_oneof![8 => number, 1 => "[ -~]{0,4}", 1 => Just("\n".to_owned())];
        (any::<bool>(), prop::collection::vec(word, 0..12)).prop_map(|(tagged, words)| {
            let tag = if tagged { "p p_cmax " } else { "" };
            tag.to_owned() + &words.join(" ")
        })
    }

    proptest! {
        #[test]
        fn random_bytes_are_parsed_or_refused(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let known = [mks_status::Ok, mks_status::InvalidArgument, mks_status::Parse];
            prop_assert!(known.contains(&parse(&text).0));
        }

        #[test]
        fn random_words_are_parsed_or_refused(text in words()) {
            let known = [mks_status::Ok, mks_status::Parse, mks_status::Overflow];
            prop_assert!(known.contains(&parse(text.as_bytes()).0));
        }

        #[test]
        fn what_is_written_is_read(times in prop::collection::vec(0..1u64 << 32, 0..50), machines in 1..9u32) {
            let list: Vec<String> = times.iter().map(u64::to_string).collect();
            let text = format!("{machines} {}\n{}", times.len(), list.join(" "));
            prop_assert_eq!(parse(text.as_bytes()), (mks_status::Ok, times));
        }
    }
}
