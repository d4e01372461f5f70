//! The kernels that a program can build ahead.

use crate::opencl::Usual;
use crate::{
    Error, Result, flow_shop, interval_dp, knapsack, lattice_dp, multidimensional_knapsack,
    recurrence,
};

/// Kernels to build before the first solve that needs them; see
/// [`Context::prewarm`](crate::Context::prewarm).
#[derive(Debug, Clone)]
pub struct Kernels(Vec<Usual>);

/// The programs of a problem.
struct Problem {
    name: &'static str,
    programs: fn() -> Vec<Usual>,
}

/// P||Cmax and cutting stock fill lattices.
const PROBLEMS: [Problem; 8] = [
    Problem { name: "cutting_stock", programs: lattice_dp::usual_programs },
    Problem { name: "flow_shop", programs: flow_shop::usual_programs },
    Problem { name: "interval_dp", programs: interval_dp::usual_programs },
    Problem { name: "knapsack", programs: knapsack::usual_programs },
    Problem { name: "lattice_dp", programs: lattice_dp::usual_programs },
    Problem {
        name: "multidimensional_knapsack",
        programs: multidimensional_knapsack::usual_programs,
    },
    Problem { name: "parallel_machines", programs: lattice_dp::usual_programs },
    Problem { name: "recurrence", programs: recurrence::usual_programs },
];

impl Kernels {
    /// The kernels of all problems, as solves of usual instances with the default options use them.
    pub fn all() -> Self {
        let mut all = Vec::new();
        PROBLEMS.iter().for_each(|problem| add(&mut all, common(problem)));
        Kernels(all)
    }

    /// The kernels of problems, such as `flow_shop`, and of kernel families, such as
    /// `lattice_slabs`, each once. A name of both means the problem. `-` counts as `_`. No names
    /// mean no kernels.
    ///
    /// A family's kernels are built for usual instances: three numbers of machines of the flow
    /// shop, whole numbers of 32 and of 64 bits, batches of knapsacks of capacity 1,000.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown name; the message lists the known ones.
    pub fn named<S: AsRef<str>>(names: &[S]) -> Result<Self> {
        let mut all = Vec::new();
        for (position, name) in names.iter().enumerate() {
            let found = programs_of(&name.as_ref().replace('-', "_"));
            if found.is_empty() {
                let (name, known) = (name.as_ref(), Self::names().join(", "));
                let reason = format!("{name:?} is no problem and no kernel family; known: {known}");
                return Err(Error::element("names", position, reason));
            }
            add(&mut all, found);
        }
        Ok(Kernels(all))
    }

    /// The kernels for proofs and searches of this instance, whose numbers of jobs and machines are
    /// constants of some programs.
    pub fn of_flow_shop(instance: &flow_shop::Instance) -> Self {
        let programs = flow_shop::programs_of(instance.clone());
        Kernels(programs.into_iter().filter(Usual::is_common).collect())
    }

    /// The names of problems, followed by those of kernel families that are no problems.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<&str> = PROBLEMS.iter().map(|problem| problem.name).collect();
        for program in PROBLEMS.iter().flat_map(|problem| (problem.programs)()) {
            if !names.contains(&program.family()) {
                names.push(program.family());
            }
        }
        names
    }

    /// Adds kernels to these.
    pub fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    pub(crate) fn into_programs(self) -> Vec<Usual> {
        self.0
    }
}

/// The programs of a problem that solves with the default options use.
fn common(problem: &Problem) -> Vec<Usual> {
    (problem.programs)().into_iter().filter(Usual::is_common).collect()
}

/// The programs of a problem or of a family.
fn programs_of(name: &str) -> Vec<Usual> {
    if let Some(problem) = PROBLEMS.iter().find(|problem| problem.name == name) {
        return common(problem);
    }
    let of_family = |problem: &Problem| -> Vec<Usual> {
        (problem.programs)().into_iter().filter(|program| program.family() == name).collect()
    };
    PROBLEMS.iter().map(of_family).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Adds the programs of families that are not there yet.
fn add(all: &mut Vec<Usual>, more: Vec<Usual>) {
    let new = |program: &Usual| all.iter().all(|known| known.family() != program.family());
    let more: Vec<Usual> = more.into_iter().filter(new).collect();
    all.extend(more);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::kernel_families;

    #[test]
    fn every_family_has_usual_programs() {
        let families: BTreeSet<&str> = kernel_families::all().map(|family| family.name).collect();
        let programs = PROBLEMS.iter().flat_map(|problem| (problem.programs)());
        let usual: BTreeSet<&str> = programs.map(|program| program.family()).collect();
        assert_eq!(usual, families);
        let names = Kernels::names();
        assert!(families.iter().all(|family| names.contains(family)));
        for name in names {
            assert!(!Kernels::named(&[name]).unwrap().0.is_empty(), "{name}");
        }
    }

    #[test]
    fn names_are_of_problems_or_families_and_count_once() {
        let families = |names: &[&str]| -> Vec<&str> {
            let found = Kernels::named(names).unwrap();
            let mut families: Vec<&str> = found.0.iter().map(Usual::family).collect();
            families.dedup();
            families
        };
        assert_eq!(families(&["parallel-machines", "lattice_dp"]), families(&["cutting_stock"]));
        assert_eq!(families(&["lattice_partition"]), ["lattice_partition"]);
        assert!(!families(&["lattice-dp"]).contains(&"lattice_partition"), "few solves need it");
        assert!(families(&[]).is_empty());
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let refused = Kernels::named(&["knapsack", "job-shop"]).unwrap_err().to_string();
        let begin = "names[1]: \"job-shop\" is no problem and no kernel family; known: \
                     cutting_stock, flow_shop, ";
        assert!(refused.starts_with(begin), "{refused}");
        assert!(refused.contains("lattice_slabs"), "{refused}");
    }

    #[test]
    fn an_instance_needs_one_program_of_each_family() {
        let instance = flow_shop::Instance::new(2, 3, vec![1; 6]).unwrap();
        let kernels = Kernels::of_flow_shop(&instance);
        let families: Vec<&str> = kernels.0.iter().map(Usual::family).collect();
        assert_eq!(families, ["flow_shop", "flow_shop_search", "flow_shop_beam"]);
    }
}
