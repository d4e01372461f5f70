//! RNA folding.

use std::sync::Arc;

use makespan::interval_dp::Options;
use makespan::interval_dp::folding::{Energies, Instance, Model, Nussinov, Structure, solve};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{integers, matrix, scalar, shape_text, text, whole, whole_rows, wrong_shape};
use crate::error::{OrRaise, argument, wrong_type};
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch, one_by_one};
use crate::solving;

/// The best nested pairs of a sequence's bases.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct Folding(Arc<Instance>);

struct OfStructures;

impl Problem for OfStructures {
    const NAME: &'static str = "interval_dp";
    type Instance = Instance;
    type Options = Options;
    type Solution = Structure;
    type Value = i64;
    const SOLVE: Solve<Self> = solve;
    const SOLVE_BATCH: SolveBatch<Self> = one_by_one::<Self>;

    fn solution(py: Python<'_>, _: &Instance, found: &Structure) -> PyResult<Py<PyAny>> {
        let pairs: Vec<_> = found.pairs().collect();
        let bases = pairs.iter().flat_map(|&(first, last)| [first, last]);
        Ok(matrix(py, bases, pairs.len(), 2)?.unbind())
    }
}

/// Energies with those of the dictionary in place of the usual ones.
fn energies(given: &Bound<'_, PyDict>) -> PyResult<Energies> {
    let py = given.py();
    let mut energies = Energies::default();
    for (key, value) in given.iter() {
        let key = text("energies: a key", &key)?;
        let name = format!("energies['{key}']");
        let energy = || scalar::<i64>(&name, &value).and_then(|energy| narrow(py, &name, energy));
        match &*key {
            "multi" => energies.multi = energy()?,
            "branch" => energies.branch = energy()?,
            "unpaired" => energies.unpaired = energy()?,
            "stack" => {
                let rows = table(&name, &value, &[6, 6])?;
                let (rows, _) = rows.as_chunks::<6>();
                energies.stack.copy_from_slice(rows);
            }
            "hairpin" => fill(&mut energies.hairpin, &name, &value)?,
            "bulge" => fill(&mut energies.bulge, &name, &value)?,
            "interior" => fill(&mut energies.interior, &name, &value)?,
            _ => {
                let known = "stack, hairpin, bulge, interior, multi, branch, unpaired";
                let reason = format!("has no entry \"{key}\", only {known}");
                return Err(argument(py, "energies", &reason));
            }
        }
    }
    Ok(energies)
}

fn fill(energies: &mut [i32], name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    energies.copy_from_slice(&table(name, value, &[energies.len()])?);
    Ok(())
}

fn table(name: &str, value: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Vec<i32>> {
    let py = value.py();
    let array = whole::<i64>(name, value, &[shape.len()])?;
    if array.shape != shape {
        return Err(wrong_shape(py, name, &shape_text(shape), &array.shape));
    }
    array.values.into_iter().map(|energy| narrow(py, name, energy)).collect()
}

fn narrow(py: Python<'_>, name: &str, energy: i64) -> PyResult<i32> {
    let refused = |_| argument(py, name, &format!("{energy} does not fit into 32 bits"));
    energy.try_into().map_err(refused)
}

/// A sequence of letters, or the text of a file.
fn instance(py: Python<'_>, sequence: &Bound<'_, PyAny>, model: Model) -> PyResult<Folding> {
    let letters = text("sequence", sequence)?;
    let is_file = letters.contains('\n') || letters.starts_with(['>', ';']);
    let made = match is_file {
        true => Instance::parse(&letters, model),
        false => Instance::new(&letters, model),
    };
    Ok(Folding(Arc::new(made.or_raise(py)?)))
}

#[pymethods]
impl Folding {
    /// The structure with the largest sum of its pairs' weights.
    #[staticmethod]
    fn _nussinov(
        py: Python<'_>,
        sequence: &Bound<'_, PyAny>,
        gc: &Bound<'_, PyAny>,
        au: &Bound<'_, PyAny>,
        gu: &Bound<'_, PyAny>,
        hairpin: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (gc, au, gu) = (scalar("gc", gc)?, scalar("au", au)?, scalar("gu", gu)?);
        let hairpin = scalar::<u32>("hairpin", hairpin)? as usize;
        instance(py, sequence, Model::Nussinov(Nussinov { gc, au, gu, hairpin }))
    }

    /// The structure with the least energy of its loops.
    #[staticmethod]
    fn _zuker(
        py: Python<'_>,
        sequence: &Bound<'_, PyAny>,
        energies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let energies = match energies {
            None => Energies::default(),
            Some(given) => {
                let refused = |_| wrong_type("energies", "must be a dictionary");
                self::energies(given.cast().map_err(refused)?)?
            }
        };
        instance(py, sequence, Model::Zuker(Box::new(energies)))
    }

    /// Number of bases.
    #[getter]
    fn bases(&self) -> usize {
        self.0.len()
    }

    /// The letters of the bases.
    #[getter]
    fn sequence(&self) -> String {
        self.0.sequence()
    }

    /// The name of the model and its numbers.
    #[getter]
    fn _model<'py>(&self, py: Python<'py>) -> PyResult<(&'static str, Bound<'py, PyDict>)> {
        let numbers = PyDict::new(py);
        match self.0.model() {
            Model::Nussinov(Nussinov { gc, au, gu, hairpin }) => {
                numbers.set_item("gc", gc)?;
                numbers.set_item("au", au)?;
                numbers.set_item("gu", gu)?;
                numbers.set_item("hairpin", hairpin)?;
                Ok(("nussinov", numbers))
            }
            Model::Zuker(energies) => {
                let stack = energies.stack.iter().flatten().copied();
                numbers.set_item("stack", matrix(py, stack, 6, 6)?)?;
                numbers.set_item("hairpin", integers(py, energies.hairpin)?)?;
                numbers.set_item("bulge", integers(py, energies.bulge)?)?;
                numbers.set_item("interior", integers(py, energies.interior)?)?;
                numbers.set_item("multi", energies.multi)?;
                numbers.set_item("branch", energies.branch)?;
                numbers.set_item("unpaired", energies.unpaired)?;
                Ok(("zuker", numbers))
            }
            _ => Err(wrong_type("model", "has no form in Python")),
        }
    }

    /// The value of a structure, given by its pairs of bases.
    fn evaluate(&self, py: Python<'_>, pairs: &Bound<'_, PyAny>) -> PyResult<i64> {
        self.0.evaluate(&self.structure(py, pairs)?).about("pairs").or_raise(py)
    }

    /// A structure as dots and brackets.
    fn brackets(&self, py: Python<'_>, pairs: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(self.structure(py, pairs)?.to_string())
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfStructures>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfStructures>(py, &instances, keywords)
    }
}

impl Folding {
    fn structure(&self, py: Python<'_>, pairs: &Bound<'_, PyAny>) -> PyResult<Structure> {
        let list = whole_rows::<u32>("pairs", pairs, 2)?;
        let (pairs, _) = list.as_chunks::<2>();
        let pairs = pairs.iter().map(|&[first, last]| (first, last)).collect();
        Structure::new(self.0.len(), pairs).or_raise(py)
    }
}
