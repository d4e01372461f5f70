use proptest::prelude::*;

use super::super::row_file::LARGEST_TEXT;
use super::*;
use crate::kernel_families;
use crate::opencl::UNTESTED;

static FAMILY: KernelFamily = KernelFamily {
    name: "f",
    sources: &[],
    kernels: &[],
    constants: &[],
    tuning: &[
        Tunable::number("A: for tests", (0, 99)),
        Tunable::number("B: for tests", (0, 99)),
        Tunable::number("C: for tests", (0, 99)),
        Tunable::number("D: for tests", (0, 99)),
        Tunable::power("P: for tests", (8, 1 << 20)),
    ],
    self_test: UNTESTED,
};

fn parse(rows: &str) -> Result<Rows, String> {
    Rows::parse(&format!("makespan tuning 1\n{rows}"), &[&FAMILY])
}

/// The values of the tunables A to D and P with these layers of rows.
fn values(layers: &[&str], info: &DeviceInfo) -> [u64; 5] {
    let layers = layers.iter().map(|rows| Arc::new(parse(rows).unwrap())).collect();
    let found = Tuning { layers }.values(&FAMILY, info);
    ["A", "B", "C", "D", "P"].map(|name| found[name])
}

fn with_units(compute_units: u32, mut info: DeviceInfo) -> DeviceInfo {
    info.compute_units = compute_units;
    info
}

const ROWS: &str = "
    f default A 1 B 1 C 1 D 1 # a comment
    f vendor \"NVIDIA\" A 2 B 2 C 2
    f device \"NVIDIA H200\" A 4
    f architecture \"sm_90\" A 3 B 3
    f device \"NVIDIA H200\" A 9";

#[test]
fn the_most_specific_row_wins_name_by_name() {
    let of = |name, vendor, architecture| {
        values(&[ROWS], &DeviceInfo::sample(name, vendor, "P", architecture))
    };
    assert_eq!(of("NVIDIA H200", "NVIDIA", "sm_90"), [4, 3, 2, 1, 8]);
    assert_eq!(of("NVIDIA H100", "NVIDIA", "sm_90"), [3, 3, 2, 1, 8]);
    assert_eq!(of("NVIDIA L4", "NVIDIA", "sm_89"), [2, 2, 2, 1, 8]);
    assert_eq!(of("NVIDIA H200 NVL", "Else", ""), [1, 1, 1, 1, 8]);
}

#[test]
fn a_platform_is_more_specific_than_a_vendor() {
    let rows = "f vendor V A 1 B 1\nf platform \"P Q\" A 2 C 2\nf architecture a C 3";
    let of = |platform| values(&[rows], &DeviceInfo::sample("X", "V", platform, "a"));
    assert_eq!((of("P Q"), of("P")), ([2, 1, 3, 0, 8], [1, 1, 3, 0, 8]));
}

#[test]
fn architectures_match_from_a_number_on() {
    let rows =
        "f default A 1\nf architecture sm_80+ A 2\nf architecture sm_100+ A 3\nf kind gpu B 1";
    let of = |architecture| values(&[rows], &DeviceInfo::sample("X", "Y", "P", architecture))[0];
    let architectures = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120", "gfx90", "sm_90a", ""];
    assert_eq!(architectures.map(of), [1, 2, 2, 3, 3, 1, 1, 1]);
}

#[test]
fn a_layer_wins_over_those_below_it() {
    let info = DeviceInfo::sample("X", "Y", "P", "");
    let layers = ["f default A 5", "f device X A 6 B 6", "f device X A 7 B 7 C 7"];
    assert_eq!(values(&layers, &info), [5, 6, 7, 0, 8]);
    assert_eq!(values(&[], &info), [0, 0, 0, 0, 8], "the least values");
}

#[test]
fn values_grow_with_the_lanes() {
    let of = |compute_units, rows| {
        let info = with_units(compute_units, DeviceInfo::sample("X", "NVIDIA", "P", ""));
        values(&[rows], &info)[4]
    };
    // 64 lanes for each unit, in powers of two, within the range.
    assert_eq!(of(132, "f default P 64*lanes"), 1 << 19);
    assert_eq!(of(64, "f default P 64*lanes"), 1 << 18);
    assert_eq!(of(u32::MAX, "f default P 18446744073709551615*lanes"), 1 << 20);
    assert_eq!(of(1, "f default P 0*lanes"), 8);
}

