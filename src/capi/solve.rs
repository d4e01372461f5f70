//! Bodies of the functions that solve.

use super::context::{Call, mks_context, quiet_options};
use super::convert::seconds;
use super::options::{self, Options, mks_options};
use super::pointer::{self, Handle};
use super::result::mks_result;
use super::status::{Failure, Result, mks_status};
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

/// Body of a one-call function: the solution with its objective and bound, from a new context and
/// with a time limit.
pub(super) fn solve_alone<S, V>(
    time_limit_seconds: f64,
    solve: impl FnOnce(&Context, &SolveOptions) -> crate::Result<Outcome<S, V>>,
) -> Result<(S, V, Option<V>)> {
    let context = Context::new(quiet_options())?;
    let time = seconds("time_limit_seconds", time_limit_seconds)?;
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
