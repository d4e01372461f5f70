//! The lattice dynamic program, and bin packing as its client.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use super::context::{mks_context, quiet_options};
use super::convert::seconds;
use super::guard::guard;
use super::handle::{self, Handle, Held, get, get_list};
use super::options::mks_options;
use super::pointer::{self, Out, OutArray};
use super::progress::Asked;
use super::result::mks_result;
use super::solution;
use super::solve;
use super::status::{Failure, Result, mks_status};
use crate::lattice_dp::{
    self, Containers, Instance, Options, Packing, Problem, Solution, pack, pack_batch,
};
use crate::memory::{Gather, Grow};
use crate::{Context, Error, Limits, SolveOptions, Status};

/// A lattice: a box with offset vectors and their costs. Or a packing: item types for containers of
/// one capacity.
pub struct mks_lattice_dp_instance {
    problem: Arc<Problem>,
}

impl Handle for mks_lattice_dp_instance {
    const NAME: &'static str = "mks_lattice_dp_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_lattice_dp_instance {
    fn new(problem: Problem) -> Self {
        mks_lattice_dp_instance { problem: Arc::new(problem) }
    }

    fn lattice(&self) -> Result<&Instance> {
        match &*self.problem {
            Problem::Lattice(instance) => Ok(instance),
            Problem::Packing(_) => {
                Err(Failure::argument("instance", "is a packing, not a lattice"))
            }
        }
    }

    fn packing(&self) -> Result<&Packing> {
        match &*self.problem {
            Problem::Packing(packing) => Ok(packing),
            Problem::Lattice(_) => {
                Err(Failure::argument("instance", "is a lattice, not a packing"))
            }
        }
    }
}

/// The steps of a path with their vectors, or the containers of a packing with their item counts.
struct Steps {
    vectors: Vec<Vec<u32>>,
    /// Positions of the vectors in the caller's list, if there is one.
    positions: Option<Vec<u32>>,
}

impl solution::Solution for Steps {
    const PROBLEM: &'static CStr = c"lattice_dp";
}

impl Steps {
    fn of_path(lattice: &Instance, steps: Vec<u32>) -> Self {
        Steps {
            vectors: steps.iter().filter_map(|&step| lattice.vector(step)).collect(),
            positions: Some(steps),
        }
    }

    fn of_containers(vectors: Containers) -> Self {
        Steps { vectors, positions: None }
    }
}

impl solve::Problem for mks_lattice_dp_instance {
    type Instance = Problem;
    type Options = Options;

    fn share(&self) -> Arc<Problem> {
        Arc::clone(&self.problem)
    }

    fn solve(
        context: &Context,
        problem: &Arc<Problem>,
        options: &Options,
        solve_options: &Asked,
    ) -> Result<mks_result> {
        Ok(match &**problem {
            Problem::Lattice(lattice) => {
                let outcome = lattice_dp::solve(context, lattice, options, solve_options)?;
                mks_result::new(outcome, |path| Steps::of_path(lattice, path.steps))
            }
            Problem::Packing(packing) => {
                let outcome = pack(context, packing, options, solve_options)?;
                mks_result::new(outcome, Steps::of_containers)
            }
        })
    }

    fn solve_batch(
        context: &Context,
        problems: &[Arc<Problem>],
        options: &Options,
        solve_options: &SolveOptions,
    ) -> Result<Vec<Held<mks_result>>> {
        let (mut lattices, mut packings) = (Vec::new(), Vec::new());
        for (index, problem) in problems.iter().enumerate() {
            match &**problem {
                Problem::Lattice(lattice) => lattices.try_push(lattice)?,
                Problem::Packing(packing) => packings.try_push(packing)?,
            }
            if !lattices.is_empty() && !packings.is_empty() {
                let reason = "is of another kind than those before: some are packings";
                return Err(Error::element("instances", index, reason).into());
            }
        }
        if packings.is_empty() {
            let outcomes = lattice_dp::solve_batch(context, &lattices, options, solve_options)?;
            let outcomes = outcomes.into_iter().zip(lattices);
            let keep = |(outcome, lattice)| {
                mks_result::new(outcome, |path: Solution| Steps::of_path(lattice, path.steps))
                    .hold()
            };
            return Ok(outcomes.map(keep).gather()?);
        }
        let outcomes = pack_batch(context, &packings, options, solve_options)?;
        let keep = |outcome| mks_result::new(outcome, Steps::of_containers).hold();
        Ok(outcomes.into_iter().map(keep).gather()?)
    }
}

/// # Safety
/// That of [`pointer::array`] for each of the arrays.
unsafe fn lattice(
    sizes: *const u64,
    dimensions: usize,
    offsets: *const u64,
    costs: *const u64,
    count: usize,
) -> Result<Instance> {
    // SAFETY: the caller's promise.
    let sizes: Vec<u32> = unsafe { pointer::narrowed(sizes, dimensions, "sizes") }?;
    let components = dimensions
        .checked_mul(count)
        .ok_or(Error::overflow("the product of dimensions and count"))?;
    // SAFETY: the caller's promise.
    let offsets: Vec<u32> = unsafe { pointer::narrowed(offsets, components, "offsets") }?;
    // SAFETY: the caller's promise.
    let costs: Vec<u16> = unsafe { pointer::narrowed(costs, count, "costs") }?;
    let vector =
        |(index, &cost): (usize, &u16)| (&offsets[index * dimensions..][..dimensions], cost);
    Ok(Instance::new(&sizes, costs.iter().enumerate().map(vector))?)
}

