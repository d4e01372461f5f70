//! Interval dynamic programming: matrix chains, search trees, triangulations, and any instance of their form.

use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::offset_of;
use std::ptr;
use std::sync::{Arc, OnceLock};

use super::context::{mks_context, quiet_options};
use super::convert::{UserData, c_string, choice};
use super::guard::{guard, outside};
use super::pointer::{self, Handle, Out, OutArray, get, get_list};
use super::result::{Solution, mks_result, solve_with};
use super::solve_options::mks_solve_options;
use super::stamped::{self, Stamped};
use super::status::{Failure, Result, mks_status};
use crate::interval_dp::{
    AnyInstance, CellCost, CellType, Expression, Instance, Kind, Mapping, MappingOptions, Method, Node,
    Number, Options, Semiring, SplitCost, SplitFunction, Tree, solve,
};
use crate::{Context, SolveOptions};

/// Methods for interval dynamic programs. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_interval_dp_method {
    /// Hu and Shing's or Knuth's algorithm where the instance is known to allow it, else the cubic one.
    Auto = 0,
    /// Hu and Shing's O(n log n) algorithm for products of positive whole numbers.
    HuShing = 1,
    /// Knuth's bound, O(n^2), where the cell costs obey the quadrangle inequality.
    Knuth = 2,
    /// The cubic recurrence in tiles.
    Cubic = 3,
    /// The cubic recurrence word for word, on one thread of the CPU.
    Serial = 4,
    /// Mapping 1 of Diwan and Tembhurne (2019), on a device: as many groups throughout as the first phase needs.
    Cm1 = 5,
    /// Their mapping 2: a group for each cell.
    Cm2 = 6,
    /// Their mapping 3: a constant number of groups.
    Cm3 = 7,
    /// Their mapping 4: a work-item for each cell.
    Cm4 = 8,
    /// Their adaptive mapping.
    Gmm = 9,
}

/// What an instance describes. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_interval_dp_kind {
    /// Multiplications of a chain of matrices.
    MatrixChain = 0,
    /// An optimal binary search tree.
    SearchTree = 1,
    /// A triangulation of a convex polygon.
    Triangulation = 2,
}

/// The operations in place of minimum and plus. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_interval_dp_semiring {
    /// Least sum.
    MinPlus = 0,
    /// Largest sum.
    MaxPlus = 1,
    /// Largest minimum.
    MaxMin = 2,
    /// Bitwise or of ands; whole numbers only, without a tree.
    OrAnd = 3,
    /// Sum of products; without a tree.
    PlusTimes = 4,
}

/// Types of a table's cells. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_interval_dp_cell_type {
    /// The fastest one that is proved to be exact; double precision where there is none.
    Auto = 0,
    /// 16-bit unsigned integers.
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

/// Options of ::mks_interval_dp_solve; filled by ::mks_interval_dp_options_init, then changed where wanted. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_interval_dp_options {
    /// Size of this struct for the compiler of the program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_interval_dp_method. Default: ::MKS_INTERVAL_DP_METHOD_AUTO.
    pub method: i32,
    /// One of ::mks_interval_dp_cell_type. Default: ::MKS_INTERVAL_DP_CELL_TYPE_AUTO.
    pub cell_type: i32,
    /// 1 promises that the cell costs obey the quadrangle inequality and grow with their interval; 0 lets it be
    /// checked. Default: 0.
    pub assume_quadrangle: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// Cells whose values are wanted beside the last one's: cells[2 * cell_count], first and last point of each.
    /// Read during the call only. Default: NULL.
    pub cells: *const usize,
    /// Number of those cells. Default: 0.
    pub cell_count: usize,
    /// Work-items of a group for the mappings 1 to 4. Default: 64.
    pub group_size: usize,
    /// Number of groups for mapping 3. Default: 64.
    pub groups: usize,
    /// The k of the adaptive mapping's regions. Default: 4.
    pub mapping_k: usize,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and numbers and pointers are valid whatever their bytes are.
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

/// The split cost g(i, k, j) of points i < k < j. Called from several threads at once; must return normally.
/// Since 0.1.
pub type mks_interval_dp_split_cost_i64 =
    Option<unsafe extern "C" fn(i: usize, k: usize, j: usize, user_data: *mut c_void) -> i64>;

