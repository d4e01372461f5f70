//! Named figures as text, for the files that keep what was measured.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Figures and the time of their measurement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figures {
    measured_at: SystemTime,
    values: Vec<(String, f64)>,
}

/// The first line's name.
const TIME: &str = "measured_at";
/// Most figures of a file.
const MOST: usize = 512;

impl Figures {
    /// `measured_at` keeps whole seconds.
    pub(crate) fn new(measured_at: SystemTime, values: &[(&str, f64)]) -> Figures {
        let seconds = measured_at.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Figures {
            measured_at: UNIX_EPOCH + Duration::from_secs(seconds),
            values: values.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
        }
    }

    pub(crate) fn measured_at(&self) -> SystemTime {
        self.measured_at
    }

    /// Whether they were measured in the second of `time`.
    pub(crate) fn is_of(&self, time: SystemTime) -> bool {
        self.measured_at == Figures::new(time, &[]).measured_at
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = (&str, f64)> {
        self.values.iter().map(|(name, value)| (&name[..], *value))
    }

    /// Sets a figure whose name has no space. A new one is left out if a file can't hold it.
    pub(crate) fn set(&mut self, name: String, value: f64) {
        if let Some((_, known)) = self.values.iter_mut().find(|(known, _)| *known == name) {
            *known = value;
        } else if self.values.len() < MOST {
            self.values.push((name, value));
        }
    }

    /// Removes the figures with the names that the function accepts. Returns whether there are any.
    pub(crate) fn remove(&mut self, is_removed: impl Fn(&str) -> bool) -> bool {
        let count = self.values.len();
        self.values.retain(|(name, _)| !is_removed(name));
        self.values.len() < count
    }

    pub(crate) fn value(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(known, _)| known == name).map(|&(_, value)| value)
    }

    /// A line for each figure, with all digits.
    pub(super) fn to_text(&self) -> String {
        let seconds = self.measured_at.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut text = format!("{TIME} {seconds}\n");
        for (name, value) in &self.values {
            // Writing to a string never fails.
            let _ = writeln!(text, "{name} {value:e}");
        }
        text
    }

    /// Reads what [`Figures::to_text`] writes. Every figure is finite and not negative.
    pub(super) fn parse(text: &str) -> Option<Figures> {
        let mut lines = text.lines().map(|line| line.split_once(' '));
        let (name, seconds) = lines.next()??;
        let measured_at = UNIX_EPOCH.checked_add(Duration::from_secs(seconds.parse().ok()?))?;
        let mut values = Vec::new();
        for line in lines.take(MOST + 1) {
            let (name, value) = line?;
            let value: f64 = value.parse().ok()?;
            if !value.is_finite() || value.is_sign_negative() {
                return None;
            }
            values.push((name.to_owned(), value));
        }
        (name == TIME && values.len() <= MOST).then_some(Figures { measured_at, values })
    }
}

/// Reads the fuzzer's data.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Some(figures) = Figures::parse(text) {
        assert_eq!(Figures::parse(&figures.to_text()), Some(figures));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_digits_come_back() {
        let values = [("launch", 3.1e-6), ("rate", 1.0 / 3.0 * 1e13), ("none", 0.0)];
        let figures = Figures::new(SystemTime::now(), &values);
        let again = Figures::parse(&figures.to_text()).unwrap();
        assert_eq!(again, figures);
        assert_eq!(again.value("rate"), Some(1.0 / 3.0 * 1e13));
        assert_eq!(again.value("other"), None);
        let age = again.measured_at().elapsed().unwrap();
        assert!(age < Duration::from_secs(60), "{age:?}");
    }

    #[test]
    fn other_text_is_refused() {
        assert!(Figures::parse("measured_at 5\nrate 1e3\n").is_some());
        for text in [
            "",
            "rate 1e3",
            "measured_at\nrate 1e3",
            "measured_at -5\nrate 1e3",
            "measured_at 99999999999999999999999\n",
            "measured_at 18446744073709551615\n",
            "measured_at 5\nrate",
            "measured_at 5\nrate x",
            "measured_at 5\nrate NaN",
            "measured_at 5\nrate inf",
            "measured_at 5\nrate -1",
            "measured_at 5\n\nrate 1",
        ] {
            assert_eq!(Figures::parse(text), None, "{text:?}");
        }
        let many = "rate 1\n".repeat(MOST + 1);
        assert_eq!(Figures::parse(&format!("measured_at 5\n{many}")), None);
    }
}
