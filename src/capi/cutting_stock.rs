//! One-dimensional cutting stock and bin packing.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use super::context::mks_context;
use super::guard::guard;
use super::handle::{self, Handle, get, get_list};
use super::options::mks_options;
use super::pointer::{self, Out, OutArray};
use super::result::mks_result;
use super::solution::Solution;
use super::solve::{Plain, Solve, SolveBatch, solve, solve_alone, solve_batch};
use super::status::{Failure, Result, mks_status};
use crate::Context;
use crate::cutting_stock::{self, Cut, Instance, Options, Packing, Pattern};
use crate::memory::{self, Gather};

/// Item types with lengths and demands, to be cut from stock pieces of one length.
pub struct mks_cutting_stock_instance {
    instance: Arc<Instance>,
}

impl Handle for mks_cutting_stock_instance {
    const NAME: &'static str = "mks_cutting_stock_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_cutting_stock_instance {
    fn new(instance: Instance) -> Self {
        mks_cutting_stock_instance { instance: Arc::new(instance) }
    }
}

/// A packing with the number of item types of its instance.
pub(super) struct Planned {
    packing: Packing,
    types: usize,
}

impl Solution for Planned {
    const PROBLEM: &'static CStr = c"cutting_stock";
}

impl Planned {
    fn pattern(&self, index: usize) -> Result<&Pattern> {
        pattern_at(self.packing.patterns(), index)
    }
}

impl Plain for mks_cutting_stock_instance {
    type Instance = Instance;
    type Options = Options;
    type Found = Packing;
    type Kept = Planned;

    const SOLVE: Solve<Self> = cutting_stock::solve;
    const SOLVE_BATCH: SolveBatch<Self> = cutting_stock::solve_batch;

    fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    fn keep(packing: Packing, instance: &Arc<Instance>) -> Planned {
        Planned { packing, types: instance.types() }
    }
}

/// Packs items into as few bins of one capacity as possible. The simplest call. lengths[items] are
/// the sizes of the items, from 1 to the capacity; their sum is below 2^63. On success
/// bin_of[items] holds the bin of each item, numbered from 0, *bins the number of bins, and *bound
/// a proved lower bound on it.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_cutting_stock_pack(
    lengths: *const u64,
    items: usize,
    capacity: u64,
    time_limit_seconds: f64,
    bin_of: *mut u32,
    bins: *mut i64,
    bound: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let lengths = unsafe { pointer::copy(lengths, items, "lengths") }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let bin_of = unsafe { OutArray::new(bin_of, items, "bin_of") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let bins = unsafe { Out::new(bins, "bins") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let bound = unsafe { Out::new(bound, "bound") }?;
        let instance = Instance::new(lengths, memory::filled(1, items)?, capacity)?;
        let run = |context: &Context, limits: &_| {
            cutting_stock::solve(context, &instance, &Options::default(), limits)
        };
        let (packing, objective, proved) = solve_alone(time_limit_seconds, run)?;
        let mut assignment = memory::zeroed(items)?;
        // With demand 1, a pattern is one bin.
        for (bin, pattern) in (0..).zip(packing.patterns()) {
            pattern.cuts.iter().for_each(|cut| assignment[cut.item as usize] = bin);
        }
        bin_of.write(&assignment)?;
        bins.write(objective);
        let proved = proved.ok_or_else(|| Failure::not_available("bound"))?;
        bound.write(proved);
        Ok(())
    })
}

