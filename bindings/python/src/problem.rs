//! What all problems have for solves from Python.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use makespan::options::{Entry, Named};
use makespan::{Context, Control, Objective, Progress, ProgressCallback, SolveOptions};
use pyo3::prelude::*;

/// A problem with its solver.
pub(crate) trait Problem: Sized + 'static {
    /// The owner of the table of options.
    const NAME: &'static str;
    type Instance: Send + Sync + 'static;
    type Options: Named + Send + Sync + 'static;
    type Solution: Any + Send + Sync;
    type Value: Objective + Send + Sync;

    const SOLVE: Solve<Self>;
    const SOLVE_BATCH: SolveBatch<Self>;

    /// The numbers of an instance over which a solve makes whole passes, also after a stop; 0 if its
    /// solves end soon.
    fn numbers(_: &Self::Instance) -> usize {
        0
    }

    /// The solution as arrays.
    fn solution(
        py: Python<'_>,
        instance: &Self::Instance,
        solution: &Self::Solution,
    ) -> PyResult<Py<PyAny>>;
}

type Found<P> = makespan::Outcome<<P as Problem>::Solution, <P as Problem>::Value>;

/// The library's function that solves one instance.
pub(crate) type Solve<P> = fn(
    &Context,
    &<P as Problem>::Instance,
    &<P as Problem>::Options,
    &SolveOptions,
) -> makespan::Result<Found<P>>;

/// The library's function that solves many instances.
pub(crate) type SolveBatch<P> = fn(
    &Context,
    &[&<P as Problem>::Instance],
    &<P as Problem>::Options,
    &SolveOptions,
) -> makespan::Result<Vec<Found<P>>>;

/// Solves many instances in turn, for problems whose instances have nothing in common that a batch
/// could use. The limits apply to each. Once the caller has asked for a stop, the remaining instances
/// have no time.
pub(crate) fn one_by_one<P: Problem>(
    context: &Context,
    instances: &[&P::Instance],
    options: &P::Options,
    solve_options: &SolveOptions,
) -> makespan::Result<Vec<Found<P>>> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let mut own = solve_options.clone();
    own.progress = solve_options.progress.clone().map(|progress| {
        let is_stopped = Arc::clone(&is_stopped);
        // An answer to the last report of an instance counts, too.
        Arc::new(move |report: &Progress<'_>| {
            let answer = progress(report);
            is_stopped.fetch_or(answer == Control::Stop, Ordering::Relaxed);
            answer
        }) as ProgressCallback
    });
    let mut solve = |instance: &&P::Instance| {
        if is_stopped.load(Ordering::Relaxed) {
            own.limits.time = Some(Duration::ZERO);
        }
        (P::SOLVE)(context, instance, options, &own)
    };
    instances.iter().map(&mut solve).collect()
}

/// The options of a problem with one method.
#[derive(Clone, Default)]
pub(crate) struct NoOptions;

impl Named for NoOptions {
    const TABLE: &'static [Entry<Self>] = &[];
}