#[test]
fn faults_are_refused_by_line() {
    for (rows, reason) in [
        ("g default A 1", "line 2: there is no kernel family g"),
        ("\n\nf default E 1", "line 4: f has no tunable E"),
        ("f default A 100", "line 2: A (for tests) must be from 0 to 99, not 100"),
        ("f default P 9", "line 2: P (for tests) must be a power of two from 8 to 1048576, not 9"),
        ("f default A -1", "line 2: A (for tests) must be a number or N*lanes, not -1"),
        ("f default A x*lanes", "line 2: A (for tests) must be a number or N*lanes, not x"),
        ("f default A", "line 2: expected a value after A"),
        ("f default", "line 2: expected a name and a value after the devices"),
        ("f", "line 2: expected the devices after the family"),
        ("f device", "line 2: expected a name after device"),
        ("f kind tpu A 1", "line 2: there is no kind tpu"),
        (
            "f card X A 1",
            "line 2: expected device, architecture, platform, vendor, kind or default, not card",
        ),
        ("f device \"X A 1", "line 2: a quotation mark is not closed"),
        ("f device \"\\x\" A 1", "line 2: a backslash must stand before \", \\ or n"),
    ] {
        assert_eq!(parse(rows), Err(reason.to_owned()));
    }
    let header = |text: &str| Rows::parse(text, &[&FAMILY]).unwrap_err();
    assert_eq!(header("makespan tuning 2"), "line 1: has version 2 of the format, not 1");
    assert_eq!(header("\n# x\nf default A 1"), "line 3: expected \"makespan tuning 1\"");
    assert_eq!(header("# nothing"), "has no line \"makespan tuning 1\"");
    let large = "#".repeat(LARGEST_TEXT + 1);
    assert_eq!(header(&large), "has more than 1048576 bytes");
}

#[test]
fn what_is_shown_can_be_read() {
    let info = DeviceInfo::sample("A \"B\" \\\n#", "NVIDIA", "P", "sm_90");
    let families: Vec<_> = kernel_families::all().collect();
    let shipped = Tuning::new(&families, Vec::new());
    let shown = shipped.shown(&families, &info);
    let read = Rows::parse(&shown, &families).unwrap();
    let alone = Tuning { layers: vec![Arc::new(read)] };
    for family in &families {
        assert_eq!(alone.values(family, &info), shipped.values(family, &info), "{}", family.name);
    }
}

#[test]
fn every_tunable_has_a_shipped_default() {
    let families: Vec<_> = kernel_families::all().collect();
    let rows = Rows::parse(&SHIPPED.text(), &families).unwrap();
    let info = DeviceInfo::sample("X", "Y", "P", "");
    for family in families {
        for tunable in family.tuning {
            let ((name, meaning), range) = (tunable.parts(), tunable.range);
            let place = format!("{name} of {}", family.name);
            assert!(rows.matching(family.name, &info).any(|(found, _)| found == name), "{place}");
            assert!(!meaning.is_empty() && range.least() <= range.most(), "{place}");
        }
    }
}

#[test]
fn the_page_lists_every_tunable_with_its_meaning() {
    let page = include_str!("../../../docs/src/tuning.md");
    for family in kernel_families::all() {
        for tunable in family.tuning {
            let ((name, meaning), range) = (tunable.parts(), tunable.range);
            let of = if matches!(range, Range::Powers(..)) { "powers of two, " } else { "" };
            let (least, most) = (range.least(), range.most());
            let line =
                format!("| `{}` | `{name}` | {of}{least} to {most} | {meaning} |", family.name);
            assert!(page.contains(&line), "{line}");
        }
    }
}

