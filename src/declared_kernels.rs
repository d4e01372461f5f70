//! The declarations of kernels in Rust against their sources. It needs no device.

use crate::opencl::{KernelFamily, MOST_PARAMETERS, signatures};
use crate::{flow_shop, interval_dp, knapsack, lattice_dp, recurrence};

fn families() -> impl Iterator<Item = &'static KernelFamily> {
    let problems = [
        interval_dp::KERNEL_FAMILIES,
        knapsack::KERNEL_FAMILIES,
        lattice_dp::KERNEL_FAMILIES,
        recurrence::KERNEL_FAMILIES,
    ];
    problems.into_iter().chain(flow_shop::KERNEL_FAMILIES).flatten()
}

/// The text of all sources of a family.
fn text(family: &KernelFamily) -> String {
    family.sources.iter().map(|source| source.text() + "\n").collect()
}

#[test]
fn declarations_say_what_the_sources_say() {
    for family in families() {
        let kernels = signatures(&text(family));
        for declared in family.kernels {
            let place = format!("{} in {}", declared.kernel, family.name);
            let found = kernels.get(declared.kernel).unwrap_or_else(|| panic!("no {place}"));
            let mut forms = (declared.forms)();
            forms.sort();
            assert_eq!(&forms, found, "{place}: declared, and in the source");
            assert!(forms.iter().all(|form| form.len() <= MOST_PARAMETERS), "{place}");
        }
    }
}