/// An instance of the general form in whole numbers, for ::mks_interval_dp_instance_create_i64; filled by
/// ::mks_interval_dp_form_i64_init, then changed. There are leaf_count + 1 points, and with the operations (+) and (*)
/// of the semiring
///
/// ```text
/// cell(i, i + 1) = leaves[i]
/// cell(i, j) = w(i, j) (*) (+)_{i < k < j} cell(i, k) (*) cell(k, j) (*) g(i, k, j)
/// ```
///
/// Every cost that is NULL is neutral. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_interval_dp_form_i64 {
    /// Size of this struct for the compiler of the program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_interval_dp_semiring. Default: ::MKS_INTERVAL_DP_SEMIRING_MIN_PLUS.
    pub semiring: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// leaves[leaf_count], at least one.
    pub leaves: *const i64,
    /// Number of leaves.
    pub leaf_count: usize,
    /// With column: w(i, j) = row[i] + column[j], an entry for each point. Default: NULL.
    pub row: *const i64,
    /// See row.
    pub column: *const i64,
    /// w(i, j) of all pairs i < j, (0, 1), (0, 2), ..., (1, 2), ...: (leaf_count + 1) * leaf_count / 2 entries, in place
    /// of row and column. Default: NULL.
    pub table: *const i64,
    /// With split and right: g(i, k, j) = left[i] * split[k] * right[j], added, an entry for each point; for (min,+) and
    /// (max,+). Default: NULL.
    pub left: *const i64,
    /// See left.
    pub split: *const i64,
    /// See left.
    pub right: *const i64,
    /// g(i, k, j) as a function, in place of left, split and right. Must stay valid as long as the instance. Default:
    /// NULL.
    pub split_cost: mks_interval_dp_split_cost_i64,
    /// Handed to split_cost. Default: NULL.
    pub user_data: *mut c_void,
    /// No value of split_cost is larger in magnitude; it decides which cells can't overflow. Default: 0.
    pub magnitude: i64,
    /// The same function for devices, as an expression in OpenCL C of i, k, j and points (uint) and data (a pointer to
    /// cells, of type VALUE); NULL leaves the instance to the CPU. Default: NULL.
    pub split_source: *const c_char,
    /// data[data_count] of split_source. Default: NULL.
    pub data: *const i64,
    /// Number of entries of data. Default: 0.
    pub data_count: usize,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and numbers, pointers and nullable functions are valid whatever their bytes are.
unsafe impl Stamped for mks_interval_dp_form_i64 {
    const ARGUMENT: &'static str = "form";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
    const DEFAULT: Self = mks_interval_dp_form_i64 {
        struct_size: size_of::<Self>(),
        semiring: mks_interval_dp_semiring::MinPlus as i32,
        reserved_flags: 0,
        leaves: ptr::null(),
        leaf_count: 0,
        row: ptr::null(),
        column: ptr::null(),
        table: ptr::null(),
        left: ptr::null(),
        split: ptr::null(),
        right: ptr::null(),
        split_cost: None,
        user_data: ptr::null_mut(),
        magnitude: 0,
        split_source: ptr::null(),
        data: ptr::null(),
        data_count: 0,
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved == [0; 4]
    }
}

impl mks_interval_dp_form_i64 {
    /// # Safety
    /// The arrays are NULL or as long as the header says.
    unsafe fn build(&self) -> Result<Instance<i64>> {
        let (user_data, lists) = (UserData::new(self.user_data), [self.left, self.split, self.right]);
        let function = self.split_cost.map(|function| {
            let call = move |i, k, j| {
                // SAFETY: the header demands a function that may be called so, from any thread.
                outside(|| unsafe { function(i, k, j, user_data.get()) })
            };
            Arc::new(call) as SplitFunction<i64>
        });
        let costs = Costs {
            weights: [self.row, self.column, self.table],
            lists,
            function,
            magnitude: self.magnitude,
            source: self.split_source,
            data: (self.data, self.data_count),
        };
        // SAFETY: the caller's promise.
        unsafe { custom(self.semiring, (self.leaves, self.leaf_count), costs) }
    }
}

