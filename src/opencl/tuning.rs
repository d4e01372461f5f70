//! Tuning rows: values of a kernel family's tunables by device.

use std::collections::BTreeMap;

use super::facts::DeviceInfo;

/// Names and values of a program's defines, sorted by name.
pub(super) type Defines = BTreeMap<&'static str, u64>;

/// The devices that a row applies to, most specific first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Match {
    /// The device with exactly this [`DeviceInfo::name`].
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the rows so far hold for all devices of a vendor")
    )]
    Device(&'static str),
    /// [`DeviceInfo::architecture`].
    Architecture(&'static str),
    /// [`DeviceInfo::vendor`].
    Vendor(&'static str),
    /// Every device.
    Default,
}

impl Match {
    /// How unspecific the match is; `None` for other devices.
    fn distance(self, info: &DeviceInfo) -> Option<u64> {
        let (hit, distance) = match self {
            Match::Device(name) => (info.name == name, 0),
            Match::Architecture(name) => (info.architecture == name, 1),
            Match::Vendor(name) => (info.vendor == name, 2),
            Match::Default => (true, 3),
        };
        hit.then_some(distance)
    }
}

/// Values for the tunables of a kernel family on some devices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TuningRow {
    pub(crate) device: Match,
    pub(crate) defines: &'static [(&'static str, u64)],
}

/// The values for one device. Each name is looked up separately, so a row needs to set only the
/// names in which it differs from the next more general row.
pub(super) fn resolve(rows: &[TuningRow], info: &DeviceInfo) -> Defines {
    let mut matching: Vec<_> =
        rows.iter().filter_map(|row| Some((row.device.distance(info)?, row.defines))).collect();
    matching.sort_by_cached_key(|&(distance, _)| distance);
    let mut values = Defines::new();
    for &(name, value) in matching.into_iter().flat_map(|(_, defines)| defines) {
        values.entry(name).or_insert(value);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &[TuningRow] = &[
        TuningRow { device: Match::Default, defines: &[("A", 1), ("B", 1), ("C", 1), ("D", 1)] },
        TuningRow { device: Match::Vendor("NVIDIA"), defines: &[("A", 2), ("B", 2), ("C", 2)] },
        TuningRow { device: Match::Device("NVIDIA H200"), defines: &[("A", 4)] },
        TuningRow { device: Match::Architecture("sm_90"), defines: &[("A", 3), ("B", 3)] },
        TuningRow { device: Match::Device("NVIDIA H200"), defines: &[("A", 9), ("E", 9)] },
    ];

    fn values(name: &str, vendor: &str, architecture: &str) -> Vec<(&'static str, u64)> {
        let info = DeviceInfo::sample(name, vendor, "P", architecture);
        resolve(ROWS, &info).into_iter().collect()
    }

    #[test]
    fn exact_rows_win_name_by_name() {
        let expected = [("A", 4), ("B", 3), ("C", 2), ("D", 1), ("E", 9)];
        assert_eq!(values("NVIDIA H200", "NVIDIA", "sm_90"), expected);
    }

    #[test]
    fn general_rows_fill_the_rest() {
        assert_eq!(
            values("NVIDIA H100", "NVIDIA", "sm_90"),
            [("A", 3), ("B", 3), ("C", 2), ("D", 1)]
        );
        assert_eq!(
            values("NVIDIA L4", "NVIDIA", "sm_89"),
            [("A", 2), ("B", 2), ("C", 2), ("D", 1)]
        );
        assert_eq!(values("NVIDIA H200 NVL", "Else", ""), [("A", 1), ("B", 1), ("C", 1), ("D", 1)]);
    }

    #[test]
    fn no_rows_no_values() {
        assert!(resolve(&[], &DeviceInfo::sample("X", "Y", "P", "")).is_empty());
    }
}
