//! RNA folding.

use std::ffi::{CStr, CString, c_char};
use std::sync::OnceLock;

use crate::capi::context::mks_context;
use crate::capi::convert::c_string;
use crate::capi::handle::{self, Handle, get, get_list};
use crate::capi::options::mks_options;
use crate::capi::pointer::{self, OutArray};
use crate::capi::result::mks_result;
use crate::capi::solution::Solution;
use crate::capi::solve;
use crate::capi::status::mks_status;
use crate::interval_dp::Options;
use crate::interval_dp::folding::{self, Instance, Model, Nussinov, Structure};
use crate::memory::Gather;

/// An RNA sequence to fold, with the model of its structures.
pub struct mks_interval_dp_folding {
    pub(super) instance: Instance,
}

impl Handle for mks_interval_dp_folding {
    const NAME: &'static str = "mks_interval_dp_folding";
    const ARGUMENT: &'static str = "folding";
}

/// A structure with its text, which is made on first request.
struct Folded {
    structure: Structure,
    text: OnceLock<CString>,
}

impl Solution for Folded {
    const PROBLEM: &'static CStr = c"interval_dp_folding";
}

/// Creates the problem of folding an RNA sequence such that the weights of its pairs have the
/// largest sum. text[length] has the letters A, C, G and U or T, large or small, with a header line
/// as in FASTA's format or without. pair_weights[3] has the weights of a pair of G and C, of A and
/// U, and of G and U; a pair of weight 0 is not allowed, and NULL makes all weights 1. A pair has
/// at least `hairpin` bases inside; 3 is usual.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_folding_nussinov(
    text: *const c_char,
    length: usize,
    pair_weights: *const u32,
    hairpin: usize,
    folding: *mut *mut mks_interval_dp_folding,
) -> mks_status {
    let build = |text: &str| {
        let mut model = Nussinov { hairpin, ..Nussinov::default() };
        if !pair_weights.is_null() {
            // SAFETY: the header demands three numbers or NULL.
            let weights = unsafe { pointer::array(pair_weights, 3, "pair_weights") }?;
            (model.gc, model.au, model.gu) = (weights[0], weights[1], weights[2]);
        }
        Ok(mks_interval_dp_folding { instance: Instance::parse(text, Model::Nussinov(model))? })
    };
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, folding, build) }
}

/// Creates the problem of finding the structure of an RNA sequence with the least energy, in tenths
/// of kcal/mol; text[length] is as for ::mks_interval_dp_folding_nussinov.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_folding_zuker(
    text: *const c_char,
    length: usize,
    folding: *mut *mut mks_interval_dp_folding,
) -> mks_status {
    let build = |text: &str| {
        Ok(mks_interval_dp_folding {
            instance: Instance::parse(text, Model::Zuker(Box::default()))?,
        })
    };
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, folding, build) }
}

/// Finds the best structure of a sequence; the objective is its value, of type int64_t. The options
/// are those of ::mks_interval_dp_solve; methods are "auto", "cubic" and, for pairs
/// only, "serial". If a limit or a
/// stop request ends the solve, the result is a structure without pairs, feasible and without a
/// bound.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_fold(
    context: *const mks_context,
    folding: *const mks_interval_dp_folding,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe {
        solve::solve_with(
            context,
            folding,
            options,
            result,
            |context, handle: &mks_interval_dp_folding, options: &Options, asked| {
                let outcome = folding::solve(context, &handle.instance, options, asked)?;
                let keep = |structure| Folded { structure, text: OnceLock::new() };
                Ok(mks_result::new(outcome, keep))
            },
        )
    }
}

/// Number of pairs of a structure that ::mks_interval_dp_fold found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_pair_count(
    result: *const mks_result,
    count: *mut usize,
) -> mks_status {
    let value = |result: &mks_result| Ok(result.solution::<Folded>()?.structure.pairs().count());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, count, "count", value) }
}

/// Copies the pairs to pairs[capacity], two numbers each: the first and the last base, counted from
/// 0, in the order of the first ones. The capacity must be at least twice the number of pairs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_pairs(
    result: *const mks_result,
    pairs: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let pairs = result.solution::<Folded>()?.structure.pairs();
        out.write(&pairs.flat_map(|(first, last)| [first, last]).gather()?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, pairs, capacity, "pairs", copy) }
}

/// The structure as text, a dot for each unpaired base and brackets for pairs, such as "((...))".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_structure(
    result: *const mks_result,
    structure: *mut *const c_char,
) -> mks_status {
    let value = |result: &mks_result| {
        let folded: &Folded = result.solution()?;
        let text = || c_string(&folded.structure.to_string());
        Ok(folded.text.get_or_init(text).as_ptr())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, structure, "structure", value) }
}

/// Checks a structure in dots and brackets and sets *value to its value. Returns
/// ::MKS_STATUS_INVALID_ARGUMENT if its brackets do not match or the model does not allow it; the
/// last error names the base or the pair.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_folding_check(
    folding: *const mks_interval_dp_folding,
    structure: *const c_char,
    value: *mut i64,
) -> mks_status {
    let find = |handle: &mks_interval_dp_folding| {
        // SAFETY: the header demands a string or NULL.
        let structure = unsafe { pointer::text(structure, "structure") }?;
        Ok(handle.instance.evaluate(&structure.parse()?)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(folding, value, "value", find) }
}

/// Frees a folding problem.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_folding_free(folding: *mut mks_interval_dp_folding) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_interval_dp_folding::free(folding) };
}
