//! Bodies of the functions that solve.

use std::sync::Arc;

use super::context::{Call, mks_context, quiet_options};
use super::convert::seconds;
use super::guard::guard;
use super::options::{self, Options, mks_options};
use super::pointer::{self, Handle, OutArray};
use super::result::{Solution, mks_result};
use super::status::{Failure, Result, mks_status};
use crate::memory::Gather;
use crate::{Context, Limits, Outcome, SolveOptions};

/// Body of an exported function that solves: checks and converts the common arguments.
///
/// # Safety
/// Handles are NULL or valid, and `result` is NULL or may be written to.
pub(super) unsafe fn solve_with<H: Handle, O: Options>(
    context: *const mks_context,
    instance: *const H,
    options: *const mks_options,
    result: *mut *mut mks_result,
    solve: impl FnOnce(&Context, &H, &O, &SolveOptions) -> Result<mks_result>,
) -> mks_status {
    let run = || {
        // SAFETY: the caller's promise.
        let context = unsafe { Call::enter(context) }?;
        // SAFETY: the caller's promise.
        let handle = unsafe { H::borrow(instance) }?;
        // SAFETY: the caller's promise.
        let (own, solve_options) = unsafe { options::read(options) }?;
        solve(&context, handle, &own, &solve_options)
    };
    // SAFETY: the caller's promise.
    unsafe { pointer::make(result, run) }
}

/// Body of an exported function that solves a batch. `share` takes from each handle what a solve
/// needs, since a callback may free the handles.
///
/// # Safety
/// Handles are NULL or valid, and the arrays have `count` elements or are NULL.
pub(super) unsafe fn solve_batch_with<H: Handle, I, O: Options>(
    context: *const mks_context,
    (instances, count): (*const *mut H, usize),
    options: *const mks_options,
    results: *mut *mut mks_result,
    share: fn(&H) -> Arc<I>,
    solve: impl FnOnce(&Context, &[Arc<I>], &O, &SolveOptions) -> Result<Vec<mks_result>>,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let context = unsafe { Call::enter(context) }?;
        // SAFETY: the caller's promise.
        let instances = unsafe { pointer::shares(instances, count, "instances", share) }?;
        // SAFETY: the caller's promise.
        let (own, solve_options) = unsafe { options::read(options) }?;
        // SAFETY: the caller's promise.
        let out = unsafe { OutArray::new(results, count, "results") }?;
        let solved = solve(&context, &instances, &own, &solve_options)?;
        out.write(&solved.into_iter().map(Handle::give).gather()?)
    })
}

/// The results of a batch, which are those of the instances in their order. `keep` turns a
/// solution into the form that the problem's accessors need.
pub(super) fn in_order<I, T, S: Solution>(
    instances: &[Arc<I>],
    outcomes: Vec<Outcome<T>>,
    keep: impl Fn(T, &Arc<I>) -> S,
) -> Result<Vec<mks_result>> {
    let result =
        |(outcome, instance)| mks_result::new(outcome, |solution| keep(solution, instance));
    Ok(outcomes.into_iter().zip(instances).map(result).gather()?)
}

/// References to the instances of a batch.
pub(super) fn references<I>(instances: &[Arc<I>]) -> Result<Vec<&I>> {
    Ok(instances.iter().map(|instance| &**instance).gather()?)
}

/// Body of a one-call function: the solution with its objective and bound, from a new context and
/// with a time limit.
pub(super) fn solve_alone<S, V>(
    time_limit_seconds: f64,
    solve: impl FnOnce(&Context, &SolveOptions) -> crate::Result<Outcome<S, V>>,
) -> Result<(S, V, Option<V>)> {
    let time = seconds("time_limit_seconds", time_limit_seconds)?;
    let context = Context::new(quiet_options())?;
    let limits = Limits { time, ..Limits::default() };
    let outcome = solve(&context, &SolveOptions { limits, ..SolveOptions::default() })?;
    let solution = outcome.solution.ok_or_else(stopped)?;
    let objective = outcome.objective.ok_or_else(stopped)?;
    Ok((solution, objective, outcome.bound))
}

/// The limit came before there was a solution.
fn stopped() -> Failure {
    crate::Error::stopped().into()
}
