use super::{CellType, Mapping, MappingOptions};
use crate::enumeration::enumeration;
use crate::options::{Entry, Named, Range, Tier, entry};
use crate::{Dispatch, Error, Result};

/// The algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// Hu and Shing's or Knuth's algorithm if the instance is known to allow it, otherwise the
    /// cubic one. For whole numbers the cubic one also replaces Knuth's where it is expected to be
    /// faster; the solution is the same. Hu and Shing's algorithm, and Knuth's for real numbers,
    /// have no kernels. They run on the CPU even if a device is wanted.
    #[default]
    Auto,
    /// Hu and Shing's algorithm for matrix chains and weighted polygons of positive whole numbers.
    /// Of several best trees it may find another one than the cubic algorithm.
    HuShing,
    /// Knuth's bound, for (min,+) without split costs, if the cell costs obey the quadrangle
    /// inequality. The inequality is checked unless the caller promises it. Real numbers are first
    /// rounded to a fine grid, and the bound allows for that; a table of real numbers is refused,
    /// since rounding may break the inequality. A device takes whole numbers only, and checks the
    /// inequality in any case.
    Knuth,
    /// The cubic algorithm in tiles.
    Cubic,
    /// The recurrence exactly as defined, in three loops on one CPU thread: the baseline.
    Serial,
    /// The cubic algorithm as a pipeline over a linear table, after Matsumae and Miyazaki (2018): in
    /// each step another cell begins, and each cell that has begun takes one split. On one thread, or
    /// on a device by one work-group with a barrier after each step. The statistics have the `steps`
    /// and the `threads`, the most cells of a step.
    Pipeline,
    /// The cubic algorithm cell by cell on a device, one launch for each diagonal, with one of the
    /// mappings of Diwan and Tembhurne (2019); their parameters are [`Options::mapping`].
    Mapping(Mapping),
}

enumeration! {
    Method {
        Auto: "auto", "The fastest that the instance allows: hu-shing, knuth, else cubic";
        HuShing: "hu-shing", "Hu and Shing's algorithm, O(n log n), for products of whole numbers";
        Knuth: "knuth", "Knuth's bound, O(n^2), for search trees";
        Cubic: "cubic", "The cubic recurrence in tiles";
        Serial: "serial", "The cubic recurrence in three plain loops on one thread";
        Pipeline: "pipeline", "The cubic recurrence as a pipeline over a linear table";
        Mapping(Mapping::FirstPhase): "cm-1",
            "Mapping 1 of Diwan and Tembhurne: every phase has as many work-groups as the first \
             needs";
        Mapping(Mapping::GroupPerCell): "cm-2", "Mapping 2: one work-group per cell";
        Mapping(Mapping::Constant): "cm-3", "Mapping 3: a constant number of work-groups";
        Mapping(Mapping::ItemPerCell): "cm-4", "Mapping 4: one work-item per cell";
        Mapping(Mapping::Adaptive): "gmm", "The adaptive mapping of Diwan and Tembhurne";
    }
}

impl Method {
    /// Refuses a method that has no kernels, if a device is wanted.
    pub(super) fn check_engine(self, dispatch: &Dispatch<'_>) -> Result<()> {
        match self {
            Method::HuShing | Method::Serial if dispatch.wants_device() => {
                Err(Error::unsupported(format!("the method {} on a device", self.name())))
            }
            _ => Ok(()),
        }
    }
}

/// Options of [`solve`](super::solve) in addition to those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The algorithm.
    pub method: Method,
    /// Type of the cells; by default the fastest one that is proved exact, and double precision if
    /// there is none. Not for [`Method::HuShing`] and [`Method::Knuth`]. 16-bit cells are for
    /// devices; the CPU uses 32 bits instead.
    pub cell_type: Option<CellType>,
    /// Promises that the cell costs obey the quadrangle inequality and grow with their interval, so
    /// that [`Method::Knuth`] does not check it. A broken promise may give a wrong result that is
    /// reported as optimal.
    pub assume_quadrangle: bool,
    /// Parameters of [`Method::Mapping`].
    pub mapping: MappingOptions,
    /// Cells (i, j), i < j, whose values to return in addition to the last one's.
    pub cells: Vec<(usize, usize)>,
}

const IN_GROUPS: &[&str] = &["cm-1", "cm-2", "cm-3", "cm-4"];
const ADAPTIVE: &[&str] = &["gmm"];
const SIZES: Range = Range::Whole(1, 1 << 20);

impl Named for Options {
    const TABLE: &'static [Entry<Self>] = &[
        entry!("method", method, "Solution method").tier(Tier::Basic),
        entry!("cells", cells, "Cells whose values to return, such as 0,5 3,9").tier(Tier::Basic),
        entry!("cell_type", cell_type, "Type of the cells; auto takes the fastest exact type"),
        entry!(
            "assume_quadrangle",
            assume_quadrangle,
            "Promise that the cell costs obey the quadrangle inequality, so that knuth does not \
             check it"
        ),
        entry!("group_size", mapping.group_size, "Work-items per work-group of cm-1 to cm-4")
            .range(SIZES)
            .methods(IN_GROUPS)
            .tier(Tier::Experimental),
        entry!("groups", mapping.groups, "Number of work-groups of cm-3")
            .range(SIZES)
            .methods(&["cm-3"])
            .tier(Tier::Experimental),
        entry!("mapping_k", mapping.k, "Parameter k of gmm, which sets its regions")
            .range(SIZES)
            .methods(ADAPTIVE)
            .tier(Tier::Experimental),
        entry!(
            "warp",
            mapping.warp,
            "Work-items that run in step, for gmm; auto takes the driver's number"
        )
        .range(SIZES)
        .methods(ADAPTIVE)
        .tier(Tier::Experimental),
        entry!(
            "resident_items",
            mapping.resident_items,
            "Most work-items that a compute unit holds at once, for gmm; auto takes the device's \
             number as far as it is known"
        )
        .range(SIZES)
        .methods(ADAPTIVE)
        .tier(Tier::Experimental),
    ];
}
