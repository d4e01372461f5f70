//! The best values of a solve over time.

use super::guard::guard;
use super::handle::Handle;
use super::pointer::{Out, OutArray};
use super::result::mks_result;
use super::status::mks_status;
use super::value::Fields;
use crate::TracePoint;
use crate::memory::Gather;

/// The best values from one improvement of a solve to the next. The fields have the same meaning as
/// in ::mks_summary; its is_real says which of them to read.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_trace_point {
    /// Wall-clock seconds since the solve began.
    pub seconds: f64,
    /// 1 if there was a solution by then, else 0.
    pub has_objective: i32,
    /// 1 if there was a bound by then, else 0.
    pub has_bound: i32,
    /// Objective of the best solution; 0 if there was none or if it is real.
    pub objective: i64,
    /// Best proved bound; 0 if there was none or if it is real.
    pub bound: i64,
    /// The objective as the nearest double, NaN if there was none.
    pub objective_f64: f64,
    /// The bound as the nearest double, NaN if there was none.
    pub bound_f64: f64,
}

impl From<&TracePoint> for mks_trace_point {
    fn from(point: &TracePoint) -> Self {
        let (objective, bound) = (Fields::from(point.objective), Fields::from(point.bound));
        mks_trace_point {
            seconds: point.seconds,
            has_objective: objective.has,
            has_bound: bound.has,
            objective: objective.whole,
            bound: bound.whole,
            objective_f64: objective.real,
            bound_f64: bound.real,
        }
    }
}

/// The best values over time: a point for each improvement, in the order of time. The last point
/// has the values of the result. Copies the first points to points[capacity] and sets *count to the
/// number of all, from 1 to 4096; points may be NULL if the capacity is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_trace(
    result: *const mks_result,
    points: *mut mks_trace_point,
    capacity: usize,
    count: *mut usize,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let result = unsafe { mks_result::borrow(result) }?;
        // SAFETY: the header demands room for that many elements, or NULL.
        let points = unsafe { OutArray::new(points, capacity, "points") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let count = unsafe { Out::new(count, "count") }?;
        let first = result.report.trace.iter().take(capacity).map(mks_trace_point::from);
        points.write(&first.gather()?)?;
        count.write(result.report.trace.len());
        Ok(())
    })
}
