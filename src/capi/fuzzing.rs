//! Calls of the C functions in the order and with the arguments that a fuzzer's bytes say.
//!
//! Every pointer is valid or NULL, since that is what the header demands; all else is anything.
//! Arrays are on the heap and as long as their length says, so that the address sanitizer sees a
//! step beyond their ends. Solves are small: bytes make small instances, and limits end the rest.

use std::ffi::CString;
use std::ptr;

use super::context::*;
use super::cutting_stock::*;
use super::flow_shop::instance::*;
use super::flow_shop::options::*;
use super::flow_shop::*;
use super::interval_dp::form::*;
use super::interval_dp::instance::*;
use super::interval_dp::options::*;
use super::interval_dp::solution::*;
use super::interval_dp::solve::*;
use super::knapsack::*;
use super::lattice_dp::*;
use super::parallel_machines::*;
use super::recurrence::instance::*;
use super::recurrence::*;
use super::result::*;
use super::solve_options::*;
use super::status::*;
use super::stop::*;
use super::version::*;

/// Calls of one run.
const MOST_CALLS: usize = 24;
/// Numbers of one array.
const MOST_NUMBERS: usize = 12;
const MEMORY_BYTES: u64 = 8 << 20;
const SECONDS: f64 = 0.01;
const ITERATIONS: u64 = 3;

/// What the bytes still say; zeros at their end.
struct Bytes<'d>(&'d [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Mostly small, at times at an end of a range.
    fn number(&mut self) -> u64 {
        const ENDS: [u64; 8] = [
            0,
            u64::MAX,
            i64::MAX as u64,
            i64::MIN as u64,
            u32::MAX as u64,
            i32::MAX as u64,
            1 << 59,
            1 << 24,
        ];
        match self.byte() {
            end @ 248.. => ENDS[usize::from(end - 248)],
            high @ 200..248 => u64::from(high) << 8 | u64::from(self.byte()),
            small => small.into(),
        }
    }

    fn list<T>(&mut self, count: usize, convert: impl Fn(u64) -> T) -> Vec<T> {
        (0..count).map(|_| convert(self.number())).collect()
    }

    fn count(&mut self) -> usize {
        self.below(MOST_NUMBERS + 1)
    }

    fn text(&mut self) -> Vec<u8> {
        let length = usize::from(self.byte()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        text.to_vec()
    }

    /// A number that C takes for an enumeration's.
    fn choice(&mut self) -> i32 {
        i32::from(self.byte() as i8 % 12)
    }

    fn real(&mut self) -> f64 {
        const ENDS: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -0.0, 5e-324];
        match self.byte() {
            end @ 250.. => ENDS[usize::from(end - 250)],
            small => f64::from(small) / 8.0,
        }
    }

    /// The pointer, or now and then NULL.
    fn or_null<T>(&mut self, pointer: *const T) -> *const T {
        if self.byte() % 32 == 31 { ptr::null() } else { pointer }
    }
}

/// A defect is what no argument may bring about.
fn check(status: mks_status) -> bool {
    if matches!(status, mks_status::Internal | mks_status::Panic) {
        // SAFETY: the text of the last error is a string, valid until the next call.
        let text = unsafe { std::ffi::CStr::from_ptr(super::last_error::mks_last_error()) };
        panic!("{status:?}: {text:?}");
    }
    status == mks_status::Ok
}

/// Handles of one type.
struct Pool<H> {
    handles: Vec<*mut H>,
    free: unsafe extern "C" fn(*mut H),
}

impl<H> Pool<H> {
    fn new(free: unsafe extern "C" fn(*mut H)) -> Self {
        Pool { handles: Vec::new(), free }
    }

    /// Makes a handle by a call that writes it on success alone.
    fn make(&mut self, make: impl FnOnce(*mut *mut H) -> mks_status) {
        let mut handle = ptr::null_mut();
        let made = check(make(&mut handle));
        assert_eq!(made, !handle.is_null(), "a handle comes with success and only then");
        self.handles.extend(made.then_some(handle));
    }

