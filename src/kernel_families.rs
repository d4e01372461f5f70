//! The kernel families of all problems.
//!
//! A circle of imports passes through this list: a context reads tuning rows for all families, and
//! the solvers that have these families need a context.

use crate::opencl::{KernelFamily, TimedFamily};
use crate::{flow_shop, interval_dp, knapsack, lattice_dp, multidimensional_knapsack, recurrence};

/// All families whose kernels solves use.
pub(crate) fn all() -> impl Iterator<Item = &'static KernelFamily> {
    timed().map(|timed| timed.family)
}

/// The same with the work by which the tuner times their kernels.
pub(crate) fn timed() -> impl Iterator<Item = &'static TimedFamily> {
    let problems = [
        interval_dp::KERNEL_FAMILIES,
        knapsack::KERNEL_FAMILIES,
        lattice_dp::KERNEL_FAMILIES,
        multidimensional_knapsack::KERNEL_FAMILIES,
        recurrence::KERNEL_FAMILIES,
    ];
    problems.into_iter().chain(flow_shop::KERNEL_FAMILIES).flatten()
}