/// Creates an instance from the length and the demand of each item type, lengths[types] and
/// demands[types], and the length of a stock piece. Lengths are whole numbers in any unit, from 1
/// to stock_length. The sum of the lengths of all items is below 2^63, the number of items below
/// 2^32.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_cutting_stock_instance_create(
    lengths: *const u64,
    demands: *const u64,
    types: usize,
    stock_length: u64,
    instance: *mut *mut mks_cutting_stock_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let lengths = unsafe { pointer::copy(lengths, types, "lengths") }?;
        // SAFETY: the header demands that many elements, or NULL.
        let demands = unsafe { pointer::narrowed(demands, types, "demands") }?;
        Ok(mks_cutting_stock_instance::new(Instance::new(lengths, demands, stock_length)?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Reads an instance from text[length], in either format of BPPLIB: "n c", then n lengths of items
/// with demand 1; or "n c", then n lines with a length and its demand.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_cutting_stock_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_cutting_stock_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_cutting_stock_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_cutting_stock_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_cutting_stock_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_cutting_stock_instance,
) -> mks_status {
    let build = |path| Ok(mks_cutting_stock_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// Patterns from arrays of C.
///
/// # Safety
/// `pieces` is NULL or has `patterns` elements, `counts` is NULL or has patterns * types elements.
unsafe fn patterns_of(
    pieces: *const u64,
    counts: *const u64,
    patterns: usize,
    types: usize,
) -> Result<Vec<Pattern>> {
    let many = || Failure::argument("patterns", format!("{patterns} are too many"));
    let numbers = patterns.checked_mul(types).ok_or_else(many)?;
    // SAFETY: the caller's promise.
    let pieces: Vec<u32> = unsafe { pointer::narrowed(pieces, patterns, "pieces") }?;
    // SAFETY: as above.
    let counts: Vec<u32> = unsafe { pointer::narrowed(counts, numbers, "counts") }?;
    let cuts = |index: usize| {
        let own = counts[index * types..][..types].iter().zip(0..);
        own.filter(|(count, _)| **count > 0).map(|(&count, item)| Cut { item, count }).gather()
    };
    let pattern = |(index, &pieces): (usize, &u32)| Ok(Pattern { pieces, cuts: cuts(index)? });
    Ok(pieces.iter().enumerate().map(pattern).try_gather()?)
}

/// The pattern with this index.
fn pattern_at(patterns: &[Pattern], index: usize) -> Result<&Pattern> {
    patterns.get(index).ok_or_else(|| {
        Failure::argument("index", format!("{index} is not below {}", patterns.len()))
    })
}

/// Writes the number of items of each of `types` types that a pattern cuts.
fn write_counts(pattern: &Pattern, types: usize, out: OutArray<u64>) -> Result {
    let mut dense = memory::zeroed(types)?;
    pattern.cuts.iter().for_each(|cut| dense[cut.item as usize] += u64::from(cut.count));
    out.write(&dense)
}

/// Creates a copy of an instance with stock pieces that are in use already. Of these,
/// pieces[patterns] are the numbers of pieces and counts[patterns * types] the numbers of items of
/// each type on one piece, pattern by pattern, which are part of the demands. A piece may have no
/// item yet. Other items may join those of a piece. In every packing these pieces come first, in
/// this order: the first pieces[0] pieces have the items of pattern 0, the next pieces[1] those of
/// pattern 1. Patterns of no piece are left out.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_cutting_stock_instance_with_pinned(
    instance: *const mks_cutting_stock_instance,
    pieces: *const u64,
    counts: *const u64,
    patterns: usize,
    changed: *mut *mut mks_cutting_stock_instance,
) -> mks_status {
    let value = |handle: &mks_cutting_stock_instance| {
        let types = handle.instance.types();
        // SAFETY: the header demands that many elements, or NULL.
        let pinned = unsafe { patterns_of(pieces, counts, patterns, types) }?;
        let changed = Instance::clone(&handle.instance).with_pinned(pinned);
        let changed = changed.map_err(|error| error.about("patterns"))?;
        Ok(mks_cutting_stock_instance::new(changed).give())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, changed, "changed", value) }
}

/// Number of item types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_instance_types(
    instance: *const mks_cutting_stock_instance,
    types: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, types, "types", |instance| Ok(instance.instance.types())) }
}

/// Length of a stock piece: the capacity of a bin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_instance_stock_length(
    instance: *const mks_cutting_stock_instance,
    stock_length: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(instance, stock_length, "stock_length", |instance| Ok(instance.instance.stock_length()))
    }
}

/// Copies the lengths to lengths[types].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_instance_lengths(
    instance: *const mks_cutting_stock_instance,
    lengths: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_cutting_stock_instance, out: OutArray<_>| {
        out.write(handle.instance.lengths())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, lengths, capacity, "lengths", copy) }
}

/// Copies the demands to demands[types].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_instance_demands(
    instance: *const mks_cutting_stock_instance,
    demands: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_cutting_stock_instance, out: OutArray<u64>| {
        out.write_wide(handle.instance.demands())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, demands, capacity, "demands", copy) }
}