    fn pick(&self, bytes: &mut Bytes<'_>) -> *const H {
        match self.handles.len() {
            0 => ptr::null(),
            count => {
                let handle = self.handles[bytes.below(count)];
                bytes.or_null(handle)
            }
        }
    }

    fn free_one(&mut self, bytes: &mut Bytes<'_>) {
        if !self.handles.is_empty() {
            let handle = self.handles.swap_remove(bytes.below(self.handles.len()));
            // SAFETY: it was made by the library and is gone from the pool.
            unsafe { (self.free)(handle) };
        }
    }
}

impl<H> Drop for Pool<H> {
    fn drop(&mut self) {
        for handle in self.handles.drain(..) {
            // SAFETY: it was made by the library and nobody else has it.
            unsafe { (self.free)(handle) };
        }
    }
}

/// An options struct with its defaults, changed by `change`.
fn options<O>(
    init: unsafe extern "C" fn(*mut O, usize) -> mks_status,
    change: impl FnOnce(&mut O),
) -> O {
    let mut options = std::mem::MaybeUninit::<O>::zeroed();
    // SAFETY: there is room for that many bytes.
    assert!(check(unsafe { init(options.as_mut_ptr(), size_of::<O>()) }));
    // SAFETY: the call succeeded, so that it is filled in.
    let mut options = unsafe { options.assume_init() };
    change(&mut options);
    options
}

struct Host {
    contexts: Pool<mks_context>,
    parallel_machines: Pool<mks_parallel_machines_instance>,
    cutting_stock: Pool<mks_cutting_stock_instance>,
    flow_shop: Pool<mks_flow_shop_instance>,
    knapsack: Pool<mks_knapsack_instance>,
    recurrence: Pool<mks_recurrence_instance>,
    lattice_dp: Pool<mks_lattice_dp_instance>,
    interval_dp: Pool<mks_interval_dp_instance>,
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
        interval_dp: Pool::new(mks_interval_dp_instance_free),
        stops: Pool::new(mks_stop_free),
        results: Pool::new(mks_result_free),
    };
    for _ in 0..MOST_CALLS {
        if bytes.0.is_empty() {
            break;
        }
        match bytes.below(16) {
            0..3 => host.parse(&mut bytes),
            3..7 => host.create(&mut bytes),
            7..11 => host.solve(&mut bytes),
            11..13 => host.read(&mut bytes),
            13 => host.describe(&mut bytes),
            14 => host.call_once(&mut bytes),
            _ => host.release(&mut bytes),
        }
    }
}

/// A call as C makes it.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: pointers are NULL, or valid for as long as the call and of the lengths that are
        // given.
        unsafe { $function($($argument),*) }
    };
}

impl Host {
    /// Makes an instance of a text.
    fn parse(&mut self, bytes: &mut Bytes<'_>) {
        let (problem, kind, text) = (bytes.below(7), bytes.choice(), bytes.text());
        let (start, length) = (bytes.or_null(text.as_ptr()).cast(), text.len());
        match problem {
            0 => self
                .parallel_machines
                .make(|out| call!(mks_parallel_machines_instance_parse(start, length, out))),
            1 => self
                .cutting_stock
                .make(|out| call!(mks_cutting_stock_instance_parse(start, length, out))),
            2 => self.flow_shop.make(|out| call!(mks_flow_shop_instance_parse(start, length, out))),
            3 => self.knapsack.make(|out| call!(mks_knapsack_instance_parse(start, length, out))),
            4 => self.recurrence.make(|out| {
                call!(mks_recurrence_instance_parse_within(start, length, MEMORY_BYTES, out))
            }),
            5 => {
                self.lattice_dp.make(|out| call!(mks_lattice_dp_instance_parse(start, length, out)))
            }
            _ => self
                .interval_dp
                .make(|out| call!(mks_interval_dp_instance_parse(kind, start, length, out))),
        }
    }

