use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::*;
use crate::lattice_dp::testing::packings;
use crate::lattice_dp::{Recurrence, pack};
use crate::opencl::testing::test_devices;
use crate::solve::SolveOptions;
use crate::testing::{check_cases, cpu_context, monitor};

/// The pairs, computed exactly as defined.
fn by_definition(packing: &Packing) -> Vec<(u32, u32)> {
    let sizes = packing.box_sizes();
    let capacity = packing.capacity() as u32;
    let mut pairs: Vec<(u32, u32)> = vec![(0, capacity)];
    for index in 1..sizes.iter().product::<u32>() {
        let mut stride = sizes.iter().product::<u32>();
        let candidates = sizes.iter().zip(packing.sizes()).filter_map(|(&size_of_axis, &size)| {
            stride /= size_of_axis;
            let present = index / stride % size_of_axis > 0;
            present.then(|| {
                let (containers, load) = pairs[(index - stride) as usize];
                let size = size as u32;
                if load + size <= capacity {
                    (containers, load + size)
                } else {
                    (containers + 1, size)
                }
            })
        });
        let best = candidates.min().unwrap();
        pairs.push(best);
    }
    pairs
}

fn check<C: PairCell>(packing: &Packing) -> Result<Vec<C>, TestCaseError> {
    let rule = UnitSteps::new(packing).unwrap();
    let table: Vec<C> = cpu::fill(&cpu_context(1), &rule, &monitor()).unwrap();
    let expected: Vec<u32> =
        by_definition(packing).into_iter().map(|(b, load)| b << rule.load_bits | load).collect();
    prop_assert_eq!(table.iter().map(|&cell| cell.into()).collect::<Vec<u32>>(), expected);
    Ok(table)
}

#[test]
fn tables_agree_with_the_definition() {
    let runner = |packing| {
        check::<u16>(&packing)?;
        check::<u32>(&packing)?;
        Ok(())
    };
    check_cases(100, &packings(), runner);
}

#[test]
fn devices_agree_with_the_cpu_bit_by_bit() {
    for device in test_devices() {
        let runner = |packing| {
            let rule = UnitSteps::new(&packing).unwrap();
            prop_assert_eq!(
                device::fill::<u16>(&device, &rule, &monitor()).unwrap(),
                check::<u16>(&packing)?
            );
            prop_assert_eq!(
                device::fill::<u32>(&device, &rule, &monitor()).unwrap(),
                check::<u32>(&packing)?
            );
            Ok(())
        };
        let cases = if device.quirks().simulator { 10 } else { 60 };
        check_cases(cases, &packings(), runner);
    }
}

#[test]
fn every_cell_has_the_number_of_containers_of_the_other_recurrence() {
    let runner = |packing: Packing| {
        let rule = UnitSteps::new(&packing).unwrap();
        let table = check::<u32>(&packing)?;
        for level in 1..rule.levels.len() {
            for rank in 0..rule.levels.width(level) {
                let cell = rule.levels.vector(level, rank);
                let mut counts = vec![0; packing.counts().len()];
                let mut place = 0;
                for (axis, &component) in rule.axes.iter().zip(&cell) {
                    counts[axis.position] = component;
                    place += (axis.stride * component) as usize;
                }
                let smaller =
                    Packing::new(packing.sizes().to_vec(), counts, packing.capacity()).unwrap();
                let (context, options) = (cpu_context(1), SolveOptions::default());
                let expected =
                    pack(&context, &smaller, &Recurrence::Configurations.into(), &options).unwrap();
                prop_assert_eq!(expected.objective, Some(rule.containers(table[place]) as i64));
            }
        }
        Ok(())
    };
    let few = packings()
        .prop_filter("few cells", |packing| packing.box_sizes().iter().product::<u32>() < 200);
    check_cases(20, &few, runner);
}

#[test]
fn threads_change_nothing() {
    let packing = Packing::new(vec![4, 5, 6, 7, 9, 11], vec![5; 6], 16).unwrap();
    let rule = UnitSteps::new(&packing).unwrap();
    let one: Vec<u16> = cpu::fill(&cpu_context(1), &rule, &monitor()).unwrap();
    let three: Vec<u16> = cpu::fill(&cpu_context(3), &rule, &monitor()).unwrap();
    assert!(one == three);
}