/// Finds the cost of the cheapest path to the last cell of a lattice. The simplest call. The other
/// arguments are those of ::mks_lattice_dp_instance_create. On success *cost is the cost, or
/// INT64_MAX if no path leads to the last cell. If time_limit_seconds ends the call, it returns
/// ::MKS_STATUS_STOPPED; INFINITY sets no limit.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_lattice_dp_cost(
    sizes: *const u64,
    dimensions: usize,
    offsets: *const u64,
    costs: *const u64,
    count: usize,
    time_limit_seconds: f64,
    cost: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let instance = unsafe { lattice(sizes, dimensions, offsets, costs, count) }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let out = unsafe { Out::new(cost, "cost") }?;
        let context = Context::new(quiet_options())?;
        let time = seconds("time_limit_seconds", time_limit_seconds)?;
        let limits = Limits { time, ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        let outcome = lattice_dp::solve(&context, &instance, &Options::default(), &solve_options)?;
        match outcome.status {
            Status::Stopped => return Err(Error::stopped().into()),
            _ => out.write(outcome.objective.unwrap_or(i64::MAX)),
        }
        Ok(())
    })
}

/// Creates a lattice. sizes[dimensions] are the numbers of values of the components: each at least
/// 1, their product below 2^40. offsets[count * dimensions] are the offset vectors, one after the
/// other, and costs[count] their costs; no vector is all zeros. The values of all cells must be
/// provably below 65535. The proof multiplies the largest value of each component by the cost of
/// the single step in its direction, or by the largest cost if there is no such offset, and adds
/// the products.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_lattice_dp_instance_create(
    sizes: *const u64,
    dimensions: usize,
    offsets: *const u64,
    costs: *const u64,
    count: usize,
    instance: *mut *mut mks_lattice_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let lattice = unsafe { lattice(sizes, dimensions, offsets, costs, count) }?;
        Ok(mks_lattice_dp_instance::new(Problem::Lattice(lattice)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Creates a packing: items of sizes[types], from 1 to the capacity, and counts[types] of each, to
/// be packed into as few containers as possible.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_lattice_dp_packing_create(
    sizes: *const u64,
    counts: *const u64,
    types: usize,
    capacity: u64,
    instance: *mut *mut mks_lattice_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let sizes = unsafe { pointer::copy(sizes, types, "sizes") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let counts = unsafe { pointer::narrowed(counts, types, "counts") }?;
        Ok(mks_lattice_dp_instance::new(Problem::Packing(Packing::new(sizes, counts, capacity)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Reads a lattice or a packing from text[length]. A lattice is a line "sizes" with the sizes, then
/// lines "offset" with a cost and a vector. A packing is a line "capacity", then lines "item" with
/// a size and a count. '#' begins a comment.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_lattice_dp_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_lattice_dp_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_lattice_dp_instance::new(Problem::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_lattice_dp_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_lattice_dp_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_lattice_dp_instance,
) -> mks_status {
    let build = |path| Ok(mks_lattice_dp_instance::new(Problem::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// Number of dimensions of a lattice, or of item types of a packing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_instance_dimensions(
    instance: *const mks_lattice_dp_instance,
    dimensions: *mut usize,
) -> mks_status {
    let value = |handle: &mks_lattice_dp_instance| {
        Ok(match &*handle.problem {
            Problem::Lattice(instance) => instance.sizes().len(),
            Problem::Packing(packing) => packing.counts().len(),
        })
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, dimensions, "dimensions", value) }
}

/// Number of cells of a lattice; an error for a packing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_instance_cells(
    instance: *const mks_lattice_dp_instance,
    cells: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, cells, "cells", |handle| Ok(handle.lattice()?.cells())) }
}

/// Copies the sizes of a lattice to sizes[dimensions], or those of the item types of a packing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_instance_sizes(
    instance: *const mks_lattice_dp_instance,
    sizes: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_lattice_dp_instance, out: OutArray<u64>| match &*handle.problem {
        Problem::Lattice(lattice) => out.write_wide(&lattice.sizes()),
        Problem::Packing(packing) => out.write(packing.sizes()),
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, sizes, capacity, "sizes", copy) }
}

/// Number of offset vectors of a lattice; an error for a packing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_instance_offset_count(
    instance: *const mks_lattice_dp_instance,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, count, "count", |handle| Ok(handle.lattice()?.given_offsets().count())) }
}

/// Copies the offset vectors of a lattice to offsets[count * dimensions], one after the other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_instance_offsets(
    instance: *const mks_lattice_dp_instance,
    offsets: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_lattice_dp_instance, out: OutArray<u64>| {
        let vectors = handle.lattice()?.given_offsets();
        out.write_wide(&vectors.flat_map(|(vector, _)| vector).gather()?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, offsets, capacity, "offsets", copy) }
}

