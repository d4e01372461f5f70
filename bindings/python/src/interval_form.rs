//! The general form of interval programs: its arguments, and its costs as Python sees them.

use std::sync::Arc;

use makespan::interval_dp::{CellCost, Expression, Instance, Number, Semiring, SplitCost};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};

use crate::arrays::{Array, Numbers, frozen, numbers, wrong_shape};
use crate::error::{OrRaise, argument, wrong_type};
use crate::interval_numbers::{Any, Read};
use crate::split_cost::placeholder;

/// Arguments of the general form, with lists of one type of numbers.
struct General<V> {
    semiring: Semiring,
    leaves: Vec<V>,
    cell_cost: CellCost<V>,
    split_cost: SplitCost<V>,
}

impl<V: Number> General<V> {
    fn instance(self) -> makespan::Result<Instance<V>> {
        let Self { semiring, leaves, cell_cost, split_cost } = self;
        Instance::custom(semiring, leaves, cell_cost, split_cost).with_names(&[
            ("table", "cell_cost"),
            ("row", "cell_cost[0]"),
            ("column", "cell_cost[1]"),
            ("left", "split_cost[0]"),
            ("split", "split_cost[1]"),
            ("right", "split_cost[2]"),
        ])
    }
}

/// The arguments of the general form as they were given.
pub(crate) struct Given<'a, 'py> {
    pub(crate) cell_cost: Option<&'a Bound<'py, PyAny>>,
    pub(crate) split_cost: Option<&'a Bound<'py, PyAny>>,
    pub(crate) magnitude: Option<&'a Bound<'py, PyAny>>,
    pub(crate) source: Option<String>,
    pub(crate) data: Option<&'a Bound<'py, PyAny>>,
}

/// The lists of the general form.
enum Costs {
    None,
    Lists(Vec<Numbers>),
    Table(Array<Numbers>),
}

impl Costs {
    fn is_real(&self) -> bool {
        match self {
            Costs::None => false,
            Costs::Lists(lists) => lists.iter().any(Numbers::is_real),
            Costs::Table(table) => table.values.is_real(),
        }
    }
}

/// A tuple with that many lists.
fn tuple_of(name: &str, value: &Bound<'_, PyTuple>, count: usize) -> PyResult<Vec<Numbers>> {
    if value.len() != count {
        let reason = format!("must have {count} lists, not {}", value.len());
        return Err(argument(value.py(), name, &reason));
    }
    let list = |(place, item): (usize, Bound<'_, PyAny>)| {
        numbers(&format!("{name}[{place}]"), &item, &[1]).map(|array| array.values)
    };
    value.iter().enumerate().map(list).collect()
}

impl Given<'_, '_> {
    /// The instance of whole numbers, or of real ones if one of the arrays has real ones. A split
    /// cost in Python is left out.
    pub(crate) fn instance(
        &self,
        py: Python<'_>,
        semiring: Semiring,
        leaves: Numbers,
    ) -> PyResult<Any> {
        self.check(py)?;
        let costs = [self.cell_costs()?, self.split_costs()?];
        let magnitude_is_real = self
            .magnitude
            .is_some_and(|number| self.has_expression() && number.is_instance_of::<PyFloat>());
        let is_real = leaves.is_real() || costs.iter().any(Costs::is_real) || magnitude_is_real;
        Ok(match is_real {
            false => {
                let general = self.general::<i64>(py, semiring, leaves, costs)?;
                Any::Whole(Arc::new(general.instance().or_raise(py)?))
            }
            true => {
                let general = self.general::<f64>(py, semiring, leaves, costs)?;
                Any::Real(Arc::new(general.instance().or_raise(py)?))
            }
        })
    }

    fn cell_costs(&self) -> PyResult<Costs> {
        let Some(value) = self.cell_cost else { return Ok(Costs::None) };
        match value.cast::<PyTuple>() {
            Ok(pair) => tuple_of("cell_cost", pair, 2).map(Costs::Lists),
            Err(_) => numbers("cell_cost", value, &[1, 2]).map(Costs::Table),
        }
    }

    fn split_costs(&self) -> PyResult<Costs> {
        match self.split_cost {
            Some(value) if value.is_callable() => Ok(Costs::None),
            Some(value) => match value.cast::<PyTuple>() {
                Ok(lists) => tuple_of("split_cost", lists, 3).map(Costs::Lists),
                Err(_) => {
                    let reason = "must be a function or a tuple of three lists";
                    Err(wrong_type("split_cost", reason))
                }
            },
            None => Ok(Costs::None),
        }
    }

    /// The split cost in Python.
    pub(crate) fn function(&self) -> Option<Py<PyAny>> {
        let function = self.split_cost.filter(|value| value.is_callable());
        function.map(|function| function.clone().unbind())
    }