    /// Makes an instance, or another handle, of arrays and numbers.
    fn create(&mut self, bytes: &mut Bytes<'_>) {
        let (kind, count) = (bytes.below(16), bytes.count());
        let wide = bytes.list(count, |number| number);
        let narrow = bytes.list(count, |number| number as u32);
        let (first, second) = (bytes.or_null(wide.as_ptr()), bytes.or_null(narrow.as_ptr()));
        let (number, small) = (bytes.number(), bytes.number() as u32);
        match kind {
            0 => self
                .parallel_machines
                .make(|out| call!(mks_parallel_machines_instance_create(first, count, small, out))),
            1 => self.cutting_stock.make(|out| {
                call!(mks_cutting_stock_instance_create(first, second, count, number, out))
            }),
            2 | 3 => {
                let (jobs, machines) = (bytes.below(count + 1), bytes.below(4));
                let machines = if jobs * machines > count { 1 } else { machines };
                self.flow_shop
                    .make(|out| call!(mks_flow_shop_instance_create(second, jobs, machines, out)));
            }
            4 => {
                let instance = self.flow_shop.pick(bytes);
                let with = if bytes.flag() {
                    mks_flow_shop_instance_with_pinned
                } else {
                    mks_flow_shop_instance_with_ready_times
                };
                // SAFETY: the handle is NULL or valid, the array as long as it says.
                self.flow_shop.make(|out| unsafe { with(instance, second, count, out) });
            }
            5 | 6 => {
                let (profits, copies) =
                    (bytes.list(count, |number| number), bytes.list(count, |number| number));
                let (profits, copies) =
                    (bytes.or_null(profits.as_ptr()), bytes.or_null(copies.as_ptr()));
                let create = mks_knapsack_instance_create;
                // SAFETY: the arrays are as long as they say, or NULL.
                self.knapsack
                    .make(|out| unsafe { create(profits, first, copies, count, number, out) });
            }
            7 => {
                let make = mks_lattice_dp_packing_create;
                // SAFETY: the arrays are as long as they say, or NULL.
                self.lattice_dp.make(|out| unsafe { make(first, second, count, number, out) });
            }
            8 => {
                let (dimensions, vectors) = (bytes.below(4), bytes.below(6));
                let offsets = bytes.list(dimensions * vectors, |number| number as u32);
                let sizes = bytes.list(dimensions, |number| number as u32);
                let costs = bytes.list(vectors, |number| number as u16);
                let arrays = (sizes.as_ptr(), offsets.as_ptr(), costs.as_ptr());
                self.lattice_dp.make(|out| {
                    call!(mks_lattice_dp_instance_create(
                        arrays.0, dimensions, arrays.1, arrays.2, vectors, out
                    ))
                });
            }
            9 => self.create_recurrence(bytes),
            10 => {
                let profits = bytes.list(count, |number| number);
                // A row may take half of the memory that is free: it is small here, or beyond any
                // memory.
                let capacity = if number < 1 << 44 { number % (1 << 20) } else { number };
                let make = mks_recurrence_instance_create_knapsack;
                // SAFETY: the arrays are as long as they say, or NULL.
                self.recurrence
                    .make(|out| unsafe { make(first, profits.as_ptr(), count, capacity, out) });
            }
            11..=13 => self.create_interval(bytes),
            14 => self.stops.make(|out| call!(mks_stop_create(out))),
            _ => {
                let folder = CString::new("off").expect("it has no NUL");
                let options = options(mks_context_options_init, |options| {
                    (options.engine, options.threads) = (1, 1 + bytes.below(2) as u32);
                    (options.device, options.log_level) = (bytes.choice(), bytes.choice());
                    options.cache_directory = folder.as_ptr();
                });
                if self.contexts.handles.len() < 2 {
                    self.contexts.make(|out| call!(mks_context_create(&options, out)));
                }
            }
        }
    }

