use super::{ExactOptions, Method, Permutation, SearchOptions};
use crate::{Error, Result};

/// Options of [`solve`](super::solve), in addition to those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The solution method.
    pub method: Method,
    /// A start sequence, in addition to NEH's.
    pub start: Option<Permutation>,
    /// Options of branch and bound.
    pub exact: ExactOptions,
    /// Options of the searches.
    pub search: SearchOptions,
}

impl Options {
    /// Refuses options that were set although the method does not use them.
    pub(super) fn check_use(&self) -> Result<()> {
        let given = self.exact.given().into_iter().chain(self.search.given());
        for (argument, _, users) in given.filter(|(_, is_given, _)| *is_given) {
            if !users.contains(&self.method) {
                let users: Vec<_> = users.iter().map(|method| method.name()).collect();
                return Err(Error::argument(
                    argument,
                    format!("is for {} alone", users.join(" and ")),
                ));
            }
        }
        Ok(())
    }
}
