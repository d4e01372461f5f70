//! Recurrences with fixed offsets.

pub(super) mod instance;

use std::ffi::CStr;
use std::sync::Arc;

use self::instance::mks_recurrence_instance;
use super::context::mks_context;
use super::guard::guard;
use super::handle::{Held, get, view};
use super::options::mks_options;
use super::pointer::{self, OutArray};
use super::progress::Asked;
use super::result::mks_result;
use super::solution;
use super::solve::{self, Problem, solve_alone};
use super::status::{Failure, Result, mks_status};
use crate::recurrence::{self, Instance, Options, Semiring, Solution};
use crate::{Context, SolveOptions};

impl solution::Solution for Solution {
    const PROBLEM: &'static CStr = c"recurrence";
}

impl Problem for mks_recurrence_instance {
    type Instance = Instance;
    type Options = Options;

    fn share(&self) -> Arc<Instance> {
        Arc::clone(&self.instance)
    }

    fn solve(
        context: &Context,
        instance: &Arc<Instance>,
        options: &Options,
        asked: &Asked,
    ) -> Result<mks_result> {
        let outcome = recurrence::solve(context, instance, options, asked)?;
        Ok(mks_result::new(outcome, |solution| solution))
    }

    fn solve_batch(
        context: &Context,
        instances: &[Arc<Instance>],
        options: &Options,
        solve_options: &SolveOptions,
    ) -> Result<Vec<Held<mks_result>>> {
        let references = solve::references(instances)?;
        let outcomes = recurrence::solve_batch(context, &references, options, solve_options)?;
        solve::in_order(instances, outcomes, |solution, _| solution)
    }
}

/// Fills a (min,+) table. The simplest call. offsets[count] decrease; weights[count] are their
/// weights, or NULL if all are 0. initial[offsets[0]] are the first values of the table; their
/// number is the largest offset. A length below that is ::MKS_STATUS_INVALID_ARGUMENT; initial is
/// then not read. On success values[length] holds the whole table; INT64_MAX means unreachable. If
/// time_limit_seconds ends the call, it returns ::MKS_STATUS_STOPPED; INFINITY sets no limit.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_min_plus(
    offsets: *const u64,
    weights: *const i64,
    count: usize,
    initial: *const i64,
    length: usize,
    time_limit_seconds: f64,
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
        let run = |context: &Context, limits: &_| {
            recurrence::solve(context, &instance, &Options::default(), limits)
        };
        let (solution, ..) = solve_alone(time_limit_seconds, run)?;
        values.write(&solution.values)
    })
}

/// Fills the tables. The result's objective is the last element of the first table. Its status is
/// optimal, since a table has only one solution, or stopped without a solution if a limit or a stop
/// request ends the solve. An element beyond the semiring's range is ::MKS_STATUS_OVERFLOW. An
/// operator source that does not compile is ::MKS_STATUS_INVALID_ARGUMENT; the last error has the
/// compiler's messages.
///
/// With a custom operator, the library computes elements again in the order of the definition: all
/// elements of a small table, samples of a large one. It uses the callback, or else a separate
/// kernel. A difference is ::MKS_STATUS_INVALID_ARGUMENT: the operator is not associative, or its
/// source and its callback differ.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_solve(
    context: *const mks_context,
    instance: *const mks_recurrence_instance,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and a valid pointer, or NULL.
    unsafe { solve::solve(context, instance, options, result) }
}

/// ::mks_recurrence_solve for many instances; see BATCHES. Recurrences with the same offsets and
/// length are faster as the tables of one instance.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_solve_batch(
    context: *const mks_context,
    instances: *const *mut mks_recurrence_instance,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    // SAFETY: the header demands valid handles and arrays of that length, or NULL.
    unsafe { solve::solve_batch(context, instances, count, options, results) }
}

/// The whole tables, one after the other: values[count]. ::MKS_STATUS_NOT_AVAILABLE if the option
/// "values" was "last".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_values_view(
    result: *const mks_result,
    values: *mut *const i64,
    count: *mut usize,
) -> mks_status {
    // A table has a preset element at least.
    let of = |result: &'static mks_result| match &result.solution::<Solution>()?.values[..] {
        [] => Err(Failure::not_available("table")),
        values => Ok(values),
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(result, values, count, "values", of) }
}

/// The last element of each table: last[count].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_last_view(
    result: *const mks_result,
    last: *mut *const i64,
    count: *mut usize,
) -> mks_status {
    let of = |result: &'static mks_result| Ok(&result.solution::<Solution>()?.last[..]);
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(result, last, count, "last", of) }
}

/// The choices, one table after the other: choices[count]. For each element that is not initial,
/// the choice is the position of the first offset that gives its value, or UINT32_MAX for its term
/// or for none. In a knapsack, 0 means that the item is taken, 1 that it is not.
/// ::MKS_STATUS_NOT_AVAILABLE if the option "choices" was false.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_choices_view(
    result: *const mks_result,
    choices: *mut *const u32,
    count: *mut usize,
) -> mks_status {
    let of = |result: &'static mks_result| {
        let choices = result.solution::<Solution>()?.choices.as_deref();
        choices.ok_or_else(|| Failure::not_available("choices"))
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(result, choices, count, "choices", of) }
}

/// Checks values[count], whole tables one after the other, and sets *last to the last element of
/// the first one. Returns ::MKS_STATUS_INVALID_ARGUMENT if an element differs from the definition;
/// the last error names the first one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_check(
    instance: *const mks_recurrence_instance,
    values: *const i64,
    count: usize,
    last: *mut i64,
) -> mks_status {
    let value = |handle: &mks_recurrence_instance| {
        // SAFETY: the header demands that many elements, or NULL.
        let values = unsafe { pointer::array(values, count, "values") }?;
        Ok(handle.instance.check(values)?)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, last, "last", value) }
}
