//! Calls that solve.

use std::ffi::{CStr, CString};
use std::ptr;

use super::*;

/// Sets an option to a value of its type, or to another one.
pub(super) fn change(options: *mut mks_options, bytes: &mut Bytes<'_>) {
    let mut count = 0;
    assert!(check(call!(mks_options_count(options, &mut count))));
    let mut info = filled(mks_option_info_init, |_| ());
    assert!(check(call!(mks_options_info(options, bytes.below(count), &mut info))));
    // SAFETY: a string, valid as long as the options.
    let choices = unsafe { CStr::from_ptr(info.choices) }.to_string_lossy();
    let choices: Vec<&str> = choices.split(' ').collect();
    let list = bytes.list(3, |number| number as u32);
    check(match bytes.below(6) {
        0 => call!(mks_options_set_int64(options, info.name, bytes.number() as i64)),
        1 => call!(mks_options_set_double(options, info.name, bytes.real())),
        2 => call!(mks_options_set_list(options, info.name, list.as_ptr(), bytes.below(4))),
        3 => {
            let text: Vec<u8> = bytes.text().iter().copied().filter(|&byte| byte != 0).collect();
            let text = CString::new(text).unwrap_or_default();
            call!(mks_options_set(options, info.name, text.as_ptr()))
        }
        _ => {
            let text = CString::new(choices[bytes.below(choices.len())]).unwrap_or_default();
            call!(mks_options_set(options, info.name, text.as_ptr()))
        }
    });
    let (mut text, mut length) = ([0; 16], 0);
    let capacity = bytes.below(17);
    check(call!(mks_options_get(options, info.name, text.as_mut_ptr(), capacity, &mut length)));
}

/// Limits, so that no solve takes its time, and nothing that writes a file.
fn limit(options: *mut mks_options, bytes: &mut Bytes<'_>) {
    let seconds = if bytes.below(8) == 7 { 0.0 } else { SECONDS };
    let iterations = bytes.below(ITERATIONS as usize + 1) as i64;
    assert!(check(call!(mks_options_set_double(options, c"time_limit".as_ptr(), seconds))));
    check(call!(mks_options_set_int64(options, c"iteration_limit".as_ptr(), iterations)));
    let memory = MEMORY_BYTES as i64;
    assert!(check(call!(mks_options_set_int64(options, c"memory_limit".as_ptr(), memory))));
    set(options, c"engine", c"cpu");
    set(options, c"checkpoint", c"none");
}

pub(super) fn set(options: *mut mks_options, name: &CStr, value: &CStr) -> bool {
    check(call!(mks_options_set(options, name.as_ptr(), value.as_ptr())))
}

/// Solves with a context, an instance and options.
macro_rules! solve {
    ($host:ident, $bytes:ident, $instances:ident, $owner:literal, $solve:expr) => {{
        let options = $host.options_of($owner, $bytes);
        let (context, instance) = ($host.contexts.pick($bytes), $host.$instances.pick($bytes));
        let solve = $solve;
        // SAFETY: handles are valid or NULL.
        $host.results.make(|out| unsafe { solve(context, instance, options, out) });
    }};
}

