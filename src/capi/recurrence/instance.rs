//! Recurrences as C defines them, and their handles.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;

use crate::Limits;
use crate::capi::convert::{UserData, flag};
use crate::capi::guard::outside;
use crate::capi::pointer::{self, Handle, get};
use crate::capi::stamped::{self, Stamped};
use crate::capi::status::{Failure, Result, mks_status};
use crate::recurrence::{self, Callback, Instance, Operator, Semiring};

/// What (+) and (*) stand for in ST[i] = (+)_j (w_j (*) ST[i - a_j]). Values are int64_t in all of
/// them. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_recurrence_semiring {
    /// (min,+). INT64_MAX stands for unreachable; other values and weights are from -2^59 to 2^59,
    /// else it is an overflow.
    MinPlus = 0,
    /// (max,+). INT64_MIN stands for unreachable; limits as for (min,+).
    MaxPlus = 1,
    /// (+,*), exact; an element beyond int64_t is an overflow.
    SumProduct = 2,
    /// (+,*) modulo a number from 2 to 2^31; values and weights are residues.
    Modular = 3,
    /// (or,and) on all 64 bits.
    OrAnd = 4,
    /// (max,min).
    MaxMin = 5,
    /// An associative operator of the program's.
    Custom = 6,
}

/// Takes two values, or a weight and a value, to one. Called from several threads at once; must
/// return normally. Since 0.1.
pub type mks_recurrence_callback =
    Option<unsafe extern "C" fn(left: i64, right: i64, user_data: *mut c_void) -> i64>;

/// A recurrence, for ::mks_recurrence_instance_create; filled by ::mks_recurrence_definition_init,
/// then changed. The table ST[0..length) begins with the initial values, and every further element
/// is
///
/// ```text
/// ST[i] = t_i (+) (w_0 (*) ST[i - a_0]) (+) ... (+) (w_(k-1) (*) ST[i - a_(k-1)])
/// ```
///
/// with offsets a_0 > ... > a_(k-1) > 0, in this order. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_recurrence_definition {
    /// Size of this struct for the compiler of the program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_recurrence_semiring. Default: ::MKS_RECURRENCE_SEMIRING_MIN_PLUS.
    pub semiring: i32,
    /// 1 if combine(x, x) == x for the custom operator, so that it is worth looking whether the
    /// table ends in a period; else 0. What is found does not depend on it. Default: 0.
    pub idempotent: u32,
    /// The modulus of ::MKS_RECURRENCE_SEMIRING_MODULAR. Default: 0.
    pub modulus: u64,
    /// Elements of the table, the initial ones included. Default: 0.
    pub length: u64,
    /// Tables of a batch, which share offsets and length. Default: 1.
    pub instances: usize,
    /// offsets[offset_count], decreasing. Default: NULL.
    pub offsets: *const u64,
    /// Number of offsets. Default: 0.
    pub offset_count: usize,
    /// initial[initial_count], a_0 values for each table, one table after the other. Default: NULL.
    pub initial: *const i64,
    /// a_0 times the number of tables. Default: 0.
    pub initial_count: usize,
    /// weights[weight_count], one for each offset, of all tables or of one after the other; NULL
    /// for none. Default: NULL.
    pub weights: *const i64,
    /// Number of weights. Default: 0.
    pub weight_count: usize,
    /// terms[term_count], one for each element that is not initial, of all tables or of one after
    /// the other; NULL for none. Default: NULL.
    pub terms: *const i64,
    /// Number of terms. Default: 0.
    pub term_count: usize,
    /// The custom operator on a device: OpenCL C 1.2 that defines long combine(long left, long
    /// right) and, with weights, long weigh(long weight, long value). It is code that runs with the
    /// rights of the program: take none from strangers. It becomes one text with the kernels: all
    /// else that it defines has a name that begins with user_. Preprocessor lines, and brackets
    /// that do not match, are refused. NULL keeps the instance on the CPU. Default: NULL.
    pub operator_source: *const c_char,
    /// The custom operator on the CPU, the same function. NULL keeps the instance on devices.
    /// Default: NULL.
    pub combine: mks_recurrence_callback,
    /// weight (*) value of the custom operator on the CPU. Default: NULL.
    pub weigh: mks_recurrence_callback,
    /// Handed to combine and weigh. Default: NULL.
    pub user_data: *mut c_void,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and numbers, pointers and nullable functions are valid whatever their bytes
// are.
unsafe impl Stamped for mks_recurrence_definition {
    const ARGUMENT: &'static str = "definition";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
    const DEFAULT: Self = mks_recurrence_definition {
        struct_size: size_of::<Self>(),
        semiring: mks_recurrence_semiring::MinPlus as i32,
        idempotent: 0,
        modulus: 0,
        length: 0,
        instances: 1,
        offsets: ptr::null(),
        offset_count: 0,
        initial: ptr::null(),
        initial_count: 0,
        weights: ptr::null(),
        weight_count: 0,
        terms: ptr::null(),
        term_count: 0,
        operator_source: ptr::null(),
        combine: None,
        weigh: None,
        user_data: ptr::null_mut(),
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved == [0; 4]
    }
}