/// Number of patterns of stock pieces in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_instance_pinned_count(
    instance: *const mks_cutting_stock_instance,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, count, "count", |handle| Ok(handle.instance.pinned().len())) }
}

/// Number of stock pieces in use of pattern `index`, with index from 0 and below
/// ::mks_cutting_stock_instance_pinned_count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_instance_pinned_pieces(
    instance: *const mks_cutting_stock_instance,
    index: usize,
    pieces: *mut u64,
) -> mks_status {
    let value = |handle: &mks_cutting_stock_instance| {
        Ok(pattern_at(handle.instance.pinned(), index)?.pieces.into())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, pieces, "pieces", value) }
}

/// Copies the number of items of each type on one stock piece in use of pattern `index` to
/// counts[types].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_instance_pinned_counts(
    instance: *const mks_cutting_stock_instance,
    index: usize,
    counts: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_cutting_stock_instance, out: OutArray<_>| {
        let pattern = pattern_at(handle.instance.pinned(), index)?;
        write_counts(pattern, handle.instance.types(), out)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, counts, capacity, "counts", copy) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_instance_free(
    instance: *mut mks_cutting_stock_instance,
) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_cutting_stock_instance::free(instance) };
}

/// Cuts all items from few stock pieces and proves a lower bound on the number of pieces. The
/// number is the result's objective. The result always has a solution, even if a limit or a stop
/// request ends the solve at once. An iteration is the table of the dynamic program, the
/// configuration LP, or one attempt of column generation to reach or refute a number of pieces.
/// With more than 10,000 items, the solver first cuts the patterns that the LP uses as a whole; if
/// more than 10,000 items are left, it tries no improvement of the rest.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_cutting_stock_solve(
    context: *const mks_context,
    instance: *const mks_cutting_stock_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve(context, instance, options, result) }
}

/// ::mks_cutting_stock_solve for many instances; see BATCHES.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_cutting_stock_solve_batch(
    context: *const mks_context,
    instances: *const *mut mks_cutting_stock_instance,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve_batch(context, instances, count, options, results) }
}

/// Checks a packing, pattern by pattern: pieces[patterns] has the number of stock pieces that each
/// pattern cuts, counts[patterns * types] the number of items of each type from one such piece.
/// Sets *stock_pieces to the sum of the pieces. Returns ::MKS_STATUS_INVALID_ARGUMENT if a pattern
/// is too long or lacks items of a stock piece in use, or if the demand of a type is not met
/// exactly; the last error names the first one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_check(
    instance: *const mks_cutting_stock_instance,
    pieces: *const u64,
    counts: *const u64,
    patterns: usize,
    stock_pieces: *mut i64,
) -> mks_status {
    let value = |handle: &mks_cutting_stock_instance| {
        let types = handle.instance.types();
        // SAFETY: the header demands that many elements, or NULL.
        let patterns = unsafe { patterns_of(pieces, counts, patterns, types) }?;
        Ok(Packing::new(patterns).stock_pieces(&handle.instance)?.cast_signed())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, stock_pieces, "stock_pieces", value) }
}

/// Number of patterns of the solution.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_pattern_count(
    result: *const mks_result,
    count: *mut usize,
) -> mks_status {
    let value = |result: &mks_result| Ok(result.solution::<Planned>()?.packing.patterns().len());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, count, "count", value) }
}

/// Number of stock pieces that pattern `index` cuts, with index from 0 and below
/// ::mks_cutting_stock_pattern_count. The sum over all patterns is the objective.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_pattern_pieces(
    result: *const mks_result,
    index: usize,
    pieces: *mut u64,
) -> mks_status {
    let value =
        |result: &mks_result| Ok(result.solution::<Planned>()?.pattern(index)?.pieces.into());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, pieces, "pieces", value) }
}

/// Copies the number of items of each type that pattern `index` cuts from one stock piece to
/// counts[types].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_cutting_stock_pattern_counts(
    result: *const mks_result,
    index: usize,
    counts: *mut u64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let planned: &Planned = result.solution()?;
        write_counts(planned.pattern(index)?, planned.types, out)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, counts, capacity, "counts", copy) }
}
