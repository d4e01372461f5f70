//! Values of all stages of an objective.

use super::Planned;
use super::instance::mks_flow_shop_instance;
use crate::capi::handle::get_list;
use crate::capi::pointer::{self, OutArray};
use crate::capi::result::mks_result;
use crate::capi::status::mks_status;
use crate::flow_shop::Permutation;

/// Copies the value of each stage of the objective to values[stages], the most important first; see
/// ::mks_flow_shop_instance_stages.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_values(
    result: *const mks_result,
    values: *mut i64,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let planned: &Planned = result.solution()?;
        out.write(&planned.permutation.values(&planned.instance)?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, values, capacity, "values", copy) }
}

/// ::mks_flow_shop_check for any objective: copies the value of each stage to values[stages].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_check_values(
    instance: *const mks_flow_shop_instance,
    permutation: *const u32,
    jobs: usize,
    values: *mut i64,
    capacity: usize,
) -> mks_status {
    let copy = |handle: &mks_flow_shop_instance, out: OutArray<_>| {
        // SAFETY: the header demands that many elements, or NULL.
        let permutation = unsafe { pointer::copy(permutation, jobs, "permutation") }?;
        out.write(&Permutation::new(permutation).values(&handle.instance)?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(instance, values, capacity, "values", copy) }
}