/// A recurrence, or a batch of recurrences with the same offsets. It never changes, so several
/// threads may use it at once; freeing must come last. Since 0.1.
pub struct mks_recurrence_instance {
    pub(super) instance: Arc<Instance>,
}

impl Handle for mks_recurrence_instance {
    const ARGUMENT: &'static str = "instance";
}

impl mks_recurrence_instance {
    fn new(instance: Instance) -> Self {
        mks_recurrence_instance { instance: Arc::new(instance) }
    }
}

/// A function of C's as the solver calls it.
fn callback(function: mks_recurrence_callback, user_data: UserData) -> Option<Callback> {
    let function = function?;
    Some(Arc::new(move |left, right| {
        // SAFETY: the header demands a function that may be called with its user data from any
        // thread.
        outside(|| unsafe { function(left, right, user_data.get()) })
    }))
}

/// Refuses what the semiring has no use for.
fn check_unused(given: &mks_recurrence_definition) -> Result<()> {
    let is = |semiring: mks_recurrence_semiring| given.semiring == semiring as i32;
    let (modular, custom) =
        (is(mks_recurrence_semiring::Modular), is(mks_recurrence_semiring::Custom));
    let unused = [
        ("definition.modulus", !modular && given.modulus != 0),
        ("definition.operator_source", !custom && !given.operator_source.is_null()),
        ("definition.combine", !custom && given.combine.is_some()),
        ("definition.weigh", !custom && given.weigh.is_some()),
        ("definition.idempotent", !custom && given.idempotent != 0),
    ];
    match unused.into_iter().find(|(_, unused)| *unused) {
        Some((argument, _)) => Err(Failure::argument(argument, "has no meaning for this semiring")),
        None => Ok(()),
    }
}

fn semiring(given: &mks_recurrence_definition) -> Result<Semiring> {
    use mks_recurrence_semiring as number;
    check_unused(given)?;
    if given.semiring == number::Custom as i32 {
        let source = match given.operator_source.is_null() {
            true => None,
            // SAFETY: the header demands a string or NULL.
            false => Some(
                unsafe { pointer::text(given.operator_source, "definition.operator_source") }?
                    .to_owned(),
            ),
        };
        let user_data = UserData::new(given.user_data);
        return Ok(Semiring::Custom(Operator {
            source,
            combine: callback(given.combine, user_data),
            weigh: callback(given.weigh, user_data),
            idempotent: flag("definition.idempotent", given.idempotent)?,
        }));
    }
    // Named by its number, since a semiring is no plain value.
    let known = [
        (number::MinPlus as i32, Semiring::MinPlus),
        (number::MaxPlus as i32, Semiring::MaxPlus),
        (number::SumProduct as i32, Semiring::SumProduct),
        (number::Modular as i32, Semiring::Modular(given.modulus)),
        (number::OrAnd as i32, Semiring::OrAnd),
        (number::MaxMin as i32, Semiring::MaxMin),
    ];
    let found = known.into_iter().find(|(known, _)| *known == given.semiring);
    found.map(|(_, semiring)| semiring).ok_or_else(|| {
        Failure::argument("definition.semiring", format!("{} has no meaning", given.semiring))
    })
}

fn define(given: &mks_recurrence_definition) -> Result<Instance> {
    // SAFETY: the header demands that many elements, or NULL.
    let offsets =
        unsafe { pointer::copy(given.offsets, given.offset_count, "definition.offsets") }?;
    // SAFETY: as above.
    let initial =
        unsafe { pointer::copy(given.initial, given.initial_count, "definition.initial") }?;
    // SAFETY: as above.
    let weights =
        unsafe { pointer::copy(given.weights, given.weight_count, "definition.weights") }?;
    // SAFETY: as above.
    let terms = unsafe { pointer::copy(given.terms, given.term_count, "definition.terms") }?;
    let mut instance =
        Instance::batch(semiring(given)?, offsets, initial, given.length, given.instances)?;
    if !weights.is_empty() {
        instance = instance.with_weights(weights)?;
    }
    if !terms.is_empty() {
        instance = instance.with_terms(terms)?;
    }
    Ok(instance)
}

/// Fills in the defaults; `size` is sizeof(mks_recurrence_definition). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_definition_init(
    definition: *mut mks_recurrence_definition,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(definition, size) }
}

