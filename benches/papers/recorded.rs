//! Lines of measurements that are read again.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::common::Result;

/// A line, as `Log` writes it.
#[derive(Deserialize)]
pub(crate) struct Recorded {
    suite: String,
    /// The table or figure.
    #[serde(default)]
    class: Option<String>,
    pub(crate) instance: String,
    pub(crate) method: String,
    #[serde(default)]
    variant: Option<String>,
    engine: String,
    device: Option<String>,
    processor: String,
    threads: usize,
    pub(crate) seconds: f64,
    statistics: BTreeMap<String, Value>,
    version: String,
    command: String,
}

/// Where a line was measured: a processor with a number of threads, or its device.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Place {
    processor: String,
    device: Option<String>,
    /// 0 for a device.
    threads: usize,
}

impl Place {
    pub(crate) fn is_device(&self) -> bool {
        self.device.is_some()
    }

    /// One core of the same machine.
    pub(crate) fn core(&self) -> Place {
        Place { processor: self.processor.clone(), device: None, threads: 1 }
    }

    pub(crate) fn is_one_core(&self) -> bool {
        !self.is_device() && self.threads == 1
    }
}

impl Recorded {
    pub(crate) fn place(&self) -> Place {
        let device = self.device.clone().filter(|_| self.engine == "device");
        let threads = if device.is_some() { 0 } else { self.threads };
        Place { processor: self.processor.clone(), device, threads }
    }

    pub(crate) fn variant(&self) -> &str {
        self.variant.as_deref().unwrap_or_default()
    }

    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.statistics.get(name).and_then(Value::as_u64)
    }

    /// Whether another line is a measurement of the same thing.
    fn same(&self, other: &Recorded) -> bool {
        self.class == other.class
            && self.instance == other.instance
            && self.method == other.method
            && self.variant == other.variant
            && self.place() == other.place()
    }
}

/// The lines of a paper.
pub(crate) struct Lines(Vec<Recorded>);

impl Lines {
    /// Of lines that measure the same thing, the last one counts.
    pub(crate) fn parse(text: &str, suite: &str) -> Result<Self> {
        let mut lines: Vec<Recorded> = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let line: Recorded = serde_json::from_str(line)?;
            if line.suite != suite {
                continue;
            }
            match lines.iter_mut().find(|earlier| earlier.same(&line)) {
                Some(earlier) => *earlier = line,
                None => lines.push(line),
            }
        }
        Ok(Lines(lines))
    }

    pub(crate) fn of<'a>(&'a self, class: &'a str) -> impl Iterator<Item = &'a Recorded> {
        self.0.iter().filter(move |line| line.class.as_deref() == Some(class))
    }

    /// The places of a class, in the order of the lines.
    pub(crate) fn places(&self, class: &str) -> Vec<Place> {
        unique(self.of(class).map(Recorded::place))
    }

    /// The line of that class, instance and variant at that place.
    pub(crate) fn find<'a>(
        &'a self,
        class: &'a str,
        instance: &str,
        variant: &str,
        place: &Place,
    ) -> Option<&'a Recorded> {
        self.of(class).find(|line| {
            line.instance == instance && line.variant() == variant && line.place() == *place
        })
    }

    /// Machines are named by letters.
    fn machines(&self) -> Vec<&str> {
        unique(self.0.iter().map(|line| line.processor.as_str()))
    }

    fn letter(&self, processor: &str) -> char {
        let place = self.machines().iter().position(|machine| *machine == processor);
        char::from(b'A' + place.unwrap_or(0) as u8 % 26)
    }

    /// As tables name a place.
    pub(crate) fn label(&self, place: &Place) -> String {
        let letter = self.letter(&place.processor);
        match (&place.device, place.threads) {
            (Some(device), _) => format!("{letter}: {device}"),
            (None, 1) => format!("{letter}: one core"),
            (None, threads) => format!("{letter}: {threads} cores"),
        }
    }

    /// Letter, processor, devices, versions and commands of each machine.
    pub(crate) fn provenance(&self) -> Vec<Vec<String>> {
        let rows = self.machines().into_iter().map(|machine| {
            let lines = || self.0.iter().filter(move |line| line.processor == machine);
            let list = |words: Vec<&str>| match words.is_empty() {
                true => "none".to_owned(),
                false => words.join(", "),
            };
            let commands = unique(lines().map(|line| format!("`{}`", line.command)));
            vec![
                self.letter(machine).to_string(),
                machine.to_owned(),
                list(unique(lines().filter_map(|line| line.device.as_deref()))),
                list(unique(lines().map(|line| line.version.as_str()))),
                commands.join(", "),
            ]
        });
        rows.collect()
    }
}

/// Each once, in the order of their first places.
pub(crate) fn unique<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}
