//! Instances of the general form.

use std::ffi::{CString, c_char, c_void};
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;

use super::cells::CellValues;
use crate::capi::convert::{UserData, c_string, choice, number};
use crate::capi::guard::outside;
use crate::capi::pointer;
use crate::capi::stamped::{self, Stamped};
use crate::capi::status::{Failure, Result, mks_status};
use crate::interval_dp::{
    AnyInstance, CellCost, Expression, Instance, Number, SplitCost, SplitFunction,
};

/// Semirings of interval programs: the operations (+) and (*).
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_interval_dp_semiring {
    /// Least sum.
    MinPlus = 0,
    /// Largest sum.
    MaxPlus = 1,
    /// Largest minimum.
    MaxMin = 2,
    /// Bitwise or of ands; for whole numbers only, without a tree.
    OrAnd = 3,
    /// Sum of products; without a tree.
    PlusTimes = 4,
}

/// Returns the split cost g(i, k, j) of points i < k < j. It is called on several threads at once
/// and must return normally.
pub type mks_interval_dp_split_cost<V> =
    Option<unsafe extern "C" fn(i: usize, k: usize, j: usize, user_data: *mut c_void) -> V>;

/// The general form of an interval program: in whole numbers for
/// ::mks_interval_dp_instance_create_i64, in real numbers for
/// ::mks_interval_dp_instance_create_f64. Fill it with ::mks_interval_dp_form_i64_init or
/// ::mks_interval_dp_form_f64_init, then change what you need. There are leaf_count + 1 points.
/// With the operations (+) and (*) of the semiring
///
/// ```text
/// cell(i, i + 1) = leaves[i]
/// cell(i, j) = w(i, j) (*) (+)_{i < k < j} cell(i, k) (*) cell(k, j) (*) g(i, k, j)
/// ```
///
/// A cost that is NULL is neutral.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_interval_dp_form<V> {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_interval_dp_semiring. Default: ::MKS_INTERVAL_DP_SEMIRING_MIN_PLUS.
    pub semiring: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// leaves[leaf_count], at least one.
    pub leaves: *const V,
    /// Number of leaves.
    pub leaf_count: usize,
    /// Together with column: w(i, j) = row[i] + column[j], with an entry for each point. Default:
    /// NULL.
    pub row: *const V,
    /// See row.
    pub column: *const V,
    /// In place of row and column: w(i, j) of all pairs i < j in the order (0, 1), (0, 2), ..., (1,
    /// 2), ...: (leaf_count + 1) * leaf_count / 2 entries. Default: NULL.
    pub table: *const V,
    /// Together with split and right: adds g(i, k, j) = left[i] * split[k] * right[j], with an
    /// entry for each point; for (min,+) and (max,+). Default: NULL.
    pub left: *const V,
    /// See left.
    pub split: *const V,
    /// See left.
    pub right: *const V,
    /// In place of left, split and right: g(i, k, j) as a function. It must stay valid as long as
    /// the instance. Default: NULL.
    pub split_cost: mks_interval_dp_split_cost<V>,
    /// Passed to split_cost. Default: NULL.
    pub user_data: *mut c_void,
    /// No value of split_cost may be larger in magnitude. The library derives from it which cells
    /// cannot overflow. The splits of the tree are checked: one that exceeds it, or costs NaN, is
    /// an error. Other splits are not checked and may overflow. Default: 0.
    pub magnitude: V,
    /// The same function for devices: an expression in OpenCL C of i, k, j and points (uint) and
    /// data[...] (of the cells' type VALUE). Without it the instance runs on the CPU only; without
    /// split_cost, on devices only. If both are given, they are compared on some points. The
    /// expression is code that runs with the rights of the program: take none from strangers.
    /// Statements, pointers, preprocessor lines and unbalanced brackets are refused. Default: NULL.
    pub split_source: *const c_char,
    /// data[data_count] of split_source; data[...] beyond data_count is 0. Default: NULL.
    pub data: *const V,
    /// Number of entries of data. Default: 0.
    pub data_count: usize,
    /// Must be zero.
    pub reserved: [u64; 4],
}

/// What an instance keeps of its form for those who read it back.
#[derive(Default)]
pub(super) struct Given {
    split_cost: SplitCall,
    user_data: Option<UserData>,
    split_source: Option<CString>,
}

