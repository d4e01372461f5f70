//! Tuning rows as text.
//!
//! The first line is `makespan tuning 1`. Each further line is a row: a family, the devices that it
//! is for, then names and values. See `docs/src/tuning.md`.

use std::fmt;

use super::super::facts::{DeviceInfo, DeviceKind};
use super::super::recipe::KernelFamily;
use super::super::row_file::LARGEST_TEXT;
use super::{Range, tokens};

/// Number of the format.
const VERSION: &str = "1";
/// Ends a value that is multiplied by the device's lanes.
const LANES: &str = "*lanes";

/// The devices that a row is for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Match {
    /// The device with exactly this [`DeviceInfo::name`].
    Device(String),
    /// [`DeviceInfo::architecture`].
    Architecture(String),
    /// The architectures with these letters and this number or a larger one.
    ArchitectureFrom(String, u64),
    /// [`DeviceInfo::platform`].
    Platform(String),
    /// [`DeviceInfo::vendor`].
    Vendor(String),
    /// [`DeviceInfo::kind`].
    Kind(DeviceKind),
    /// Every device.
    Default,
}

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    Fixed(u64),
    /// This many for each 32-bit lane of the device.
    Lanes(u64),
}

/// Values of tunables of one family on some devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    family: &'static str,
    device: Match,
    values: Vec<(&'static str, Amount)>,
}

/// The rows of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rows(Vec<Row>);

impl Match {
    /// How unspecific the match is; `None` for other devices.
    fn distance(&self, info: &DeviceInfo) -> Option<(u8, u64)> {
        let (hit, distance) = match self {
            Match::Device(name) => (info.name == *name, (0, 0)),
            Match::Architecture(name) => (info.architecture == *name, (1, 0)),
            Match::ArchitectureFrom(letters, least) => {
                let hit = numbered(&info.architecture)
                    .is_some_and(|(of, number)| of == letters && number >= *least);
                // Of two such rows the one with the larger number is more specific.
                (hit, (2, u64::MAX - least))
            }
            Match::Platform(name) => (info.platform == *name, (3, 0)),
            Match::Vendor(name) => (info.vendor == *name, (4, 0)),
            Match::Kind(kind) => (info.kind == *kind, (5, 0)),
            Match::Default => (true, (6, 0)),
        };
        hit.then_some(distance)
    }

    fn parse(words: &mut impl Iterator<Item = String>) -> Result<Match, String> {
        let kind = words.next().ok_or("expected the devices after the family")?;
        if kind == "default" {
            return Ok(Match::Default);
        }
        let mut name = || words.next().ok_or(format!("expected a name after {kind}"));
        match &*kind {
            "device" => Ok(Match::Device(name()?)),
            "platform" => Ok(Match::Platform(name()?)),
            "vendor" => Ok(Match::Vendor(name()?)),
            "architecture" => {
                let name = name()?;
                let from = name.strip_suffix('+').and_then(numbered);
                let from =
                    from.map(|(letters, least)| Match::ArchitectureFrom(letters.into(), least));
                Ok(from.unwrap_or(Match::Architecture(name)))
            }
            "kind" => {
                let name = name()?;
                let kind = DeviceKind::ALL.into_iter().find(|kind| kind.name() == name);
                kind.map(Match::Kind).ok_or(format!("there is no kind {name}"))
            }
            other => Err(format!(
                "expected device, architecture, platform, vendor, kind or default, not {other}"
            )),
        }
    }
}

/// The letters and the decimal number of an architecture's name, such as `sm_90`.
fn numbered(architecture: &str) -> Option<(&str, u64)> {
    let letters = architecture.trim_end_matches(|letter: char| letter.is_ascii_digit());
    Some((letters, architecture[letters.len()..].parse().ok()?))
}

impl Amount {
    fn parse(text: &str, range: Range) -> Result<Amount, String> {
        let number = |text: &str| {
            text.parse::<u64>().map_err(|_| format!("must be a number or N{LANES}, not {text}"))
        };
        match text.strip_suffix(LANES) {
            Some(text) => number(text).map(Amount::Lanes),
            None => {
                let value = number(text)?;
                range.refusal(value).map_or(Ok(Amount::Fixed(value)), Err)
            }
        }
    }

    /// The value on a device.
    pub(super) fn on(self, info: &DeviceInfo, range: Range) -> u64 {
        match self {
            Amount::Fixed(value) => value,
            Amount::Lanes(share) => {
                let lanes = u128::from(info.compute_units) * info.lanes_per_unit() as u128;
                range.fit(u128::from(share) * lanes)
            }
        }
    }
}

