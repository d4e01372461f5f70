use super::Schedule;
use crate::enumeration::enumeration;
use crate::lattice_dp;
use crate::options::{self, Entry, Field, Kind, Named, Range, Tier, entry};
use crate::{Error, Result};

/// The algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// A portfolio that usually proves its schedule optimal, within some seconds or until the time
    /// limit: LPT, MULTIFIT and improvement by subset sums; stronger bounds; the approximation
    /// scheme if 1 + epsilon is not reached by then; and the configuration LP with bin
    /// completion to close the gap.
    #[default]
    Auto,
    /// Longest processing time first (Graham 1969). Runs on the CPU only.
    Lpt,
    /// LPT, then MULTIFIT (Coffman, Garey, Johnson 1978). Runs on the CPU only.
    Multifit,
    /// LPT, MULTIFIT and the whole approximation scheme of Hochbaum and Shmoys (1987), a bisection
    /// between the simple bounds and the best schedule; an error if it cannot reach 1 + epsilon
    /// within the memory limit.
    Ptas,
    /// Like `Auto`, with growing effort until the schedule is proved optimal or a limit comes.
    Exact,
}

enumeration! {
    Method {
        Auto: "auto",
            "LPT, MULTIFIT, the scheme, column generation and bin completion, within some seconds \
             or the time limit";
        Lpt: "lpt", "Longest processing time first";
        Multifit: "multifit", "LPT, then MULTIFIT";
        Ptas: "ptas", "LPT, MULTIFIT, then the approximation scheme down to 1 + epsilon";
        Exact: "exact",
            "The methods of auto with growing effort, until the optimum is proved or a limit ends \
             it";
    }
}

impl Method {
    /// Whether the method can use a device.
    pub(super) fn has_kernels(self) -> bool {
        !matches!(self, Method::Lpt | Method::Multifit)
    }
}

enumeration! {
    /// Where the segments of the targets lie.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum SegmentShares {
        /// Equal shares of the interval of targets.
        #[default]
        Interval: "interval", "Equal shares of the interval of targets";
        /// The first segments start at shares of the lower bound, as Algorithm 3 of Li, Ghalami,
        /// Schwiebert and Grosu 2018 says: p LB / s for segment p of s. All but the last target are
        /// then below the lower bound. Later segments are equal shares.
        LowerBound: "lower-bound",
            "The first segments start at shares of the lower bound, as published; later ones are \
             equal shares of the interval";
    }
}

/// Options of [`solve`](super::solve) in addition to those common to all solvers.
#[derive(Debug, Clone)]
pub struct Options {
    /// The algorithm.
    pub method: Method,
    /// A schedule to start from if it is shorter than LPT's.
    pub start: Option<Schedule>,
    /// Precision of the scheme, in (0, 1]: its schedules are at most 1 + epsilon times the bound
    /// that it proves. Values below 2^-31 count as 2^-31. Not for [`Method::Lpt`] and
    /// [`Method::Multifit`].
    pub epsilon: f64,
    /// Number of segments into which [`Method::Ptas`] divides the interval of targets, from 1 to
    /// 64; their middles are decided in parallel. 1 is bisection, 4 the quarter split of Li,
    /// Ghalami, Schwiebert and Grosu 2018. The bound is the same for all values.
    pub segments: u32,
    /// Where the segments of [`Method::Ptas`] lie.
    pub segment_shares: SegmentShares,
    /// How [`Method::Ptas`] fills its tables; other methods choose themselves.
    pub tables: lattice_dp::Options,
}

impl Options {
    /// Most segments.
    pub const MAX_SEGMENTS: u32 = 64;
    /// Default epsilon: 1/6, the largest 1/k below MULTIFIT's 2/11.
    pub const DEFAULT_EPSILON: f64 = (1.0_f64 / 6.0).next_up();

    /// Refuses impossible values, and options that the method does not use.
    pub(super) fn check(&self) -> Result<()> {
        options::check(self, self.method.name())?;
        if self.tables.parts.is_some() {
            // The dimensions of tables differ from target to target.
            return Err(Error::argument("parts", "applies only to single lattices"));
        }
        self.tables.check()
    }
}

const PTAS: &[&str] = &["ptas"];

impl Named for Options {
    const TABLE: &'static [Entry<Self>] = &[
        entry!("method", method, "Solution method").tier(Tier::Basic),
        entry!(
            "epsilon",
            epsilon,
            "Precision of the approximation scheme, such as 0.2 or 1/5; the default is 1/6"
        )
        .range(Range::Above(0.0, 1.0))
        .methods(&["auto", "ptas", "exact"])
        .tier(Tier::Basic),
        entry!(
            "start",
            start,
            "Schedule to start from, in addition to that of LPT: the machine of each job, from 0"
        )
        .or_none()
        .tier(Tier::Basic),
        entry!(
            "segments",
            segments,
            "Segments into which ptas cuts its interval of targets; it decides the middles of all \
             segments at once; 1 is bisection"
        )
        .range(Range::Whole(1, Options::MAX_SEGMENTS as u64))
        .methods(PTAS),
        entry!("segment_shares", segment_shares, "Where the segments of ptas lie")
            .methods(PTAS)
            .tier(Tier::Experimental),
        entry!("traversal", tables.traversal, lattice_dp::Options::TRAVERSAL)
            .methods(PTAS)
            .tier(Tier::Experimental),
        entry!("partition", tables.partition, lattice_dp::Options::PARTITION)
            .range(lattice_dp::Options::PARTITIONS)
            .methods(PTAS)
            .tier(Tier::Experimental),
        entry!("divisors", tables.divisors, lattice_dp::Options::DIVISORS)
            .methods(PTAS)
            .tier(Tier::Experimental),
        entry!("launches", tables.launches, lattice_dp::Options::LAUNCHES)
            .methods(PTAS)
            .tier(Tier::Experimental),
        entry!("children", tables.children, lattice_dp::Options::CHILDREN)
            .methods(PTAS)
            .tier(Tier::Experimental),
    ];
}

impl Default for Options {
    /// Method `Auto` with [`Options::DEFAULT_EPSILON`]; bisection, by slabs.
    fn default() -> Self {
        Options {
            method: Method::Auto,
            start: None,
            epsilon: Options::DEFAULT_EPSILON,
            segments: 1,
            segment_shares: SegmentShares::default(),
            tables: lattice_dp::Options::default(),
        }
    }
}

impl Field for Schedule {
    const KIND: Kind = Kind::List;

    fn read(text: &str) -> Result<Self, String> {
        options::numbers(text).map(Schedule::new)
    }

    fn write(&self) -> String {
        options::joined(self.assignment())
    }
}
