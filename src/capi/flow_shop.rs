//! F|prmu|Cmax, the permutation flow shop.

use std::ffi::{CStr, c_char};
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use super::context::{mks_context, quiet_options};
use super::convert::choice;
use super::guard::guard;
use super::pointer::{self, Handle, Out, OutArray, get, get_list};
use super::result::{Solution, mks_result, solve_with};
use super::solve_options::mks_solve_options;
use super::stamped::{self, Stamped};
use super::status::{Failure, Result, mks_status};
use crate::flow_shop::{
    Bound, Branching, CheckpointOptions, Evaluation, ExactOptions, Exploration, HostPool, Instance, Method,
    Neighbourhood, Options, Permutation, Placement, SearchOptions, solve,
};
use crate::{Context, Error, SolveOptions};

/// Methods for the permutation flow shop. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_flow_shop_method {
    /// The best of the methods, as far as they pay.
    Auto = 0,
    /// The insertion heuristic of Nawaz, Enscore and Ham.
    Neh = 1,
    /// Branch and bound until the sequence is proved optimal or a limit comes.
    BranchAndBound = 2,
    /// Bi-directional iterative beam search; an iteration is a pass.
    Beam = 3,
    /// Iterated greedy search; an iteration rebuilds each trajectory's sequence once.
    IteratedGreedy = 4,
    /// Tabu search over all neighbours; an iteration is a generation.
    Tabu = 5,
}

/// Sequences that tabu search looks at. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_flow_shop_neighbourhood {
    /// One job moves to another place.
    Insertion = 0,
    /// Two jobs change places.
    Swap = 1,
}

/// How tabu search computes the makespans of swaps; it finds the same with each. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_flow_shop_evaluation {
    /// The fastest for the size.
    Auto = 0,
    /// From the first job to the last.
    Full = 1,
    /// From the first change on.
    Prefix = 2,
    /// From the first to the last change.
    HeadsAndTails = 3,
}

/// Lower bounds of branch and bound. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_flow_shop_bound {
    /// One machine.
    Lb1 = 0,
    /// All pairs of machines, by Johnson's rule with lags.
    Lb2 = 1,
    /// One machine, and pairs of machines for the children that it leaves open.
    Lb1Lb2 = 2,
}

/// Where branch and bound fixes jobs. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_flow_shop_branching {
    /// At the end with fewer open children.
    MinBranch = 0,
    /// At the end where the smallest bound is rarer.
    MinMin = 1,
    /// At the end with the larger sum of bounds.
    MaxSum = 2,
    /// At the front.
    Forward = 3,
    /// At the back.
    Backward = 4,
}

/// How a device takes part in branch and bound. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_flow_shop_search {
    /// The device searches by itself.
    OnDevice = 0,
    /// The device bounds the host's nodes, a pool at a time.
    HostPool = 1,
}

/// Tables in the local memory of a device that bounds the host's pool. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_flow_shop_placement {
    /// As much as fits.
    Auto = 0,
    /// None.
    Global = 1,
    /// The processing times.
    Times = 2,
    /// Johnson's orders.
    Johnson = 3,
    /// The processing times and Johnson's orders.
    Both = 4,
}

