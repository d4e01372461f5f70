//! How flow shops are solved: options and their enumerations.

use std::ffi::c_char;
use std::mem::offset_of;
use std::path::PathBuf;
use std::ptr;
use std::time::Duration;

use crate::capi::convert::{choice, flag, optional_choice};
use crate::capi::pointer;
use crate::capi::solve_options::duration;
use crate::capi::stamped::{self, Stamped};
use crate::capi::status::{Result, mks_status};
use crate::flow_shop::{ExactOptions, HostPool, Options, Permutation, SearchOptions};

/// Methods for the permutation flow shop. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_flow_shop_method {
    /// Beam search, branch and bound where a proof may be cheap, and iterated greedy search, chosen
    /// by instance size and time limit.
    Auto = 0,
    /// The insertion heuristic of Nawaz, Enscore and Ham.
    Neh = 1,
    /// Branch and bound until the sequence is proved optimal or a limit ends it.
    BranchAndBound = 2,
    /// Bi-directional iterative beam search. An iteration is one pass.
    Beam = 3,
    /// Iterated greedy search. An iteration rebuilds the sequence of each trajectory once.
    IteratedGreedy = 4,
    /// Tabu search over all neighbours. An iteration is one generation.
    Tabu = 5,
}

/// Neighbourhoods of tabu search. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_flow_shop_neighbourhood {
    /// One job moves to another place.
    Insertion = 0,
    /// Two jobs change places.
    Swap = 1,
}

/// How tabu search computes the makespans of swaps. All ways find the same makespans. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_flow_shop_evaluation {
    /// With heads and tails, the fastest for all sizes measured.
    Auto = 0,
    /// All positions.
    Full = 1,
    /// From the first changed position to the end.
    Prefix = 2,
    /// From the first to the last changed position.
    HeadsAndTails = 3,
}

/// What tabu search forbids. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_flow_shop_tabu_list {
    /// A moved job may not return to its old position, unless that gives a new best sequence.
    Attributes = 0,
    /// The search may not return to a sequence, as published.
    Sequences = 1,
}

/// Lower bounds of branch and bound. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_flow_shop_bound {
    /// The one-machine bound.
    Lb1 = 0,
    /// The two-machine bound over all pairs of machines, by Johnson's rule with lags.
    Lb2 = 1,
    /// The one-machine bound, then the two-machine bound for the children left open.
    Lb1Lb2 = 2,
}

/// Branching rules: the end of the sequence at which branch and bound fixes the next job. Since
/// 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_flow_shop_branching {
    /// The end with fewer open children.
    MinBranch = 0,
    /// The end where the smallest bound is rarer; on a tie, the end with fewer open children.
    MinMin = 1,
    /// The end with the larger sum of bounds.
    MaxSum = 2,
    /// The front.
    Forward = 3,
    /// The back.
    Backward = 4,
    /// The end where the smallest bound is rarer; on a tie, the front.
    MinMinFront = 5,
}

/// How a device takes part in branch and bound. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_flow_shop_search {
    /// The device branches, bounds and prunes.
    OnDevice = 0,
    /// The device only bounds the host's nodes, one pool at a time.
    HostPool = 1,
}

/// Tables that a device keeps in local memory when it bounds the host's pool. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_flow_shop_placement {
    /// As many as fit.
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

