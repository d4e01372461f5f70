//! Units of work: parts of a proof for other threads, processes and machines.

use std::ffi::c_char;
use std::sync::OnceLock;

use super::instance::mks_flow_shop_instance;
use super::upper_bound::mks_flow_shop_upper_bound;
use crate::capi::context::{Call, mks_context};
use crate::capi::guard::guard;
use crate::capi::handle::{self, Handle, change, get, view};
use crate::capi::options::{self, mks_options};
use crate::capi::pointer::{self, Out, OutArray};
use crate::capi::status::{Failure, Result, mks_status};
use crate::flow_shop::units::{Tree, Unit};
use crate::flow_shop::{Instance, Options, Permutation};
use crate::memory::Gather;

/// A unit of work: a part of the proof of branch and bound. It consists of open nodes of the search
/// tree, the best schedule that it knows, and counts of the work done. A proof is one unit at first.
/// ::mks_flow_shop_unit_split makes disjoint parts. Threads, processes or machines work on them by
/// ::mks_flow_shop_unit_run. The proof is complete when all parts are done: no schedule is shorter
/// than the lowest of their limits. With the optimum as upper bound, the number of nodes is the same
/// for any parts and any order.
///
/// Any number of calls may read the same unit at once, but no other call may use it while a function
/// whose parameter is not const changes it.
pub struct mks_flow_shop_unit {
    unit: Unit,
    /// Made at the first request.
    bytes: OnceLock<Vec<u8>>,
}

impl Handle for mks_flow_shop_unit {
    const NAME: &'static str = "mks_flow_shop_unit";
    const ARGUMENT: &'static str = "unit";
}

impl mks_flow_shop_unit {
    fn new(unit: Unit) -> Self {
        mks_flow_shop_unit { unit, bytes: OnceLock::new() }
    }

    fn bytes(&self) -> Result<&[u8]> {
        if self.bytes.get().is_none() {
            // If another thread was faster, its bytes are the same.
            let _ = self.bytes.set(self.unit.to_bytes()?);
        }
        Ok(self.bytes.get().map_or(&[], Vec::as_slice))
    }

    /// The unit, for a change.
    fn changing(&mut self) -> &mut Unit {
        self.bytes = OnceLock::new();
        &mut self.unit
    }
}

/// Body of the functions that make a unit of an instance's tree.
///
/// # Safety
/// Handles are NULL or valid, and `unit` is NULL or may be written to.
unsafe fn make(
    instance: *const mks_flow_shop_instance,
    options: *const mks_options,
    unit: *mut *mut mks_flow_shop_unit,
    build: impl FnOnce(&Tree) -> Result<Unit>,
) -> mks_status {
    let build = || {
        // SAFETY: the caller's promise.
        let instance = unsafe { mks_flow_shop_instance::borrow(instance) }?;
        // SAFETY: the caller's promise.
        let (own, _) = unsafe { options::read::<Options>(options) }?;
        let tree = Tree::new(Instance::clone(&instance.instance), &own)?;
        Ok(mks_flow_shop_unit::new(build(&tree)?))
    };
    // SAFETY: the caller's promise.
    unsafe { handle::make(unit, build) }
}

/// Creates the unit that is the whole proof of an instance. Its options are those of "flow_shop"
/// with the method "branch-and-bound", which is not the default, and without a checkpoint. Limits
/// and progress belong to the runs. Models with set-ups, due dates, release times, blocking or
/// another objective are ::MKS_STATUS_UNSUPPORTED.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_unit_create(
    instance: *const mks_flow_shop_instance,
    options: *const mks_options,
    unit: *mut *mut mks_flow_shop_unit,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { make(instance, options, unit, |tree| Ok(tree.whole()?)) }
}

/// Creates a unit of the search that a checkpoint holds. ::mks_flow_shop_unit_create has the
/// options.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_unit_read_checkpoint(
    instance: *const mks_flow_shop_instance,
    options: *const mks_options,
    path: *const c_char,
    unit: *mut *mut mks_flow_shop_unit,
) -> mks_status {
    let build = |tree: &Tree| {
        // SAFETY: the header demands a string or NULL.
        Ok(tree.continued(&unsafe { pointer::path(path, "path") }?)?)
    };
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { make(instance, options, unit, build) }
}

/// Creates a unit from bytes[length] of ::mks_flow_shop_unit_bytes_view, for the same instance and the
/// same options bound and branching. Damaged bytes, and those of another instance, other options or
/// another version of the format are refused. A checksum detects damage, not forgery.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_unit_from_bytes(
    instance: *const mks_flow_shop_instance,
    options: *const mks_options,
    bytes: *const u8,
    length: usize,
    unit: *mut *mut mks_flow_shop_unit,
) -> mks_status {
    let build = |tree: &Tree| {
        // SAFETY: the header demands that many bytes, or NULL.
        let bytes = unsafe { pointer::array(bytes, length, "bytes") }?;
        Ok(tree.read(bytes).map_err(|error| error.about("bytes"))?)
    };
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { make(instance, options, unit, build) }
}

