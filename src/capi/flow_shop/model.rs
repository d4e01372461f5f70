//! Set-ups, release times, blocking, due dates, weights and objectives of instances as handles.

use std::ffi::c_char;

use super::instance::mks_flow_shop_instance;
use crate::capi::convert::c_string;
use crate::capi::guard::guard;
use crate::capi::handle::{Handle, get, get_list, view};
use crate::capi::pointer::{self, Out, OutArray};
use crate::capi::status::{Failure, Result, mks_status};
use crate::flow_shop::{Instance, Objective, Setups};
use crate::memory;

/// Body of a function that makes a changed copy.
///
/// # Safety
/// That of [`get`].
unsafe fn with(
    instance: *const mks_flow_shop_instance,
    changed: *mut *mut mks_flow_shop_instance,
    change: impl FnOnce(Instance) -> Result<Instance>,
) -> mks_status {
    let value = |handle: &mks_flow_shop_instance| {
        let changed = change(Instance::clone(&handle.instance))?;
        Ok(mks_flow_shop_instance::new(changed).give())
    };
    // SAFETY: the caller's promise.
    unsafe { get(instance, changed, "changed", value) }
}

/// Creates a copy of an instance with set-ups between jobs on each machine. setups[count] is one matrix
/// for all machines, of jobs * jobs elements, or one for each machine, one after the other. Row i and
/// column j of a matrix is the set-up for job j directly after job i, which may be done before job j
/// arrives.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_setups(
    instance: *const mks_flow_shop_instance,
    setups: *const u64,
    count: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let setups = unsafe { pointer::narrowed(setups, count, "setups") }?;
        let setups = Setups::between_jobs(instance.jobs(), setups)?;
        Ok(instance.with_setups(setups)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// ::mks_flow_shop_instance_with_setups for jobs of families: family_of[jobs] is the family of each job,
/// from 0 and below `families`, and a matrix has families * families elements.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_family_setups(
    instance: *const mks_flow_shop_instance,
    family_of: *const u32,
    jobs: usize,
    families: usize,
    setups: *const u64,
    count: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let family_of = unsafe { pointer::copy(family_of, jobs, "family_of") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let setups = unsafe { pointer::narrowed(setups, count, "setups") }?;
        let setups = Setups::between_families(families, family_of, setups)?;
        Ok(instance.with_setups(setups)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// Creates a copy of an instance with set-ups in which machines are also set up for their first job:
/// first_setups[count] is one row for all machines, with an element for each job, or for each family
/// where set-ups are between families; or a row for each machine.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_first_setups(
    instance: *const mks_flow_shop_instance,
    first_setups: *const u64,
    count: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let first = unsafe { pointer::narrowed(first_setups, count, "first_setups") }?;
        let setups = setups_of(&instance)?.with_first(first)?;
        Ok(instance.with_setups(setups)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// ::mks_flow_shop_instance_with_first_setups after a running plan: last_kinds[machines] is the job that
/// each machine has done last, or its family where set-ups are between families. The machine is set up
/// for its first job as after that job. Either call replaces what the other one gave.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_last_kinds(
    instance: *const mks_flow_shop_instance,
    last_kinds: *const u32,
    machines: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let last_kinds = unsafe { pointer::copy(last_kinds, machines, "last_kinds") }?;
        let setups = setups_of(&instance)?.after(last_kinds)?;
        Ok(instance.with_setups(setups)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// The set-ups that an instance has already.
fn setups_of(instance: &Instance) -> Result<Setups> {
    let missing = || Failure::argument("instance", "has no set-ups");
    instance.setups().cloned().ok_or_else(missing)
}

/// Creates a copy of an instance with release_times[jobs]: no job starts before its release time.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_release_times(
    instance: *const mks_flow_shop_instance,
    release_times: *const u64,
    jobs: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let release_times = unsafe { pointer::narrowed(release_times, jobs, "release_times") }?;
        Ok(instance.with_release_times(release_times)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// Creates a copy of an instance with due_dates[jobs], from -2^53 to 2^53. Negative ones belong to jobs
/// that are late already.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_due_dates(
    instance: *const mks_flow_shop_instance,
    due_dates: *const i64,
    jobs: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let due_dates = unsafe { pointer::copy(due_dates, jobs, "due_dates") }?;
        Ok(instance.with_due_dates(due_dates)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// Creates a copy of an instance with weights[jobs] for the weighted criteria.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_weights(
    instance: *const mks_flow_shop_instance,
    weights: *const u64,
    jobs: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { pointer::narrowed(weights, jobs, "weights") }?;
        Ok(instance.with_weights(weights)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// Creates a copy of an instance with the sequence that the plant follows now, running_plan[count], which
/// may lack new jobs. The criteria "inversions" and "new-predecessors" compare with it.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_running_plan(
    instance: *const mks_flow_shop_instance,
    running_plan: *const u32,
    count: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let running_plan = unsafe { pointer::copy(running_plan, count, "running_plan") }?;
        Ok(instance.with_running_plan(running_plan)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// Creates a copy of an instance without buffers: a job stays on its machine, and blocks it, until the
/// next machine is free and set up for it.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_blocking(
    instance: *const mks_flow_shop_instance,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, |instance| Ok(instance.with_blocking()?)) }
}

/// Creates a copy of an instance with another objective than the makespan. Its text names criteria:
///
/// - "makespan"; "total-flow-time" and "weighted-flow-time", from release to end;
/// - "total-tardiness", "weighted-tardiness", "max-lateness" and "late-jobs", which need due dates;
/// - "inversions" (pairs of jobs whose order is not that of the running plan) and "new-predecessors"
///   (jobs that follow another job than there).
///
/// Criteria are added with factors, and up to four stages are separated by commas, the most important
/// first: "late-jobs,total-tardiness+5*inversions".
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_objective(
    instance: *const mks_flow_shop_instance,
    objective: *const c_char,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let change = |instance: Instance| {
        // SAFETY: the header demands a string or NULL.
        let text = unsafe { pointer::text(objective, "objective") }?;
        Ok(instance.with_objective(Objective::parse(text)?)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { with(instance, changed, change) }
}

/// The sizes of the set-ups: the number of matrices, the number of rows of each, which is that of jobs or
/// of families, and the number of rows of first set-ups. All are 0 without set-ups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_setup_sizes(
    instance: *const mks_flow_shop_instance,
    matrices: *mut usize,
    kinds: *mut usize,
    first_rows: *mut usize,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let handle = unsafe { mks_flow_shop_instance::borrow(instance) }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let matrices = unsafe { Out::new(matrices, "matrices") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let kinds = unsafe { Out::new(kinds, "kinds") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let first_rows = unsafe { Out::new(first_rows, "first_rows") }?;
        let sizes = handle.instance.setups().map(|setups| {
            let kinds = setups.kinds();
            [setups.times().len() / (kinds * kinds), kinds, setups.first().len() / kinds]
        });
        let [given_matrices, given_kinds, given_rows] = sizes.unwrap_or_default();
        matrices.write(given_matrices);
        kinds.write(given_kinds);
        first_rows.write(given_rows);
        Ok(())
    })
}

/// Copies the set-ups to setups[matrices * kinds * kinds], matrix by matrix; see
/// ::mks_flow_shop_instance_setup_sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_setups(
    instance: *const mks_flow_shop_instance,
    setups: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_flow_shop_instance, out: OutArray<u64>| {
        out.write_wide(handle.instance.setups().map_or(&[], Setups::times))
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, setups, capacity, "setups", copy) }
}

/// Copies the first set-ups to first_setups[first_rows * kinds], row by row; see
/// ::mks_flow_shop_instance_setup_sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_first_setups(
    instance: *const mks_flow_shop_instance,
    first_setups: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_flow_shop_instance, out: OutArray<u64>| {
        out.write_wide(handle.instance.setups().map_or(&[], Setups::first))
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, first_setups, capacity, "first_setups", copy) }
}

/// Copies the release times to release_times[jobs]; all are 0 unless they were given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_release_times(
    instance: *const mks_flow_shop_instance,
    release_times: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy =
        |handle: &mks_flow_shop_instance, out: OutArray<u64>| match handle.instance.release_times()
        {
            [] => out.write(&memory::zeroed(handle.instance.jobs())?),
            times => out.write_wide(times),
        };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, release_times, capacity, "release_times", copy) }
}

