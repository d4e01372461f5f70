//! Split costs of interval programs in Python.

use std::sync::Arc;

use makespan::interval_dp::{Expression, Instance, SplitCost, SplitFunction};
use pyo3::prelude::*;

use crate::error::OrRaise;
use crate::interval_numbers::Read;
use crate::listener::Failure;

/// A split cost in Python. An exception ends the solve.
fn function<V: Read>(function: Py<PyAny>, failure: Arc<Failure>) -> SplitFunction<V> {
    Arc::new(move |i, k, j| {
        if failure.is_set() {
            return V::default();
        }
        let cost = |py: Python<'_>| {
            let cost = function.call1(py, (i, k, j))?;
            V::one("the value of split_cost", cost.bind(py))
        };
        let cost = Python::try_attach(|py| cost(py).map_err(|error| failure.set(error)).ok());
        cost.flatten().unwrap_or_default()
    })
}

/// Takes the place of a split cost in Python until a solve binds it.
pub(crate) fn placeholder<V: Read>() -> SplitFunction<V> {
    Arc::new(|_, _, _| V::default())
}

/// The instance with a split cost in Python in place of the [`placeholder`].
pub(crate) fn bound<V: Read>(
    py: Python<'_>,
    instance: &Arc<Instance<V>>,
    own: Option<&Py<PyAny>>,
    failure: &Arc<Failure>,
) -> PyResult<Arc<Instance<V>>> {
    let (Some(own), SplitCost::Expression(given)) = (own, instance.split_cost()) else {
        return Ok(Arc::clone(instance));
    };
    let function = Some(function(own.clone_ref(py), Arc::clone(failure)));
    let split_cost = SplitCost::Expression(Expression { function, ..given.clone() });
    let (leaves, cell_cost) = (instance.leaves().to_vec(), instance.cell_cost().clone());
    let made = Instance::custom(instance.semiring(), leaves, cell_cost, split_cost);
    made.or_raise(py).map(Arc::new)
}
