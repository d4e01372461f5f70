//! Calls on flow shops with more than times: set-ups, dates, objectives, batches.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use super::super::flow_shop::model::*;
use super::super::flow_shop::values::*;
use super::*;
use crate::flow_shop::Format;

const OBJECTIVES: [&CStr; 6] = [
    c"total-flow-time,makespan",
    c"weighted-flow-time",
    c"weighted-tardiness,max-lateness",
    c"late-jobs+3*total-tardiness",
    c"makespan+2*inversions",
    c"new-predecessors",
];

impl Host {
    /// Makes a flow shop of a text in one format.
    pub(super) fn parse_shop(
        &mut self,
        text: *const c_char,
        length: usize,
        format: usize,
        bytes: &mut Bytes<'_>,
    ) {
        let name = Format::ALL.get(format).map_or("csv", |format| format.name());
        let name = CString::new(name).unwrap_or_default();
        let name = bytes.or_null(name.as_ptr());
        self.flow_shop.make(|out| call!(mks_flow_shop_instance_parse_as(text, length, name, out)));
    }

    /// Makes a changed copy of a flow shop, mostly with as many numbers as it needs.
    pub(super) fn change_shop(&mut self, bytes: &mut Bytes<'_>) {
        let instance = self.flow_shop.pick(bytes);
        let (mut jobs, mut machines, families) = (0, 0, 1 + bytes.below(3));
        check(call!(mks_flow_shop_instance_jobs(instance, &mut jobs)));
        check(call!(mks_flow_shop_instance_machines(instance, &mut machines)));
        let (matrices, change) = ([1, machines, 2][bytes.below(3)], bytes.below(11));
        let usual = match change {
            0 => matrices * jobs * jobs,
            1 => matrices * families * families,
            2 => matrices * [jobs, families][bytes.below(2)],
            3 => machines,
            _ => jobs,
        };
        let count = if bytes.below(8) == 7 { bytes.count() } else { usual };
        let numbers = bytes.list(count, |number| number);
        let wide = bytes.or_null(numbers.as_ptr());
        let dates: Vec<i64> = numbers.iter().map(|&number| number as i64).collect();
        let dates = bytes.or_null(dates.as_ptr());
        // Small ones, as jobs and families are.
        let most = if change == 3 { families.max(jobs) } else { jobs }.max(1) + bytes.below(2);
        let places = bytes.list(count, |number| (number % most as u64) as u32);
        let family_of = bytes.list(jobs, |number| (number % families as u64) as u32);
        let (places, family_of) =
            (bytes.or_null(places.as_ptr()), bytes.or_null(family_of.as_ptr()));
        let text = CString::new(bytes.text()).unwrap_or_default();
        let objective = *OBJECTIVES.get(bytes.below(8)).unwrap_or(&text.as_c_str());
        let objective = bytes.or_null(objective.as_ptr());
        self.flow_shop.make(|out| match change {
            0 => call!(mks_flow_shop_instance_with_setups(instance, wide, count, out)),
            1 => call!(mks_flow_shop_instance_with_family_setups(
                instance, family_of, jobs, families, wide, count, out
            )),
            2 => call!(mks_flow_shop_instance_with_first_setups(instance, wide, count, out)),
            3 => call!(mks_flow_shop_instance_with_last_kinds(instance, places, count, out)),
            4 => call!(mks_flow_shop_instance_with_release_times(instance, wide, count, out)),
            5 | 6 => call!(mks_flow_shop_instance_with_due_dates(instance, dates, count, out)),
            7 => call!(mks_flow_shop_instance_with_weights(instance, wide, count, out)),
            8 => call!(mks_flow_shop_instance_with_running_plan(instance, places, count, out)),
            9 => call!(mks_flow_shop_instance_with_blocking(instance, out)),
            _ => call!(mks_flow_shop_instance_with_objective(instance, objective, out)),
        });
    }

    /// Reads a flow shop, evaluates a sequence.
    pub(super) fn describe_shop(&self, sequence: &[u32], bytes: &mut Bytes<'_>) {
        let (instance, room) = (self.flow_shop.pick(bytes), sequence.len());
        let (mut wide, mut sizes, mut blocking) = (vec![0u64; room], [0usize; 3], 0);
        let [jobs, machines, stages] = &mut sizes;
        check(call!(mks_flow_shop_instance_jobs(instance, jobs)));
        check(call!(mks_flow_shop_instance_machines(instance, machines)));
        check(call!(mks_flow_shop_instance_stages(instance, stages)));
        check(call!(mks_flow_shop_instance_setup_sizes(instance, jobs, machines, stages)));
        check(call!(mks_flow_shop_instance_blocking(instance, &mut blocking)));
        check(call!(mks_flow_shop_instance_times(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_flow_shop_instance_ready_times(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_flow_shop_instance_setups(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_flow_shop_instance_first_setups(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_flow_shop_instance_release_times(instance, wide.as_mut_ptr(), room)));
        check(call!(mks_flow_shop_instance_weights(instance, wide.as_mut_ptr(), room)));
        for view in [
            mks_flow_shop_instance_pinned_view,
            mks_flow_shop_instance_families_view,
            mks_flow_shop_instance_last_kinds_view,
            mks_flow_shop_instance_running_plan_view,
        ] {
            let (mut list, mut count) = (ptr::null(), 0);
            if check(call!(view(instance, &mut list, &mut count))) {
                walk(list, count);
            }
        }
        let (mut dates, mut count) = (ptr::null(), 0);
        if check(call!(mks_flow_shop_instance_due_dates_view(instance, &mut dates, &mut count))) {
            walk(dates, count);
        }
        let (mut text, mut length) = (vec![0; room], 0);
        let start = text.as_mut_ptr();
        check(call!(mks_flow_shop_instance_objective(instance, start, room, &mut length)));
        let (mut makespan, mut values) = (0, vec![0; room]);
        let jobs = sequence.as_ptr();
        check(call!(mks_flow_shop_check(instance, jobs, room, &mut makespan)));
        let start = values.as_mut_ptr();
        check(call!(mks_flow_shop_check_values(instance, jobs, room, start, room)));
    }

    /// Solves some flow shops at once.
    pub(super) fn solve_shops(&mut self, bytes: &mut Bytes<'_>) {
        let options = self.options_of(c"flow_shop", bytes);
        let (context, count) = (self.contexts.pick(bytes), bytes.below(4));
        let shops: Vec<_> = (0..count).map(|_| self.flow_shop.pick(bytes).cast_mut()).collect();
        let (start, mut results) = (bytes.or_null(shops.as_ptr()), vec![ptr::null_mut(); count]);
        let out = results.as_mut_ptr();
        let solved = check(call!(mks_flow_shop_solve_batch(context, start, count, options, out)));
        assert!(results.iter().all(|result| solved != result.is_null()), "results or an error");
        self.results.handles.extend(results.into_iter().filter(|result| !result.is_null()));
    }
}

/// Reads a list that a call has shown.
fn walk<T: Copy>(list: *const T, count: usize) {
    for place in 0..count {
        // SAFETY: within a list of an instance that lives.
        let element = unsafe { list.add(place) };
        // SAFETY: as above.
        let _ = unsafe { element.read() };
    }
}