/// Options of ::mks_flow_shop_solve; filled by ::mks_flow_shop_options_init, then changed where wanted. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_flow_shop_options {
    /// Size of this struct for the compiler of the program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_flow_shop_method. Default: ::MKS_FLOW_SHOP_METHOD_AUTO.
    pub method: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// A sequence to begin with, start[start_jobs], with every job once; NULL for none. It must stay until
    /// ::mks_flow_shop_solve returns. Default: NULL.
    pub start: *const u32,
    /// Length of start; the number of jobs unless start is NULL. Default: 0.
    pub start_jobs: usize,
    /// One of ::mks_flow_shop_bound. Default: ::MKS_FLOW_SHOP_BOUND_LB1.
    pub bound: i32,
    /// One of ::mks_flow_shop_branching. Default: ::MKS_FLOW_SHOP_BRANCHING_MIN_BRANCH.
    pub branching: i32,
    /// Branch and bound looks for schedules shorter than this only; 0 for no such limit. If there are none, this is the
    /// bound of the result. Default: 0.
    pub upper_bound: u64,
    /// File in which branch and bound keeps its search, named in the operating system's encoding (UTF-8 on Windows); if it
    /// is there, the search goes on where it stopped. NULL for none. Default: NULL.
    pub checkpoint: *const c_char,
    /// Seconds between two writings of the checkpoint: what a killed program loses at most. Default: 60.
    pub checkpoint_interval_seconds: f64,
    /// One of ::mks_flow_shop_search. Default: ::MKS_FLOW_SHOP_SEARCH_ON_DEVICE.
    pub search: i32,
    /// One of ::mks_flow_shop_placement, for the host's pool. Default: ::MKS_FLOW_SHOP_PLACEMENT_AUTO.
    pub placement: i32,
    /// Nodes of the host's pool that the device bounds in one launch, from 1 to 2^20. Default: 65536.
    pub pool_size: u64,
    /// Not 0 to leave the pool in the order of branching instead of sorting it by depth. Default: 0.
    pub pool_unsorted: i32,
    /// Not 0 to bound the pool by a kernel with branches. Default: 0.
    pub pool_branches: i32,
    /// Most nodes that beam search keeps of a level; 0 for wider and wider until a limit. Default: 0.
    pub beam_width: usize,
    /// Trajectories of iterated greedy search at once; 0 for one for each thread, or a fixed number where iterations
    /// are limited and time is not, so that the result depends on no machine. Default: 0.
    pub trajectories: usize,
    /// Sequences that tabu search looks at, one of ::mks_flow_shop_neighbourhood. Default:
    /// ::MKS_FLOW_SHOP_NEIGHBOURHOOD_INSERTION.
    pub neighbourhood: i32,
    /// How tabu search computes the makespans of swaps, one of ::mks_flow_shop_evaluation. Default:
    /// ::MKS_FLOW_SHOP_EVALUATION_AUTO.
    pub evaluation: i32,
    /// Generations for which tabu search does not return to a sequence, from 1 to 4096. Default: 10.
    pub tenure: u32,
    /// 1 to keep the columns of swaps in a device's local memory, as published, 0 for registers. Default: 0.
    pub local_columns: u32,
    /// Must be zero.
    pub reserved: [u64; 5],
}

// SAFETY: no padding; numbers are valid whatever their bytes are, and so are pointers that nobody follows.
unsafe impl Stamped for mks_flow_shop_options {
    const ARGUMENT: &'static str = "options";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 40;
    const DEFAULT: Self = mks_flow_shop_options {
        struct_size: size_of::<Self>(),
        method: mks_flow_shop_method::Auto as i32,
        reserved_flags: 0,
        start: ptr::null(),
        start_jobs: 0,
        bound: mks_flow_shop_bound::Lb1 as i32,
        branching: mks_flow_shop_branching::MinBranch as i32,
        upper_bound: 0,
        checkpoint: ptr::null(),
        checkpoint_interval_seconds: 60.0,
        search: mks_flow_shop_search::OnDevice as i32,
        placement: mks_flow_shop_placement::Auto as i32,
        pool_size: 1 << 16,
        pool_unsorted: 0,
        pool_branches: 0,
        beam_width: 0,
        trajectories: 0,
        neighbourhood: mks_flow_shop_neighbourhood::Insertion as i32,
        evaluation: mks_flow_shop_evaluation::Auto as i32,
        tenure: 10,
        local_columns: 0,
        reserved: [0; 5],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved == [0; 5]
    }
}

/// Jobs that pass all machines in the same sequence, with a time on each. It never changes, so several threads may use
/// it at once; freeing must come last. Since 0.1.
pub struct mks_flow_shop_instance {
    instance: Arc<Instance>,
}

impl Handle for mks_flow_shop_instance {
    const ARGUMENT: &'static str = "instance";
}

impl mks_flow_shop_instance {
    fn new(instance: Instance) -> Self {
        mks_flow_shop_instance { instance: Arc::new(instance) }
    }
}

