//! Recurrences with fixed offsets.

pub(super) mod instance;

use std::ffi::CStr;
use std::mem::offset_of;
use std::sync::Arc;

use self::instance::mks_recurrence_instance;
use super::context::mks_context;
use super::convert::{choice, flag};
use super::guard::guard;
use super::pointer::{self, OutArray, get_list};
use super::result::{Solution, mks_result, solve_alone, solve_with};
use super::solve_options::mks_solve_options;
use super::stamped::{self, Stamped};
use super::status::{Failure, Result, mks_status};
use crate::Context;
use crate::recurrence::{self, Instance, Options, Semiring, solve};

/// Methods for recurrences. All give the same values. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_recurrence_method {
    /// The fastest by estimate. That may be a jump on the CPU, for any engine asked for.
    Auto = 0,
    /// One element and one operand after the other.
    Sequential = 1,
    /// The operands of each element meet in pairs.
    Tournament = 2,
    /// The k-stage pipeline.
    Pipeline = 3,
    /// The pipeline with two operands per visit.
    TwoByTwo = 4,
    /// The p-fold pipeline.
    PFold = 5,
    /// Independent elements gather all operands at once; small offsets by blocks.
    Blocked = 6,
    /// A sliding window over consecutive offsets with one weight, on the CPU only.
    SlidingWindow = 7,
    /// The last element without the table, on the CPU only. The library cannot check it again,
    /// since that would take the table.
    Jump = 8,
}

/// Results of ::mks_recurrence_solve. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_recurrence_output {
    /// The whole table.
    Table = 0,
    /// Only the last element.
    Last = 1,
}

/// Options of ::mks_recurrence_solve. Fill them with ::mks_recurrence_options_init, then change
/// what you need. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_recurrence_options {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_recurrence_method. Default: ::MKS_RECURRENCE_METHOD_AUTO.
    pub method: i32,
    /// One of ::mks_recurrence_output. Default: ::MKS_RECURRENCE_OUTPUT_TABLE.
    pub output: i32,
    /// p of the p-fold pipeline; 0 takes the largest that is correct. A larger one is an error.
    /// Default: 0.
    pub fold: u64,
    /// 1 also returns the choices: the offset that gave each element its value. It needs the whole
    /// table over (min,+), (max,+) or (max,min), else the call returns ::MKS_STATUS_UNSUPPORTED;
    /// (or,and) joins the bits of several operands. Default: 0.
    pub choices: u32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and every bit pattern is a valid number.
unsafe impl Stamped for mks_recurrence_options {
    const ARGUMENT: &'static str = "options";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
    const DEFAULT: Self = mks_recurrence_options {
        struct_size: size_of::<Self>(),
        method: mks_recurrence_method::Auto as i32,
        output: mks_recurrence_output::Table as i32,
        fold: 0,
        choices: 0,
        reserved_flags: 0,
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved == [0; 4]
    }
}

impl Solution for recurrence::Solution {
    const PROBLEM: &'static CStr = c"recurrence";
}

/// Fills a (min,+) table. The simplest call: it needs no handles. offsets[count] decrease;
/// weights[count] are their weights, or NULL if all are 0. initial[offsets[0]] are the first values
/// of the table: as many as the largest offset says. A length below that is
/// ::MKS_STATUS_INVALID_ARGUMENT; initial is then not read. On success values[length] holds the
/// whole table; INT64_MAX means unreachable. Runs on all cores, or on a device where that is
/// faster. Any thread. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_min_plus(
    offsets: *const u64,
    weights: *const i64,
    count: usize,
    initial: *const i64,
    length: usize,
    values: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let offsets = unsafe { pointer::copy(offsets, count, "offsets") }?;
        let first = offsets.first().copied().unwrap_or(0);
        Instance::check_length(length as u64, first)?;
        // SAFETY: the header demands as many elements as the first offset says, which is at most
        // the length; or NULL.
        let initial = unsafe { pointer::copy(initial, first as usize, "initial") }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let values = unsafe { OutArray::new(values, length, "values") }?;
        let mut instance = Instance::new(Semiring::MinPlus, offsets, initial, length as u64)?;
        if !weights.is_null() {
            // SAFETY: the header demands that many elements.
            instance =
                instance.with_weights(unsafe { pointer::copy(weights, count, "weights") }?)?;
        }
        let run =
            |context: &Context, limits: &_| solve(context, &instance, &Options::default(), limits);
        let (solution, ..) = solve_alone(run)?;
        values.write(&solution.values)
    })
}