/// The split cost g(i, k, j) of points i < k < j. Called from several threads at once; must return normally.
/// Since 0.1.
pub type mks_interval_dp_split_cost_f64 =
    Option<unsafe extern "C" fn(i: usize, k: usize, j: usize, user_data: *mut c_void) -> f64>;

/// An instance of the general form in real numbers, for ::mks_interval_dp_instance_create_f64; filled by
/// ::mks_interval_dp_form_f64_init, then changed. There are leaf_count + 1 points, and with the operations (+) and (*)
/// of the semiring
///
/// ```text
/// cell(i, i + 1) = leaves[i]
/// cell(i, j) = w(i, j) (*) (+)_{i < k < j} cell(i, k) (*) cell(k, j) (*) g(i, k, j)
/// ```
///
/// Every cost that is NULL is neutral. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_interval_dp_form_f64 {
    /// Size of this struct for the compiler of the program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_interval_dp_semiring. Default: ::MKS_INTERVAL_DP_SEMIRING_MIN_PLUS.
    pub semiring: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// leaves[leaf_count], at least one.
    pub leaves: *const f64,
    /// Number of leaves.
    pub leaf_count: usize,
    /// With column: w(i, j) = row[i] + column[j], an entry for each point. Default: NULL.
    pub row: *const f64,
    /// See row.
    pub column: *const f64,
    /// w(i, j) of all pairs i < j, (0, 1), (0, 2), ..., (1, 2), ...: (leaf_count + 1) * leaf_count / 2 entries, in place
    /// of row and column. Default: NULL.
    pub table: *const f64,
    /// With split and right: g(i, k, j) = left[i] * split[k] * right[j], added, an entry for each point; for (min,+) and
    /// (max,+). Default: NULL.
    pub left: *const f64,
    /// See left.
    pub split: *const f64,
    /// See left.
    pub right: *const f64,
    /// g(i, k, j) as a function, in place of left, split and right. Must stay valid as long as the instance. Default:
    /// NULL.
    pub split_cost: mks_interval_dp_split_cost_f64,
    /// Handed to split_cost. Default: NULL.
    pub user_data: *mut c_void,
    /// No value of split_cost is larger in magnitude; it decides which cells can't overflow. Default: 0.
    pub magnitude: f64,
    /// The same function for devices, as an expression in OpenCL C of i, k, j and points (uint) and data (a pointer to
    /// cells, of type VALUE); NULL leaves the instance to the CPU. Default: NULL.
    pub split_source: *const c_char,
    /// data[data_count] of split_source. Default: NULL.
    pub data: *const f64,
    /// Number of entries of data. Default: 0.
    pub data_count: usize,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and numbers, pointers and nullable functions are valid whatever their bytes are.
unsafe impl Stamped for mks_interval_dp_form_f64 {
    const ARGUMENT: &'static str = "form";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
    const DEFAULT: Self = mks_interval_dp_form_f64 {
        struct_size: size_of::<Self>(),
        semiring: mks_interval_dp_semiring::MinPlus as i32,
        reserved_flags: 0,
        leaves: ptr::null(),
        leaf_count: 0,
        row: ptr::null(),
        column: ptr::null(),
        table: ptr::null(),
        left: ptr::null(),
        split: ptr::null(),
        right: ptr::null(),
        split_cost: None,
        user_data: ptr::null_mut(),
        magnitude: 0.0,
        split_source: ptr::null(),
        data: ptr::null(),
        data_count: 0,
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved == [0; 4]
    }
}

impl mks_interval_dp_form_f64 {
    /// # Safety
    /// The arrays are NULL or as long as the header says.
    unsafe fn build(&self) -> Result<Instance<f64>> {
        let (user_data, lists) = (UserData::new(self.user_data), [self.left, self.split, self.right]);
        let function = self.split_cost.map(|function| {
            let call = move |i, k, j| {
                // SAFETY: the header demands a function that may be called so, from any thread.
                outside(|| unsafe { function(i, k, j, user_data.get()) })
            };
            Arc::new(call) as SplitFunction<f64>
        });
        let costs = Costs {
            weights: [self.row, self.column, self.table],
            lists,
            function,
            magnitude: self.magnitude,
            source: self.split_source,
            data: (self.data, self.data_count),
        };
        // SAFETY: the caller's promise.
        unsafe { custom(self.semiring, (self.leaves, self.leaf_count), costs) }
    }
}

