//! Calls that solve.

use std::ptr;

use super::*;

impl Host {
    /// Solves one of the instances, with options that may make no sense.
    pub(super) fn solve(&mut self, bytes: &mut Bytes<'_>) {
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

    pub(super) fn solve_batch(
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

    /// Functions that need no handle.
    pub(super) fn call_once(&mut self, bytes: &mut Bytes<'_>) {
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
}
