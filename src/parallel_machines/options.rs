use crate::enumeration::enumeration;
use crate::lattice_dp;
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

/// Options of [`solve`](super::solve) in addition to those common to all solvers.
#[derive(Debug, Clone)]
pub struct Options {
    /// The algorithm.
    pub method: Method,
    /// Precision of the scheme, in (0, 1]: its schedules are at most 1 + epsilon times the bound
    /// that it proves. Values below 2^-31 count as 2^-31. [`Method::Lpt`] and [`Method::Multifit`]
    /// ignore it.
    pub epsilon: f64,
    /// Number of segments into which [`Method::Ptas`] divides the interval of targets, from 1 to
    /// 64; their middles are decided in parallel. 1 is bisection, 4 the quarter split of Li,
    /// Ghalami, Schwiebert and Grosu 2018. The bound is the same for all values. On a device,
    /// tables by levels and by blocks are filled one after the other.
    pub segments: u32,
    /// How [`Method::Ptas`] fills its tables; other methods choose themselves.
    pub tables: lattice_dp::Options,
}

impl Options {
    /// Most segments.
    pub const MAX_SEGMENTS: u32 = 64;
    /// Default epsilon: 1/6, the largest 1/k below MULTIFIT's 2/11.
    pub const DEFAULT_EPSILON: f64 = 1.0 / 6.0 + f64::EPSILON;

    /// Refuses impossible values, and options that the method does not use.
    pub(super) fn check(&self) -> Result<()> {
        let (segments, most) = (self.segments, Options::MAX_SEGMENTS);
        if segments == 0 || segments > most {
            return Err(Error::argument(
                "segments",
                format!("must be from 1 to {most}, not {segments}"),
            ));
        }
        self.tables.check()?;
        let (default, given) = (lattice_dp::Options::default(), self.tables);
        for (argument, is_given) in [
            ("segments", segments > 1),
            ("traversal", given.traversal != default.traversal),
            ("launches", given.launches != default.launches),
        ] {
            if is_given && self.method != Method::Ptas {
                return Err(Error::argument(argument, "is for the method ptas alone"));
            }
        }
        Ok(())
    }
}

impl Default for Options {
    /// Method `Auto` with [`Options::DEFAULT_EPSILON`]; bisection, by slabs.
    fn default() -> Self {
        Options {
            method: Method::Auto,
            epsilon: Options::DEFAULT_EPSILON,
            segments: 1,
            tables: lattice_dp::Options::default(),
        }
    }
}