/// A split cost of C, for whole or for real numbers.
#[derive(Clone, Copy, Default)]
pub(in crate::capi) enum SplitCall {
    #[default]
    None,
    Whole(mks_interval_dp_split_cost<i64>),
    Real(mks_interval_dp_split_cost<f64>),
}

/// The number types of instances, which the names of functions distinguish.
pub(in crate::capi) trait FormNumber: Number + 'static {
    const ZERO: Self;
    fn any(instance: Instance<Self>) -> AnyInstance;
    fn of_any(instance: &AnyInstance) -> Option<&Instance<Self>>;
    fn keep(call: mks_interval_dp_split_cost<Self>) -> SplitCall;
    fn kept(call: SplitCall) -> mks_interval_dp_split_cost<Self>;
    fn cell_values(values: Vec<Self>) -> CellValues;
}

impl FormNumber for i64 {
    const ZERO: Self = 0;
    fn any(instance: Instance<Self>) -> AnyInstance {
        AnyInstance::Whole(instance)
    }
    fn of_any(instance: &AnyInstance) -> Option<&Instance<Self>> {
        match instance {
            AnyInstance::Whole(instance) => Some(instance),
            _ => None,
        }
    }
    fn keep(call: mks_interval_dp_split_cost<Self>) -> SplitCall {
        SplitCall::Whole(call)
    }
    fn kept(call: SplitCall) -> mks_interval_dp_split_cost<Self> {
        match call {
            SplitCall::Whole(call) => call,
            _ => None,
        }
    }
    fn cell_values(values: Vec<Self>) -> CellValues {
        CellValues::Whole(values)
    }
}

impl FormNumber for f64 {
    const ZERO: Self = 0.0;
    fn any(instance: Instance<Self>) -> AnyInstance {
        AnyInstance::Real(instance)
    }
    fn of_any(instance: &AnyInstance) -> Option<&Instance<Self>> {
        match instance {
            AnyInstance::Real(instance) => Some(instance),
            _ => None,
        }
    }
    fn keep(call: mks_interval_dp_split_cost<Self>) -> SplitCall {
        SplitCall::Real(call)
    }
    fn kept(call: SplitCall) -> mks_interval_dp_split_cost<Self> {
        match call {
            SplitCall::Real(call) => call,
            _ => None,
        }
    }
    fn cell_values(values: Vec<Self>) -> CellValues {
        CellValues::Real(values)
    }
}

// SAFETY: no padding, since numbers have eight bytes; every bit pattern is a valid number, pointer
// or nullable function.
unsafe impl<V: FormNumber> Stamped for mks_interval_dp_form<V> {
    const ARGUMENT: &'static str = "form";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
    const DEFAULT: Self = mks_interval_dp_form {
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
        magnitude: V::ZERO,
        split_source: ptr::null(),
        data: ptr::null(),
        data_count: 0,
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved == [0; 4]
    }
}

impl<V: FormNumber> mks_interval_dp_form<V> {
    /// # Safety
    /// The arrays are NULL or as long as the header says, and the function is one of that type.
    pub(super) unsafe fn build(&self) -> Result<Instance<V>> {
        let semiring = choice("form.semiring", self.semiring)?;
        // SAFETY: the caller's promise.
        let leaves = unsafe { pointer::copy(self.leaves, self.leaf_count, "form.leaves") }?;
        // SAFETY: the caller's promise.
        let cell_cost = unsafe { self.cell_cost() }?;
        // SAFETY: the caller's promise.
        let split_cost = unsafe { self.split_cost() }?;
        Ok(Instance::custom(semiring, leaves, cell_cost, split_cost)?)
    }

    /// # Safety
    /// As for [`Self::build`], and there are leaves.
    unsafe fn cell_cost(&self) -> Result<CellCost<V>> {
        // SAFETY: the caller's promise.
        let list = |start, length, name| unsafe { pointer::copy(start, length, name) };
        // An array of leaves in memory is shorter than that.
        let points = self.leaf_count + 1;
        match (self.row.is_null() && self.column.is_null(), self.table.is_null()) {
            (true, true) => Ok(CellCost::None),
            (false, true) => Ok(CellCost::Separable {
                row: list(self.row, points, "form.row")?,
                column: list(self.column, points, "form.column")?,
            }),
            (true, false) => {
                let twice = points.checked_mul(self.leaf_count);
                let twice =
                    twice.ok_or_else(|| Failure::argument("form.leaf_count", "is too large"))?;
                Ok(CellCost::Table(list(self.table, twice / 2, "form.table")?))
            }
            (false, false) => {
                Err(Failure::argument("form.table", "is given in addition to row or column"))
            }
        }
    }