    fn create_recurrence(&mut self, bytes: &mut Bytes<'_>) {
        let counts: [usize; 4] = std::array::from_fn(|_| bytes.count());
        let offsets = bytes.list(counts[0], |number| number);
        let [initial, weights, terms] =
            [1, 2, 3].map(|list| bytes.list(counts[list], |number| number as i64));
        let source = CString::new(bytes.text()).unwrap_or_default();
        let definition = options(mks_recurrence_definition_init, |definition| {
            (definition.semiring, definition.idempotent) = (bytes.choice(), bytes.choice() as u32);
            (definition.modulus, definition.length) = (bytes.number(), bytes.number());
            definition.instances = bytes.count();
            (definition.offsets, definition.offset_count) = (offsets.as_ptr(), counts[0]);
            (definition.initial, definition.initial_count) = (initial.as_ptr(), counts[1]);
            if bytes.flag() {
                (definition.weights, definition.weight_count) = (weights.as_ptr(), counts[2]);
            }
            if bytes.flag() {
                (definition.terms, definition.term_count) = (terms.as_ptr(), counts[3]);
            }
            if bytes.flag() {
                definition.operator_source = source.as_ptr();
            }
            definition.combine = bytes.flag().then_some(larger);
        });
        self.recurrence.make(|out| call!(mks_recurrence_instance_create(&definition, out)));
    }

    fn create_interval(&mut self, bytes: &mut Bytes<'_>) {
        let count = bytes.count();
        let whole = bytes.list(count, |number| number as i64);
        let real: Vec<f64> = (0..count).map(|_| bytes.real()).collect();
        let (whole, real) = (bytes.or_null(whole.as_ptr()), bytes.or_null(real.as_ptr()));
        let pool = &mut self.interval_dp;
        let half = count / 2;
        match bytes.below(9) {
            0 => {
                pool.make(|out| call!(mks_interval_dp_instance_matrix_chain_i64(whole, count, out)))
            }
            1 => {
                pool.make(|out| call!(mks_interval_dp_instance_matrix_chain_f64(real, count, out)))
            }
            2 => pool
                .make(|out| call!(mks_interval_dp_instance_triangulation_i64(whole, count, out))),
            3 => {
                pool.make(|out| call!(mks_interval_dp_instance_triangulation_f64(real, count, out)))
            }
            4 => pool.make(|out| call!(mks_interval_dp_instance_convex_polygon(real, half, out))),
            5 if count > 0 => {
                let keys = half.min(count - 1);
                pool.make(|out| {
                    call!(mks_interval_dp_instance_search_tree_i64(whole, keys, whole, out))
                });
            }
            6 => {
                let (kind, size) = (bytes.choice(), bytes.count());
                let (seed, largest) = (bytes.number(), bytes.number() as i64);
                pool.make(|out| {
                    call!(mks_interval_dp_instance_random(kind, size, seed, largest, out))
                });
            }
            7 => {
                let source = CString::new(bytes.text()).unwrap_or_default();
                let form = options(mks_interval_dp_form_i64_init, |form| {
                    (form.semiring, form.leaves, form.leaf_count) =
                        (bytes.choice(), whole, count.min(3));
                    if count >= 6 && bytes.flag() {
                        form.table = whole;
                    } else if count >= 4 && bytes.flag() {
                        (form.row, form.column) = (whole, whole);
                    }
                    if count >= 4 && bytes.flag() {
                        (form.left, form.split, form.right) = (whole, whole, whole);
                    }
                    form.split_cost = bytes.flag().then_some(sum);
                    form.magnitude = bytes.number() as i64;
                    (form.data, form.data_count) = (whole, count);
                    form.split_source = if bytes.flag() { source.as_ptr() } else { ptr::null() };
                });
                pool.make(|out| call!(mks_interval_dp_instance_create_i64(&form, out)));
            }
            _ => {
                let form = options(mks_interval_dp_form_f64_init, |form| {
                    (form.semiring, form.leaves, form.leaf_count) = (bytes.choice(), real, count);
                    form.magnitude = bytes.real();
                });
                pool.make(|out| call!(mks_interval_dp_instance_create_f64(&form, out)));
            }
        }
    }

