//! Jobs and families by their names or numbers.

use std::collections::HashMap;

use super::Fault;
use super::document::Reference;

/// The numbers of names.
pub(super) struct Index<'d> {
    number_of: HashMap<&'d str, u32>,
    count: usize,
    /// The list that has them.
    list: &'static str,
}

impl<'d> Index<'d> {
    /// Refuses two elements of a list with the same name.
    pub(super) fn new(
        names: impl Iterator<Item = Option<&'d str>>,
        list: &'static str,
        field: &str,
    ) -> Result<Self, Fault> {
        let (mut number_of, mut count) = (HashMap::new(), 0);
        for (number, name) in names.enumerate() {
            count = number + 1;
            let Some(name) = name else { continue };
            if let Some(earlier) = number_of.insert(name, number as u32) {
                return Err(format!(
                    "{list}[{number}]{field}: \"{}\" is the name of {list}[{earlier}]",
                    name.escape_debug()
                ));
            }
        }
        Ok(Index { number_of, count, list })
    }

    pub(super) fn number(
        &self,
        reference: &Reference,
        place: impl Fn() -> String,
    ) -> Result<u32, Fault> {
        let unknown = |reason: String| format!("{}: {reason} in {}", place(), self.list);
        match reference {
            Reference::Name(name) => {
                let missing = || unknown(format!("there is no \"{}\"", name.escape_debug()));
                self.number_of.get(&**name).copied().ok_or_else(missing)
            }
            &Reference::Number(number) => {
                let known = u32::try_from(number).ok().filter(|_| number < self.count as u64);
                known.ok_or_else(|| unknown(format!("there is no number {number}")))
            }
        }
    }
}

/// The numbers of all elements of a list.
pub(super) fn numbers_of(
    references: &[Reference],
    index: &Index<'_>,
    list: &str,
) -> Result<Vec<u32>, Fault> {
    let numbered = references.iter().enumerate();
    let numbers =
        numbered.map(|(place, reference)| index.number(reference, || format!("{list}[{place}]")));
    numbers.collect()
}
