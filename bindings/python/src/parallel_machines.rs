//! Jobs on identical machines.

use std::sync::Arc;

use makespan::parallel_machines::{Instance, Options, Schedule, solve, solve_batch};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{integers, matrix, scalar, whole_list, whole_rows};
use crate::error::OrRaise;
use crate::files;
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch};
use crate::solving;

/// Jobs on identical machines, so that the last one ends early.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct ParallelMachines(Arc<Instance>);

struct OfParallelMachines;

impl Problem for OfParallelMachines {
    const NAME: &'static str = "parallel_machines";
    type Instance = Instance;
    type Options = Options;
    type Solution = Schedule;
    type Value = i64;
    const SOLVE: Solve<Self> = solve;
    const SOLVE_BATCH: SolveBatch<Self> = solve_batch;

    fn numbers(instance: &Instance) -> usize {
        instance.times().len()
    }

    fn solution(py: Python<'_>, _: &Instance, found: &Schedule) -> PyResult<Py<PyAny>> {
        Ok(integers(py, found.assignment().iter().copied())?.into_any().unbind())
    }
}

/// Pairs of a job and its machine, as a dictionary or as an array of pairs.
fn pairs(pinned: &Bound<'_, PyAny>) -> PyResult<(Vec<u32>, Vec<u32>)> {
    let list = match pinned.cast::<PyDict>() {
        Ok(pairs) => whole_rows::<u32>("pinned", pairs.items().as_any(), 2)?,
        Err(_) => whole_rows::<u32>("pinned", pinned, 2)?,
    };
    let (pairs, _) = list.as_chunks::<2>();
    Ok(pairs.iter().map(|&[job, machine]| (job, machine)).unzip())
}

#[pymethods]
impl ParallelMachines {
    #[new]
    #[pyo3(signature = (times, machines, *, pinned = None))]
    fn new(
        py: Python<'_>,
        times: &Bound<'_, PyAny>,
        machines: &Bound<'_, PyAny>,
        pinned: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (times, machines) = (whole_list("times", times)?, scalar("machines", machines)?);
        let mut instance = Instance::new(times, machines).or_raise(py)?;
        if let Some(pinned) = pinned {
            let (jobs, machines) = pairs(pinned)?;
            let with = instance.with_pinned(jobs, machines);
            instance = with.about("pinned").or_raise(py)?;
        }
        Ok(ParallelMachines(Arc::new(instance)))
    }

    /// An instance from a file in a format of the library.
    #[staticmethod]
    fn _read(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::read(path, Instance::read).map(ParallelMachines)
    }

    /// An instance from a text in a format of the library.
    #[staticmethod]
    fn _parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::parse(text, Instance::parse).map(ParallelMachines)
    }

    /// The processing times.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.times().iter().copied())
    }

    /// Number of jobs.
    #[getter]
    fn jobs(&self) -> usize {
        self.0.jobs()
    }

    /// Number of machines.
    #[getter]
    fn machines(&self) -> u32 {
        self.0.machines()
    }

    /// The jobs that must not move with their machines, a row for each.
    #[getter]
    fn pinned<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let pairs = self.0.pinned().iter().zip(self.0.pinned_machines());
        let list: Vec<_> = pairs.flat_map(|(&job, &machine)| [job, machine]).collect();
        let count = list.len() / 2;
        (count > 0).then(|| matrix(py, list, count, 2)).transpose()
    }

    /// The makespan of an assignment, the machine of each job.
    fn evaluate(&self, py: Python<'_>, assignment: &Bound<'_, PyAny>) -> PyResult<u64> {
        let schedule = Schedule::new(whole_list("assignment", assignment)?);
        let makespan = schedule.makespan(&self.0);
        makespan.about("assignment").or_raise(py)
    }

    /// The start time of each job of an assignment.
    fn starts<'py>(
        &self,
        py: Python<'py>,
        assignment: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let schedule = Schedule::new(whole_list("assignment", assignment)?);
        let starts = schedule.starts(&self.0);
        integers(py, starts.about("assignment").or_raise(py)?)
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfParallelMachines>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfParallelMachines>(py, &instances, keywords)
    }
}