    /// Solves one of the instances, with options that may make no sense.
    fn solve(&mut self, bytes: &mut Bytes<'_>) {
        if self.contexts.handles.is_empty() {
            let options = options(mks_context_options_init, |options| {
                (options.engine, options.threads) = (1, 1)
            });
            self.contexts.make(|out| call!(mks_context_create(&options, out)));
        }
        let context = self.contexts.pick(bytes);
        let stop = self.stops.pick(bytes);
        let limits = options(mks_solve_options_init, |limits| {
            limits.time_limit_seconds = if bytes.below(8) == 7 { 0.0 } else { SECONDS };
            limits.iteration_limit = bytes.below(ITERATIONS as usize + 1) as u64;
            limits.memory_limit_bytes = MEMORY_BYTES;
            limits.seed = bytes.byte().into();
            limits.engine = if bytes.below(16) == 15 { bytes.choice().min(1) } else { 1 };
            limits.stop = stop;
            limits.progress_callback = bytes.flag().then_some(go_on);
        });
        let limits = bytes.or_null(&limits);
        let limits = if limits.is_null() { &raw const LIMITS.0 } else { limits };
        let method = if bytes.flag() { bytes.choice() } else { 0 };
        let words: [i32; 6] =
            std::array::from_fn(|_| if bytes.below(4) == 3 { bytes.choice() } else { 0 });
        match bytes.below(8) {
            0 => {
                let epsilon = bytes.real();
                let chosen = options(mks_parallel_machines_options_init, |options| {
                    (options.method, options.epsilon) =
                        (method, if epsilon == 0.0 { 0.3 } else { epsilon });
                    (options.traversal, options.launches) = (words[0], words[1]);
                });
                let instance = self.parallel_machines.pick(bytes);
                let solve = mks_parallel_machines_solve;
                // SAFETY: handles are valid or NULL, options initialised.
                self.results.make(|out| unsafe { solve(context, instance, &chosen, limits, out) });
            }
            1 => {
                let chosen =
                    options(mks_cutting_stock_options_init, |options| options.method = method);
                let instance = self.cutting_stock.pick(bytes);
                let solve = mks_cutting_stock_solve;
                // SAFETY: handles are valid or NULL, options initialised.
                self.results.make(|out| unsafe { solve(context, instance, &chosen, limits, out) });
            }
            2 => {
                let start = bytes.list(3, |number| number as u32);
                let chosen = options(mks_flow_shop_options_init, |options| {
                    (options.method, options.bound, options.branching) =
                        (method, words[0], words[1]);
                    (options.search, options.neighbourhood, options.evaluation) =
                        (words[2], words[3], words[4]);
                    options.tabu_list = words[5];
                    if bytes.below(8) == 7 {
                        (options.start, options.start_jobs) = (start.as_ptr(), bytes.below(4));
                    }
                });
                let instance = self.flow_shop.pick(bytes);
                let solve = mks_flow_shop_solve;
                // SAFETY: handles are valid or NULL, options initialised.
                self.results.make(|out| unsafe { solve(context, instance, &chosen, limits, out) });
            }
            3 => {
                let chosen = options(mks_knapsack_options_init, |options| options.method = method);
                let instance = self.knapsack.pick(bytes);
                let solve =
                    if bytes.below(4) == 3 { mks_knapsack_profile } else { mks_knapsack_solve };
                // SAFETY: handles are valid or NULL, options initialised.
                self.results.make(|out| unsafe { solve(context, instance, &chosen, limits, out) });
            }
            4 => {
                let chosen = options(mks_recurrence_options_init, |options| {
                    (options.method, options.output, options.fold) =
                        (method, words[0], words[1] as u64);
                    options.choices = words[2] as u32;
                });
                let instance = self.recurrence.pick(bytes);
                let solve = mks_recurrence_solve;
                // SAFETY: handles are valid or NULL, options initialised.
                self.results.make(|out| unsafe { solve(context, instance, &chosen, limits, out) });
            }
            5 => {
                let chosen = options(mks_lattice_dp_options_init, |options| {
                    (options.recurrence, options.traversal) = (words[0], words[1]);
                    (options.launches, options.divisor_rule) = (words[2], words[3]);
                });
                let instance = self.lattice_dp.pick(bytes);
                let solve = mks_lattice_dp_solve;
                // SAFETY: handles are valid or NULL, options initialised.
                self.results.make(|out| unsafe { solve(context, instance, &chosen, limits, out) });
            }
            6 => {
                let cells = bytes.list(4, |number| number as usize);
                let chosen = options(mks_interval_dp_options_init, |options| {
                    (options.method, options.cell_type) = (method, words[0]);
                    options.assume_quadrangle = words[1];
                    (options.cells, options.cell_count) = (cells.as_ptr(), bytes.below(3));
                });
                let instance = self.interval_dp.pick(bytes);
                let solve = mks_interval_dp_solve;
                // SAFETY: handles are valid or NULL, options initialised.
                self.results.make(|out| unsafe { solve(context, instance, &chosen, limits, out) });
            }
            _ => self.solve_batch(bytes, context, limits),
        }
    }