/// Fills in the defaults; `size` is sizeof(mks_recurrence_options). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_options_init(
    options: *mut mks_recurrence_options,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(options, size) }
}

fn convert(given: &mks_recurrence_options) -> Result<Options> {
    Ok(Options {
        method: choice("options.method", given.method)?,
        output: choice("options.output", given.output)?,
        fold: (given.fold > 0).then_some(given.fold),
        choices: flag("options.choices", given.choices)?,
    })
}

/// Fills the tables. The result's objective, read by ::mks_result_objective_i64, is the last
/// element of the first table. Its status is optimal, since a table has only one solution, or
/// stopped without a solution if a limit or a stop request ends the solve. Options may be NULL for
/// the defaults. An element beyond the semiring's range is ::MKS_STATUS_OVERFLOW. An operator
/// source that does not compile is ::MKS_STATUS_INVALID_ARGUMENT, with the compiler's messages.
///
/// With a custom operator, the library computes elements again in the order of the definition: all
/// elements of a small table, samples of a large one. It uses the callback, or else a separate
/// kernel. A difference is ::MKS_STATUS_INVALID_ARGUMENT: the operator is not associative, or its
/// source and its callback differ.
///
/// Several threads may solve on one context. Free the result with ::mks_result_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_solve(
    context: *const mks_context,
    instance: *const mks_recurrence_instance,
    options: *const mks_recurrence_options,
    solve_options: *const mks_solve_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run =
        |context: &Context, handle: &mks_recurrence_instance, options: &_, solve_options: &_| {
            // A callback may free the instance.
            let instance = Arc::clone(&handle.instance);
            let outcome = solve(context, &instance, &convert(options)?, solve_options)?;
            Ok(mks_result::new(outcome, |solution| solution))
        };
    // SAFETY: the header demands valid handles, initialised structs and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, solve_options, result, run) }
}

/// Copies the whole tables, one after the other, to values[capacity]; the capacity must be at least
/// the length times the number of tables. ::MKS_STATUS_NOT_AVAILABLE if options.output was
/// ::MKS_RECURRENCE_OUTPUT_LAST. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_values(
    result: *const mks_result,
    values: *mut i64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        // A table has a preset element at least.
        match &result.solution::<recurrence::Solution>()?.values[..] {
            [] => Err(Failure::not_available("table")),
            values => out.write(values),
        }
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, values, capacity, "values", copy) }
}

/// Copies the last element of each table to last[capacity]; the capacity must be at least the
/// number of tables. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_last(
    result: *const mks_result,
    last: *mut i64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        out.write(&result.solution::<recurrence::Solution>()?.last)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, last, capacity, "last", copy) }
}

/// Copies the choices, one table after the other, to choices[capacity]. For each element that is
/// not initial, the choice is the position of the first offset that gives its value, or UINT32_MAX
/// for its term or for none; in a knapsack, 0 for an item taken and 1 for one left. The capacity
/// must be at least the number of these elements. ::MKS_STATUS_NOT_AVAILABLE if options.choices was
/// 0. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_choices(
    result: *const mks_result,
    choices: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let choices = &result.solution::<recurrence::Solution>()?.choices;
        out.write(choices.as_ref().ok_or_else(|| Failure::not_available("choices"))?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, choices, capacity, "choices", copy) }
}
