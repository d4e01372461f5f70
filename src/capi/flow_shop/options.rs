//! How flow shops are solved: options and their enumerations.

use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;
use std::time::Duration;

use crate::capi::convert::{choice, flag};
use crate::capi::pointer;
use crate::capi::solve_options::duration;
use crate::capi::stamped::{self, Stamped};
use crate::capi::status::{Failure, Result, mks_status};
use crate::flow_shop::{
    Bound, Branching, CheckpointOptions, Evaluation, ExactOptions, Exploration, HostPool, Method,
    Neighbourhood, Options, Permutation, Placement, SearchOptions, TabuList,
};

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
    /// With heads and tails: the fastest for all sizes measured.
    Auto = 0,
    /// From the first job to the last.
    Full = 1,
    /// From the first change on.
    Prefix = 2,
    /// From the first to the last change.
    HeadsAndTails = 3,
}

/// What tabu search does not go back to. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_flow_shop_tabu_list {
    /// A job to the position that a move took it from, unless that makes the shortest sequence so
    /// far.
    Attributes = 0,
    /// Whole sequences, as published.
    Sequences = 1,
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
    /// At the end where the smallest bound is rarer; else at the one with fewer open children.
    MinMin = 1,
    /// At the end with the larger sum of bounds.
    MaxSum = 2,
    /// At the front.
    Forward = 3,
    /// At the back.
    Backward = 4,
    /// At the end where the smallest bound is rarer; else at the front.
    MinMinFront = 5,
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

/// Options of ::mks_flow_shop_solve; filled by ::mks_flow_shop_options_init, then changed where
/// wanted. What is changed is refused by methods without a use for it. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_flow_shop_options {
    /// Size of this struct for the compiler of the program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_flow_shop_method. Default: ::MKS_FLOW_SHOP_METHOD_AUTO.
    pub method: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// A sequence to begin with in addition to that of NEH, start[start_jobs], with every job once;
    /// NULL for none. It must stay until ::mks_flow_shop_solve returns. Default: NULL.
    pub start: *const u32,
    /// Length of start; the number of jobs unless start is NULL. Default: 0.
    pub start_jobs: usize,
    /// One of ::mks_flow_shop_bound. Default: ::MKS_FLOW_SHOP_BOUND_LB1.
    pub bound: i32,
    /// One of ::mks_flow_shop_branching. Default: ::MKS_FLOW_SHOP_BRANCHING_MIN_BRANCH.
    pub branching: i32,
    /// Branch and bound looks for schedules shorter than this only; 0 for no such limit. If it is
    /// proved that there are none, and none of just this length is known, the result is
    /// ::MKS_SOLUTION_STATUS_INFEASIBLE: it has a bound, but neither objective nor permutation.
    /// Default: 0.
    pub upper_bound: u64,
    /// File in which branch and bound keeps its search, named in the operating system's encoding
    /// (UTF-8 on Windows); if it is there, the search goes on where it stopped, for what it looked
    /// for. A checksum finds files that were damaged, not forged ones. If it can't be written
    /// before the search, the solve fails with ::MKS_STATUS_IO; if it can't at the end, the result
    /// has a warning: ::mks_result_warning. NULL for none. Default: NULL.
    pub checkpoint: *const c_char,
    /// Seconds between two writings of the checkpoint: what a killed program loses at most.
    /// Default: 60.
    pub checkpoint_interval_seconds: f64,
    /// One of ::mks_flow_shop_search. Default: ::MKS_FLOW_SHOP_SEARCH_ON_DEVICE.
    pub search: i32,
    /// One of ::mks_flow_shop_placement; this and the next three are for the host's pool and
    /// refused without it. Default: ::MKS_FLOW_SHOP_PLACEMENT_AUTO.
    pub placement: i32,
    /// Nodes of the host's pool that the device bounds in one launch, from 1 to 2^20. Default: 65536.
    pub pool_size: u64,
    /// Not 0 to leave the pool in the order of branching instead of sorting it by depth. Default: 0.
    pub pool_unsorted: i32,
    /// Not 0 to bound the pool by a kernel with branches. Default: 0.
    pub pool_branches: i32,
    /// Most nodes that beam search keeps of a level; 0 for wider and wider until a limit. Default: 0.
    pub beam_width: usize,
    /// Trajectories at once of tabu search or of iterated greedy search; 0 for one of tabu search
    /// and one for each thread of the other, or a fixed number where iterations are limited or time
    /// is not, so that the result depends on no machine. Default: 0.
    pub trajectories: usize,
    /// Sequences that tabu search looks at, one of ::mks_flow_shop_neighbourhood. Default:
    /// ::MKS_FLOW_SHOP_NEIGHBOURHOOD_INSERTION.
    pub neighbourhood: i32,
    /// How tabu search computes the makespans of swaps, one of ::mks_flow_shop_evaluation. Default:
    /// ::MKS_FLOW_SHOP_EVALUATION_AUTO.
    pub evaluation: i32,
    /// Generations for which tabu search does not go back, from 1 to 4096. Default: 10.
    pub tenure: u32,
    /// 1 to keep the columns of swaps in a device's local memory, as published, 0 for registers;
    /// for swaps that are evaluated in full or with the prefix reused. Default: 0.
    pub local_columns: u32,
    /// What tabu search does not go back to, one of ::mks_flow_shop_tabu_list. Default:
    /// ::MKS_FLOW_SHOP_TABU_LIST_ATTRIBUTES.
    pub tabu_list: i32,
    /// Must be zero.
    pub reserved_number: u32,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding; numbers are valid whatever their bytes are, and so are pointers that nobody