    fn solve_batch(
        &mut self,
        bytes: &mut Bytes<'_>,
        context: *const mks_context,
        limits: *const mks_solve_options,
    ) {
        let instance = self.knapsack.pick(bytes);
        let (mut items, instances) = (0, bytes.below(4));
        check(call!(mks_knapsack_instance_items(instance, &mut items)));
        let profits = bytes.list(items * instances, |number| number);
        let solve = mks_knapsack_solve_batch;
        self.results.make(|out| {
            // SAFETY: handles are valid or NULL, there are as many profits as items in all
            // instances.
            unsafe {
                solve(context, instance, profits.as_ptr(), instances, ptr::null(), limits, out)
            }
        });
    }

    /// Reads a result by the functions of all problems.
    fn read(&mut self, bytes: &mut Bytes<'_>) {
        let result = self.results.pick(bytes);
        let (room, index) = (usize::from(bytes.byte()), bytes.number() as usize);
        /// Reads values into arrays of exactly the needed length.
        macro_rules! lists {
            ($($type:ty: $($function:ident)+;)+) => { $($({
                let mut list = vec![<$type>::default(); room];
                check(call!($function(result, list.as_mut_ptr(), room)));
            })+)+ };
        }
        macro_rules! numbers {
            ($($type:ty: $($function:ident)+;)+) => { $($({
                let mut number = <$type>::default();
                check(call!($function(result, &mut number)));
            })+)+ };
        }
        macro_rules! texts {
            ($($function:ident)+) => { $({
                let mut text = ptr::null();
                if check(call!($function(result, &mut text))) && !text.is_null() {
                    // SAFETY: a text of a result that lives.
                    assert!(unsafe { std::ffi::CStr::from_ptr(text) }.to_str().is_ok());
                }
            })+ };
        }
        lists! {
            u32: mks_parallel_machines_assignment mks_flow_shop_permutation mks_lattice_dp_positions
                mks_interval_dp_nodes mks_knapsack_batch_counts mks_recurrence_choices;
            u64: mks_parallel_machines_starts mks_flow_shop_starts mks_knapsack_counts mks_knapsack_batch_profits
                mks_knapsack_profile_values;
            i64: mks_recurrence_values mks_recurrence_last mks_interval_dp_cell_values_i64;
            f64: mks_interval_dp_cell_values_f64;
        }
        numbers! {
            usize: mks_cutting_stock_pattern_count mks_lattice_dp_step_count mks_interval_dp_node_count
                mks_result_statistic_count;
            i32: mks_interval_dp_cell_type_used mks_result_status mks_result_interrupted;
            u64: mks_result_objective mks_result_bound;
            i64: mks_result_objective_i64 mks_result_bound_i64;
            f64: mks_result_objective_f64 mks_result_bound_f64 mks_result_guarantee mks_result_seconds
                mks_result_setup_seconds;
        }
        texts! {
            mks_result_problem mks_result_method mks_result_device mks_result_fallback mks_result_warning
                mks_interval_dp_parenthesisation mks_interval_dp_dot
        }
        let (mut list, mut number, mut name) = (vec![0u32; room], 0, ptr::null());
        check(call!(mks_cutting_stock_pattern_counts(result, index, list.as_mut_ptr(), room)));
        check(call!(mks_cutting_stock_pattern_pieces(result, index, &mut number)));
        check(call!(mks_lattice_dp_step(result, index, list.as_mut_ptr(), room)));
        check(call!(mks_result_statistic_name(result, index, &mut name)));
    }

