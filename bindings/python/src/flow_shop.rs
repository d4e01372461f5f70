//! The permutation flow shop with the models of planners.

use std::sync::Arc;

use makespan::flow_shop::{
    Format, Instance, Objective, Options, Permutation, Setups, solve, solve_batch,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{
    self, blocks, integers, matrix, optional_integers, optional_list, shape_text, text, whole,
    whole_list, wrong_shape,
};
use crate::error::{OrRaise, argument};
use crate::files;
use crate::keywords::{flag_argument, named};
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch};
use crate::solving;

/// Jobs that pass all machines in the same sequence.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct FlowShop(Arc<Instance>);

struct OfFlowShop;

impl Problem for OfFlowShop {
    const NAME: &'static str = "flow_shop";
    type Instance = Instance;
    type Options = Options;
    type Solution = Permutation;
    type Value = i64;
    const SOLVE: Solve<Self> = solve;
    const SOLVE_BATCH: SolveBatch<Self> = solve_batch;

    fn numbers(instance: &Instance) -> usize {
        instance.times().len()
    }

    fn solution(py: Python<'_>, _: &Instance, found: &Permutation) -> PyResult<Py<PyAny>> {
        Ok(integers(py, found.jobs().iter().copied())?.into_any().unbind())
    }
}

/// A list that an instance may lack.
type OptionalList<'py> = PyResult<Option<Bound<'py, PyArray1<i64>>>>;

/// The arguments of set-ups.
struct SetupArguments<'a, 'py> {
    setups: Option<&'a Bound<'py, PyAny>>,
    families: Option<&'a Bound<'py, PyAny>>,
    first_setups: Option<&'a Bound<'py, PyAny>>,
    last_kinds: Option<&'a Bound<'py, PyAny>>,
}

impl SetupArguments<'_, '_> {
    fn read(&self, py: Python<'_>, jobs: usize, machines: usize) -> PyResult<Option<Setups>> {
        let Some(setups) = self.setups else {
            let others = [
                ("families", self.families),
                ("first_setups", self.first_setups),
                ("last_kinds", self.last_kinds),
            ];
            return match others.into_iter().find(|(_, value)| value.is_some()) {
                Some((name, _)) => Err(argument(py, name, "needs the argument setups")),
                None => Ok(None),
            };
        };
        let matrices = whole::<u32>("setups", setups, &[2, 3])?;
        let families = optional_list::<u32>("families", self.families)?;
        let (kinds, what) = match &families {
            None => (jobs, "jobs"),
            // The matrix says how many there are.
            Some(_) => (matrices.shape[matrices.shape.len() - 1], "families"),
        };
        check_shape(py, "setups", &matrices.shape, &[kinds, kinds], machines, what)?;
        let mut made = match families {
            None => Setups::between_jobs(jobs, matrices.values),
            Some(families) => Setups::between_families(kinds, families, matrices.values),
        }
        .or_raise(py)?;
        if let Some(first) = self.first_setups {
            let first = whole::<u32>("first_setups", first, &[1, 2])?;
            check_shape(py, "first_setups", &first.shape, &[kinds], machines, what)?;
            made = made.with_first(first.values).or_raise(py)?;
        }
        if let Some(last) = optional_list("last_kinds", self.last_kinds)? {
            made = made.after(last).or_raise(py)?;
        }
        Ok(Some(made))
    }
}

/// Refuses an array that is neither of this shape nor has one of them for each machine.
fn check_shape(
    py: Python<'_>,
    name: &str,
    shape: &[usize],
    one: &[usize],
    machines: usize,
    kinds: &str,
) -> PyResult<()> {
    let is_one = shape == one;
    let is_each = shape.first() == Some(&machines) && &shape[1..] == one;
    if is_one || is_each {
        return Ok(());
    }
    let (one, each) = (shape_text(one), shape_text(&[&[machines], one].concat()));
    Err(wrong_shape(py, name, &format!("{one} or {each} for these {kinds}"), shape))
}

