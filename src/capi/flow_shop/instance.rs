//! Instances of the flow shop as handles.

use std::ffi::c_char;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Error;
use crate::capi::handle::{self, Handle, get, get_list, view};
use crate::capi::pointer::{self, OutArray};
use crate::capi::status::{Failure, Result, mks_status};
use crate::flow_shop::{Format, Instance};

/// Jobs that pass all machines in the same sequence, with a processing time on each machine.
pub struct mks_flow_shop_instance {
    pub(super) instance: Arc<Instance>,
}

impl Handle for mks_flow_shop_instance {
    const NAME: &'static str = "mks_flow_shop_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_flow_shop_instance {
    pub(super) fn new(instance: Instance) -> Self {
        mks_flow_shop_instance { instance: Arc::new(instance) }
    }
}

/// # Safety
/// `times` is NULL or has jobs * machines elements.
pub(super) unsafe fn build(times: *const u64, jobs: usize, machines: usize) -> Result<Instance> {
    let count = jobs.checked_mul(machines).ok_or_else(|| {
        Failure::argument("times", format!("can't have {jobs} times {machines} elements"))
    })?;
    // SAFETY: the caller's promise.
    let times = unsafe { pointer::narrowed(times, count, "times") }?;
    Ok(Instance::new(jobs, machines, times)?)
}

/// Creates an instance from times[jobs * machines], all machines of job 0 first, with at least one
/// job and one machine. Times are whole numbers in any unit; no schedule may last 2^31 or longer.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_create(
    times: *const u64,
    jobs: usize,
    machines: usize,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    // SAFETY: the header demands that many elements, or NULL.
    let build = || Ok(mks_flow_shop_instance::new(unsafe { build(times, jobs, machines) }?));
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Reads an instance from text[length], in one of these formats:
///
/// - Taillard's;
/// - "jobs machines", then for each machine a line with a time for each job;
/// - "jobs machines", then for each job a line with a time, or a machine's number and a time, for
///   each machine;
/// - for each job a line with a time for each machine, and nothing else;
/// - the numbers of jobs and of machines; for each job a line with a time for each machine; then for
///   each machine a line for each job with the set-ups after it for each job;
/// - the numbers of jobs and of machines; the due dates; for each job a line with a time for each
///   machine. The objective is the total tardiness.
///
/// Texts that fit an earlier one are not read as one of the last two.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_flow_shop_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_flow_shop_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let build = |path| Ok(mks_flow_shop_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// ::mks_flow_shop_instance_parse of one format alone: "taillard", "vrf" (a line with the numbers of
/// jobs and of machines first), "matrix", "setups", "due-dates"; or "auto" for the first that fits.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_parse_as(
    text: *const c_char,
    length: usize,
    format: *const c_char,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let build = |text: &str| {
        // SAFETY: the header demands a string or NULL.
        let format = unsafe { format_named(format) }?;
        Ok(mks_flow_shop_instance::new(Instance::parse_as(text, format)?))
    };
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_flow_shop_instance_parse_as of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_read_as(
    path: *const c_char,
    format: *const c_char,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let build = |path: PathBuf| {
        // SAFETY: the header demands a string or NULL.
        let format = unsafe { format_named(format) }?;
        Ok(mks_flow_shop_instance::new(Instance::read_as(path, format)?))
    };
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// # Safety
/// That of [`pointer::text`].
unsafe fn format_named(name: *const c_char) -> Result<Format> {
    // SAFETY: the caller's promise.
    let name = unsafe { pointer::text(name, "format") }?;
    let known = || Format::ALL.map(Format::name).join(", ");
    let found = Format::ALL.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| Failure::argument("format", format!("is none of {}", known())))
}

/// Creates a well-known instance: "ta001" to "ta120" of Taillard 1993.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_named(
    name: *const c_char,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands a string or NULL.
        let name = unsafe { pointer::text(name, "name") }?;
        let unknown = || Error::argument("name", "is no known instance; ta001 to ta120 are known");
        Ok(mks_flow_shop_instance::new(Instance::named(name).ok_or_else(unknown)?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Creates a copy of an instance with ready_times[machines]: each machine does nothing before its
/// ready time.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_ready_times(
    instance: *const mks_flow_shop_instance,
    ready_times: *const u64,
    machines: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let value = |handle: &mks_flow_shop_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let ready_times = unsafe { pointer::narrowed(ready_times, machines, "ready_times") }?;
        let changed = Instance::clone(&handle.instance).with_ready_times(ready_times)?;
        Ok(mks_flow_shop_instance::new(changed).give())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, changed, "changed", value) }
}

/// Creates a copy of an instance in which every sequence begins with the jobs pinned[count], which
/// have been released already.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_pinned(
    instance: *const mks_flow_shop_instance,
    pinned: *const u32,
    count: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let value = |handle: &mks_flow_shop_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let pinned = unsafe { pointer::copy(pinned, count, "pinned") }?;
        let changed = Instance::clone(&handle.instance).with_pinned(pinned)?;
        Ok(mks_flow_shop_instance::new(changed).give())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, changed, "changed", value) }
}

/// Number of jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_jobs(
    instance: *const mks_flow_shop_instance,
    jobs: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, jobs, "jobs", |handle| Ok(handle.instance.jobs())) }
}

/// Number of machines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_machines(
    instance: *const mks_flow_shop_instance,
    machines: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, machines, "machines", |handle| Ok(handle.instance.machines())) }
}

/// Copies the processing times to times[jobs * machines], all machines of job 0 first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_times(
    instance: *const mks_flow_shop_instance,
    times: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_flow_shop_instance, out: OutArray<u64>| {
        out.write_wide(handle.instance.times())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, times, capacity, "times", copy) }
}

/// Copies the ready times to ready_times[machines]; all are 0 unless they were given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_ready_times(
    instance: *const mks_flow_shop_instance,
    ready_times: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_flow_shop_instance, out: OutArray<u64>| {
        out.write_wide(handle.instance.ready_times())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, ready_times, capacity, "ready_times", copy) }
}

/// The jobs at the beginning of every sequence: pinned[count].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_pinned_view(
    instance: *const mks_flow_shop_instance,
    pinned: *mut *const u32,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, pinned, count, "pinned", |handle| Ok(handle.instance.pinned())) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_free(instance: *mut mks_flow_shop_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_flow_shop_instance::free(instance) };
}