impl Row {
    /// The row for one device.
    pub(crate) fn of_device(
        family: &'static str,
        info: &DeviceInfo,
        values: &[(&'static str, u64)],
    ) -> Row {
        let values = values.iter().map(|&(name, value)| (name, Amount::Fixed(value))).collect();
        Row { family, device: Match::Device(info.name.clone()), values }
    }

    /// The row of a line; `None` for a line without words.
    pub(super) fn of_line(
        line: &str,
        families: &[&'static KernelFamily],
    ) -> Result<Option<Row>, String> {
        let words = tokens::split(line)?;
        (!words.is_empty()).then(|| Row::parse(words, families)).transpose()
    }

    /// Drops the values that a newer row for the same devices has.
    pub(super) fn give_way_to(&mut self, newer: &Row) {
        if (self.family, &self.device) == (newer.family, &newer.device) {
            self.values.retain(|(name, _)| newer.values.iter().all(|(other, _)| other != name));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn parse(words: Vec<String>, families: &[&'static KernelFamily]) -> Result<Row, String> {
        let mut words = words.into_iter();
        let name = words.next().unwrap_or_default();
        let family = families.iter().find(|family| family.name == name);
        let family = family.ok_or(format!("there is no kernel family {name}"))?;
        let device = Match::parse(&mut words)?;
        let mut values = Vec::new();
        while let Some(name) = words.next() {
            let tunable = family.tuning.iter().find(|tunable| tunable.name() == name);
            let tunable = tunable.ok_or(format!("{} has no tunable {name}", family.name))?;
            let (name, meaning) = tunable.parts();
            let value = words.next().ok_or(format!("expected a value after {name}"))?;
            let amount = Amount::parse(&value, tunable.range)
                .map_err(|reason| format!("{name} ({meaning}) {reason}"))?;
            values.push((name, amount));
        }
        if values.is_empty() {
            return Err("expected a name and a value after the devices".into());
        }
        Ok(Row { family: family.name, device, values })
    }
}

impl Rows {
    pub(crate) fn of(rows: Vec<Row>) -> Rows {
        Rows(rows)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Row> {
        self.0.iter()
    }

    /// Reads the rows for these families. One fault refuses the whole text; the error names its
    /// line.
    pub(crate) fn parse(text: &str, families: &[&'static KernelFamily]) -> Result<Rows, String> {
        if text.len() > LARGEST_TEXT {
            return Err(format!("has more than {LARGEST_TEXT} bytes"));
        }
        let mut rows = None;
        for (line, number) in text.lines().zip(1..) {
            let in_line = |reason| format!("line {number}: {reason}");
            let words = tokens::split(line).map_err(in_line)?;
            if words.is_empty() {
                continue;
            }
            match &mut rows {
                None => {
                    check_header(&words).map_err(in_line)?;
                    rows = Some(Vec::new());
                }
                Some(rows) => rows.push(Row::parse(words, families).map_err(in_line)?),
            }
        }
        rows.map(Rows).ok_or_else(|| "has no line \"makespan tuning 1\"".into())
    }

    /// Names and values for a device, the most specific rows first. A name may come several times.
    pub(super) fn matching(
        &self,
        family: &str,
        info: &DeviceInfo,
    ) -> impl Iterator<Item = (&'static str, Amount)> {
        let rows = self.0.iter().filter(|row| row.family == family);
        let mut matching: Vec<_> =
            rows.filter_map(|row| Some((row.device.distance(info)?, &row.values))).collect();
        matching.sort_by_cached_key(|&((_, within), _)| within);
        matching.sort_by_cached_key(|&((kind, _), _)| u64::from(kind));
        matching.into_iter().flat_map(|(_, values)| values.iter().copied())
    }
}

fn check_header(words: &[String]) -> Result<(), String> {
    match words {
        [makespan, tuning, version] if makespan == "makespan" && tuning == "tuning" => {
            if version == VERSION {
                Ok(())
            } else {
                Err(format!("has version {version} of the format, not {VERSION}"))
            }
        }
        _ => Err(format!("expected \"{}\"", header())),
    }
}

/// The first line of a text.
pub(super) fn header() -> String {
    format!("makespan tuning {VERSION}")
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Match::Device(name) => write!(f, "device {}", tokens::quote(name)),
            Match::Architecture(name) => write!(f, "architecture {}", tokens::quote(name)),
            Match::ArchitectureFrom(letters, least) => {
                write!(f, "architecture {}", tokens::quote(&format!("{letters}{least}+")))
            }
            Match::Platform(name) => write!(f, "platform {}", tokens::quote(name)),
            Match::Vendor(name) => write!(f, "vendor {}", tokens::quote(name)),
            Match::Kind(kind) => write!(f, "kind {}", kind.name()),
            Match::Default => write!(f, "default"),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { family, device, values } = self;
        write!(f, "{family} {device}")?;
        for (name, amount) in values {
            match amount {
                Amount::Fixed(value) => write!(f, " {name} {value}")?,
                Amount::Lanes(share) => write!(f, " {name} {share}{LANES}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", header())?;
        self.0.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

/// Fuzz target: rows that are read are written and read again as the same rows.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(data: &[u8]) {
    let families: Vec<_> = crate::kernel_families::all().collect();
    let text = String::from_utf8_lossy(data);
    if let Ok(rows) = Rows::parse(&text, &families) {
        assert_eq!(Rows::parse(&rows.to_string(), &families), Ok(rows));
    }
}
