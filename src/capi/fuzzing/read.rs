//! Calls that read instances and results.

use std::ptr;

use super::super::flow_shop::values::*;
use super::*;

impl Host {
    /// Reads a result by the functions of all problems.
    pub(super) fn read(&mut self, bytes: &mut Bytes<'_>) {
        let result = self.results.pick(bytes);
        let (room, index) = (usize::from(bytes.byte()), bytes.number() as usize);
        /// Reads values into arrays of exactly the needed length.
        macro_rules! lists {
            ($($type:ty: $($function:ident)+;)+) => { $($({
                let mut list = vec![<$type>::default(); room];
                check(call!($function(result, list.as_mut_ptr(), room)));
            })+)+ };
        }
        macro_rules! views {
            ($($function:ident)+) => { $({
                let (mut list, mut count) = (ptr::null(), 0);
                if check(call!($function(result, &mut list, &mut count))) {
                    // SAFETY: a list of a result that lives.
                    (0..count).for_each(|place| { let _ = unsafe { *list.add(place) }; });
                }
            })+ };
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
                mks_interval_dp_nodes;
            i64: mks_flow_shop_values;
            u64: mks_parallel_machines_starts mks_flow_shop_starts mks_knapsack_counts;
        }
        views! {
            mks_knapsack_profile_view mks_knapsack_batch_profits_view mks_knapsack_batch_counts_view
                mks_recurrence_values_view mks_recurrence_last_view mks_recurrence_choices_view
                mks_interval_dp_cell_values_i64_view mks_interval_dp_cell_values_f64_view
        }
        numbers! {
            usize: mks_cutting_stock_pattern_count mks_lattice_dp_step_count mks_interval_dp_node_count
                mks_result_statistic_count;
        }
        texts! {
            mks_result_problem mks_result_method mks_result_device mks_result_fallback mks_result_warning
                mks_interval_dp_parenthesisation mks_interval_dp_dot mks_interval_dp_cell_type_used
        }
        let mut summary = <mks_summary as crate::capi::stamped::Stamped>::DEFAULT;
        check(call!(mks_summary_init(&mut summary, size_of::<mks_summary>())));
        check(call!(mks_result_summary(result, &mut summary)));
        let (mut points, mut count) = (Vec::with_capacity(room), 0);
        check(call!(mks_result_trace(result, points.as_mut_ptr(), room, &mut count)));
        let (mut list, mut number, mut name) = (vec![0u64; room], 0, ptr::null());
        check(call!(mks_cutting_stock_pattern_counts(result, index, list.as_mut_ptr(), room)));
        check(call!(mks_cutting_stock_pattern_pieces(result, index, &mut number)));
        check(call!(mks_lattice_dp_step(result, index, list.as_mut_ptr(), room)));
        check(call!(mks_result_statistic_name(result, index, &mut name)));
    }

    /// Reads the instances, evaluates schedules.
    pub(super) fn describe(&mut self, bytes: &mut Bytes<'_>) {
        let room = usize::from(bytes.byte()) % 40;
        let mut wide = vec![0u64; room];
        let (mut size, mut value, mut makespan) = (0usize, 0u64, 0i64);
        let sequence = bytes.list(room, |number| number as u32);

        let instance = self.parallel_machines.pick(bytes);
        check(call!(mks_parallel_machines_instance_jobs(instance, &mut size)));
        check(call!(mks_parallel_machines_instance_machines(instance, &mut size)));
        check(call!(mks_parallel_machines_instance_times(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_parallel_machines_check(instance, sequence.as_ptr(), room, &mut makespan)));

        let instance = self.cutting_stock.pick(bytes);
        check(call!(mks_cutting_stock_instance_types(instance, &mut size)));
        check(call!(mks_cutting_stock_instance_stock_length(instance, &mut value)));
        check(call!(mks_cutting_stock_instance_lengths(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_cutting_stock_instance_demands(instance, wide.as_mut_ptr(), room)));

        self.describe_shop(&sequence, bytes);

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

        let (values, counts) = (bytes.list(room, |number| number as i64), wide.clone());
        check(call!(mks_recurrence_check(instance, values.as_ptr(), room, &mut makespan)));
        let mut definition = filled(mks_recurrence_definition_init, |_| ());
        check(call!(mks_recurrence_instance_definition_view(instance, &mut definition)));
        let instance = self.knapsack.pick(bytes);
        check(call!(mks_knapsack_check(instance, counts.as_ptr(), room, &mut makespan)));

        let instance = self.interval_dp.pick(bytes);
        let (nodes, mut real) = (sequence.as_ptr(), 0.0);
        check(call!(mks_interval_dp_check_i64(instance, nodes, room / 3, &mut makespan)));
        check(call!(mks_interval_dp_check_f64(instance, nodes, room / 3, &mut real)));
        let mut form = filled(mks_interval_dp_form_i64_init, |_| ());
        check(call!(mks_interval_dp_instance_form_i64_view(instance, &mut form)));

        let instance = self.lattice_dp.pick(bytes);
        check(call!(mks_lattice_dp_instance_sizes(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_lattice_dp_instance_offsets(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_lattice_dp_instance_costs(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_lattice_dp_check(instance, sequence.as_ptr(), room, &mut makespan)));
        check(call!(mks_lattice_dp_instance_dimensions(instance, &mut size)));
        check(call!(mks_lattice_dp_instance_cells(instance, &mut value)));
        check(call!(mks_interval_dp_instance_points(self.interval_dp.pick(bytes), &mut size)));
    }
}