    fn has_expression(&self) -> bool {
        self.source.is_some() || self.split_cost.is_some_and(|value| value.is_callable())
    }

    /// Refuses arguments that nothing would use.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let has_lists = self.split_cost.is_some_and(|value| !value.is_callable());
        if self.source.is_some() && has_lists {
            return Err(argument(py, "source", "is for a split cost that is not given by lists"));
        }
        if self.data.is_some() && self.source.is_none() {
            return Err(argument(py, "data", "needs the argument source, which reads it"));
        }
        if self.magnitude.is_some() && !self.has_expression() {
            let reason = "is for a split cost that is a function or has a source";
            return Err(argument(py, "magnitude", reason));
        }
        Ok(())
    }

    fn general<V: Read>(
        &self,
        py: Python<'_>,
        semiring: Semiring,
        leaves: Numbers,
        [cell_costs, split_costs]: [Costs; 2],
    ) -> PyResult<General<V>> {
        let leaves = V::read(py, "leaves", leaves)?;
        let points = leaves.len() + 1;
        let cell_cost = match cell_costs {
            Costs::None => CellCost::None,
            Costs::Lists(lists) => {
                let mut lists = lists.into_iter().map(|list| V::read(py, "cell_cost", list));
                let mut next = || lists.next().unwrap_or_else(|| Ok(Vec::new()));
                CellCost::Separable { row: next()?, column: next()? }
            }
            Costs::Table(table) => {
                let Array { values, shape } = table;
                CellCost::Table(upper(py, V::read(py, "cell_cost", values)?, &shape, points)?)
            }
        };
        let split_cost = match split_costs {
            Costs::Lists(lists) => {
                let mut lists = lists.into_iter().map(|list| V::read(py, "split_cost", list));
                let mut next = || lists.next().unwrap_or_else(|| Ok(Vec::new()));
                SplitCost::Product { left: next()?, split: next()?, right: next()? }
            }
            _ if self.has_expression() => SplitCost::Expression(self.expression(py)?),
            _ => SplitCost::None,
        };
        Ok(General { semiring, leaves, cell_cost, split_cost })
    }

    fn expression<V: Read>(&self, py: Python<'_>) -> PyResult<Expression<V>> {
        let magnitude = self.magnitude.ok_or_else(|| {
            let reason = "is missing: the largest magnitude of the split costs";
            PyTypeError::new_err(format!("magnitude: {reason}"))
        })?;
        let function = self.function().map(|_| placeholder());
        let data = match self.data {
            Some(data) => V::read(py, "data", numbers("data", data, &[1])?.values)?,
            None => Vec::new(),
        };
        let magnitude = V::one("magnitude", magnitude)?;
        Ok(Expression { function, magnitude, source: self.source.clone(), data })
    }
}

/// The entries above the diagonal of a matrix, row after row; a list is taken as it is.
fn upper<V: Copy>(
    py: Python<'_>,
    values: Vec<V>,
    shape: &[usize],
    points: usize,
) -> PyResult<Vec<V>> {
    match *shape {
        [_] => Ok(values),
        [rows, columns] if rows == points && columns == points => {
            let above = |row: usize| row * points + row + 1..(row + 1) * points;
            Ok((0..points).flat_map(|row| &values[above(row)]).copied().collect())
        }
        _ => Err(wrong_shape(py, "cell_cost", &format!("({points}, {points})"), shape)),
    }
}

/// The split cost with a function or a source.
pub(crate) fn expression<V>(instance: &Instance<V>) -> Option<&Expression<V>>
where
    V: Number,
{
    match instance.split_cost() {
        SplitCost::Expression(expression) => Some(expression),
        _ => None,
    }
}

pub(crate) fn given_cell_cost<'py, V: Read>(
    py: Python<'py>,
    cost: &CellCost<V>,
) -> PyResult<Bound<'py, PyAny>> {
    match cost {
        CellCost::Separable { row, column } => {
            (frozen(py, row.clone()), frozen(py, column.clone())).into_bound_py_any(py)
        }
        CellCost::Table(table) => Ok(frozen(py, table.clone()).into_any()),
        _ => Ok(py.None().into_bound(py)),
    }
}

pub(crate) fn given_split_cost<'py, V: Read>(
    py: Python<'py>,
    cost: &SplitCost<V>,
) -> PyResult<Bound<'py, PyAny>> {
    match cost {
        SplitCost::Product { left, split, right } => {
            let list = |list: &Vec<V>| frozen(py, list.clone());
            (list(left), list(split), list(right)).into_bound_py_any(py)
        }
        _ => Ok(py.None().into_bound(py)),
    }
}
