//! The kernel families of all problems.

use crate::opencl::KernelFamily;
use crate::{flow_shop, interval_dp, knapsack, lattice_dp, multidimensional_knapsack, recurrence};

/// All families whose kernels solves use.
pub(crate) fn all() -> impl Iterator<Item = &'static KernelFamily> {
    let problems = [
        interval_dp::KERNEL_FAMILIES,
        knapsack::KERNEL_FAMILIES,
        lattice_dp::KERNEL_FAMILIES,
        multidimensional_knapsack::KERNEL_FAMILIES,
        recurrence::KERNEL_FAMILIES,
    ];
    problems.into_iter().chain(flow_shop::KERNEL_FAMILIES).flatten()
}
