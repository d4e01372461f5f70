//! One way to run all solvers.

use std::sync::Arc;

use makespan::options::Named;
use makespan::{Context, ContextOptions, SolveOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::aside::{self, aside};
use crate::context::{self, default_context, open};
use crate::ending::Running;
use crate::error::{OrRaise, exception, wrong_type};
use crate::keywords::{entry_of, set, take, unknown};
use crate::listener::{Failure, Functions, Listener, is_main};
use crate::outcome::Outcome;
use crate::problem::Problem;

/// What the keywords of a call say.
pub(crate) struct Call<O> {
    pub(crate) context: Arc<Context>,
    /// The object of that context: its end would end the log.
    pub(crate) _given: Option<Py<PyAny>>,
    pub(crate) options: O,
    pub(crate) solve_options: SolveOptions,
    pub(crate) functions: Functions,
}

impl<O: Named> Call<O> {
    /// Reads the keywords. Options of a context make one for this call alone.
    pub(crate) fn read(
        py: Python<'_>,
        problem: &'static str,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let given = take(keywords, "context")?;
        let functions = Functions::take(keywords)?;
        let (mut options, mut solve_options) = (O::default(), SolveOptions::default());
        if let Some(stop) = take(keywords, "stop")? {
            let stop = stop.cast::<context::StopHandle>();
            let stop = stop.map_err(|_| wrong_type("stop", "must be a StopHandle"))?;
            solve_options.stop = Some(stop.get().0.clone());
        }
        let mut own = None;
        for (name, value) in keywords.iter() {
            let name: String = name.extract()?;
            if let Some(entry) = entry_of::<O>(&name) {
                set(entry, &mut options, &value)?;
            } else if let Some(entry) = entry_of::<SolveOptions>(&name) {
                set(entry, &mut solve_options, &value)?;
            } else if let Some(entry) = entry_of::<ContextOptions>(&name) {
                set(entry, own.get_or_insert_default(), &value)?;
                if given.is_some() {
                    let reason = "is an option of the context that the call names";
                    return Err(wrong_type(&name, reason));
                }
            } else {
                let own = O::TABLE.iter().map(|entry| entry.name);
                let common = SolveOptions::TABLE.iter().map(|entry| entry.name);
                let known: Vec<_> = own.chain(common).collect();
                return Err(unknown(py, problem, &name, &known));
            }
        }
        let context = match (&given, own) {
            (Some(given), _) => {
                let given = given.cast::<context::Context>();
                given.map_err(|_| wrong_type("context", "must be a Context"))?.get().shared()?
            }
            (None, Some(own)) => open(py, own)?,
            (None, None) => default_context(py)?,
        };
        Ok(Call { context, _given: given.map(Bound::unbind), options, solve_options, functions })
    }
}

/// Solves an instance without the interpreter's lock.
pub(crate) fn solve<P: Problem>(
    py: Python<'_>,
    instance: &Arc<P::Instance>,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<Outcome> {
    solve_with::<P>(py, instance, keywords, Arc::default())
}

/// [`solve`] for an instance with functions of the caller. They note their exceptions in `failure`.
pub(crate) fn solve_with<P: Problem>(
    py: Python<'_>,
    instance: &Arc<P::Instance>,
    keywords: &Bound<'_, PyDict>,
    failure: Arc<Failure>,
) -> PyResult<Outcome> {
    let Call { context, _given, options, mut solve_options, functions } =
        Call::<P::Options>::read(py, P::NAME, keywords)?;
    // Functions of the caller run on its thread.
    let is_aside = functions.is_empty() && aside::is_due(py, P::numbers(instance))?;
    let has_signals = !is_aside && is_main(py)?;
    let solved = Some(Arc::clone(instance));
    let listener = Listener::<P>::new(solved, functions, Arc::clone(&failure), has_signals);
    solve_options.progress = Some(listener.callback());
    let (running, own) = (Running::begin()?, Arc::clone(instance));
    let work = move || {
        // The count of running solves and a context of this call alone end here.
        let (_running, context) = (running, context);
        (P::SOLVE)(&context, &own, &options, &solve_options)
    };
    let result = match is_aside {
        true => aside(py, work, || failure.leave())?,
        false => py.detach(work),
    };
    ended(py, &failure)?;
    Outcome::new::<P>(py, instance, result.or_raise(py)?)
}

/// Solves many instances, in order.
pub(crate) fn solve_batch<P: Problem>(
    py: Python<'_>,
    instances: &[Arc<P::Instance>],
    keywords: &Bound<'_, PyDict>,
) -> PyResult<Vec<Outcome>> {
    solve_batch_with::<P>(py, instances, keywords, Arc::default())
}

/// [`solve_batch`] for instances with functions of the caller. They note their exceptions in
/// `failure`.
pub(crate) fn solve_batch_with<P: Problem>(
    py: Python<'_>,
    instances: &[Arc<P::Instance>],
    keywords: &Bound<'_, PyDict>,
    failure: Arc<Failure>,
) -> PyResult<Vec<Outcome>> {
    let Call { context, _given, options, mut solve_options, functions } =
        Call::<P::Options>::read(py, P::NAME, keywords)?;
    let functions = functions.of_batch();
    let listener = Listener::<P>::new(None, functions, Arc::clone(&failure), is_main(py)?);
    solve_options.progress = Some(listener.callback());
    let running = Running::begin()?;
    let result = py.detach(move || {
        let context = context;
        let list: Vec<&P::Instance> = instances.iter().map(|instance| &**instance).collect();
        (P::SOLVE_BATCH)(&context, &list, &options, &solve_options)
    });
    drop(running);
    ended(py, &failure)?;
    let outcomes = result.map_err(|error| exception(py, &error))?.into_iter();
    outcomes
        .zip(instances)
        .map(|(outcome, instance)| Outcome::new::<P>(py, instance, outcome))
        .collect()
}

/// Raises what a function or a signal's handler has raised, also after the last report.
pub(crate) fn ended(py: Python<'_>, failure: &Failure) -> PyResult<()> {
    match failure.take() {
        Some(error) => Err(error),
        None => py.check_signals(),
    }
}
