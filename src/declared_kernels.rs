//! The declarations of kernels in Rust against their sources. It needs no device.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::kernel_families;
use crate::opencl::{
    CALIBRATION_FAMILIES, GROUP_MEMORY, KernelFamily, MOST_PARAMETERS, kernel_names, parts_taken,
    signatures,
};

fn families() -> impl Iterator<Item = &'static KernelFamily> {
    kernel_families::all().chain(CALIBRATION_FAMILIES)
}

/// The text of all sources of a family.
fn text(family: &KernelFamily) -> String {
    [GROUP_MEMORY].iter().chain(family.sources).map(|source| source.text() + "\n").collect()
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

#[test]
fn kernels_take_their_parts_of_group_memory() {
    for family in families() {
        let (text, taken) = (text(family), parts_taken(&text(family)));
        for (kernel, forms) in signatures(&text) {
            let parts = forms
                .iter()
                .flatten()
                .filter(|parameter| parameter.space == "local" || parameter.name == "group_arrays");
            let names: BTreeSet<_> = parts.map(|parameter| parameter.name.clone()).collect();
            assert_eq!(taken[&kernel], Vec::from_iter(names), "{kernel} in {}", family.name);
        }
    }
}

#[test]
fn every_kernel_is_declared() {
    let declared: BTreeSet<&str> =
        families().flat_map(|family| family.kernels).map(|kernel| kernel.kernel).collect();
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("cl")).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        // A comment may have the word.
        let code: String = text
            .split("/*")
            .map(|part| part.split_once("*/").map_or(part, |(_, code)| code))
            .collect();
        for name in kernel_names(&code) {
            assert!(declared.contains(name.as_str()), "{name} in {}", path.display());
        }
    }
}
