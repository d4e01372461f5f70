//! Names of jobs, machines and items.

use serde::Serialize;

/// Names in the order of an instance. Without names there are numbers from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Labels(Vec<String>);

impl Labels {
    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        Labels(names.collect())
    }

    /// Whether there are numbers only.
    /// Number of names.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name, if there are names.
    pub(crate) fn name(&self, index: usize) -> Option<&str> {
        self.0.get(index).map(String::as_str)
    }

    /// The name or the number.
    pub(crate) fn of(&self, index: usize) -> String {
        self.with("", index)
    }

    /// The name, or the number after a prefix.
    pub(crate) fn with(&self, prefix: &str, index: usize) -> String {
        self.name(index).map_or_else(|| format!("{prefix}{index}"), str::to_owned)
    }
}