/// A sequence with its instance, from which start times are made when they are asked for.
struct Planned {
    permutation: Permutation,
    instance: Arc<Instance>,
}

impl Solution for Planned {
    const PROBLEM: &'static CStr = c"flow_shop";
}

/// Sequences jobs that pass the machines 0, 1, ... in turn so that the last one ends as early as possible: the simplest
/// call, which needs no other. times[jobs * machines] are the processing times, all machines of job 0 first, whole
/// numbers in any unit so small that no schedule lasts 2^31. On success permutation[jobs] holds the jobs in their
/// sequence, *makespan the time the last job ends, and *bound a proved bound below which no makespan is; if both are
/// equal, the sequence is optimal. Runs on all cores, on a device where that is faster, for some seconds at most. Any
/// thread. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop(
    times: *const u32,
    jobs: usize,
    machines: usize,
    permutation: *mut u32,
    makespan: *mut u64,
    bound: *mut u64,
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
        let context = Context::new(quiet_options())?;
        let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
        let solution = outcome.solution.ok_or_else(|| Failure::not_available("solution"))?;
        let objective = outcome.objective.ok_or_else(|| Failure::not_available("objective"))?;
        let proved = outcome.bound.ok_or_else(|| Failure::not_available("bound"))?;
        permutation.write(solution.jobs())?;
        makespan.write(objective);
        bound.write(proved);
        Ok(())
    })
}

/// # Safety
/// `times` is NULL or has jobs * machines elements.
unsafe fn build(times: *const u32, jobs: usize, machines: usize) -> Result<Instance> {
    let count = jobs
        .checked_mul(machines)
        .ok_or_else(|| Failure::argument("times", format!("can't have {jobs} times {machines} elements")))?;
    // SAFETY: the caller's promise.
    let times = unsafe { pointer::copy(times, count, "times") }?;
    Ok(Instance::new(jobs, machines, times)?)
}

/// Makes an instance of times[jobs * machines], all machines of job 0 first, whole numbers in any unit so small that no
/// schedule lasts 2^31; of at least one job and one machine. The times are copied. To be freed with
/// ::mks_flow_shop_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_create(
    times: *const u32,
    jobs: usize,
    machines: usize,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    // SAFETY: the header demands that many elements, or NULL.
    let build = || Ok(mks_flow_shop_instance::new(unsafe { build(times, jobs, machines) }?));
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Reads an instance from text[length] in UTF-8, which needs no NUL: in Taillard's format; "jobs machines" and then a
/// line for each machine with a time for each job, or for each job with a time, or a machine's number and a time, for
/// each machine; or just a line for each job with a time for each machine. To be freed with
/// ::mks_flow_shop_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_flow_shop_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { pointer::parse(text, length, instance, build) }
}

/// Reads an instance from a file, named in the operating system's encoding (UTF-8 on Windows), in the formats of
/// ::mks_flow_shop_instance_parse. To be freed with ::mks_flow_shop_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let build = |path| Ok(mks_flow_shop_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { pointer::read(path, instance, build) }
}

/// Makes a well-known instance, "ta001" to "ta120" of Taillard 1993. To be freed with ::mks_flow_shop_instance_free.
/// Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_named(
    name: *const c_char,
    instance: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands a string or NULL.
        let name = unsafe { pointer::text(name, "name") }?;
        let unknown = || Error::argument("name", "names no known instance, which are ta001 to ta120");
        Ok(mks_flow_shop_instance::new(Instance::named(name).ok_or_else(unknown)?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Makes the same instance once more with ready_times[machines], for each machine a time before which it does nothing.
/// To be freed with ::mks_flow_shop_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_instance_with_ready_times(
    instance: *const mks_flow_shop_instance,
    ready_times: *const u32,
    machines: usize,
    changed: *mut *mut mks_flow_shop_instance,
) -> mks_status {
    let value = |handle: &mks_flow_shop_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let ready_times = unsafe { pointer::copy(ready_times, machines, "ready_times") }?;
        let changed = Instance::clone(&handle.instance).with_ready_times(ready_times)?;
        Ok(mks_flow_shop_instance::new(changed).give())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, changed, "changed", value) }
}