    /// # Safety
    /// As for [`Self::cell_cost`].
    unsafe fn split_cost(&self) -> Result<SplitCost<V>> {
        // SAFETY: the caller's promise.
        let list = |start, length, name| unsafe { pointer::copy(start, length, name) };
        let points = self.leaf_count + 1;
        let has_lists = [self.left, self.split, self.right].iter().any(|list| !list.is_null());
        match (has_lists, self.split_cost.is_some() || !self.split_source.is_null()) {
            (false, false) => Ok(SplitCost::None),
            (true, false) => Ok(SplitCost::Product {
                left: list(self.left, points, "form.left")?,
                split: list(self.split, points, "form.split")?,
                right: list(self.right, points, "form.right")?,
            }),
            (false, true) => {
                // SAFETY: the caller's promise.
                let text = || unsafe { pointer::text(self.split_source, "form.split_source") };
                let source =
                    if self.split_source.is_null() { None } else { Some(text()?.to_owned()) };
                let data = list(self.data, self.data_count, "form.data")?;
                let (function, magnitude) = (self.function(), self.magnitude);
                Ok(SplitCost::Expression(Expression { function, magnitude, source, data }))
            }
            (true, true) => Err(Failure::argument(
                "form.split_cost",
                "is given in addition to left, split or right",
            )),
        }
    }

    /// What the instance does not know in the way of C.
    pub(super) fn given(&self, instance: &Instance<V>) -> Given {
        let source = match instance.split_cost() {
            SplitCost::Expression(expression) => expression.source.as_deref(),
            _ => None,
        };
        Given {
            split_cost: V::keep(self.split_cost),
            user_data: Some(UserData::new(self.user_data)),
            split_source: source.map(c_string),
        }
    }

    /// The form of an instance, with views of its lists.
    pub(super) fn of(instance: &Instance<V>, given: &Given) -> Self {
        let mut form = mks_interval_dp_form {
            semiring: number(instance.semiring()),
            leaves: instance.leaves().as_ptr(),
            leaf_count: instance.leaves().len(),
            split_cost: V::kept(given.split_cost),
            user_data: given.user_data.map_or(ptr::null_mut(), |data| data.get()),
            split_source: given.split_source.as_ref().map_or(ptr::null(), |text| text.as_ptr()),
            ..Self::DEFAULT
        };
        match instance.cell_cost() {
            CellCost::None => {}
            CellCost::Separable { row, column } => {
                (form.row, form.column) = (row.as_ptr(), column.as_ptr());
            }
            CellCost::Table(table) => form.table = table.as_ptr(),
        }
        match instance.split_cost() {
            SplitCost::None => {}
            SplitCost::Product { left, split, right } => {
                (form.left, form.split) = (left.as_ptr(), split.as_ptr());
                form.right = right.as_ptr();
            }
            SplitCost::Expression(Expression { magnitude, data, .. }) => {
                form.magnitude = *magnitude;
                (form.data, form.data_count) = (data.as_ptr(), data.len());
            }
        }
        form
    }

    fn function(&self) -> Option<SplitFunction<V>> {
        let (function, user_data) = (self.split_cost?, UserData::new(self.user_data));
        let call = move |i, k, j| {
            // SAFETY: the header demands a function that may be called so, from any thread.
            outside(|| unsafe { function(i, k, j, user_data.get()) })
        };
        Some(Arc::new(call))
    }
}

/// Fills in the defaults; `size` is sizeof(mks_interval_dp_form_i64).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_form_i64_init(
    form: *mut mks_interval_dp_form<i64>,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(form, size) }
}

/// Fills in the defaults; `size` is sizeof(mks_interval_dp_form_f64).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_form_f64_init(
    form: *mut mks_interval_dp_form<f64>,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(form, size) }
}
