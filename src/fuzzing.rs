//! Fuzz targets, one function each. `fuzz/` runs them on generated inputs, the test below on the
//! inputs in `fuzz/corpus/`.
//!
//! A target panics if the library breaks a promise. Errors are the right answer to bad input, so
//! they pass.

use crate::flow_shop::{Format, Objective, Permutation};
use crate::interval_dp::folding::{self, Model, Nussinov, Structure};
use crate::interval_dp::{AnyInstance, Kind};
use crate::{
    Limits, cutting_stock, flow_shop, knapsack, lattice_dp, parallel_machines, recurrence,
};

/// Memory limit for small inputs that ask for much.
const MEMORY_BYTES: u64 = 64 << 20;

/// A target accepts any bytes.
pub type Target = fn(&[u8]);

/// All targets, by the names of their corpus folders.
pub const TARGETS: &[(&str, Target)] = &[
    ("parallel_machines", parallel_machines),
    ("cutting_stock", cutting_stock),
    ("flow_shop", flow_shop),
    ("flow_shop_formats", flow_shop_formats),
    ("knapsack", knapsack),
    ("recurrence", recurrence),
    ("lattice_dp", lattice_dp),
    ("interval_dp", interval_dp),
    ("multidimensional_knapsack", multidimensional_knapsack),
    ("checkpoint", flow_shop::fuzz_checkpoint),
    ("unit", flow_shop::fuzz_unit),
    ("cache_entry", crate::opencl::fuzz_cache_entry),
    ("figures", crate::opencl::fuzz_figures),
    ("user_text", crate::opencl::fuzz_user_text),
    ("build_log", crate::opencl::fuzz_build_log),
    ("tuning", crate::opencl::fuzz_tuning),
    ("calls", crate::capi::fuzz_calls),
];

/// Runs a target.
///
/// # Panics
/// If no target has this name, or if the target finds a fault.
pub fn run(name: &str, data: &[u8]) {
    let (_, target) =
        TARGETS.iter().find(|(known, _)| *known == name).expect("there is such a target");
    target(data);
}

/// Runs a reader on valid text. `read` computes a value from the parsed object, such as a schedule
/// or a size, so that the compiler can't skip the parsing.
fn text<T>(data: &[u8], read: impl FnOnce(&str) -> crate::Result<T>) -> Option<T> {
    match read(std::str::from_utf8(data).ok()?).map_err(|error| *error) {
        Err(crate::Error::Internal(reason)) => panic!("internal error: {reason}"),
        found => found.ok(),
    }
}

fn parallel_machines(data: &[u8]) {
    if let Some(instance) = text(data, parallel_machines::Instance::parse) {
        assert!(
            instance.times().iter().try_fold(0u64, |sum, &time| sum.checked_add(time)).is_some()
        );
    }
}

fn cutting_stock(data: &[u8]) {
    if let Some(instance) = text(data, cutting_stock::Instance::parse) {
        assert!(
            instance
                .lengths()
                .iter()
                .all(|&length| (1..=instance.stock_length()).contains(&length))
        );
    }
}

fn flow_shop(data: &[u8]) {
    let permutation = text(data, Permutation::parse);
    if let Some(instance) = text(data, flow_shop::Instance::parse) {
        evaluate_in_order(&instance);
        let _ = permutation.map(|permutation| permutation.makespan(&instance));
    }
    if let Some(objective) = text(data, Objective::parse) {
        assert_eq!(Objective::parse(&objective.to_string()).ok(), Some(objective));
    }
}

/// The first byte selects the format.
fn flow_shop_formats(data: &[u8]) {
    let Some((format, rest)) = data.split_first() else { return };
    let format = Format::ALL[usize::from(*format) % Format::ALL.len()];
    if let Some(instance) = text(rest, |text| flow_shop::Instance::parse_as(text, format)) {
        evaluate_in_order(&instance);
        let is_read_alike = |format| {
            text(rest, |text| flow_shop::Instance::parse_as(text, format)).as_ref()
                == Some(&instance)
        };
        // What is read automatically is in one of the formats.
        assert!(Format::ALL.into_iter().skip(1).any(is_read_alike));
    }
}

/// All jobs in the order of their numbers are a schedule.
fn evaluate_in_order(instance: &flow_shop::Instance) {
    assert_eq!(instance.times().len(), instance.jobs() * instance.machines());
    let all = Permutation::new((0..instance.jobs() as u32).collect());
    assert!(all.makespan(instance).is_ok());
    assert_eq!(all.values(instance).map(|values| values.len()).ok(), Some(1));
}

fn knapsack(data: &[u8]) {
    if let Some(instance) = text(data, knapsack::Instance::parse) {
        assert_eq!(instance.profit_of(&vec![0; instance.items()]).ok(), Some(0));
        let profits = text(data, |text| instance.parse_profits(text));
        assert!(
            profits.is_none_or(|profits| profits.len().is_multiple_of(instance.items().max(1)))
        );
    }
}

fn recurrence(data: &[u8]) {
    // A few words may describe billions of numbers.
    let limits = Limits { memory: Some(MEMORY_BYTES), ..Limits::default() };
    if let Some(instance) = text(data, |text| recurrence::Instance::parse_within(text, &limits)) {
        assert!(recurrence::largest_fold(&instance) > 0);
    }
}

fn lattice_dp(data: &[u8]) {
    text(data, lattice_dp::Problem::parse);
}

fn multidimensional_knapsack(data: &[u8]) {
    use crate::multidimensional_knapsack::Instance;
    if let Some(instance) = text(data, Instance::parse) {
        assert_eq!(instance.profit_of(&vec![0; instance.items()]).ok(), Some(0));
    }
}

/// The first byte selects the kind.
fn interval_dp(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let kinds = [Kind::MatrixChain, Kind::SearchTree, Kind::Triangulation];
    let of_kind = |text: &str| AnyInstance::parse(kinds[usize::from(*kind) % kinds.len()], text);
    text(rest, of_kind);
    let model = Model::Nussinov(Nussinov::default());
    if let Some(instance) = text(rest, |text| folding::Instance::parse(text, model)) {
        assert_eq!(instance.sequence().len(), instance.len());
    }
    text(rest, |text| text.parse::<Structure>());
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::TARGETS;

    #[test]
    fn every_kept_input_passes() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
        for (name, target) in TARGETS {
            let inputs =
                fs::read_dir(corpus.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
            let inputs: Vec<_> = inputs.map(|entry| entry.unwrap().path()).collect();
            assert!(inputs.len() >= 4, "{name} has {} inputs", inputs.len());
            inputs.iter().for_each(|input| target(&fs::read(input).unwrap()));
        }
        assert_eq!(fs::read_dir(corpus).unwrap().count(), TARGETS.len());
    }
}
