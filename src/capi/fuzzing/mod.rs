//! Calls of the C functions in the order and with the arguments that a fuzzer's bytes say.
//!
//! Every pointer is valid or NULL, since that is what the header demands; all else is anything.
//! Arrays are on the heap and as long as their length says, so that the address sanitizer sees a
//! step beyond their ends. Solves are small: bytes make small instances, and limits end the rest.

/// A call as C makes it.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: pointers are NULL, or valid for as long as the call and of the lengths that are
        // given.
        unsafe { $function($($argument),*) }
    };
}

mod bytes;
mod flow_shop;
mod make;
mod multidimensional_knapsack;
mod pool;
mod read;
mod solve;

use self::bytes::Bytes;
use self::pool::Pool;
use super::context::*;
use super::cutting_stock::*;
use super::flow_shop::instance::*;
use super::flow_shop::*;
use super::interval_dp::form::*;
use super::interval_dp::instance::*;
use super::interval_dp::solution::*;
use super::interval_dp::solve::*;
use super::knapsack::*;
use super::lattice_dp::*;
use super::multidimensional_knapsack::*;
use super::options::info::*;
use super::options::*;
use super::parallel_machines::*;
use super::progress::*;
use super::recurrence::instance::*;
use super::recurrence::*;
use super::result::*;
use super::status::*;
use super::stop::*;
use super::summary::*;
use super::trace::*;
use super::version::*;

/// Calls of one run.
const MOST_CALLS: usize = 24;
/// Numbers of one array.
const MOST_NUMBERS: usize = 12;
const MEMORY_BYTES: u64 = 8 << 20;
const SECONDS: f64 = 0.01;
const ITERATIONS: u64 = 3;

/// A defect is what no argument may bring about.
fn check(status: mks_status) -> bool {
    if matches!(status, mks_status::Internal | mks_status::Panic) {
        // SAFETY: the text of the last error is a string, valid until the next call.
        let text = unsafe { std::ffi::CStr::from_ptr(super::last_error::mks_last_error()) };
        panic!("{status:?}: {text:?}");
    }
    status == mks_status::Ok
}

/// A struct with its defaults, changed by `change`.
fn filled<T>(
    init: unsafe extern "C" fn(*mut T, usize) -> mks_status,
    change: impl FnOnce(&mut T),
) -> T {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: there is room for that many bytes.
    assert!(check(unsafe { init(value.as_mut_ptr(), size_of::<T>()) }));
    // SAFETY: the call succeeded, so that it is filled in.
    let mut value = unsafe { value.assume_init() };
    change(&mut value);
    value
}

struct Host {
    contexts: Pool<mks_context>,
    parallel_machines: Pool<mks_parallel_machines_instance>,
    cutting_stock: Pool<mks_cutting_stock_instance>,
    flow_shop: Pool<mks_flow_shop_instance>,
    knapsack: Pool<mks_knapsack_instance>,
    recurrence: Pool<mks_recurrence_instance>,
    lattice_dp: Pool<mks_lattice_dp_instance>,
    multidimensional_knapsack: Pool<mks_multidimensional_knapsack_instance>,
    interval_dp: Pool<mks_interval_dp_instance>,
    options: Pool<mks_options>,
    stops: Pool<mks_stop>,
    results: Pool<mks_result>,
}

unsafe extern "C" fn free_context(context: *mut mks_context) {
    // SAFETY: the caller's promise.
    assert!(check(unsafe { mks_context_free(context) }));
}

/// Runs the calls that the bytes say.
pub(crate) fn fuzz(data: &[u8]) {
    let mut bytes = Bytes(data);
    let mut host = Host {
        contexts: Pool::new(free_context),
        parallel_machines: Pool::new(mks_parallel_machines_instance_free),
        cutting_stock: Pool::new(mks_cutting_stock_instance_free),
        flow_shop: Pool::new(mks_flow_shop_instance_free),
        knapsack: Pool::new(mks_knapsack_instance_free),
        recurrence: Pool::new(mks_recurrence_instance_free),
        lattice_dp: Pool::new(mks_lattice_dp_instance_free),
        multidimensional_knapsack: Pool::new(mks_multidimensional_knapsack_instance_free),
        interval_dp: Pool::new(mks_interval_dp_instance_free),
        options: Pool::new(mks_options_free),
        stops: Pool::new(mks_stop_free),
        results: Pool::new(mks_result_free),
    };
    for _ in 0..MOST_CALLS {
        if bytes.0.is_empty() {
            break;
        }
        match bytes.below(17) {
            0..3 => host.parse(&mut bytes),
            3..7 => host.create(&mut bytes),
            7..11 => host.solve(&mut bytes),
            11..13 => host.read(&mut bytes),
            13 => host.describe(&mut bytes),
            14 => host.call_once(&mut bytes),
            15 => host.release(&mut bytes),
            _ => host.multidimensional_knapsack(&mut bytes),
        }
    }
}

impl Host {
    fn release(&mut self, bytes: &mut Bytes<'_>) {
        match bytes.below(12) {
            0 => self.parallel_machines.free_one(bytes),
            1 => self.cutting_stock.free_one(bytes),
            2 => self.flow_shop.free_one(bytes),
            3 => self.knapsack.free_one(bytes),
            4 => self.recurrence.free_one(bytes),
            5 => self.lattice_dp.free_one(bytes),
            6 => self.interval_dp.free_one(bytes),
            7 => self.results.free_one(bytes),
            8 => self.contexts.free_one(bytes),
            9 => self.options.free_one(bytes),
            10 => self.multidimensional_knapsack.free_one(bytes),
            _ => self.stops.free_one(bytes),
        }
    }
}

unsafe extern "C" fn larger(left: i64, right: i64, _: *mut std::ffi::c_void) -> i64 {
    left.max(right)
}

unsafe extern "C" fn sum(i: usize, k: usize, j: usize, _: *mut std::ffi::c_void) -> i64 {
    (i + k + j) as i64
}

unsafe extern "C" fn go_on(_: *const mks_progress, _: *mut std::ffi::c_void) -> i32 {
    0
}
