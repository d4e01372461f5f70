//! Options by name: one table for each problem.
//!
//! The table gives each option a name, a type, a range, a default and a text. The C functions, the
//! command's arguments, files of options and the JSON schema are made from it.
//!
//! ```
//! use makespan::flow_shop;
//! use makespan::options::Named;
//!
//! let mut options = flow_shop::Options::default();
//! options.set("method", "tabu")?;
//! options.set("tenure", "12")?;
//! assert_eq!(options.search.tenure, 12);
//! assert_eq!(options.get("neighbourhood")?, "insertion");
//! assert!(options.set("tenure", "0").is_err());
//! # Ok::<(), Box<makespan::Error>>(())
//! ```

mod common;
mod field;
mod file;
mod table;

pub(crate) use field::{Field, joined, numbers, position};
pub use file::Line;
pub use table::{Entry, Kind, Named, Range, Tier};
pub(crate) use table::{assign, check, entry, kind_of, unknown, unset, written};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ContextOptions, SolveOptions, cutting_stock, flow_shop, interval_dp, knapsack, lattice_dp,
        parallel_machines, recurrence,
    };

    /// Checks the table: names, texts, ranges, and that every default can be read again.
    fn check_table<O: Named>(methods: &[&str]) {
        let default = O::default();
        for (index, entry) in O::TABLE.iter().enumerate() {
            let Entry { name, text, .. } = *entry;
            assert!(name.bytes().all(|letter| letter == b'_' || letter.is_ascii_lowercase()));
            assert!(text.starts_with(|first: char| first.is_uppercase()) && !text.ends_with('.'));
            assert!(O::TABLE[..index].iter().all(|other| other.name != name), "{name} twice");
            let mut options = O::default();
            let written = entry.get(&default);
            options.set(name, &written).unwrap();
            assert!((entry.equal)(&options, &default), "{name}: {written}");
            for method in entry.methods {
                assert!(methods.contains(method), "{name} is for {method}, which does not exist");
            }
            if let Kind::Choice(choices) = entry.kind {
                for (choice, text) in choices() {
                    options.set(name, choice).unwrap();
                    assert_eq!(options.get(name).unwrap(), choice);
                    assert!(!text.is_empty(), "{name} {choice}");
                }
                assert!(options.set(name, "nonsense").is_err());
            }
            if let Range::Whole(least, most) = entry.range {
                options.set(name, least.to_string()).unwrap();
                let below = least.checked_sub(1).map(|below| below.to_string());
                let beyond = most.checked_add(1).map(|beyond| beyond.to_string());
                for value in below.into_iter().chain(beyond) {
                    let error = options.set(name, &value).unwrap_err().to_string();
                    assert!(error.starts_with(&format!("{name}: ")), "{error}");
                    assert_eq!(options.get(name).unwrap(), least.to_string(), "unchanged");
                }
            }
        }
        let error = O::default().set("nonsense", "1").unwrap_err().to_string();
        assert!(error.starts_with("name: there is no option \"nonsense\""), "{error}");
    }

    fn names<T: crate::Enumeration>() -> Vec<&'static str> {
        T::VALUES.iter().map(|value| value.name()).collect()
    }

    #[test]
    fn every_table_is_sound() {
        check_table::<SolveOptions>(&[]);
        check_table::<ContextOptions>(&[]);
        check_table::<cutting_stock::Options>(&names::<cutting_stock::Method>());
        check_table::<flow_shop::Options>(&names::<flow_shop::Method>());
        check_table::<interval_dp::Options>(&names::<interval_dp::Method>());
        check_table::<knapsack::Options>(&names::<knapsack::Method>());
        check_table::<lattice_dp::Options>(&names::<lattice_dp::Traversal>());
        check_table::<parallel_machines::Options>(&names::<parallel_machines::Method>());
        check_table::<recurrence::Options>(&names::<recurrence::Method>());
    }

    #[test]
    fn texts_have_values_of_all_types() {
        assert_eq!(f64::read("0.3"), Ok(0.3));
        assert_eq!((f64::read("7/7"), f64::read("0/5")), (Ok(1.0), Ok(0.0)));
        for below in 1..2000u32 {
            // The scheme must not become finer than the fraction says.
            let epsilon = f64::read(&format!("1/{below}")).unwrap();
            assert_eq!((1.0 / epsilon).ceil(), f64::from(below), "1/{below}");
        }
        for text in ["", "small", "1/", "/6", "1/0", "1/2/3", "-1/6", "0.5/2"] {
            assert!(f64::read(text).is_err(), "{text}");
        }
        assert_eq!(Vec::<(usize, usize)>::read("0,5 3,9"), Ok(vec![(0, 5), (3, 9)]));
        assert!(Vec::<(usize, usize)>::read("0,5 3").is_err());
        assert_eq!(Option::<u64>::read("none"), Ok(None));
        assert_eq!((bool::read("true"), bool::read("0")), (Ok(true), Ok(false)));
        assert!(bool::read("yes").is_err());
    }
}
