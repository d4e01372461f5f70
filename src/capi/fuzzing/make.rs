//! Calls that make instances, contexts and stop handles.

use std::ffi::CString;
use std::ptr;

use super::*;

impl Host {
    /// Makes an instance of a text.
    pub(super) fn parse(&mut self, bytes: &mut Bytes<'_>) {
        let (problem, kind, text) = (bytes.below(7), bytes.choice(), bytes.text());
        let (start, length) = (bytes.or_null(text.as_ptr()).cast(), text.len());
        match problem {
            0 => self
                .parallel_machines
                .make(|out| call!(mks_parallel_machines_instance_parse(start, length, out))),
            1 => self
                .cutting_stock
                .make(|out| call!(mks_cutting_stock_instance_parse(start, length, out))),
            2 if kind != 0 => {
                let format = kind.unsigned_abs() as usize - 1;
                self.parse_shop(start, length, format, bytes);
            }
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
    pub(super) fn create(&mut self, bytes: &mut Bytes<'_>) {
        let (kind, count) = (bytes.below(20), bytes.count());
        let wide = bytes.list(count, |number| number);
        let narrow = bytes.list(count, |number| u64::from(number as u32));
        let jobs_in_order = bytes.list(count, |number| number as u32);
        let (first, second) = (bytes.or_null(wide.as_ptr()), bytes.or_null(narrow.as_ptr()));
        let (number, small) = (bytes.number(), bytes.number() as usize);
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
                let pinned = jobs_in_order.as_ptr();
                self.flow_shop.make(|out| match number % 2 {
                    0 => call!(mks_flow_shop_instance_with_pinned(instance, pinned, count, out)),
                    _ => {
                        call!(mks_flow_shop_instance_with_ready_times(instance, second, count, out))
                    }
                });
                self.pin(bytes, &jobs_in_order, &narrow);
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
                let offsets = bytes.list(dimensions * vectors, |number| u64::from(number as u32));
                let sizes = bytes.list(dimensions, |number| u64::from(number as u32));
                let costs = bytes.list(vectors, |number| u64::from(number as u16));
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
                    .make(|out| unsafe { make(profits.as_ptr(), first, count, capacity, out) });
            }
            11..=13 => self.create_interval(bytes),
            16.. => self.change_shop(bytes),
            14 => self.stops.make(|out| call!(mks_stop_create(out))),
            _ => {
                let mut options = std::ptr::null_mut();
                assert!(check(call!(mks_options_create(c"context".as_ptr(), &mut options))));
                for _ in 0..bytes.below(3) {
                    solve::change(options, bytes);
                }
                for (name, value) in [(c"engine", c"cpu"), (c"threads", c"2"), (c"cache", c"off")] {
                    assert!(solve::set(options, name, value));
                }
                if self.contexts.handles.len() < 2 {
                    self.contexts.make(|out| call!(mks_context_create(options, out)));
                }
                call!(mks_options_free(options));
            }
        }
    }

    /// Pins work of the other problems, with the same numbers in several places.
    fn pin(&mut self, bytes: &mut Bytes<'_>, jobs: &[u32], amounts: &[u64]) {
        let count = jobs.len();
        let machines = bytes.list(count, |number| number as u32);
        let (first, second) = (bytes.or_null(jobs.as_ptr()), bytes.or_null(machines.as_ptr()));
        let amounts = bytes.or_null(amounts.as_ptr());
        let instance = self.parallel_machines.pick(bytes);
        let pin = mks_parallel_machines_instance_with_pinned;
        // SAFETY: the arrays are as long as they say, or NULL.
        self.parallel_machines.make(|out| unsafe { pin(instance, first, second, count, out) });
        let instance = self.knapsack.pick(bytes);
        self.knapsack
            .make(|out| call!(mks_knapsack_instance_with_pinned(instance, amounts, count, out)));
        let instance = self.cutting_stock.pick(bytes);
        let mut types = 0;
        if check(call!(mks_cutting_stock_instance_types(instance, &mut types))) {
            let patterns = bytes.below(4);
            let pieces = bytes.list(patterns, |number| number % 5);
            let counts = bytes.list(patterns * types, |number| number % 3);
            let (pieces, counts) = (pieces.as_ptr(), counts.as_ptr());
            let pin = mks_cutting_stock_instance_with_pinned;
            // SAFETY: the arrays are as long as they say.
            self.cutting_stock.make(|out| unsafe { pin(instance, pieces, counts, patterns, out) });
        }
    }

    pub(super) fn create_recurrence(&mut self, bytes: &mut Bytes<'_>) {
        let counts: [usize; 4] = std::array::from_fn(|_| bytes.count());
        let offsets = bytes.list(counts[0], |number| number);
        let [initial, weights, terms] =
            [1, 2, 3].map(|list| bytes.list(counts[list], |number| number as i64));
        let source = CString::new(bytes.text()).unwrap_or_default();
        let definition = filled(mks_recurrence_definition_init, |definition| {
            (definition.semiring, definition.idempotent) = (bytes.choice(), bytes.choice());
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

    pub(super) fn create_interval(&mut self, bytes: &mut Bytes<'_>) {
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
                let form = filled(mks_interval_dp_form_i64_init, |form| {
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
                let form = filled(mks_interval_dp_form_f64_init, |form| {
                    (form.semiring, form.leaves, form.leaf_count) = (bytes.choice(), real, count);
                    form.magnitude = bytes.real();
                });
                pool.make(|out| call!(mks_interval_dp_instance_create_f64(&form, out)));
            }
        }
    }
}
