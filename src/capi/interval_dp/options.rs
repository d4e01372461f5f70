//! Options of interval dynamic programs.

use std::mem::offset_of;
use std::ptr;

use crate::capi::convert::{choice, flag, optional_choice};
use crate::capi::pointer;
use crate::capi::stamped::{self, Stamped};
use crate::capi::status::{Failure, Result, mks_status};
use crate::interval_dp::{MappingOptions, Options};
use crate::memory::Gather;

/// Methods for interval dynamic programs. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_interval_dp_method {
    /// Hu and Shing's or Knuth's algorithm if the instance is known to allow it, else the cubic
    /// recurrence.
    Auto = 0,
    /// Hu and Shing's O(n log n) algorithm, for products of positive whole numbers. If several
    /// trees are optimal, it may return another one than the cubic recurrence.
    HuShing = 1,
    /// Knuth's bound, O(n^2), if the cell costs obey the quadrangle inequality; not for tables of
    /// real numbers.
    Knuth = 2,
    /// The cubic recurrence in tiles. Of equally good splits it takes the lowest.
    Cubic = 3,
    /// The cubic recurrence in three plain loops, on one thread of the CPU.
    Serial = 4,
    /// Mapping 1 of Diwan and Tembhurne (2019), on a device: every phase has as many groups as the
    /// first one needs.
    Cm1 = 5,
    /// Their mapping 2: one group per cell.
    Cm2 = 6,
    /// Their mapping 3: a constant number of groups.
    Cm3 = 7,
    /// Their mapping 4: one work-item per cell.
    Cm4 = 8,
    /// Their adaptive mapping.
    Gmm = 9,
}

/// Types of a table's cells. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_interval_dp_cell_type {
    /// The fastest type that is proved to be exact, or double precision if none is.
    Auto = 0,
    /// 16-bit unsigned integers on devices. The CPU computes in 32-bit integers instead;
    /// ::mks_interval_dp_cell_type_used reports it.
    U16 = 1,
    /// 32-bit integers.
    I32 = 2,
    /// 64-bit integers.
    I64 = 3,
    /// Single precision.
    F32 = 4,
    /// Double precision.
    F64 = 5,
}

/// Options of ::mks_interval_dp_solve. Fill them with ::mks_interval_dp_options_init, then change
/// what you need. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_interval_dp_options {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_interval_dp_method. Default: ::MKS_INTERVAL_DP_METHOD_AUTO.
    pub method: i32,
    /// One of ::mks_interval_dp_cell_type. Default: ::MKS_INTERVAL_DP_CELL_TYPE_AUTO.
    pub cell_type: i32,
    /// 1 promises that the cell costs obey the quadrangle inequality and grow with their interval;
    /// with 0 the library checks this. A false promise gives a wrong result that is reported as
    /// optimal. Default: 0.
    pub assume_quadrangle: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// Further cells whose values are wanted, in addition to the last cell: cells[2 * cell_count],
    /// the first and last point of each. Read during the call only. Default: NULL.
    pub cells: *const usize,
    /// Number of those cells. Default: 0.
    pub cell_count: usize,
    /// Work-items of a group for the mappings 1 to 4. Default: 64.
    pub group_size: usize,
    /// Number of groups for mapping 3. Default: 64.
    pub groups: usize,
    /// Parameter k of the adaptive mapping, which sets its regions. Default: 4.
    pub mapping_k: usize,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and every bit pattern is a valid number or pointer.
unsafe impl Stamped for mks_interval_dp_options {
    const ARGUMENT: &'static str = "options";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
    const DEFAULT: Self = mks_interval_dp_options {
        struct_size: size_of::<Self>(),
        method: mks_interval_dp_method::Auto as i32,
        cell_type: mks_interval_dp_cell_type::Auto as i32,
        assume_quadrangle: 0,
        reserved_flags: 0,
        cells: ptr::null(),
        cell_count: 0,
        group_size: 64,
        groups: 64,
        mapping_k: 4,
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved == [0; 4]
    }
}

/// Fills in the defaults; `size` is sizeof(mks_interval_dp_options). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_options_init(
    options: *mut mks_interval_dp_options,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(options, size) }
}

pub(super) fn convert(given: &mks_interval_dp_options) -> Result<Options> {
    let method = choice("options.method", given.method)?;
    let cell_type = optional_choice("options.cell_type", given.cell_type)?;
    let assume_quadrangle = flag("options.assume_quadrangle", given.assume_quadrangle)?;
    let length = given
        .cell_count
        .checked_mul(2)
        .ok_or_else(|| Failure::argument("options.cell_count", "is too large"))?;
    // SAFETY: the header demands that many elements, or NULL.
    let cells = unsafe { pointer::copy(given.cells, length, "options.cells") }?;
    let mapping = MappingOptions {
        group_size: given.group_size,
        groups: given.groups,
        k: given.mapping_k,
        ..MappingOptions::default()
    };
    let cells = cells.chunks_exact(2).map(|cell| (cell[0], cell[1])).gather()?;
    Ok(Options { method, cell_type, assume_quadrangle, mapping, cells })
}
