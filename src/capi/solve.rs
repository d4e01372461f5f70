//! Bodies of the functions that solve.

use std::sync::Arc;

use super::context::{Call, mks_context, quiet_options};
use super::convert::seconds;
use super::guard::guard;
use super::handle::{self, Handle, Held};
use super::options::{self, Options, mks_options};
use super::pointer::OutArray;
use super::progress::Asked;
use super::result::mks_result;
use super::solution::Solution;
use super::status::{Failure, Result, mks_status};
use crate::memory::Gather;
use crate::{Context, Limits, Objective, Outcome, SolveOptions};

/// A problem as the bodies of its functions that solve see it.
pub(super) trait Problem: Handle {
    /// What a solve needs of a handle. It is shared, since a callback may free the handle.
    type Instance;
    type Options: Options;

    fn share(&self) -> Arc<Self::Instance>;

    fn solve(
        context: &Context,
        instance: &Arc<Self::Instance>,
        options: &Self::Options,
        asked: &Asked,
    ) -> Result<mks_result>;

    /// Results in the order of the instances.
    fn solve_batch(
        context: &Context,
        instances: &[Arc<Self::Instance>],
        options: &Self::Options,
        solve_options: &SolveOptions,
    ) -> Result<Vec<Held<mks_result>>>;
}

/// A problem whose functions take and return one type of instance and one of solution. A progress
/// callback can read its best solution.
pub(super) trait Plain: Handle {
    type Instance: Send + Sync + 'static;
    type Options: Options;
    /// What the library returns, and the form that the problem's accessors need.
    type Found: Clone + 'static;
    type Kept: Solution;

    const SOLVE: Solve<Self>;
    const SOLVE_BATCH: SolveBatch<Self>;

    fn instance(&self) -> &Arc<Self::Instance>;

    fn keep(found: Self::Found, instance: &Arc<Self::Instance>) -> Self::Kept;
}

/// A problem's `solve`.
pub(super) type Solve<P> = fn(
    &Context,
    &<P as Plain>::Instance,
    &<P as Plain>::Options,
    &SolveOptions,
) -> crate::Result<Outcome<<P as Plain>::Found>>;

/// A problem's `solve_batch`.
pub(super) type SolveBatch<P> = fn(
    &Context,
    &[&<P as Plain>::Instance],
    &<P as Plain>::Options,
    &SolveOptions,
) -> crate::Result<Vec<Outcome<<P as Plain>::Found>>>;

impl<P: Plain> Problem for P {
    type Instance = P::Instance;
    type Options = P::Options;

    fn share(&self) -> Arc<P::Instance> {
        Arc::clone(self.instance())
    }

    fn solve(
        context: &Context,
        instance: &Arc<P::Instance>,
        options: &P::Options,
        asked: &Asked,
    ) -> Result<mks_result> {
        let shared = Arc::clone(instance);
        let show = asked.showing(move |found: &P::Found| P::keep(found.clone(), &shared));
        let outcome = P::SOLVE(context, instance, options, &show)?;
        Ok(mks_result::new(outcome, |found| P::keep(found, instance)))
    }

    fn solve_batch(
        context: &Context,
        instances: &[Arc<P::Instance>],
        options: &P::Options,
        solve_options: &SolveOptions,
    ) -> Result<Vec<Held<mks_result>>> {
        let references = references(instances)?;
        let outcomes = P::SOLVE_BATCH(context, &references, options, solve_options)?;
        in_order(instances, outcomes, P::keep)
    }
}

/// Body of the exported functions that solve an instance.
///
/// # Safety
/// Handles are NULL or valid, and `result` is NULL or may be written to.
pub(super) unsafe fn solve<P: Problem>(
    context: *const mks_context,
    instance: *const P,
    options: *const mks_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context, handle: &P, options: &P::Options, asked: &Asked| {
        P::solve(context, &handle.share(), options, asked)
    };
    // SAFETY: the caller's promise.
    unsafe { solve_with(context, instance, options, result, run) }
}

/// [`solve`] for functions that do it in another way.
///
/// # Safety
/// That of [`solve`].
pub(super) unsafe fn solve_with<H: Handle, O: Options>(
    context: *const mks_context,
    instance: *const H,
    options: *const mks_options,
    result: *mut *mut mks_result,
    solve: impl FnOnce(&Context, &H, &O, &Asked) -> Result<mks_result>,
) -> mks_status {
    let run = || {
        // SAFETY: the caller's promise.
        let context = unsafe { Call::enter(context) }?;
        // SAFETY: the caller's promise.
        let handle = unsafe { H::borrow(instance) }?;
        // SAFETY: the caller's promise.
        let (own, asked) = unsafe { options::read(options) }?;
        solve(&context, handle, &own, &asked)
    };
    // SAFETY: the caller's promise.
    unsafe { handle::make(result, run) }
}

/// Body of the exported functions that solve a batch.
///
/// # Safety
/// Handles are NULL or valid, and the arrays have `count` elements or are NULL.
pub(super) unsafe fn solve_batch<P: Problem>(
    context: *const mks_context,
    instances: *const *mut P,
    count: usize,
    options: *const mks_options,
    results: *mut *mut mks_result,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let context = unsafe { Call::enter(context) }?;
        // SAFETY: the caller's promise.
        let instances = unsafe { handle::shares(instances, count, "instances", P::share) }?;
        // SAFETY: the caller's promise.
        let (own, solve_options) = unsafe { options::read(options) }?;
        // SAFETY: the caller's promise.
        let out = unsafe { OutArray::new(results, count, "results") }?;
        let solved = P::solve_batch(&context, &instances, &own, &solve_options)?;
        out.write(&solved.into_iter().map(Held::give).gather()?)
    })
}

/// The results of a batch. `keep` turns a solution into the form that the problem's accessors need.
pub(super) fn in_order<I, T, V: Objective, S: Solution>(
    instances: &[Arc<I>],
    outcomes: Vec<Outcome<T, V>>,
    keep: impl Fn(T, &Arc<I>) -> S,
) -> Result<Vec<Held<mks_result>>> {
    let result =
        |(outcome, instance)| mks_result::new(outcome, |solution| keep(solution, instance)).hold();
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