    /// Reads the instances, evaluates schedules.
    fn describe(&mut self, bytes: &mut Bytes<'_>) {
        let room = usize::from(bytes.byte()) % 40;
        let (mut wide, mut narrow) = (vec![0u64; room], vec![0u32; room]);
        let (mut size, mut number, mut value) = (0usize, 0u32, 0u64);
        let sequence = bytes.list(room, |number| number as u32);

        let instance = self.parallel_machines.pick(bytes);
        check(call!(mks_parallel_machines_instance_jobs(instance, &mut size)));
        check(call!(mks_parallel_machines_instance_machines(instance, &mut number)));
        check(call!(mks_parallel_machines_instance_times(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_parallel_machines_makespan(instance, sequence.as_ptr(), room, &mut value)));

        let instance = self.cutting_stock.pick(bytes);
        check(call!(mks_cutting_stock_instance_types(instance, &mut size)));
        check(call!(mks_cutting_stock_instance_stock_length(instance, &mut value)));
        check(call!(mks_cutting_stock_instance_lengths(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_cutting_stock_instance_demands(instance, narrow.as_mut_ptr(), room)));

        let instance = self.flow_shop.pick(bytes);
        check(call!(mks_flow_shop_instance_jobs(instance, &mut size)));
        check(call!(mks_flow_shop_instance_machines(instance, &mut size)));
        check(call!(mks_flow_shop_instance_times(instance, narrow.as_mut_ptr(), room)));
        check(call!(mks_flow_shop_makespan(instance, sequence.as_ptr(), room, &mut value)));

        let instance = self.knapsack.pick(bytes);
        check(call!(mks_knapsack_instance_items(instance, &mut size)));
        check(call!(mks_knapsack_instance_capacity(instance, &mut value)));
        check(call!(mks_knapsack_instance_profits(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_knapsack_instance_weights(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_knapsack_instance_copies(instance, wide.as_mut_ptr(), room)));

        let instance = self.recurrence.pick(bytes);
        check(call!(mks_recurrence_instance_length(instance, &mut value)));
        check(call!(mks_recurrence_instance_preset(instance, &mut value)));
        check(call!(mks_recurrence_instance_count(instance, &mut size)));
        check(call!(mks_recurrence_instance_largest_fold(instance, &mut value)));

        let instance = self.lattice_dp.pick(bytes);
        check(call!(mks_lattice_dp_instance_dimensions(instance, &mut size)));
        check(call!(mks_lattice_dp_instance_cells(instance, &mut value)));
        check(call!(mks_interval_dp_instance_points(self.interval_dp.pick(bytes), &mut size)));
    }

    /// Functions that need no handle.
    fn call_once(&mut self, bytes: &mut Bytes<'_>) {
        let count = bytes.below(7);
        let wide = bytes.list(count, |number| number);
        let narrow = bytes.list(count, |number| number as u32 & 0xffff);
        let signed = bytes.list(count, |number| number as i64);
        let (mut machines, mut value, mut bound) = (vec![0u32; count], 0, 0);
        let mut counts = vec![0u64; count];
        let number = bytes.number();
        let status = match bytes.below(7) {
            0 => {
                let solve = mks_parallel_machines;
                let machine_count = bytes.byte().into();
                // SAFETY: the arrays have as many elements as they say.
                unsafe {
                    solve(
                        wide.as_ptr(),
                        count,
                        machine_count,
                        machines.as_mut_ptr(),
                        &mut value,
                        &mut bound,
                    )
                }
            }
            1 => {
                let pack = mks_cutting_stock_pack;
                // SAFETY: the arrays have as many elements as they say.
                unsafe {
                    pack(
                        wide.as_ptr(),
                        count,
                        number,
                        machines.as_mut_ptr(),
                        &mut value,
                        &mut bound,
                    )
                }
            }
            2 => {
                let solve = mks_flow_shop;
                // SAFETY: the arrays have as many elements as they say.
                unsafe {
                    solve(narrow.as_ptr(), count, 1, machines.as_mut_ptr(), &mut value, &mut bound)
                }
            }
            3 => {
                // Small enough for a table.
                let (fill, capacity) = (mks_knapsack_fill, number % (1 << 16));
                let profits = bytes.list(count, |number| number);
                let (profits, counts) = (profits.as_ptr(), counts.as_mut_ptr());
                // SAFETY: the arrays have as many elements as they say.
                unsafe {
                    fill(profits, wide.as_ptr(), count, capacity, counts, &mut value, &mut bound)
                }
            }
            4 => {
                let mut splits = vec![0u32; 3 * count];
                let mut multiplications = 0;
                let chain = mks_interval_dp_matrix_chain;
                // SAFETY: a tree has fewer nodes than the chain dimensions.
                unsafe { chain(signed.as_ptr(), count, splits.as_mut_ptr(), &mut multiplications) }
            }
            5 => mks_status::Ok,
            _ => call!(mks_stop_trip(self.stops.pick(bytes))),
        };
        check(status);
        mks_status_text(bytes.choice());
        mks_version_string();
    }

    fn release(&mut self, bytes: &mut Bytes<'_>) {
        match bytes.below(10) {
            0 => self.parallel_machines.free_one(bytes),
            1 => self.cutting_stock.free_one(bytes),
            2 => self.flow_shop.free_one(bytes),
            3 => self.knapsack.free_one(bytes),
            4 => self.recurrence.free_one(bytes),
            5 => self.lattice_dp.free_one(bytes),
            6 => self.interval_dp.free_one(bytes),
            7 => self.results.free_one(bytes),
            8 => self.contexts.free_one(bytes),
            _ => self.stops.free_one(bytes),
        }
    }
}

/// Limits in place of none at all, which would let a solve take its time.
struct Limits(mks_solve_options);
// SAFETY: it is never written to and its pointers are NULL.
unsafe impl Sync for Limits {}
static LIMITS: Limits = Limits(mks_solve_options {
    time_limit_seconds: SECONDS,
    iteration_limit: ITERATIONS,
    memory_limit_bytes: MEMORY_BYTES,
    engine: 1,
    ..<mks_solve_options as super::stamped::Stamped>::DEFAULT
});

unsafe extern "C" fn larger(left: i64, right: i64, _: *mut std::ffi::c_void) -> i64 {
    left.max(right)
}

unsafe extern "C" fn sum(i: usize, k: usize, j: usize, _: *mut std::ffi::c_void) -> i64 {
    (i + k + j) as i64
}

unsafe extern "C" fn go_on(_: *const mks_progress, _: *mut std::ffi::c_void) -> i32 {
    0
}
