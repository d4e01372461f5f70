use crate::enumeration::enumeration;
use crate::options::{Entry, Named, Tier, entry};

/// The way to fill the table. All methods give the same values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// [`Method::Jump`] or [`Method::SlidingWindow`] if they apply and are expected to take less
    /// time, otherwise [`Method::Blocked`]. A jump may run on the CPU for any requested engine.
    #[default]
    Auto,
    /// Element after element, operand after operand; O(n k) steps.
    Sequential,
    /// Merges the operands of each element in pairs; O(n log k) steps on a device, which merges all
    /// pairs of a round at once. The CPU merges one pair after the other.
    Tournament,
    /// The k-stage pipeline: k threads complete one element in each step.
    Pipeline,
    /// The pipeline with two operands for each visit and k / 2 threads: the source's remedy if all
    /// threads of a step read the same element.
    TwoByTwo,
    /// The p-fold pipeline: p k threads complete p elements in each step.
    PFold,
    /// Neighbouring elements gather all their operands at once; blocks handle small offsets.
    Blocked,
    /// For consecutive offsets of equal weight: a constant number of operations for each element.
    /// CPU only.
    SlidingWindow,
    /// For one distant element, [`Output::Last`]: O(a_0^2 log n) operations and no table. The
    /// element is not computed again, since there is no table for that. Not with terms or a custom
    /// operator. CPU only. If sums of (+,*) may cancel and a coefficient exceeds 128 bits, the
    /// table is filled by [`Method::Blocked`] instead.
    Jump,
}

enumeration! {
    Method {
        Auto: "auto", "The fastest by estimate";
        Sequential: "sequential", "One element and one operand after the other";
        Tournament: "tournament", "The operands of each element meet in pairs";
        Pipeline: "pipeline", "The k-stage pipeline";
        TwoByTwo: "two-by-two", "The pipeline with two operands per visit";
        PFold: "p-fold", "The p-fold pipeline";
        Blocked: "blocked",
            "Independent elements gather all operands at once; small offsets by blocks";
        SlidingWindow: "sliding-window",
            "A sliding window over consecutive offsets with one weight";
        Jump: "jump", "The last element without the table";
    }
}

/// The part of the table that [`solve`](super::solve) returns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Output {
    /// The whole table.
    #[default]
    Table,
    /// Only the last element.
    Last,
}

enumeration! {
    Output {
        Table: "table", "The whole table";
        Last: "last", "Only the last element";
    }
}

/// Options of [`solve`](super::solve) in addition to those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The way to fill the table.
    pub method: Method,
    /// The part of the table to return.
    pub output: Output,
    /// p of [`Method::PFold`]; by default [`largest_fold`](super::largest_fold). A larger p would
    /// read unfinished elements.
    pub fold: Option<u64>,
    /// Whether to return the choices too: which offset gives each element its value. Requires
    /// [`Output::Table`] and (min,+), (max,+) or (max,min), whose (+) returns one of its operands;
    /// (or,and) combines the bits of several.
    pub choices: bool,
}

impl Named for Options {
    const TABLE: &'static [Entry<Self>] = &[
        entry!("method", method, "Way to fill the table").tier(Tier::Basic),
        entry!("values", output, "Elements to return").tier(Tier::Basic),
        entry!("choices", choices, "Also return which offset gives each element its value")
            .tier(Tier::Basic),
        entry!(
            "fold",
            fold,
            "Parameter p of the p-fold pipeline; auto takes the largest that is correct on the instance"
        )
        .methods(&["p-fold"])
        .tier(Tier::Experimental),
    ];
}