/// Makes an instance of a definition, whose arrays and text are copied; callbacks and their user
/// data must stay valid as long as the instance and its solves. ::MKS_STATUS_INVALID_ARGUMENT for a
/// modulus or an operator that the semiring has no use for. To be freed with
/// ::mks_recurrence_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_create(
    definition: *const mks_recurrence_definition,
    instance: *mut *mut mks_recurrence_instance,
) -> mks_status {
    let build = || {
        pointer::check(definition, "definition")?;
        // SAFETY: the header demands an initialised struct.
        let given = unsafe { stamped::read(definition) }?;
        Ok(mks_recurrence_instance::new(define(&given)?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Makes an instance of a 0-1 knapsack as a linearised recurrence: element i (capacity + 1) + j is
/// the largest profit of the first i items within capacity j. Weights and profits may be 0, the
/// capacity may not. A row beyond half of the memory that is free at that moment is
/// ::MKS_STATUS_OUT_OF_MEMORY. For solving knapsacks, the functions for knapsacks are faster. To be
/// freed with ::mks_recurrence_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_create_knapsack(
    weights: *const u64,
    profits: *const u64,
    items: usize,
    capacity: u64,
    instance: *mut *mut mks_recurrence_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands that many elements, or NULL.
        let weights = unsafe { pointer::copy(weights, items, "weights") }?;
        // SAFETY: as above.
        let profits = unsafe { pointer::copy(profits, items, "profits") }?;
        Ok(mks_recurrence_instance::new(Instance::knapsack(weights, profits, capacity)?))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { pointer::make(instance, build) }
}

/// Reads an instance from text[length] in UTF-8, which needs no NUL. Each line is a keyword and
/// what belongs to it: "semiring min-plus" (or max-plus, sum-product, modular M, or-and, max-min),
/// "length N", "offsets ...", "initial ...", and optionally "weights ...", "terms ..." and
/// "instances B"; or "capacity C", "weights ..." and "profits ..." of a knapsack. "x*n" stands for
/// n times x, "9..5" for 9 8 7 6 5, "inf" and "-inf" for unreachable, and # begins a comment. To be
/// freed with ::mks_recurrence_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_recurrence_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_recurrence_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { pointer::parse(text, length, instance, build) }
}

/// ::mks_recurrence_instance_parse for a text that is not trusted: a few words may mean billions of
/// numbers. Lists and rows that take more than memory_limit_bytes together are
/// ::MKS_STATUS_OUT_OF_MEMORY, found before anything is stored. 0 is half of the memory that is
/// free, as without this limit. To be freed with ::mks_recurrence_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_parse_within(
    text: *const c_char,
    length: usize,
    memory_limit_bytes: u64,
    instance: *mut *mut mks_recurrence_instance,
) -> mks_status {
    let limits = within(memory_limit_bytes);
    let build =
        |text: &str| Ok(mks_recurrence_instance::new(Instance::parse_within(text, &limits)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { pointer::parse(text, length, instance, build) }
}

/// Reads an instance from a file, named in the operating system's encoding (UTF-8 on Windows), in
/// the format of ::mks_recurrence_instance_parse. To be freed with ::mks_recurrence_instance_free.
/// Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_recurrence_instance,
) -> mks_status {
    let build = |path| Ok(mks_recurrence_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { pointer::read(path, instance, build) }
}

/// ::mks_recurrence_instance_read with the limit of ::mks_recurrence_instance_parse_within. To be
/// freed with ::mks_recurrence_instance_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_read_within(
    path: *const c_char,
    memory_limit_bytes: u64,
    instance: *mut *mut mks_recurrence_instance,
) -> mks_status {
    let limits = within(memory_limit_bytes);
    let build = |path| Ok(mks_recurrence_instance::new(Instance::read_within(path, &limits)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { pointer::read(path, instance, build) }
}

fn within(memory_limit_bytes: u64) -> Limits {
    Limits { memory: (memory_limit_bytes > 0).then_some(memory_limit_bytes), ..Limits::default() }
}

/// Elements of each table. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_length(
    instance: *const mks_recurrence_instance,
    length: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, length, "length", |handle| Ok(handle.instance.length())) }
}

/// Elements of each table that are preset. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_preset(
    instance: *const mks_recurrence_instance,
    preset: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, preset, "preset", |handle| Ok(handle.instance.preset())) }
}

/// Tables of the batch. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_count(
    instance: *const mks_recurrence_instance,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, count, "count", |handle| Ok(handle.instance.instances())) }
}

/// The largest p for which the p-fold pipeline is correct on this instance. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_largest_fold(
    instance: *const mks_recurrence_instance,
    fold: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, fold, "fold", |handle| Ok(recurrence::largest_fold(&handle.instance))) }
}

/// Frees an instance; NULL is harmless. Results made from it stay valid. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_free(instance: *mut mks_recurrence_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_recurrence_instance::free(instance) };
}
