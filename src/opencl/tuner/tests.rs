use std::time::Duration;

use super::*;
use crate::opencl::testing::{
    devices_without_local_memory, real_test_devices, self_testing_devices,
};
use crate::opencl::{Buffer, Case, Declaration, Source, Workload, agree, kernel_arguments};

kernel_arguments! {
    struct Answer<'a> = "answer" {
        out: &'a Buffer<u32>,
    }
}

/// Twice the tunable is right. The result for 64 is wrong, and there is no kernel for 512.
const SOURCE: &[Source] = &[Source::Text(
    "#if PLACE == 512\n#error no such kernel\n#endif\n\
     kernel void answer(global uint *out) { out[0] = PLACE == 64 ? 1 : 2 * PLACE; }",
)];

/// A case that pretends to take this many seconds, with the result of the kernel.
fn case(size: u32, seconds: fn(u64) -> f64) -> crate::Result<Option<Case>> {
    if size > 0 {
        return Ok(None);
    }
    Ok(Some(Box::new(move |device| {
        let place = device.tuning_of(&FAMILY)["PLACE"];
        let program = device.program(&FAMILY, &[])?;
        let (queue, out) = (device.queue(), device.buffer::<u32>(1)?);
        queue.launch(&program.kernel()?, &Answer { out: &out }, [1], [1])?;
        let mut found = [0];
        queue.read(&out, 0, &mut found)?;
        agree("the answer", &found, &[2 * place as u32])?;
        Ok(Duration::from_secs_f64(seconds(place)))
    })))
}

static FAMILY: KernelFamily = KernelFamily {
    name: "tuner_test",
    sources: SOURCE,
    kernels: const { &[Declaration::of::<Answer<'_>>()] },
    constants: &[],
    tuning: &[
        Tunable::power("PLACE: for tests", (16, 512)),
        Tunable::number("OTHER: for tests", (0, 9)),
    ],
    self_test: |trial| match trial.define("PLACE") {
        Some(256) => Err(Failing::Wrong("a number that is never looked at".into())),
        _ => Ok(()),
    },
};

static TIMED: TimedFamily = TimedFamily {
    family: &FAMILY,
    workloads: &[
        // Larger values would be faster.
        Workload {
            name: "downhill",
            tunables: "PLACE",
            case: |_, size| case(size, |place| 1.0 / place as f64),
        },
        // Not enough to make up for it.
        Workload {
            name: "slightly uphill",
            tunables: "PLACE",
            case: |_, size| case(size, |place| 1.0 + place as f64 * 1e-4),
        },
    ],
};

#[test]
fn the_fastest_configuration_is_found_and_wrong_ones_are_refused() {
    for device in self_testing_devices() {
        let found = tune(&device, &TIMED, &Effort::FULL, &|| true).unwrap().unwrap();
        let changes: Vec<_> =
            found.changes.iter().map(|change| (change.name, change.before, change.after)).collect();
        // 64 is wrong, and 128 beyond it is the best that works.
        assert_eq!(changes, [("PLACE", 16, 128)]);
        let refused = |value: u64, reason: &str| {
            let begin = format!("PLACE {value}: ");
            let about = found.refused.iter().find(|text| text.starts_with(&begin));
            assert!(about.is_some_and(|text| text.contains(reason)), "{:?}", found.refused);
        };
        refused(64, "wrong results: the answer: number 0 is 1, not 128");
        refused(256, "a number that is never looked at");
        refused(512, "clBuildProgram");
        assert_eq!(found.works[0].before, 1.0 / 16.0);
        assert_eq!(found.works[0].after, 1.0 / 128.0);
        let row = found.row(&FAMILY, &device).unwrap().to_string();
        assert!(row.starts_with("tuner_test device ") && row.ends_with(" PLACE 128"), "{row}");
        let quick = tune(&device, &TIMED, &Effort::QUICK, &|| true).unwrap().unwrap();
        assert_eq!(quick.changes[0].after, 32, "the wrong one ends a quick search");
    }
}

#[test]
fn without_time_nothing_changes() {
    for device in self_testing_devices() {
        assert!(tune(&device, &TIMED, &Effort::QUICK, &|| false).unwrap().is_none());
    }
}

#[test]
fn a_device_whose_own_configuration_is_wrong_is_not_tuned() {
    for device in self_testing_devices() {
        let values = [("PLACE", 64)];
        let row = Row::of_device(FAMILY.name, device.info(), &values);
        let device = device.retuned(Rows::of(vec![row])).unwrap();
        let failing = tune(&device, &TIMED, &Effort::QUICK, &|| true).unwrap_err();
        assert!(matches!(failing, Failing::Wrong(_)), "{failing}");
    }
}

/// Tunables that no workload shows; docs/src/tuning.md has the reasons.
const UNTIMED: [&str; 23] = [
    "ROUND_BOUNDS",
    "JOHNSON_ROUND_BOUNDS",
    "STACK_BATCHES",
    "MOST_ROUNDS",
    "KEPT_BYTES",
    "KEPT_CELLS",
    "SLAB_WORDS",
    "DECISION_BYTES",
    "STAGE_BYTES",
    "MOST_LEFT",
    "TABLE_GROUPS",
    "CPU_BITS",
    "GROUP_WORK",
    "COPY_GROUP",
    "FEW_SLICES",
    "SINGLE_GROUP",
    "ALONE_ROUNDS",
    "RING_STEP",
    "LEAST_RING",
    "LEAST_BLOCK",
    "MOST_BLOCK",
    "LEAST_PART",
    "PIPELINE_GROUP",
];
/// The same of families that have such a name elsewhere.
const UNTIMED_HERE: [(&str, &str); 2] =
    [("flow_shop", "UNIT_GROUPS"), ("lattice_resident", "MOST_STEPS")];

#[test]
fn every_tunable_is_timed_by_a_workload() {
    for TimedFamily { family, workloads } in crate::kernel_families::timed() {
        let names: Vec<_> = family.tuning.iter().map(|tunable| tunable.name()).collect();
        for workload in *workloads {
            let mut tunables = workload.tunables.split(' ');
            assert!(tunables.all(|name| names.contains(&name)), "{}", workload.name);
        }
        for name in names {
            let is_timed = workloads.iter().any(|work| work.depends_on(name));
            let untimed = workloads.is_empty()
                || UNTIMED.contains(&name)
                || UNTIMED_HERE.contains(&(family.name, name));
            assert_eq!(is_timed, !untimed, "{name} of {}", family.name);
        }
    }
}

#[test]
fn the_smallest_case_of_each_workload_agrees_with_the_cpu() {
    real_test_devices().iter().for_each(run_smallest_cases);
}

#[test]
fn the_smallest_cases_agree_on_devices_without_local_memory() {
    for device in devices_without_local_memory() {
        if device.quirks().simulator {
            continue;
        }
        device.spare_self_tests();
        run_smallest_cases(&device);
    }
}

fn run_smallest_cases(device: &Device) {
    for timed in crate::kernel_families::timed() {
        for workload in timed.workloads {
            let case = (workload.case)(device, 0).unwrap_or_else(|e| panic!("{e}"));
            match case.map(|case| case(device)) {
                None => {}
                Some(Ok(time)) => assert!(time > Duration::ZERO),
                // The device's groups or local memory are too small.
                Some(Err(Failing::Error(e))) if e.to_string().contains("not supported: ") => {}
                Some(Err(e)) => panic!("{}: {e}", workload.name),
            }
        }
    }
}
