//! Recurrences as C defines them, and their handles.

use std::ffi::{CString, c_char, c_void};
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;

use crate::Limits;
use crate::capi::convert::{UserData, c_string, flag, meaning};
use crate::capi::guard::{guard, outside};
use crate::capi::handle::{self, Handle, get, view};
use crate::capi::pointer;
use crate::capi::stamped::{self, OutStamped, Stamped};
use crate::capi::status::{Failure, Result, mks_status};
use crate::recurrence::{self, Callback, Instance, Operator, Semiring};

/// The operations (+) and (*) of ST[i] = (+)_j (w_j (*) ST[i - a_j]). Values are int64_t in all
/// semirings.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_recurrence_semiring {
    /// (min,+). INT64_MAX means unreachable. Other values and weights are from -2^59 to 2^59;
    /// beyond that is an overflow.
    MinPlus = 0,
    /// (max,+). INT64_MIN means unreachable. Other values and weights are limited as for (min,+).
    MaxPlus = 1,
    /// (+,*), exact; an element beyond int64_t is an overflow.
    SumProduct = 2,
    /// (+,*) modulo a number from 2 to 2^31; values and weights are residues.
    Modular = 3,
    /// (or,and) on all 64 bits.
    OrAnd = 4,
    /// (max,min).
    MaxMin = 5,
    /// An associative operator of the program.
    Custom = 6,
}

/// Combines two values, or a weight and a value, into one value. It is called on several threads at
/// once and must return normally.
pub type mks_recurrence_callback =
    Option<unsafe extern "C" fn(left: i64, right: i64, user_data: *mut c_void) -> i64>;

/// Definition of a recurrence for ::mks_recurrence_instance_create. Fill it with
/// ::mks_recurrence_definition_init, then change what you need. The table ST[0..length) begins with
/// the initial values, and every further element is
///
/// ```text
/// ST[i] = t_i (+) (w_0 (*) ST[i - a_0]) (+) ... (+) (w_(k-1) (*) ST[i - a_(k-1)])
/// ```
///
/// with offsets a_0 > ... > a_(k-1) > 0, in this order.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_recurrence_definition {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// One of ::mks_recurrence_semiring. Default: ::MKS_RECURRENCE_SEMIRING_MIN_PLUS.
    pub semiring: i32,
    /// 1 if the custom operator has combine(x, x) == x, else 0. With 1 the solver looks for a
    /// period at the end of the table; the values are the same. Default: 0.
    pub idempotent: i32,
    /// The modulus of ::MKS_RECURRENCE_SEMIRING_MODULAR. Default: 0.
    pub modulus: u64,
    /// Elements of each table, including the initial ones. Default: 0.
    pub length: u64,
    /// Number of tables of a batch, which share offsets and length. Default: 1.
    pub instances: usize,
    /// offsets[offset_count], decreasing. Default: NULL.
    pub offsets: *const u64,
    /// Number of offsets. Default: 0.
    pub offset_count: usize,
    /// initial[initial_count]: a_0 values per table, one table after the other. Default: NULL.
    pub initial: *const i64,
    /// Number of initial values: a_0 times the number of tables. Default: 0.
    pub initial_count: usize,
    /// weights[weight_count], one per offset: either one list for all tables, or a list for each
    /// table, one after the other. Default: NULL, none.
    pub weights: *const i64,
    /// Number of weights. Default: 0.
    pub weight_count: usize,
    /// terms[term_count], one per element that is not initial: either one list for all tables, or a
    /// list for each table, one after the other. Default: NULL, none.
    pub terms: *const i64,
    /// Number of terms. Default: 0.
    pub term_count: usize,
    /// The custom operator on a device: OpenCL C 1.2 that defines long combine(long left, long
    /// right) and, if there are weights, long weigh(long weight, long value). It is code that runs
    /// with the rights of the program: take none from strangers. It is compiled in one text with
    /// the kernels, so all its other names must begin with user_. Preprocessor lines and unbalanced
    /// brackets are refused. Without it the instance runs on the CPU only. Default: NULL.
    pub operator_source: *const c_char,
    /// The custom operator on the CPU: the same function as in operator_source. Without it the
    /// instance runs on devices only. Default: NULL.
    pub combine: mks_recurrence_callback,
    /// weight (*) value of the custom operator, on the CPU. Default: NULL.
    pub weigh: mks_recurrence_callback,
    /// Passed to combine and weigh. Default: NULL.
    pub user_data: *mut c_void,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and every bit pattern is a valid number, pointer or nullable function.
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