/// Makes the same instance once more where every sequence begins with pinned[count], jobs that have been released
/// already. To be freed with ::mks_flow_shop_instance_free. Since 0.1.
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

/// Number of jobs. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_jobs(
    instance: *const mks_flow_shop_instance,
    jobs: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, jobs, "jobs", |handle| Ok(handle.instance.jobs())) }
}

/// Number of machines. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_machines(
    instance: *const mks_flow_shop_instance,
    machines: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, machines, "machines", |handle| Ok(handle.instance.machines())) }
}

/// Copies the processing times to times[capacity], all machines of job 0 first; the capacity must be at least the number
/// of jobs times that of machines. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_times(
    instance: *const mks_flow_shop_instance,
    times: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_flow_shop_instance, out: OutArray<_>| out.write(handle.instance.times());
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, times, capacity, "times", copy) }
}

/// Frees an instance; NULL is harmless. Results made from it stay valid. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_instance_free(instance: *mut mks_flow_shop_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_flow_shop_instance::free(instance) };
}

/// Fills in the defaults; `size` is sizeof(mks_flow_shop_options). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_options_init(
    options: *mut mks_flow_shop_options,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(options, size) }
}

/// # Safety
/// What the pointers in the options point to is there, or they are NULL.
unsafe fn convert(given: &mks_flow_shop_options) -> Result<Options> {
    let method = choice(
        "options.method",
        given.method,
        &[
            (mks_flow_shop_method::Auto as i32, Method::Auto),
            (mks_flow_shop_method::Neh as i32, Method::Neh),
            (mks_flow_shop_method::BranchAndBound as i32, Method::BranchAndBound),
            (mks_flow_shop_method::Beam as i32, Method::Beam),
            (mks_flow_shop_method::IteratedGreedy as i32, Method::IteratedGreedy),
            (mks_flow_shop_method::Tabu as i32, Method::Tabu),
        ],
    )?;
    let start = if given.start.is_null() && given.start_jobs == 0 {
        None
    } else {
        // SAFETY: the caller's promise.
        Some(Permutation::new(unsafe { pointer::copy(given.start, given.start_jobs, "options.start") }?))
    };
    // SAFETY: the caller's promise.
    let exact = unsafe { convert_exact(given) }?;
    let search = convert_search(given)?;
    Ok(Options { method, start, exact, search })
}

/// # Safety
/// That of [`convert`].
unsafe fn convert_exact(given: &mks_flow_shop_options) -> Result<ExactOptions> {
    let bound = choice(
        "options.bound",
        given.bound,
        &[
            (mks_flow_shop_bound::Lb1 as i32, Bound::OneMachine),
            (mks_flow_shop_bound::Lb2 as i32, Bound::TwoMachine),
            (mks_flow_shop_bound::Lb1Lb2 as i32, Bound::Refined),
        ],
    )?;
    let branching = choice(
        "options.branching",
        given.branching,
        &[
            (mks_flow_shop_branching::MinBranch as i32, Branching::MinBranch),
            (mks_flow_shop_branching::MinMin as i32, Branching::MinMin),
            (mks_flow_shop_branching::MaxSum as i32, Branching::MaxSum),
            (mks_flow_shop_branching::Forward as i32, Branching::Forward),
            (mks_flow_shop_branching::Backward as i32, Branching::Backward),
        ],
    )?;
    let pool = HostPool {
        size: usize::try_from(given.pool_size).unwrap_or(usize::MAX),
        sorted: given.pool_unsorted == 0,
        branch_free: given.pool_branches == 0,
        placement: choice(
            "options.placement",
            given.placement,
            &[
                (mks_flow_shop_placement::Auto as i32, Placement::Auto),
                (mks_flow_shop_placement::Global as i32, Placement::Global),
                (mks_flow_shop_placement::Times as i32, Placement::Times),
                (mks_flow_shop_placement::Johnson as i32, Placement::Johnson),
                (mks_flow_shop_placement::Both as i32, Placement::Both),
            ],
        )?,
    };
    let exploration = choice(
        "options.search",
        given.search,
        &[
            (mks_flow_shop_search::OnDevice as i32, Exploration::OnDevice),
            (mks_flow_shop_search::HostPool as i32, Exploration::HostPool(pool)),
        ],
    )?;
    let checkpoint = if given.checkpoint.is_null() {
        None
    } else {
        // SAFETY: the caller's promise.
        let path = unsafe { pointer::path(given.checkpoint, "options.checkpoint") }?;
        let interval = Duration::try_from_secs_f64(given.checkpoint_interval_seconds)
            .map_err(|error| Failure::argument("options.checkpoint_interval_seconds", error.to_string()))?;
        Some(CheckpointOptions { path, interval })
    };
    let upper_bound = (given.upper_bound > 0).then_some(given.upper_bound);
    Ok(ExactOptions { bound, branching, exploration, upper_bound, checkpoint })
}