#[test]
fn large_cards_keep_the_rounds_that_were_measured() {
    let families: Vec<_> = kernel_families::all().collect();
    let shipped = Tuning::new(&families, Vec::new());
    let value = |info: &DeviceInfo, family, name| {
        let family = families.iter().find(|known| known.name == family).unwrap();
        shipped.values(family, info)[name]
    };
    let h200 = DeviceInfo::sample("NVIDIA H200", "NVIDIA", "NVIDIA CUDA", "sm_90");
    let h200 = with_units(132, h200);
    assert_eq!(value(&h200, "flow_shop", "ROUND_BOUNDS"), 1 << 22);
    assert_eq!(value(&h200, "flow_shop", "JOHNSON_ROUND_BOUNDS"), 1 << 20);
    assert_eq!(value(&h200, "lattice_batch", "BATCH_TABLES"), 1 << 15);
    assert_eq!(value(&h200, "lattice_batch", "BATCH_LOOKUPS"), 1 << 32);
    assert_eq!(value(&h200, "flow_shop", "PACKED_PTX"), 1);
    let large = with_units(104, DeviceInfo::sample("MI250", "AMD", "AMD", "gfx90a"));
    assert_eq!(value(&large, "flow_shop", "ROUND_BOUNDS"), 1 << 21);
}

fn row() -> impl Strategy<Value = String> {
    let name = "[ -~]{0,12}".prop_map(|name| tokens::quote(&name));
    let device = prop_oneof![
        Just("default".to_owned()),
        (prop_oneof!["device", "platform", "vendor", "architecture"], name)
            .prop_map(|(kind, name)| kind + " " + &name),
        Just("kind gpu".to_owned()),
        (0u32..200).prop_map(|number| format!("architecture sm_{number}+")),
    ];
    let values = prop_oneof![
        (0u64..100).prop_map(|value| format!("A {value}")),
        (3u32..20).prop_map(|exponent| format!("P {}", 1 << exponent)),
        any::<u64>().prop_map(|share| format!("B {share}*lanes")),
    ];
    (device, values).prop_map(|(device, values)| format!("f {device} {values}"))
}

#[test]
fn new_rows_take_the_place_of_older_ones_for_the_device() {
    let old = "# my rows

makespan tuning 1 # the format
f default A 1 B 1
f device X A 2 B 2 # of last year
f device X A 3
f device \"X\" C 3
f device Y A 4 # another
# the end";
    let new = parse("f device X A 7 D 7").unwrap();
    let expected = "# my rows

makespan tuning 1 # the format
f default A 1 B 1
f device \"X\" B 2
f device \"X\" C 3
f device Y A 4 # another
# the end
f device \"X\" A 7 D 7
";
    assert_eq!(merged(old, &[&FAMILY], &new).as_deref(), Ok(expected));
    let alone = "makespan tuning 1\nf device \"X\" A 7 D 7\n";
    assert_eq!(merged(" \n", &[&FAMILY], &new).as_deref(), Ok(alone));
    let refused = merged("makespan tuning 1\nf default A 1\nf default A x", &[&FAMILY], &new);
    assert!(refused.unwrap_err().starts_with("line 3: A"));
}

proptest! {
    #[test]
    fn rows_are_read_as_they_are_written(rows in prop::collection::vec(row(), 0..8)) {
        let read = parse(&rows.join("\n")).unwrap();
        prop_assert_eq!(Rows::parse(&read.to_string(), &[&FAMILY]), Ok(read));
    }

    #[test]
    fn merged_rows_count_for_their_device_and_change_no_other(
        old in prop::collection::vec(row(), 0..8),
        (a, p) in (0u64..100, 3u32..20),
    ) {
        let device = |name| DeviceInfo::sample(name, "V", "P", "sm_90");
        let old = format!("makespan tuning 1\n{}", old.join("\n# a comment\n"));
        let new = parse(&format!("f device \"the one\" A {a} P {}", 1 << p)).unwrap();
        let text = merged(&old, &[&FAMILY], &new).unwrap();
        let of = |text: &str, name| {
            let rows = Rows::parse(text, &[&FAMILY]).unwrap();
            Tuning { layers: vec![Arc::new(rows)] }.values(&FAMILY, &device(name))
        };
        let mut expected = of(&old, "the one");
        expected.extend([("A", a), ("P", 1 << p)]);
        prop_assert_eq!(of(&text, "the one"), expected);
        prop_assert_eq!(of(&text, "another"), of(&old, "another"));
        prop_assert_eq!(merged(&text, &[&FAMILY], &new).unwrap(), text);
    }
}