/// A recurrence, or a batch of recurrences with the same offsets.
pub struct mks_recurrence_instance {
    pub(super) instance: Arc<Instance>,
    /// The custom operator as C gave it.
    operator: Given,
}

/// What an instance keeps of a custom operator for those who read it back.
#[derive(Default)]
struct Given {
    source: Option<CString>,
    combine: mks_recurrence_callback,
    weigh: mks_recurrence_callback,
    user_data: Option<UserData>,
}

impl Handle for mks_recurrence_instance {
    const NAME: &'static str = "mks_recurrence_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_recurrence_instance {
    fn new(instance: Instance) -> Self {
        mks_recurrence_instance { instance: Arc::new(instance), operator: Given::default() }
    }

    fn items(&self) -> Result<(&[u64], &[i64])> {
        self.instance.items().ok_or_else(|| Failure::missing("the instance is no knapsack"))
    }

    /// The definition, with views of the instance's lists.
    fn definition(&self) -> Result<mks_recurrence_definition> {
        use mks_recurrence_semiring as number;
        let instance = &*self.instance;
        let offsets =
            instance.offsets().ok_or_else(|| Failure::missing("a knapsack has no definition"))?;
        let list = |list: Option<&[i64]>| {
            (list.map_or(ptr::null(), <[i64]>::as_ptr), list.map_or(0, <[i64]>::len))
        };
        let (weights, weight_count) = list(instance.weights());
        let (terms, term_count) = list(instance.terms());
        let (semiring, modulus, idempotent) = match instance.semiring() {
            Semiring::MinPlus => (number::MinPlus, 0, false),
            Semiring::MaxPlus => (number::MaxPlus, 0, false),
            Semiring::SumProduct => (number::SumProduct, 0, false),
            &Semiring::Modular(modulus) => (number::Modular, modulus, false),
            Semiring::OrAnd => (number::OrAnd, 0, false),
            Semiring::MaxMin => (number::MaxMin, 0, false),
            Semiring::Custom(operator) => (number::Custom, 0, operator.idempotent),
        };
        Ok(mks_recurrence_definition {
            semiring: semiring as i32,
            idempotent: idempotent.into(),
            modulus,
            length: instance.length(),
            instances: instance.instances(),
            offsets: offsets.as_ptr(),
            offset_count: offsets.len(),
            initial: instance.initial_values().as_ptr(),
            initial_count: instance.initial_values().len(),
            weights,
            weight_count,
            terms,
            term_count,
            operator_source: self
                .operator
                .source
                .as_ref()
                .map_or(ptr::null(), |text| text.as_ptr()),
            combine: self.operator.combine,
            weigh: self.operator.weigh,
            user_data: self.operator.user_data.map_or(ptr::null_mut(), |data| data.get()),
            ..mks_recurrence_definition::DEFAULT
        })
    }
}

/// A C function as the solver calls it.
fn callback(function: mks_recurrence_callback, user_data: UserData) -> Option<Callback> {
    let function = function?;
    Some(Arc::new(move |left, right| {
        // SAFETY: the header demands a function that may be called with its user data from any
        // thread.
        outside(|| unsafe { function(left, right, user_data.get()) })
    }))
}

/// Refuses fields that do not apply to the semiring.
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
    let known = [
        (number::MinPlus as i32, Semiring::MinPlus),
        (number::MaxPlus as i32, Semiring::MaxPlus),
        (number::SumProduct as i32, Semiring::SumProduct),
        (number::Modular as i32, Semiring::Modular(given.modulus)),
        (number::OrAnd as i32, Semiring::OrAnd),
        (number::MaxMin as i32, Semiring::MaxMin),
    ];
    meaning("definition.semiring", given.semiring, known)
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

/// Fills in the defaults; `size` is sizeof(mks_recurrence_definition).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_definition_init(
    definition: *mut mks_recurrence_definition,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(definition, size) }
}

