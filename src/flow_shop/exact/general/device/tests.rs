use proptest::prelude::*;

use super::*;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::testing::search;
use crate::flow_shop::exact::{Slice, cpu};
use crate::flow_shop::planner::testing::one_stage;
use crate::opencl::testing::test_devices;
use crate::testing::{check_cases, cpu_context, monitor};

#[test]
fn a_device_explores_the_cpu_s_tree() {
    let context = cpu_context(1);
    for device in test_devices() {
        // Most cases compile a program.
        let cases = if device.quirks().simulator { 4 } else { 8 };
        let run = |instance: Instance| {
            let watch = monitor();
            let of = |limit: u32, on_device: bool| {
                let problem = General::problem(&instance, limit, &watch).unwrap();
                let engine = |limit: &Limit, open: &mut Vec<Open>, slice: &Slice<'_, _>| {
                    let team = context.team(slice.monitor);
                    let counts = match on_device {
                        true => device::advance(&device, &team, &problem, limit, open, slice),
                        false => cpu::advance(&context, &problem, limit, open, slice),
                    };
                    counts.unwrap()
                };
                (problem.root.free_count > 1).then(|| search(&problem, engine))
            };
            let Some((_, best)) = of(u32::MAX, false) else { return Ok(()) };
            prop_assert_eq!(of(u32::MAX, true).map(|(_, found)| found.value), Some(best.value));
            // With the optimum as the limit the tree does not depend on the order of nodes.
            prop_assert_eq!(of(best.value, true), of(best.value, false));
            Ok(())
        };
        check_cases(cases, &one_stage(7, 4), run);
    }
}