/// Options of ::mks_flow_shop_solve. Fill them with ::mks_flow_shop_options_init, then change what
/// you need. A method refuses a changed option that does not apply to it. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_flow_shop_options {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_flow_shop_method. Default: ::MKS_FLOW_SHOP_METHOD_AUTO.
    pub method: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// A sequence to start from in addition to that of NEH: start[start_jobs], with every job once.
    /// It must stay valid until ::mks_flow_shop_solve returns. Default: NULL, none.
    pub start: *const u32,
    /// Length of start: the number of jobs, or 0 if start is NULL. Default: 0.
    pub start_jobs: usize,
    /// One of ::mks_flow_shop_bound. Default: ::MKS_FLOW_SHOP_BOUND_LB1.
    pub bound: i32,
    /// One of ::mks_flow_shop_branching. Default: ::MKS_FLOW_SHOP_BRANCHING_MIN_BRANCH.
    pub branching: i32,
    /// Branch and bound looks only for schedules shorter than this; 0 sets no such limit. If it
    /// proves that there are none, and no schedule of exactly this length is known, the result is
    /// ::MKS_SOLUTION_STATUS_INFEASIBLE: it has a bound, but neither objective nor permutation.
    /// Default: 0.
    pub upper_bound: u64,
    /// File in which branch and bound saves its search. The path is in the operating system's
    /// encoding (UTF-8 on Windows). If the file exists, the search continues from it, with the
    /// upper_bound that is saved there. A checksum detects damaged files, not forged ones. If the
    /// file cannot be written before the search, the solve fails with ::MKS_STATUS_IO; if it cannot
    /// be written at the end, the result has a warning: ::mks_result_warning. Default: NULL, none.
    pub checkpoint: *const c_char,
    /// Seconds between two writings of the checkpoint: the most work that a killed program loses.
    /// Default: 60.
    pub checkpoint_interval_seconds: f64,
    /// One of ::mks_flow_shop_search. Default: ::MKS_FLOW_SHOP_SEARCH_ON_DEVICE.
    pub search: i32,
    /// One of ::mks_flow_shop_placement. This field and the next three apply to
    /// ::MKS_FLOW_SHOP_SEARCH_HOST_POOL and are refused otherwise. Default:
    /// ::MKS_FLOW_SHOP_PLACEMENT_AUTO.
    pub placement: i32,
    /// Nodes of the pool that the device bounds in one launch, from 1 to 2^20. Default: 65536.
    pub pool_size: u64,
    /// If not 0, the pool stays in the order of branching instead of being sorted by depth.
    /// Default: 0.
    pub pool_unsorted: i32,
    /// If not 0, a kernel with branches bounds the pool. Default: 0.
    pub pool_branches: i32,
    /// Most nodes that beam search keeps per level; 0 doubles the width from pass to pass until a
    /// limit. Default: 0.
    pub beam_width: usize,
    /// Trajectories that tabu or iterated greedy search follows at once. 0 takes 1 for tabu search.
    /// For iterated greedy search, 0 takes one per thread, or a fixed number if iterations are
    /// limited or time is not, so that the result does not depend on the machine. Default: 0.
    pub trajectories: usize,
    /// Neighbourhood of tabu search, one of ::mks_flow_shop_neighbourhood. Default:
    /// ::MKS_FLOW_SHOP_NEIGHBOURHOOD_INSERTION.
    pub neighbourhood: i32,
    /// How tabu search computes the makespans of swaps, one of ::mks_flow_shop_evaluation. Default:
    /// ::MKS_FLOW_SHOP_EVALUATION_AUTO.
    pub evaluation: i32,
    /// Generations for which a move of tabu search stays forbidden, from 1 to 4096. Default: 10.
    pub tenure: u32,
    /// 1 keeps the columns of swaps in a device's local memory, as published, 0 in registers; for
    /// ::MKS_FLOW_SHOP_EVALUATION_FULL and ::MKS_FLOW_SHOP_EVALUATION_PREFIX. Default: 0.
    pub local_columns: u32,
    /// What tabu search forbids, one of ::mks_flow_shop_tabu_list. Default:
    /// ::MKS_FLOW_SHOP_TABU_LIST_ATTRIBUTES.
    pub tabu_list: i32,
    /// Must be zero.
    pub reserved_number: u32,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding; every bit pattern is a valid number, and a valid pointer as long as nobody
// follows it.
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
/// The pointers in the options are valid or NULL.
pub(super) unsafe fn convert(given: &mks_flow_shop_options) -> Result<Options> {
    let method = choice("options.method", given.method)?;
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
    let bound = choice("options.bound", given.bound)?;
    let branching = choice("options.branching", given.branching)?;
    let pool = convert_pool(given)?;
    let exploration = choice("options.search", given.search)?;
    // SAFETY: the caller's promise.
    let (checkpoint, checkpoint_interval) = unsafe { convert_checkpoint(given) }?;
    let upper_bound = (given.upper_bound > 0).then_some(given.upper_bound);
    Ok(ExactOptions {
        bound,
        branching,
        exploration,
        pool,
        upper_bound,
        checkpoint,
        checkpoint_interval,
    })
}

fn convert_pool(given: &mks_flow_shop_options) -> Result<HostPool> {
    let placement = choice("options.placement", given.placement)?;
    Ok(HostPool {
        size: usize::try_from(given.pool_size).unwrap_or(usize::MAX),
        sorted: given.pool_unsorted == 0,
        branch_free: given.pool_branches == 0,
        placement,
    })
}

/// # Safety
/// That of [`convert`].
unsafe fn convert_checkpoint(given: &mks_flow_shop_options) -> Result<(Option<PathBuf>, Duration)> {
    if given.checkpoint.is_null() {
        return Ok((None, ExactOptions::default().checkpoint_interval));
    }
    // SAFETY: the caller's promise.
    let path = unsafe { pointer::path(given.checkpoint, "options.checkpoint") }?;
    let interval =
        duration("options.checkpoint_interval_seconds", given.checkpoint_interval_seconds)?;
    Ok((Some(path), interval.unwrap_or(Duration::MAX)))
}

fn convert_search(given: &mks_flow_shop_options) -> Result<SearchOptions> {
    let positive = |number: usize| (number > 0).then_some(number);
    Ok(SearchOptions {
        beam_width: positive(given.beam_width),
        trajectories: positive(given.trajectories),
        neighbourhood: choice("options.neighbourhood", given.neighbourhood)?,
        evaluation: optional_choice("options.evaluation", given.evaluation)?,
        tabu_list: choice("options.tabu_list", given.tabu_list)?,
        tenure: given.tenure,
        local_columns: flag("options.local_columns", given.local_columns)?,
    })
}