/// Copies the weights to weights[jobs]; all are 1 unless they were given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_weights(
    instance: *const mks_flow_shop_instance,
    weights: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_flow_shop_instance, out: OutArray<u64>| match handle.instance.weights()
    {
        [] => out.write(&memory::filled(1, handle.instance.jobs())?),
        weights => out.write_wide(weights),
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, weights, capacity, "weights", copy) }
}

/// The family of each job: family_of[count], empty unless set-ups are between families.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_families_view(
    instance: *const mks_flow_shop_instance,
    family_of: *mut *const u32,
    count: *mut usize,
) -> mks_status {
    let of = |handle: &'static mks_flow_shop_instance| {
        Ok(handle.instance.setups().map_or(&[][..], Setups::families))
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, family_of, count, "family_of", of) }
}

/// The job or family that each machine is set up for at the beginning: last_kinds[count], empty unless
/// it was given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_last_kinds_view(
    instance: *const mks_flow_shop_instance,
    last_kinds: *mut *const u32,
    count: *mut usize,
) -> mks_status {
    let of = |handle: &'static mks_flow_shop_instance| {
        Ok(handle.instance.setups().map_or(&[][..], Setups::last_kinds))
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, last_kinds, count, "last_kinds", of) }
}

/// The due dates of the jobs: due_dates[count], empty unless they were given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_due_dates_view(
    instance: *const mks_flow_shop_instance,
    due_dates: *mut *const i64,
    count: *mut usize,
) -> mks_status {
    let of = |handle: &'static mks_flow_shop_instance| Ok(handle.instance.due_dates());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, due_dates, count, "due_dates", of) }
}

/// The sequence that the plant follows now: running_plan[count], empty unless it was given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_running_plan_view(
    instance: *const mks_flow_shop_instance,
    running_plan: *mut *const u32,
    count: *mut usize,
) -> mks_status {
    let of = |handle: &'static mks_flow_shop_instance| Ok(handle.instance.running_plan());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, running_plan, count, "running_plan", of) }
}

/// Sets *blocking to 1 if there are no buffers between the machines, else to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_blocking(
    instance: *const mks_flow_shop_instance,
    blocking: *mut i32,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(instance, blocking, "blocking", |handle| Ok(handle.instance.has_blocking().into()))
    }
}

/// The objective as ::mks_flow_shop_instance_with_objective reads it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_objective(
    instance: *const mks_flow_shop_instance,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let handle = unsafe { mks_flow_shop_instance::borrow(instance) }?;
        // SAFETY: the header demands room for that many bytes, or NULL.
        let out = unsafe { OutArray::new(text, capacity, "text") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let length = unsafe { Out::new(length, "length") }?;
        let objective = c_string(&handle.instance.objective().to_string());
        out.write_text(&objective);
        length.write(objective.as_bytes().len());
        Ok(())
    })
}

/// Number of stages of the objective.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_stages(
    instance: *const mks_flow_shop_instance,
    stages: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(instance, stages, "stages", |handle| Ok(handle.instance.objective().stages().len()))
    }
}