/// Copies the costs of the offset vectors of a lattice to costs[count].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_instance_costs(
    instance: *const mks_lattice_dp_instance,
    costs: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_lattice_dp_instance, out: OutArray<u64>| {
        out.write_wide(&handle.lattice()?.given_offsets().map(|(_, cost)| cost).gather()?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, costs, capacity, "costs", copy) }
}

/// Copies the numbers of items of a packing to counts[types]; an error for a lattice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_packing_counts(
    instance: *const mks_lattice_dp_instance,
    counts: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_lattice_dp_instance, out: OutArray<u64>| {
        out.write_wide(handle.packing()?.counts())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, counts, capacity, "counts", copy) }
}

/// The capacity of a packing's containers; an error for a lattice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_packing_capacity(
    instance: *const mks_lattice_dp_instance,
    capacity: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, capacity, "capacity", |handle| Ok(handle.packing()?.capacity())) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_instance_free(instance: *mut mks_lattice_dp_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_lattice_dp_instance::free(instance) };
}

/// Finds the cheapest path to the last cell of a lattice, or the fewest containers of a packing.
/// The result's objective is the cost or the number. Without a limit the status is
/// ::MKS_SOLUTION_STATUS_OPTIMAL, or ::MKS_SOLUTION_STATUS_INFEASIBLE if no path leads to the last
/// cell. An iteration is one table.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_lattice_dp_solve(
    context: *const mks_context,
    instance: *const mks_lattice_dp_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve::solve(context, instance, options, result) }
}

/// ::mks_lattice_dp_solve for many lattices or many packings; see BATCHES.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_lattice_dp_solve_batch(
    context: *const mks_context,
    instances: *const *mut mks_lattice_dp_instance,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve::solve_batch(context, instances, count, options, results) }
}

/// Checks a path of a lattice from the last cell back to cell 0. steps[count] has the position of
/// each step's offset. Sets *cost to the cost of the path. Returns ::MKS_STATUS_INVALID_ARGUMENT if
/// a step leaves the box, or if the path does not reach cell 0; the last error names the first such
/// step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_check(
    instance: *const mks_lattice_dp_instance,
    steps: *const u32,
    count: usize,
    cost: *mut i64,
) -> mks_status {
    let value = |handle: &mks_lattice_dp_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let steps = unsafe { pointer::array(steps, count, "steps") }?;
        Ok(handle.lattice()?.path_cost(steps)?.cast_signed())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, cost, "cost", value) }
}

/// Checks the containers of a packing. counts[containers * types] has the number of items of each
/// type in each container. Sets *used to the number of containers that hold items. Returns
/// ::MKS_STATUS_INVALID_ARGUMENT if a load is too large, or if not all items of a type are packed;
/// the last error names the first such container or type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_packing_check(
    instance: *const mks_lattice_dp_instance,
    counts: *const u64,
    containers: usize,
    used: *mut i64,
) -> mks_status {
    let value = |handle: &mks_lattice_dp_instance| {
        let packing = handle.packing()?;
        let types = packing.sizes().len();
        let many = || Failure::argument("containers", format!("{containers} are too many"));
        let numbers = containers.checked_mul(types).ok_or_else(many)?;
        // SAFETY: the header demands that many elements, or NULL.
        let counts: Vec<u32> = unsafe { pointer::narrowed(counts, numbers, "counts") }?;
        let split = counts.chunks_exact(types.max(1)).map(<[u32]>::to_vec).gather()?;
        Ok(packing.evaluate(&split)?.cast_signed())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, used, "used", value) }
}

/// Number of steps of the path, or of containers of the packing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_step_count(
    result: *const mks_result,
    count: *mut usize,
) -> mks_status {
    let value = |result: &mks_result| Ok(result.solution::<Steps>()?.vectors.len());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, count, "count", value) }
}

/// Copies the offset vector of a step, or the item counts of a container, to vector[dimensions].
/// The index is from 0 and below ::mks_lattice_dp_step_count; steps are in the order from the last
/// cell back to cell 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_step(
    result: *const mks_result,
    index: usize,
    vector: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<u64>| {
        let vectors = &result.solution::<Steps>()?.vectors;
        let missing =
            || Failure::argument("index", format!("{index} is not below {}", vectors.len()));
        out.write_wide(vectors.get(index).ok_or_else(missing)?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, vector, capacity, "vector", copy) }
}

/// Copies the position of each step's offset, counted from 0 in the list of
/// ::mks_lattice_dp_instance_create, to positions[steps]. If several steps are equally cheap, all
/// engines take the same. ::MKS_STATUS_NOT_AVAILABLE for a packing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_lattice_dp_positions(
    result: *const mks_result,
    positions: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let steps: &Steps = result.solution()?;
        out.write(
            steps.positions.as_ref().ok_or_else(|| Failure::not_available("list of offsets"))?,
        )
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, positions, capacity, "positions", copy) }
}
