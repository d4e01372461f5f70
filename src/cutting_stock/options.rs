use super::packing::{Cut, Packing, Pattern};
use crate::enumeration::enumeration;
use crate::options::{self, Entry, Field, Kind, Named, Tier, entry};

/// The algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// First-fit and best-fit decreasing. If they are not proved optimal: column generation, a
    /// search for pieces that leave nothing unused, and the dynamic program if its table is of
    /// moderate size. With a time limit, the search for full pieces lasts until the limit.
    /// [`Report::warning`](crate::Report::warning) names a method that was left out because the
    /// instance is too large for it.
    #[default]
    Auto,
    /// First-fit decreasing.
    Ffd,
    /// Like the automatic method, and if that proves no optimum, the dynamic program for as long as
    /// it takes. If its table is too large, the packing stays unproved, and
    /// [`Report::warning`](crate::Report::warning) says why.
    Exact,
}

enumeration! {
    Method {
        Auto: "auto",
            "First-fit and best-fit decreasing, column generation, and a dynamic program of \
             moderate size";
        Ffd: "ffd", "First-fit decreasing";
        Exact: "exact",
            "The automatic method, then the dynamic program of any size that memory allows";
    }
}

/// Options of [`solve`](super::solve) in addition to those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The algorithm.
    pub method: Method,
    /// A packing to start from if it takes fewer pieces than first-fit decreasing.
    pub start: Option<Packing>,
}

impl From<Method> for Options {
    fn from(method: Method) -> Self {
        Options { method, ..Options::default() }
    }
}

impl Named for Options {
    const TABLE: &'static [Entry<Self>] = &[
        entry!("method", method, "Solution method").tier(Tier::Basic),
        entry!(
            "start",
            start,
            "Packing to start from, in addition to that of first-fit decreasing: for each pattern \
             its number of pieces, its number of cuts, and item type and count of each cut"
        )
        .or_none()
        .tier(Tier::Basic),
    ];
}

impl Field for Packing {
    const KIND: Kind = Kind::List;

    fn read(text: &str) -> Result<Self, String> {
        let mut numbers = options::numbers(text)?.into_iter();
        let mut patterns = Vec::new();
        while let Some(pieces) = numbers.next() {
            let cuts = numbers.next().ok_or("ends within a pattern")?;
            let cut = |_| Some(Cut { item: numbers.next()?, count: numbers.next()? });
            let cuts: Option<_> = (0..cuts).map(cut).collect();
            patterns.push(Pattern { pieces, cuts: cuts.ok_or("ends within a pattern")? });
        }
        Ok(Packing::new(patterns))
    }

    fn write(&self) -> String {
        let pattern = |pattern: &Pattern| {
            let cuts = pattern.cuts.iter().flat_map(|cut| [cut.item, cut.count]);
            options::joined([pattern.pieces, pattern.cuts.len() as u32].into_iter().chain(cuts))
        };
        options::joined(self.patterns().iter().map(pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packing_is_a_list_of_numbers() {
        let mut options = Options::default();
        options.set("start", "2 1 0 3, 1 2 1 1 0 2").unwrap();
        let packing = options.start.as_ref().unwrap();
        let cuts: Vec<_> = packing.patterns().iter().map(|pattern| pattern.cuts.len()).collect();
        assert_eq!((cuts, packing.patterns()[1].cuts[0].item), (vec![1, 2], 1));
        assert_eq!(options.get("start").unwrap(), "2 1 0 3 1 2 1 1 0 2");
        for text in ["2", "1 2 0 1", "1 1 0", "4294967295 4294967295 0 1"] {
            let refused = options.set("start", text).unwrap_err().to_string();
            assert_eq!(refused, "start: ends within a pattern");
        }
    }
}
