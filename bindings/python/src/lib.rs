//! The native part of the Python package `makespan`. The Python part beside it has the results,
//! tables and plots.
#![cfg(feature = "python")]

mod arrays;
mod aside;
mod context;
mod cutting_stock;
mod device;
mod ending;
mod error;
mod files;
mod flow_shop;
mod folding;
mod interval;
mod interval_form;
mod interval_numbers;
mod keywords;
mod knapsack;
mod knapsack_batch;
mod lattice;
mod listener;
mod log;
mod multidimensional_knapsack;
mod outcome;
mod packing;
mod parallel_machines;
mod problem;
mod recurrence;
mod solving;
mod split_cost;
mod table;

use pyo3::prelude::*;

/// Classes for the Python part of the package.
#[pymodule]
fn _makespan(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<context::Context>()?;
    module.add_class::<context::StopHandle>()?;
    module.add_class::<device::Prewarm>()?;
    module.add_class::<listener::Progress>()?;
    module.add_class::<flow_shop::FlowShop>()?;
    module.add_class::<parallel_machines::ParallelMachines>()?;
    module.add_class::<knapsack::Knapsack>()?;
    module.add_class::<knapsack_batch::KnapsackBatch>()?;
    module.add_class::<multidimensional_knapsack::MultidimensionalKnapsack>()?;
    module.add_class::<cutting_stock::CuttingStock>()?;
    module.add_class::<interval::IntervalProgram>()?;
    module.add_class::<folding::Folding>()?;
    module.add_class::<recurrence::Recurrence>()?;
    module.add_class::<lattice::LatticeProgram>()?;
    module.add_class::<packing::Packing>()?;
    module.add_function(wrap_pyfunction!(table::option_table, module)?)?;
    let end_solves = wrap_pyfunction!(ending::end_solves, module)?;
    module.py().import("atexit")?.call_method1("register", (end_solves,))?;
    module.add_function(wrap_pyfunction!(device::kernel_names, module)?)
}
