//! The tables of options as data, for listings, stubs and documentation.

use makespan::options::{Entry, Kind, Named, Range};
use makespan::{
    ContextOptions, SolveOptions, cutting_stock, flow_shop, interval_dp, knapsack, lattice_dp,
    multidimensional_knapsack, parallel_machines, recurrence,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// One dictionary for each option of a problem, of all solves ("solve") or of a context
/// ("context"); None for another name.
#[pyfunction]
pub(crate) fn option_table<'py>(
    py: Python<'py>,
    owner: &str,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let table = match owner {
        "context" => table::<ContextOptions>(py),
        "cutting_stock" => table::<cutting_stock::Options>(py),
        "flow_shop" => table::<flow_shop::Options>(py),
        "interval_dp" => table::<interval_dp::Options>(py),
        "knapsack" => table::<knapsack::Options>(py),
        "lattice_dp" => table::<lattice_dp::Options>(py),
        "multidimensional_knapsack" => table::<multidimensional_knapsack::Options>(py),
        "parallel_machines" => table::<parallel_machines::Options>(py),
        "recurrence" => table::<recurrence::Options>(py),
        "solve" => table::<SolveOptions>(py),
        _ => return Ok(None),
    };
    table.map(Some)
}

fn table<O: Named>(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for entry in O::TABLE {
        list.append(described(py, entry)?)?;
    }
    Ok(list)
}

fn described<'py, O: Named>(py: Python<'py>, entry: &Entry<O>) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    let choices = match entry.kind {
        Kind::Choice(choices) => choices(),
        _ => Vec::new(),
    };
    row.set_item("name", entry.name)?;
    row.set_item("text", entry.text)?;
    row.set_item("kind", entry.kind.name())?;
    row.set_item("default", entry.default())?;
    match entry.range {
        Range::All => row.set_item("range", py.None())?,
        Range::Whole(least, most) => row.set_item("range", (least, most))?,
        Range::Above(least, most) => row.set_item("range", (least, most))?,
    }
    row.set_item("unset", entry.unset)?;
    row.set_item("tier", entry.tier.name())?;
    row.set_item("methods", entry.methods.to_vec())?;
    row.set_item("choices", choices.into_iter().collect::<std::collections::BTreeMap<_, _>>())?;
    Ok(row)
}