/// What the structs of both kinds of numbers have in common.
struct Costs<V> {
    /// row, column, table.
    weights: [*const V; 3],
    /// left, split, right.
    lists: [*const V; 3],
    function: Option<SplitFunction<V>>,
    magnitude: V,
    source: *const c_char,
    data: (*const V, usize),
}

/// # Safety
/// The arrays are NULL or as long as the header says.
unsafe fn custom<V: Number>(
    semiring: i32,
    leaves: (*const V, usize),
    costs: Costs<V>,
) -> Result<Instance<V>> {
    let semiring = choice(
        "form.semiring",
        semiring,
        &[
            (mks_interval_dp_semiring::MinPlus as i32, Semiring::MinPlus),
            (mks_interval_dp_semiring::MaxPlus as i32, Semiring::MaxPlus),
            (mks_interval_dp_semiring::MaxMin as i32, Semiring::MaxMin),
            (mks_interval_dp_semiring::OrAnd as i32, Semiring::OrAnd),
            (mks_interval_dp_semiring::PlusTimes as i32, Semiring::PlusTimes),
        ],
    )?;
    // SAFETY: the caller's promise.
    let leaves = unsafe { pointer::copy(leaves.0, leaves.1, "form.leaves") }?;
    let points = leaves.len() + 1;
    let pairs = points
        .checked_mul(leaves.len())
        .map(|twice| twice / 2)
        .ok_or_else(|| Failure::argument("form.leaf_count", "is impossibly large"))?;
    // SAFETY: the caller's promise.
    let list = |start, length, name| unsafe { pointer::copy(start, length, name) };
    let [row, column, table] = costs.weights;
    let cell_cost = match (row.is_null() && column.is_null(), table.is_null()) {
        (true, true) => CellCost::None,
        (false, true) => CellCost::Separable {
            row: list(row, points, "form.row")?,
            column: list(column, points, "form.column")?,
        },
        (true, false) => CellCost::Table(list(table, pairs, "form.table")?),
        (false, false) => return Err(Failure::argument("form.table", "is given beside row and column")),
    };
    let [left, split, right] = costs.lists;
    let has_lists = costs.lists.iter().any(|list| !list.is_null());
    let split_cost = match (has_lists, costs.function) {
        (false, None) if !costs.source.is_null() => {
            return Err(Failure::argument("form.split_cost", "is NULL beside split_source"));
        }
        (false, None) => SplitCost::None,
        (true, None) => SplitCost::Product {
            left: list(left, points, "form.left")?,
            split: list(split, points, "form.split")?,
            right: list(right, points, "form.right")?,
        },
        (false, Some(function)) => {
            let source = match costs.source.is_null() {
                true => None,
                // SAFETY: the caller's promise.
                false => Some(unsafe { pointer::text(costs.source, "form.split_source") }?.to_owned()),
            };
            let data = list(costs.data.0, costs.data.1, "form.data")?;
            SplitCost::Expression(Expression { function, magnitude: costs.magnitude, source, data })
        }
        (true, Some(_)) => {
            return Err(Failure::argument("form.split_cost", "is given beside left, split or right"));
        }
    };
    Ok(Instance::custom(semiring, leaves, cell_cost, split_cost)?)
}

/// An instance of interval dynamic programming. It never changes, so several threads may use it at once; freeing must
/// come last. Since 0.1.
pub struct mks_interval_dp_instance {
    instance: Arc<AnyInstance>,
}

impl Handle for mks_interval_dp_instance {
    const ARGUMENT: &'static str = "instance";
}

impl mks_interval_dp_instance {
    fn new(instance: AnyInstance) -> Self {
        mks_interval_dp_instance { instance: Arc::new(instance) }
    }
}