impl Host {
    /// Solves one of the instances, with options that may make no sense.
    pub(super) fn solve(&mut self, bytes: &mut Bytes<'_>) {
        if self.contexts.handles.is_empty() {
            let mut options = ptr::null_mut();
            assert!(check(call!(mks_options_create(c"context".as_ptr(), &mut options))));
            assert!(set(options, c"engine", c"cpu") && set(options, c"threads", c"1"));
            self.contexts.make(|out| call!(mks_context_create(options, out)));
            call!(mks_options_free(options));
        }
        match bytes.below(9) {
            0 => {
                solve!(
                    self,
                    bytes,
                    parallel_machines,
                    c"parallel_machines",
                    mks_parallel_machines_solve
                )
            }
            1 => solve!(self, bytes, cutting_stock, c"cutting_stock", mks_cutting_stock_solve),
            2 => solve!(self, bytes, flow_shop, c"flow_shop", mks_flow_shop_solve),
            3 if bytes.flag() => {
                solve!(self, bytes, knapsack, c"knapsack", mks_knapsack_profile)
            }
            3 => solve!(self, bytes, knapsack, c"knapsack", mks_knapsack_solve),
            4 => solve!(self, bytes, recurrence, c"recurrence", mks_recurrence_solve),
            5 => solve!(self, bytes, lattice_dp, c"lattice_dp", mks_lattice_dp_solve),
            6 => solve!(self, bytes, interval_dp, c"interval_dp", mks_interval_dp_solve),
            8 => self.solve_shops(bytes),
            _ => self.solve_batch(bytes),
        }
    }

    /// Options with limits, on the CPU; sometimes those of another problem.
    pub(super) fn options_of(&mut self, owner: &CStr, bytes: &mut Bytes<'_>) -> *const mks_options {
        if bytes.below(16) == 15 {
            return self.options.pick(bytes);
        }
        let mut options = ptr::null_mut();
        assert!(check(call!(mks_options_create(owner.as_ptr(), &mut options))));
        for _ in 0..bytes.below(4) {
            change(options, bytes);
        }
        limit(options, bytes);
        check(call!(mks_options_set_stop(options, self.stops.pick(bytes))));
        check(call!(mks_options_set_progress(
            options,
            bytes.flag().then_some(go_on),
            ptr::null_mut()
        )));
        self.options.handles.push(options);
        options
    }

    fn solve_batch(&mut self, bytes: &mut Bytes<'_>) {
        let options = self.options_of(c"knapsack", bytes);
        let (context, instance) = (self.contexts.pick(bytes), self.knapsack.pick(bytes));
        let (mut items, instances) = (0, bytes.below(4));
        check(call!(mks_knapsack_instance_items(instance, &mut items)));
        let profits = bytes.list(items * instances, |number| number);
        let solve = mks_knapsack_solve_profits;
        self.results.make(|out| {
            // SAFETY: handles are valid or NULL, there are as many profits as items in all
            // instances.
            unsafe { solve(context, instance, profits.as_ptr(), instances, options, out) }
        });
    }

    /// Functions that need no handle.
    pub(super) fn call_once(&mut self, bytes: &mut Bytes<'_>) {
        let count = bytes.below(7);
        let wide = bytes.list(count, |number| number);
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
                        SECONDS,
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
                        SECONDS,
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
                    solve(
                        wide.as_ptr(),
                        count,
                        1,
                        SECONDS,
                        machines.as_mut_ptr(),
                        &mut value,
                        &mut bound,
                    )
                }
            }
            3 => {
                // Small enough for a table.
                let (fill, capacity) = (mks_knapsack_fill, number % (1 << 16));
                let profits = bytes.list(count, |number| number);
                let (profits, counts) = (profits.as_ptr(), counts.as_mut_ptr());
                // SAFETY: the arrays have as many elements as they say.
                unsafe {
                    fill(
                        profits,
                        wide.as_ptr(),
                        count,
                        capacity,
                        SECONDS,
                        counts,
                        &mut value,
                        &mut bound,
                    )
                }
            }
            4 => {
                let mut splits = vec![0u32; 3 * count];
                let mut multiplications = 0;
                let chain = mks_interval_dp_matrix_chain;
                // SAFETY: a tree has fewer nodes than the chain dimensions.
                unsafe {
                    chain(
                        signed.as_ptr(),
                        count,
                        SECONDS,
                        splits.as_mut_ptr(),
                        &mut multiplications,
                    )
                }
            }
            5 => mks_status::Ok,
            _ => call!(mks_stop_trip(self.stops.pick(bytes))),
        };
        check(status);
        mks_status_text(bytes.choice());
        mks_version_string();
    }
}