fn format_of(format: &Bound<'_, PyAny>) -> PyResult<Format> {
    named(format.py(), "format", &text("format", format)?)
}

/// The stages of an objective, in one text with commas between or in a list of texts.
fn objective_of(objective: &Bound<'_, PyAny>) -> PyResult<Objective> {
    let list = match objective.extract::<Vec<String>>() {
        Ok(stages) => stages.join(","),
        Err(_) => text("objective", objective)?,
    };
    Objective::parse(&list.replace('_', "-")).or_raise(objective.py())
}

impl FlowShop {
    fn sequence(sequence: &Bound<'_, PyAny>) -> PyResult<Permutation> {
        whole_list("sequence", sequence).map(Permutation::new)
    }
}

#[pymethods]
impl FlowShop {
    #[new]
    #[pyo3(signature = (
        times, *, objective = None, release_times = None, due_dates = None, weights = None,
        setups = None, families = None, first_setups = None, last_kinds = None, blocking = None,
        ready_times = None, pinned = None, running_plan = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        times: &Bound<'_, PyAny>,
        objective: Option<&Bound<'_, PyAny>>,
        release_times: Option<&Bound<'_, PyAny>>,
        due_dates: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
        setups: Option<&Bound<'_, PyAny>>,
        families: Option<&Bound<'_, PyAny>>,
        first_setups: Option<&Bound<'_, PyAny>>,
        last_kinds: Option<&Bound<'_, PyAny>>,
        blocking: Option<&Bound<'_, PyAny>>,
        ready_times: Option<&Bound<'_, PyAny>>,
        pinned: Option<&Bound<'_, PyAny>>,
        running_plan: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let arrays::Array { values, shape } = whole::<u32>("times", times, &[2])?;
        let (jobs, machines) = (shape[0], shape[1]);
        if jobs == 0 || machines == 0 {
            let reason = format!("has {jobs} jobs and {machines} machines");
            return Err(argument(py, "times", &reason));
        }
        let mut instance = Instance::new(jobs, machines, values).or_raise(py)?;
        if let Some(list) = optional_list("ready_times", ready_times)? {
            instance = instance.with_ready_times(list).or_raise(py)?;
        }
        if let Some(list) = optional_list("release_times", release_times)? {
            instance = instance.with_release_times(list).or_raise(py)?;
        }
        if let Some(list) = optional_list("due_dates", due_dates)? {
            instance = instance.with_due_dates(list).or_raise(py)?;
        }
        if let Some(list) = optional_list("weights", weights)? {
            instance = instance.with_weights(list).or_raise(py)?;
        }
        let setups = SetupArguments { setups, families, first_setups, last_kinds };
        if let Some(setups) = setups.read(py, jobs, machines)? {
            instance = instance.with_setups(setups).or_raise(py)?;
        }
        if blocking.map(|value| flag_argument("blocking", value)).transpose()? == Some(true) {
            instance = instance.with_blocking().or_raise(py)?;
        }
        if let Some(list) = optional_list("pinned", pinned)? {
            instance = instance.with_pinned(list).or_raise(py)?;
        }
        if let Some(list) = optional_list("running_plan", running_plan)? {
            instance = instance.with_running_plan(list).or_raise(py)?;
        }
        if let Some(objective) = objective {
            instance = instance.with_objective(objective_of(objective)?).or_raise(py)?;
        }
        Ok(FlowShop(Arc::new(instance)))
    }

    /// One of Taillard's instances, `ta001` to `ta120`.
    #[staticmethod]
    fn _named(py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Self> {
        let name = text("name", name)?;
        let instance = Instance::named(&name).ok_or_else(|| {
            argument(py, "name", &format!("is none of ta001 to ta120, but \"{name}\""))
        })?;
        Ok(FlowShop(Arc::new(instance)))
    }

    /// An instance from a file in a format of the library.
    #[staticmethod]
    fn _read(path: &Bound<'_, PyAny>, format: &Bound<'_, PyAny>) -> PyResult<Self> {
        let format = format_of(format)?;
        files::read(path, |path| Instance::read_as(path, format)).map(FlowShop)
    }

    /// An instance from a text in a format of the library.
    #[staticmethod]
    fn _parse(text: &Bound<'_, PyAny>, format: &Bound<'_, PyAny>) -> PyResult<Self> {
        let format = format_of(format)?;
        files::parse(text, |text| Instance::parse_as(text, format)).map(FlowShop)
    }

    /// Number of jobs.
    #[getter]
    fn jobs(&self) -> usize {
        self.0.jobs()
    }

    /// Number of machines.
    #[getter]
    fn machines(&self) -> usize {
        self.0.machines()
    }

    /// The times, a row for each job.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        matrix(py, self.0.times().iter().copied(), self.0.jobs(), self.0.machines())
    }

    /// The release times of the jobs.
    #[getter]
    fn release_times<'py>(&self, py: Python<'py>) -> OptionalList<'py> {
        optional_integers(py, self.0.release_times())
    }

    /// The due dates of the jobs.
    #[getter]
    fn due_dates<'py>(&self, py: Python<'py>) -> OptionalList<'py> {
        optional_integers(py, self.0.due_dates())
    }

    /// The weights of the jobs.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> OptionalList<'py> {
        optional_integers(py, self.0.weights())
    }

    /// The set-ups, one matrix for all machines or one for each.
    #[getter]
    fn setups<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let kinds = self.0.setups().map_or(0, Setups::kinds);
        blocks(py, self.0.setups().map_or(&[], Setups::times), &[kinds, kinds])
    }

    /// The family of each job.
    #[getter]
    fn families<'py>(&self, py: Python<'py>) -> OptionalList<'py> {
        optional_integers(py, self.0.setups().map_or(&[], Setups::families))
    }

    /// The set-ups for first jobs, one row for all machines or one for each.
    #[getter]
    fn first_setups<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let kinds = self.0.setups().map_or(0, Setups::kinds);
        blocks(py, self.0.setups().map_or(&[], Setups::first), &[kinds])
    }

    /// The kind that each machine is set up for at the beginning.
    #[getter]
    fn last_kinds<'py>(&self, py: Python<'py>) -> OptionalList<'py> {
        optional_integers(py, self.0.setups().map_or(&[], Setups::last_kinds))
    }

    /// Whether a job stays on its machine until the next one is free.
    #[getter]
    fn blocking(&self) -> bool {
        self.0.has_blocking()
    }

    /// The time from which each machine is free.
    #[getter]
    fn ready_times<'py>(&self, py: Python<'py>) -> OptionalList<'py> {
        optional_integers(py, self.0.ready_times())
    }

    /// The jobs that every sequence begins with.
    #[getter]
    fn pinned<'py>(&self, py: Python<'py>) -> OptionalList<'py> {
        optional_integers(py, self.0.pinned())
    }

    /// The sequence of the running plan.
    #[getter]
    fn running_plan<'py>(&self, py: Python<'py>) -> OptionalList<'py> {
        optional_integers(py, self.0.running_plan())
    }

    /// The stages of the objective, the most important first.
    #[getter]
    fn objective(&self) -> Vec<String> {
        self.0.objective().stages().iter().map(ToString::to_string).collect()
    }

    /// The values of a sequence, one for each stage of the objective.
    fn evaluate(&self, py: Python<'_>, sequence: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
        Self::sequence(sequence)?.values(&self.0).about("sequence").or_raise(py)
    }

    /// The start times of a sequence, a row for each job.
    fn starts<'py>(
        &self,
        py: Python<'py>,
        sequence: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let starts = Self::sequence(sequence)?.starts(&self.0).about("sequence").or_raise(py)?;
        matrix(py, starts, self.0.jobs(), self.0.machines())
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfFlowShop>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfFlowShop>(py, &instances, keywords)
    }
}