/// Values of cells, in the instance's own kind of numbers.
enum CellValues {
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

/// A solution with its texts, which are made when they are first asked for.
struct Solved {
    tree: Option<Tree>,
    cells: CellValues,
    cell_type: CellType,
    kind: Kind,
    parenthesisation: OnceLock<CString>,
    dot: OnceLock<CString>,
}

impl Solution for Solved {
    const PROBLEM: &'static CStr = c"interval_dp";
}

impl Solved {
    fn new<V>(
        solution: crate::interval_dp::Solution<V>,
        kind: Kind,
        cells: fn(Vec<V>) -> CellValues,
    ) -> Self {
        Solved {
            tree: solution.tree,
            cells: cells(solution.cells),
            cell_type: solution.cell_type,
            kind,
            parenthesisation: OnceLock::new(),
            dot: OnceLock::new(),
        }
    }

    fn tree(&self) -> Result<&Tree> {
        self.tree.as_ref().ok_or_else(|| Failure::not_available("tree"))
    }
}

fn kind(number: i32) -> Result<Kind> {
    choice(
        "kind",
        number,
        &[
            (mks_interval_dp_kind::MatrixChain as i32, Kind::MatrixChain),
            (mks_interval_dp_kind::SearchTree as i32, Kind::SearchTree),
            (mks_interval_dp_kind::Triangulation as i32, Kind::Triangulation),
        ],
    )
}

/// The least number of scalar multiplications for a chain of count - 1 matrices, where matrix i has dimensions[i] rows
/// and dimensions[i + 1] columns: the simplest call, which needs no other. On success splits[count - 2] holds the
/// order: the products in the order in which they may be done, each named by the dimension that it removes; NULL leaves
/// it out. Any thread. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_matrix_chain(
    dimensions: *const i64,
    count: usize,
    splits: *mut u32,
    multiplications: *mut i64,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands that many elements, or NULL.
        let dimensions = unsafe { pointer::copy(dimensions, count, "dimensions") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let multiplications = unsafe { Out::new(multiplications, "multiplications") }?;
        let instance = Instance::matrix_chain(dimensions)?;
        let context = Context::new(quiet_options())?;
        let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
        let cost = outcome.objective.ok_or_else(|| Failure::not_available("objective"))?;
        let tree = outcome.solution.and_then(|solution| solution.tree);
        let tree = tree.ok_or_else(|| Failure::not_available("tree"))?;
        if !splits.is_null() {
            // SAFETY: the header demands room for that many elements.
            let splits = unsafe { OutArray::new(splits, count - 2, "splits") }?;
            // Parts come before what they are parts of.
            splits.write(&tree.nodes().iter().rev().map(|node| node.split).collect::<Vec<_>>())?;
        }
        multiplications.write(cost);
        Ok(())
    })
}