/// Points *bytes to the unit as bytes[*count] that can be sent and kept, the same on every machine.
/// They are valid until the unit changes or is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_bytes_view(
    unit: *const mks_flow_shop_unit,
    bytes: *mut *const u8,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(unit, bytes, count, "bytes", mks_flow_shop_unit::bytes) }
}

/// Writes the unit as a checkpoint, which a solve with that option continues. Only a unit that is the
/// whole proof makes a checkpoint of the instance: what other units hold counts as done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_write_checkpoint(
    unit: *const mks_flow_shop_unit,
    path: *const c_char,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let handle = unsafe { mks_flow_shop_unit::borrow(unit) }?;
        // SAFETY: the header demands a string or NULL.
        let path = unsafe { pointer::path(path, "path") }?;
        Ok(handle.unit.write_checkpoint(&path)?)
    })
}

/// Makes `count` disjoint units, parts[count], that together are this unit; free each. The unit stays
/// as it is: free it, or its work is done twice. Each part has an equal share of the shallowest
/// nodes, which are decomposed where they are few. Parts of a unit that is nearly done may be done.
/// Parts have the epoch 0.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_unit_split(
    unit: *const mks_flow_shop_unit,
    count: usize,
    parts: *mut *mut mks_flow_shop_unit,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let handle = unsafe { mks_flow_shop_unit::borrow(unit) }?;
        if count == 0 {
            return Err(Failure::argument("count", "must be at least 1, not 0"));
        }
        // SAFETY: the header demands room for that many elements, or NULL.
        let out = unsafe { OutArray::new(parts, count, "parts") }?;
        let made = handle.unit.clone().split(count)?.into_iter();
        // Each exists before C gets any.
        let held = made.map(|part| mks_flow_shop_unit::new(part).hold()).gather()?;
        out.write(&held.into_iter().map(handle::Held::give).gather()?)
    })
}

/// Searches below the unit's open nodes for schedules shorter than its limit and the upper bound,
/// until none is left or a limit or the stop handle of the options ends the run. The unit is then
/// what remains. Of the options, the budget counts, which is the time limit, the iteration limit or
/// both, and the stop handle, the progress and the engine. Each decomposed node is an iteration, and
/// an iteration limit takes one thread of the CPU. *nodes is the number of nodes decomposed in this
/// run. Several threads may run different units on one context with one upper bound.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_unit_run(
    context: *const mks_context,
    unit: *mut mks_flow_shop_unit,
    options: *const mks_options,
    upper_bound: *const mks_flow_shop_upper_bound,
    nodes: *mut u64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let context = unsafe { Call::enter(context) }?;
        // SAFETY: the header demands a valid handle that nothing else uses, or NULL.
        let handle = unsafe { mks_flow_shop_unit::borrow_mut(unit) }?;
        // SAFETY: the header demands a valid handle or NULL.
        let (_, asked) = unsafe { options::read::<Options>(options) }?;
        // SAFETY: the header demands a valid handle or NULL.
        let bound = unsafe { mks_flow_shop_upper_bound::borrow(upper_bound) }?.bound.clone();
        // SAFETY: the header demands a valid pointer or NULL.
        let out = unsafe { Out::new(nodes, "nodes") }?;
        let report = handle.changing().run(&context, &asked, &bound)?;
        out.write(report.statistics.get("nodes").unwrap_or(0));
        Ok(())
    })
}

/// Removes from the unit what is no longer open in `remainder`: what is left of the same unit after
/// a run elsewhere, also if parts of it were given to others meanwhile. Takes over its schedule and
/// its limit, but not its count of nodes. Both must have the same epoch, which is not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_intersect(
    unit: *mut mks_flow_shop_unit,
    remainder: *const mks_flow_shop_unit,
) -> mks_status {
    // SAFETY: the header demands valid handles or NULL, and the first is used by nothing else.
    unsafe { with_other(unit, remainder, "remainder", |unit, other| Ok(unit.intersect(other)?)) }
}

/// Adds the nodes and counts of another unit of the same tree, and its schedule and limit if they
/// are better. The other unit stays as it is. The epoch is then 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_merge(
    unit: *mut mks_flow_shop_unit,
    other: *const mks_flow_shop_unit,
) -> mks_status {
    let merge = |unit: &mut Unit, other: &Unit| {
        let merged = unit.clone().merge(other.clone()).map_err(|error| error.about("other"))?;
        *unit = merged;
        Ok(())
    };
    // SAFETY: the header demands valid handles or NULL, and the first is used by nothing else.
    unsafe { with_other(unit, other, "other", merge) }
}