// follows.
unsafe impl Stamped for mks_flow_shop_options {
    const ARGUMENT: &'static str = "options";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
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
        tabu_list: mks_flow_shop_tabu_list::Attributes as i32,
        reserved_number: 0,
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved_number == 0 && self.reserved == [0; 4]
    }
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
pub(super) unsafe fn convert(given: &mks_flow_shop_options) -> Result<Options> {
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
        Some(Permutation::new(unsafe {
            pointer::copy(given.start, given.start_jobs, "options.start")
        }?))
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
            (mks_flow_shop_branching::MinMinFront as i32, Branching::MinMinFront),
        ],
    )?;
    let pool = convert_pool(given)?;
    let exploration = choice(
        "options.search",
        given.search,
        &[
            (mks_flow_shop_search::OnDevice as i32, Exploration::OnDevice),
            (mks_flow_shop_search::HostPool as i32, Exploration::HostPool(pool)),
        ],
    )?;
    if exploration == Exploration::OnDevice && pool != HostPool::default() {
        return Err(Failure::argument("options.search", "has no pool of the host's"));
    }
    // SAFETY: the caller's promise.
    let checkpoint = unsafe { convert_checkpoint(given) }?;
    let upper_bound = (given.upper_bound > 0).then_some(given.upper_bound);
    Ok(ExactOptions { bound, branching, exploration, upper_bound, checkpoint })
}

fn convert_pool(given: &mks_flow_shop_options) -> Result<HostPool> {
    let placement = choice(
        "options.placement",
        given.placement,
        &[
            (mks_flow_shop_placement::Auto as i32, Placement::Auto),
            (mks_flow_shop_placement::Global as i32, Placement::Global),
            (mks_flow_shop_placement::Times as i32, Placement::Times),
            (mks_flow_shop_placement::Johnson as i32, Placement::Johnson),
            (mks_flow_shop_placement::Both as i32, Placement::Both),
        ],
    )?;
    Ok(HostPool {
        size: usize::try_from(given.pool_size).unwrap_or(usize::MAX),
        sorted: given.pool_unsorted == 0,
        branch_free: given.pool_branches == 0,
        placement,
    })
}

/// # Safety
/// That of [`convert`].
unsafe fn convert_checkpoint(given: &mks_flow_shop_options) -> Result<Option<CheckpointOptions>> {
    if given.checkpoint.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let path = unsafe { pointer::path(given.checkpoint, "options.checkpoint") }?;
    let interval =
        duration("options.checkpoint_interval_seconds", given.checkpoint_interval_seconds)?;
    Ok(Some(CheckpointOptions { path, interval: interval.unwrap_or(Duration::MAX) }))
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
        tabu_list: choice(
            "options.tabu_list",
            given.tabu_list,
            &[
                (mks_flow_shop_tabu_list::Attributes as i32, TabuList::Attributes),
                (mks_flow_shop_tabu_list::Sequences as i32, TabuList::Sequences),
            ],
        )?,
        tenure: given.tenure,
        local_columns: flag("options.local_columns", given.local_columns)?,
    })
}