/// Makes the instance of a matrix chain in whole numbers: matrix i has dimensions[i] rows and dimensions[i + 1] columns,
/// so that there are count - 1 matrices; dimensions are positive. The array is copied. To be freed with
/// ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_matrix_chain_i64(
    dimensions: *const i64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let dimensions = unsafe { pointer::copy(dimensions, count, "dimensions") }?;
        Ok(mks_interval_dp_instance::new(AnyInstance::Whole(Instance::matrix_chain(dimensions)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Makes the instance of an optimal binary search tree in whole numbers: keys[key_count] are the weights of the keys in
/// their order, gaps[key_count + 1] those of searches that end before each key and behind the last one; none is
/// negative. The objective is the weighted number of comparisons. The arrays are copied. To be freed with
/// ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_search_tree_i64(
    keys: *const i64,
    key_count: usize,
    gaps: *const i64,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let keys = unsafe { pointer::copy(keys, key_count, "keys") }?;
        // SAFETY: the header demands one element more, or NULL.
        let gaps = unsafe { pointer::copy(gaps, key_count + 1, "gaps") }?;
        Ok(mks_interval_dp_instance::new(AnyInstance::Whole(Instance::search_tree(&keys, &gaps)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Makes the instance of a polygon's triangulation in whole numbers, where a triangle costs the product of its vertices'
/// weights[count], which are positive; there are at least three. The array is copied. To be freed with
/// ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_triangulation_i64(
    weights: *const i64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { pointer::copy(weights, count, "weights") }?;
        Ok(mks_interval_dp_instance::new(AnyInstance::Whole(Instance::triangulation_by_weights(weights)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Makes an instance of the general form. The arrays are copied. To be freed with ::mks_interval_dp_instance_free.
/// Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_create_i64(
    form: *const mks_interval_dp_form_i64,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands an initialised struct or NULL.
        let form = unsafe { stamped::read(form) }?;
        // SAFETY: the header demands arrays of these lengths.
        Ok(mks_interval_dp_instance::new(AnyInstance::Whole(unsafe { form.build() }?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Fills in the defaults; `size` is sizeof(mks_interval_dp_form_i64). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_form_i64_init(
    form: *mut mks_interval_dp_form_i64,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(form, size) }
}

/// Copies the values of the cells asked for in the options to values[capacity], in their order; for instances of whole
/// numbers, others have ::mks_interval_dp_cell_values_f64. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_cell_values_i64(
    result: *const mks_result,
    values: *mut i64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| match &result.solution::<Solved>()?.cells {
        CellValues::Whole(values) => out.write(values),
        _ => Err(Failure::not_available("cell value of this type")),
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, values, capacity, "values", copy) }
}

/// Makes the instance of a matrix chain in real numbers: matrix i has dimensions[i] rows and dimensions[i + 1] columns,
/// so that there are count - 1 matrices; dimensions are positive. The array is copied. To be freed with
/// ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_matrix_chain_f64(
    dimensions: *const f64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let dimensions = unsafe { pointer::copy(dimensions, count, "dimensions") }?;
        Ok(mks_interval_dp_instance::new(AnyInstance::Real(Instance::matrix_chain(dimensions)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Makes the instance of an optimal binary search tree in real numbers: keys[key_count] are the weights of the keys in
/// their order, gaps[key_count + 1] those of searches that end before each key and behind the last one; none is
/// negative. The objective is the weighted number of comparisons. The arrays are copied. To be freed with
/// ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_search_tree_f64(
    keys: *const f64,
    key_count: usize,
    gaps: *const f64,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let keys = unsafe { pointer::copy(keys, key_count, "keys") }?;
        // SAFETY: the header demands one element more, or NULL.
        let gaps = unsafe { pointer::copy(gaps, key_count + 1, "gaps") }?;
        Ok(mks_interval_dp_instance::new(AnyInstance::Real(Instance::search_tree(&keys, &gaps)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Makes the instance of a polygon's triangulation in real numbers, where a triangle costs the product of its vertices'
/// weights[count], which are positive; there are at least three. The array is copied. To be freed with
/// ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_triangulation_f64(
    weights: *const f64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { pointer::copy(weights, count, "weights") }?;
        Ok(mks_interval_dp_instance::new(AnyInstance::Real(Instance::triangulation_by_weights(weights)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Makes an instance of the general form. The arrays are copied. To be freed with ::mks_interval_dp_instance_free.
/// Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_create_f64(
    form: *const mks_interval_dp_form_f64,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands an initialised struct or NULL.
        let form = unsafe { stamped::read(form) }?;
        // SAFETY: the header demands arrays of these lengths.
        Ok(mks_interval_dp_instance::new(AnyInstance::Real(unsafe { form.build() }?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Fills in the defaults; `size` is sizeof(mks_interval_dp_form_f64). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_form_f64_init(
    form: *mut mks_interval_dp_form_f64,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(form, size) }
}

/// Copies the values of the cells asked for in the options to values[capacity], in their order; for instances of real
/// numbers, others have ::mks_interval_dp_cell_values_i64. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_cell_values_f64(
    result: *const mks_result,
    values: *mut f64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| match &result.solution::<Solved>()?.cells {
        CellValues::Real(values) => out.write(values),
        _ => Err(Failure::not_available("cell value of this type")),
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, values, capacity, "values", copy) }
}

/// Makes the instance of a convex polygon's triangulation where a triangle costs the sum of its edges' lengths:
/// coordinates[2 * count] are x and y of each vertex in order. The array is copied. To be freed with
/// ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_convex_polygon(
    coordinates: *const f64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        let length = count.checked_mul(2).ok_or_else(|| Failure::argument("count", "is impossibly large"))?;
        // SAFETY: the header demands that many elements, or NULL.
        let coordinates = unsafe { pointer::copy(coordinates, length, "coordinates") }?;
        let vertices: Vec<_> = coordinates.chunks_exact(2).map(|vertex| [vertex[0], vertex[1]]).collect();
        Ok(mks_interval_dp_instance::new(AnyInstance::Real(Instance::convex_polygon(&vertices)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Reads an instance of one of ::mks_interval_dp_kind from text[length] in UTF-8, which needs no NUL: the dimensions of a
/// chain; n, n key weights and n + 1 gap weights of a search tree; or a polygon's vertices, a line with a weight or with
/// two coordinates each. To be freed with ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_parse(
    kind_number: i32,
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_interval_dp_instance::new(AnyInstance::parse(kind(kind_number)?, text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { pointer::parse(text, length, instance, build) }
}

/// Reads an instance from a file, named in the operating system's encoding (UTF-8 on Windows), in the formats of
/// ::mks_interval_dp_instance_parse. To be freed with ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_read(
    kind_number: i32,
    path: *const c_char,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = |path| Ok(mks_interval_dp_instance::new(AnyInstance::read(kind(kind_number)?, path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { pointer::read(path, instance, build) }
}

/// Draws an instance of one of ::mks_interval_dp_kind, with `size` matrices, keys or vertices and whole numbers up to
/// `largest`. To be freed with ::mks_interval_dp_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_random(
    kind_number: i32,
    size: usize,
    seed: u64,
    largest: i64,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build =
        || Ok(mks_interval_dp_instance::new(AnyInstance::random(kind(kind_number)?, size, seed, largest)?));
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Number of points: one more than leaves. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_instance_points(
    instance: *const mks_interval_dp_instance,
    points: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, points, "points", |instance| Ok(instance.instance.points())) }
}

/// Frees an instance; NULL is harmless. Results made from it stay valid. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_instance_free(instance: *mut mks_interval_dp_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_interval_dp_instance::free(instance) };
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

fn convert(given: &mks_interval_dp_options) -> Result<Options> {
    let method = choice(
        "options.method",
        given.method,
        &[
            (mks_interval_dp_method::Auto as i32, Method::Auto),
            (mks_interval_dp_method::HuShing as i32, Method::HuShing),
            (mks_interval_dp_method::Knuth as i32, Method::Knuth),
            (mks_interval_dp_method::Cubic as i32, Method::Cubic),
            (mks_interval_dp_method::Serial as i32, Method::Serial),
            (mks_interval_dp_method::Cm1 as i32, Method::Mapping(Mapping::FirstPhase)),
            (mks_interval_dp_method::Cm2 as i32, Method::Mapping(Mapping::GroupPerCell)),
            (mks_interval_dp_method::Cm3 as i32, Method::Mapping(Mapping::Constant)),
            (mks_interval_dp_method::Cm4 as i32, Method::Mapping(Mapping::ItemPerCell)),
            (mks_interval_dp_method::Gmm as i32, Method::Mapping(Mapping::Adaptive)),
        ],
    )?;
    let cell_type = choice(
        "options.cell_type",
        given.cell_type,
        &[
            (mks_interval_dp_cell_type::Auto as i32, None),
            (mks_interval_dp_cell_type::U16 as i32, Some(CellType::U16)),
            (mks_interval_dp_cell_type::I32 as i32, Some(CellType::I32)),
            (mks_interval_dp_cell_type::I64 as i32, Some(CellType::I64)),
            (mks_interval_dp_cell_type::F32 as i32, Some(CellType::F32)),
            (mks_interval_dp_cell_type::F64 as i32, Some(CellType::F64)),
        ],
    )?;
    let assume_quadrangle =
        choice("options.assume_quadrangle", given.assume_quadrangle, &[(0, false), (1, true)])?;
    let length = given
        .cell_count
        .checked_mul(2)
        .ok_or_else(|| Failure::argument("options.cell_count", "is impossibly large"))?;
    // SAFETY: the header demands that many elements, or NULL.
    let cells = unsafe { pointer::copy(given.cells, length, "options.cells") }?;
    let mapping = MappingOptions {
        group_size: given.group_size,
        groups: given.groups,
        k: given.mapping_k,
        ..MappingOptions::default()
    };
    let cells = cells.chunks_exact(2).map(|cell| (cell[0], cell[1])).collect();
    Ok(Options { method, cell_type, assume_quadrangle, mapping, cells })
}

/// Finds the value of the last cell, with its tree: the result's objective, of type int64_t or double as the instance's
/// numbers. Options may be NULL for the defaults. Whole numbers are solved exactly unless a type of cell is asked for
/// that is not exact; of real numbers the bound allows for all roundings. A limit or a stop request leaves no solution.
/// Several threads may solve on one context. The result is to be freed with ::mks_result_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_solve(
    context: *const mks_context,
    instance: *const mks_interval_dp_instance,
    options: *const mks_interval_dp_options,
    solve_options: *const mks_solve_options,
    result: *mut *mut mks_result,
) -> mks_status {
    let run = |context: &Context, handle: &mks_interval_dp_instance, options: &_, solve_options: &_| {
        // A callback may free the instance.
        let instance = Arc::clone(&handle.instance);
        let options = convert(options)?;
        Ok(match &*instance {
            AnyInstance::Whole(instance) => {
                let outcome = solve(context, instance, &options, solve_options)?;
                mks_result::new(outcome, |solution| Solved::new(solution, instance.kind(), CellValues::Whole))
            }
            AnyInstance::Real(instance) => {
                let outcome = solve(context, instance, &options, solve_options)?;
                mks_result::new(outcome, |solution| Solved::new(solution, instance.kind(), CellValues::Real))
            }
        })
    };
    // SAFETY: the header demands valid handles, initialised structs and a valid pointer, or NULL.
    unsafe { solve_with(context, instance, options, solve_options, result, run) }
}

/// Type of the cells that were computed, one of ::mks_interval_dp_cell_type. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_cell_type_used(
    result: *const mks_result,
    cell_type: *mut i32,
) -> mks_status {
    let value = |result: &mks_result| {
        Ok(match result.solution::<Solved>()?.cell_type {
            CellType::U16 => mks_interval_dp_cell_type::U16,
            CellType::I32 => mks_interval_dp_cell_type::I32,
            CellType::I64 => mks_interval_dp_cell_type::I64,
            CellType::F32 => mks_interval_dp_cell_type::F32,
            CellType::F64 => mks_interval_dp_cell_type::F64,
        } as i32)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, cell_type, "cell_type", value) }
}

/// Number of inner nodes of the tree, two less than points; ::MKS_STATUS_NOT_AVAILABLE where the semiring has no tree.
/// Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_node_count(
    result: *const mks_result,
    count: *mut usize,
) -> mks_status {
    let value = |result: &mks_result| Ok(result.solution::<Solved>()?.tree()?.nodes().len());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, count, "count", value) }
}

/// Copies the tree's inner nodes to nodes[capacity], three numbers each: first point, split, last point; a node comes
/// before its parts, the left part before the right one. The capacity must be at least three times the number of nodes.
/// In a search tree, the node with split k is key k - 1. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_nodes(
    result: *const mks_result,
    nodes: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let nodes = result.solution::<Solved>()?.tree()?.nodes();
        let numbers = |node: &Node| [node.first, node.split, node.last];
        out.write(&nodes.iter().flat_map(numbers).collect::<Vec<_>>())
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, nodes, capacity, "nodes", copy) }
}

/// The tree as a product of its leaves A1, A2, ..., such as "((A1 A2) A3)". Valid as long as the result. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_parenthesisation(
    result: *const mks_result,
    text: *mut *const c_char,
) -> mks_status {
    let value = |result: &mks_result| {
        let solved: &Solved = result.solution()?;
        let tree = solved.tree()?;
        Ok(solved.parenthesisation.get_or_init(|| c_string(&tree.parenthesisation())).as_ptr())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, text, "text", value) }
}

/// The tree as a graph in the DOT language. Valid as long as the result. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_dot(
    result: *const mks_result,
    text: *mut *const c_char,
) -> mks_status {
    let value = |result: &mks_result| {
        let solved: &Solved = result.solution()?;
        let tree = solved.tree()?;
        Ok(solved.dot.get_or_init(|| c_string(&tree.dot(solved.kind))).as_ptr())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, text, "text", value) }
}