/// Body of the functions that change a unit by another one, which may be the same handle.
///
/// # Safety
/// Handles are NULL or valid, and nothing else uses `unit`.
unsafe fn with_other(
    unit: *mut mks_flow_shop_unit,
    other: *const mks_flow_shop_unit,
    argument: &'static str,
    work: impl FnOnce(&mut Unit, &Unit) -> Result,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let other = unsafe { mks_flow_shop_unit::borrow(other) }.map_err(|failure| {
            let reason = failure.text.split_once(": ").map_or("is wrong", |(_, reason)| reason);
            Failure::argument(argument, reason)
        })?;
        let other = other.unit.clone();
        // SAFETY: the caller's promise; the other borrow has ended.
        work(unsafe { mks_flow_shop_unit::borrow_mut(unit) }?.changing(), &other)
    })
}

/// Gives the unit a number, which its bytes and runs keep, so that its remainders are known from
/// those of other units. Use each number for one unit of a proof only. 0 means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_set_epoch(
    unit: *mut mks_flow_shop_unit,
    epoch: u64,
) -> mks_status {
    let set = |handle: &mut mks_flow_shop_unit| {
        let unit = handle.changing();
        *unit = unit.clone().with_epoch(epoch);
        Ok(())
    };
    // SAFETY: the header demands a valid handle that nothing else uses, or NULL.
    unsafe { change(unit, set) }
}

/// Takes over a schedule that was found elsewhere, permutation[jobs], if it is better.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_offer(
    unit: *mut mks_flow_shop_unit,
    permutation: *const u32,
    jobs: usize,
) -> mks_status {
    let offer = |handle: &mut mks_flow_shop_unit| {
        // SAFETY: the header demands that many elements, or NULL.
        let jobs = unsafe { pointer::copy(permutation, jobs, "permutation") }?;
        Ok(handle.changing().offer(&Permutation::new(jobs))?)
    };
    // SAFETY: the header demands a valid handle that nothing else uses, or NULL.
    unsafe { change(unit, offer) }
}

/// Copies the best schedule that the unit knows to permutation[jobs], and sets *makespan to its
/// makespan. It may be longer than the limit if a shorter one is known elsewhere only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_best(
    unit: *const mks_flow_shop_unit,
    permutation: *mut u32,
    capacity: usize,
    makespan: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let handle = unsafe { mks_flow_shop_unit::borrow(unit) }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let permutation = unsafe { OutArray::new(permutation, capacity, "permutation") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let makespan = unsafe { Out::new(makespan, "makespan") }?;
        let (best, value) = handle.unit.best();
        permutation.write(best.jobs())?;
        makespan.write(value.cast_signed());
        Ok(())
    })
}

/// Sets *done to 1 if no open node is left, else to 0. No schedule in this part of the tree is then
/// shorter than the limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_is_done(
    unit: *const mks_flow_shop_unit,
    done: *mut i32,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(unit, done, "done", |handle| Ok(handle.unit.is_done().into())) }
}

/// Sets *limit to the makespan below which the unit looks for schedules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_limit(
    unit: *const mks_flow_shop_unit,
    limit: *mut i64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(unit, limit, "limit", |handle| Ok(handle.unit.limit().cast_signed())) }
}

/// Sets *bound to a lower bound: no schedule in this part of the tree that is shorter than the limit
/// is shorter than the bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_bound(
    unit: *const mks_flow_shop_unit,
    bound: *mut i64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(unit, bound, "bound", |handle| Ok(handle.unit.bound().cast_signed())) }
}

/// Sets *nodes to the number of nodes that runs of the unit have decomposed, and of the units that it
/// was merged of.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_nodes(
    unit: *const mks_flow_shop_unit,
    nodes: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(unit, nodes, "nodes", |handle| Ok(handle.unit.nodes())) }
}

/// Sets *nodes to the number of open nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_open_nodes(
    unit: *const mks_flow_shop_unit,
    nodes: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(unit, nodes, "nodes", |handle| Ok(handle.unit.open_nodes())) }
}

/// Sets *epoch to the unit's number, 0 if it has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_epoch(
    unit: *const mks_flow_shop_unit,
    epoch: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(unit, epoch, "epoch", |handle| Ok(handle.unit.epoch())) }
}

/// Frees a unit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_unit_free(unit: *mut mks_flow_shop_unit) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_flow_shop_unit::free(unit) };
}