fn convert_search(given: &mks_flow_shop_options) -> Result<SearchOptions> {
    let positive = |number: usize| (number > 0).then_some(number);
    Ok(SearchOptions {
        beam_width: positive(given.beam_width),
        trajectories: positive(given.trajectories),
        neighbourhood: choice(
            "options.neighbourhood",
            given.neighbourhood,
            &[
                (mks_flow_shop_neighbourhood::Insertion as i32, Neighbourhood::Insertion),
                (mks_flow_shop_neighbourhood::Swap as i32, Neighbourhood::Swap),
            ],
        )?,
        evaluation: choice(
            "options.evaluation",
            given.evaluation,
            &[
                (mks_flow_shop_evaluation::Auto as i32, None),
                (mks_flow_shop_evaluation::Full as i32, Some(Evaluation::Full)),
                (mks_flow_shop_evaluation::Prefix as i32, Some(Evaluation::Prefix)),
                (mks_flow_shop_evaluation::HeadsAndTails as i32, Some(Evaluation::HeadsAndTails)),
            ],
        )?,
        tenure: given.tenure,
        local_columns: choice("options.local_columns", given.local_columns as i32, &[(0, false), (1, true)])?,
    })
}

/// Finds a short schedule and proves a bound on the shortest. Options may be NULL for the defaults. There always is a
/// schedule, even if a limit or a stop request ends the solve at once. Several threads may solve on one context. The
/// result is to be freed with ::mks_result_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_solve(
    context: *const mks_context,
    instance: *const mks_flow_shop_instance,
    options: *const mks_flow_shop_options,
    solve_options: *const mks_solve_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context, handle: &mks_flow_shop_instance, options: &_, solve_options: &_| {
        // SAFETY: the header demands that what the options point to stays until the end.
        let options = unsafe { convert(options) }?;
        // A callback may free the instance.
        let instance = Arc::clone(&handle.instance);
        let outcome = solve(context, &instance, &options, solve_options)?;
        Ok(mks_result::new(outcome, |permutation| Planned { permutation, instance }))
    };
    // SAFETY: the header demands valid handles, initialised structs and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, solve_options, result, run) }
}

/// Checks a sequence by itself: *makespan becomes the time at which the last job ends if the jobs pass the machines in
/// the order permutation[jobs]. `jobs` must be the instance's. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_makespan(
    instance: *const mks_flow_shop_instance,
    permutation: *const u32,
    jobs: usize,
    makespan: *mut u64,
) -> mks_status {
    let value = |handle: &mks_flow_shop_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let permutation = unsafe { pointer::copy(permutation, jobs, "permutation") }?;
        Ok(Permutation::new(permutation).makespan(&handle.instance)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, makespan, "makespan", value) }
}

/// Copies the jobs in their sequence to permutation[capacity]; the capacity must be at least the number of jobs.
/// Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_permutation(
    result: *const mks_result,
    permutation: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy =
        |result: &mks_result, out: OutArray<_>| out.write(result.solution::<Planned>()?.permutation.jobs());
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, permutation, capacity, "permutation", copy) }
}

/// Copies the start times of the operations to starts[capacity], all machines of job 0 first; the capacity must be at
/// least the number of jobs times that of machines. Since 0.1.
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