/// Creates an instance from a definition. Its arrays and text are copied; callbacks and their user
/// data must stay valid as long as the instance and its solves. ::MKS_STATUS_INVALID_ARGUMENT for a
/// modulus or an operator that does not apply to the semiring.
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
        let instance = define(&given)?;
        let source = match instance.semiring() {
            Semiring::Custom(operator) => operator.source.as_deref().map(c_string),
            _ => None,
        };
        let operator = Given {
            source,
            combine: given.combine,
            weigh: given.weigh,
            user_data: Some(UserData::new(given.user_data)),
        };
        Ok(mks_recurrence_instance { instance: Arc::new(instance), operator })
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Creates an instance of a 0-1 knapsack as a linearised recurrence: element i (capacity + 1) + j
/// is the largest profit of the first i items within capacity j. Weights and profits are 0 or more,
/// the capacity is positive. A row that needs more than half of the free memory is
/// ::MKS_STATUS_OUT_OF_MEMORY. To solve knapsacks, the functions named mks_knapsack_ are faster.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_create_knapsack(
    profits: *const u64,
    weights: *const u64,
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
    unsafe { handle::make(instance, build) }
}

/// Reads an instance from text[length]. Each line is a keyword and its content:
///
/// - "semiring min-plus" (or max-plus, sum-product, modular M, or-and, max-min), "length N",
///   "offsets ...", "initial ...", and optionally "weights ...", "terms ..." and "instances B";
/// - or, for a knapsack, "capacity C", "weights ..." and "profits ...".
///
/// "x*n" means n times x, "9..5" means 9 8 7 6 5, "inf" and "-inf" mean unreachable, and # begins a
/// comment.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_parse(
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_recurrence_instance,
) -> mks_status {
    let build = |text: &str| Ok(mks_recurrence_instance::new(Instance::parse(text)?));
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_recurrence_instance_parse with a memory limit, for texts that are not trusted: a few words
/// may mean billions of numbers. If lists and rows together need more than memory_limit_bytes, the
/// call fails with ::MKS_STATUS_OUT_OF_MEMORY before it stores anything. 0 takes half of the free
/// memory, as ::mks_recurrence_instance_parse does.
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
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_recurrence_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_recurrence_instance_read(
    path: *const c_char,
    instance: *mut *mut mks_recurrence_instance,
) -> mks_status {
    let build = |path| Ok(mks_recurrence_instance::new(Instance::read(path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// ::mks_recurrence_instance_read with the memory limit of ::mks_recurrence_instance_parse_within.
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
    unsafe { handle::read(path, instance, build) }
}

fn within(memory_limit_bytes: u64) -> Limits {
    Limits { memory: (memory_limit_bytes > 0).then_some(memory_limit_bytes), ..Limits::default() }
}

/// Number of elements of each table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_length(
    instance: *const mks_recurrence_instance,
    length: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, length, "length", |handle| Ok(handle.instance.length())) }
}

/// Number of initial elements of each table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_preset(
    instance: *const mks_recurrence_instance,
    preset: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, preset, "preset", |handle| Ok(handle.instance.preset())) }
}

/// Number of tables of the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_count(
    instance: *const mks_recurrence_instance,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, count, "count", |handle| Ok(handle.instance.instances())) }
}

/// Largest p for which the p-fold pipeline is correct on this instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_largest_fold(
    instance: *const mks_recurrence_instance,
    fold: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, fold, "fold", |handle| Ok(recurrence::largest_fold(&handle.instance))) }
}

/// Reads the definition of the instance. ::mks_recurrence_instance_create creates an equal instance
/// from it. The arrays and the text are views. ::MKS_STATUS_NOT_AVAILABLE for a knapsack, which has
/// items instead.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_definition_view(
    instance: *const mks_recurrence_instance,
    definition: *mut mks_recurrence_definition,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let handle = unsafe { mks_recurrence_instance::borrow(instance) }?;
        // SAFETY: the header demands an initialised struct or NULL.
        let out = unsafe { OutStamped::new(definition) }?;
        out.write(handle.definition()?);
        Ok(())
    })
}

/// Weights of the items of a knapsack: weights[count]. ::MKS_STATUS_NOT_AVAILABLE for other
/// recurrences. The capacity is the number of initial elements - 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_weights_view(
    instance: *const mks_recurrence_instance,
    weights: *mut *const u64,
    count: *mut usize,
) -> mks_status {
    let of = |handle: &'static mks_recurrence_instance| Ok(handle.items()?.0);
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, weights, count, "weights", of) }
}

/// Profits of the items of a knapsack: profits[count]. ::MKS_STATUS_NOT_AVAILABLE for other
/// recurrences.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_profits_view(
    instance: *const mks_recurrence_instance,
    profits: *mut *const i64,
    count: *mut usize,
) -> mks_status {
    let of = |handle: &'static mks_recurrence_instance| Ok(handle.items()?.1);
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { view(instance, profits, count, "profits", of) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_recurrence_instance_free(instance: *mut mks_recurrence_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_recurrence_instance::free(instance) };
}
