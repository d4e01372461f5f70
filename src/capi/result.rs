//! The result of a solve, one type for all problems.

use std::any::Any;
use std::ffi::{CStr, CString, c_char};
use std::ptr;

use super::convert::{c_string, number};
use super::pointer::{self, Handle, get};
use super::status::{Failure, Result, mks_status};
use crate::{Objective, Outcome, Status, Value};

/// Status of a solution. A later version may add numbers. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_solution_status {
    /// Proved optimal: the objective equals the bound.
    Optimal = 1,
    /// There is a solution, not proved optimal.
    Feasible = 2,
    /// Proved: there is no solution, or none as good as was asked for. The bound then says how good
    /// a solution can be.
    Infeasible = 3,
    /// A limit or a stop request ended the solve before it had a solution.
    Stopped = 4,
}

/// Result of a solve. It never changes: several threads may read it at once. It does not depend on
/// its context and instance, which may be freed first. Functions named mks_result_ serve every
/// problem. A problem's own functions read the solution and refuse results of other problems. Since
/// 0.1.
pub struct mks_result {
    problem: &'static CStr,
    status: Status,
    objective: Option<Value>,
    bound: Option<Value>,
    guarantee: Option<f64>,
    method: CString,
    device: Option<CString>,
    fallback: Option<CString>,
    warning: Option<CString>,
    interrupted: bool,
    seconds: f64,
    setup_seconds: f64,
    /// Sorted by name.
    statistics: Vec<(CString, u64)>,
    /// A [`Solution`].
    solution: Option<Box<dyn Any + Send + Sync>>,
}

impl Handle for mks_result {
    const ARGUMENT: &'static str = "result";
}

fn signed(value: Value, name: &str) -> Result<i64> {
    match value {
        Value::Whole(value) => Ok(value),
        Value::Real(_) => Err(Failure::not_available(&format!("{name} of type int64_t"))),
    }
}

fn unsigned(value: Value, name: &str) -> Result<u64> {
    let whole = signed(value, name).ok().and_then(|value| value.try_into().ok());
    whole.ok_or_else(|| Failure::not_available(&format!("{name} of type uint64_t")))
}

/// A solution as a problem's accessors need it.
pub(super) trait Solution: Any + Send + Sync {
    /// The problem, as its functions spell it.
    const PROBLEM: &'static CStr;
}

impl mks_result {
    /// Keeps an outcome. `keep` turns its solution into the form that the problem's accessors need.
    pub(super) fn new<T, V, S>(outcome: Outcome<T, V>, keep: impl FnOnce(T) -> S) -> Self
    where
        V: Objective,
        S: Solution,
    {
        let guarantee = outcome.guarantee();
        let Outcome { status, objective, bound, solution, report, .. } = outcome;
        mks_result {
            problem: S::PROBLEM,
            status,
            objective: objective.map(V::into),
            bound: bound.map(V::into),
            guarantee,
            method: c_string(report.method),
            device: report.device.as_deref().map(c_string),
            fallback: report.fallback.as_deref().map(c_string),
            warning: report.warning.as_deref().map(c_string),
            interrupted: report.interrupted,
            seconds: report.seconds,
            setup_seconds: report.setup_seconds,
            statistics: report
                .statistics
                .iter()
                .map(|(name, count)| (c_string(name), count))
                .collect(),
            solution: solution.map(|solution| Box::new(keep(solution)) as _),
        }
    }

    fn objective(&self) -> Result<Value> {
        self.objective.ok_or_else(|| Failure::not_available("objective"))
    }

    fn bound(&self) -> Result<Value> {
        self.bound.ok_or_else(|| Failure::not_available("bound"))
    }

    /// The solution, if it is one of problem `S`.
    pub(super) fn solution<S: Solution>(&self) -> Result<&S> {
        if self.problem != S::PROBLEM {
            let (own, asked) = (self.problem.to_string_lossy(), S::PROBLEM.to_string_lossy());
            return Err(Failure::argument("result", format!("is one of {own}, not of {asked}")));
        }
        let solution = self.solution.as_ref().and_then(|solution| solution.downcast_ref());
        solution.ok_or_else(|| Failure::not_available("solution"))
    }
}

fn pointer_or_null(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// Frees a result with all its texts; NULL is harmless. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_free(result: *mut mks_result) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_result::free(result) };
}

/// Name of the problem, spelled as in its functions, such as "parallel_machines". Valid as long as
/// the result. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_problem(
    result: *const mks_result,
    problem: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, problem, "problem", |result| Ok(result.problem.as_ptr())) }
}

/// Status of the solution, one of ::mks_solution_status. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_status(
    result: *const mks_result,
    status: *mut i32,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, status, "status", |result| Ok(1 + number(result.status))) }
}

/// The objective of the solution, recomputed from it. ::MKS_STATUS_NOT_AVAILABLE without a
/// solution, or if it is not a whole number from 0 to 2^64 - 1. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_objective(
    result: *const mks_result,
    objective: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(result, objective, "objective", |result| unsigned(result.objective()?, "objective"))
    }
}

/// ::mks_result_objective for problems with negative values. ::MKS_STATUS_NOT_AVAILABLE without a
/// solution, or if it is not a whole number from -2^63 to 2^63 - 1. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_objective_i64(
    result: *const mks_result,
    objective: *mut i64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(result, objective, "objective", |result| signed(result.objective()?, "objective"))
    }
}

/// ::mks_result_objective as the nearest double, for problems with real values.
/// ::MKS_STATUS_NOT_AVAILABLE without a solution. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_objective_f64(
    result: *const mks_result,
    objective: *mut f64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, objective, "objective", |result| Ok(result.objective()?.to_f64())) }
}

/// The proved bound: no solution is better. ::MKS_STATUS_NOT_AVAILABLE if none is known, or if it
/// is not a whole number from 0 to 2^64 - 1. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_bound(
    result: *const mks_result,
    bound: *mut u64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, bound, "bound", |result| unsigned(result.bound()?, "bound")) }
}

/// ::mks_result_bound for problems with negative values. ::MKS_STATUS_NOT_AVAILABLE if none is
/// known, or if it is not a whole number from -2^63 to 2^63 - 1. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_bound_i64(
    result: *const mks_result,
    bound: *mut i64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, bound, "bound", |result| signed(result.bound()?, "bound")) }
}

/// ::mks_result_bound as the nearest double, for problems with real values.
/// ::MKS_STATUS_NOT_AVAILABLE if none is known. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_bound_f64(
    result: *const mks_result,
    bound: *mut f64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, bound, "bound", |result| Ok(result.bound()?.to_f64())) }
}

/// Largest possible factor between the objective and the optimum: objective / bound for a cost,
/// bound / objective for a profit, 1 for a proved optimum. ::MKS_STATUS_NOT_AVAILABLE without a
/// solution, or if objective and bound differ and one of them is not positive. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_guarantee(
    result: *const mks_result,
    guarantee: *mut f64,
) -> mks_status {
    let value =
        |result: &mks_result| result.guarantee.ok_or_else(|| Failure::not_available("guarantee"));
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, guarantee, "guarantee", value) }
}

/// 1 if a limit, the stop handle or the callback ended the solve, else 0. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_interrupted(
    result: *const mks_result,
    interrupted: *mut i32,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, interrupted, "interrupted", |result| Ok(result.interrupted.into())) }
}

/// The method that ran, as the makespan command spells it. Valid as long as the result. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_method(
    result: *const mks_result,
    method: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, method, "method", |result| Ok(result.method.as_ptr())) }
}

/// Name of the device that did the heavy work, or NULL if the CPU did. Valid as long as the result.
/// Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_device(
    result: *const mks_result,
    device: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, device, "device", |result| Ok(pointer_or_null(result.device.as_ref()))) }
}

/// Why the CPU worked although a device was asked for or seemed worth it; NULL otherwise. Valid as
/// long as the result. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_fallback(
    result: *const mks_result,
    reason: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, reason, "reason", |result| Ok(pointer_or_null(result.fallback.as_ref()))) }
}

/// A fault that did not end the solve, such as a checkpoint that was not written or a further
/// device that failed; NULL if there was none. Valid as long as the result. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_warning(
    result: *const mks_result,
    warning: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(result, warning, "warning", |result| Ok(pointer_or_null(result.warning.as_ref())))
    }
}

/// Wall-clock seconds of the solve, without ::mks_result_setup_seconds. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_seconds(
    result: *const mks_result,
    seconds: *mut f64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, seconds, "seconds", |result| Ok(result.seconds)) }
}

/// Wall-clock seconds spent finding a device and building its kernels. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_setup_seconds(
    result: *const mks_result,
    seconds: *mut f64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, seconds, "seconds", |result| Ok(result.setup_seconds)) }
}

/// Value of the counter `name` ("cells", "nodes", ...). ::MKS_STATUS_NOT_AVAILABLE if the solve has
/// no such counter. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_statistic(
    result: *const mks_result,
    name: *const c_char,
    value: *mut u64,
) -> mks_status {
    let find = |result: &mks_result| {
        // SAFETY: the header demands a string or NULL.
        let name = unsafe { pointer::text(name, "name") }?;
        let found = result.statistics.iter().find(|(known, _)| known.as_bytes() == name.as_bytes());
        let not_kept = || Failure::not_available(&format!("statistic '{name}'"));
        found.map(|&(_, count)| count).ok_or_else(not_kept)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, value, "value", find) }
}

/// Number of counters of a result. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_statistic_count(
    result: *const mks_result,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, count, "count", |result| Ok(result.statistics.len())) }
}

/// Name of counter `index`, from 0 and below ::mks_result_statistic_count, in alphabetical order.
/// Valid as long as the result. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_statistic_name(
    result: *const mks_result,
    index: usize,
    name: *mut *const c_char,
) -> mks_status {
    let find = |result: &mks_result| {
        let count = result.statistics.len();
        let found = result.statistics.get(index).map(|(name, _)| name.as_ptr());
        found.ok_or_else(|| Failure::argument("index", format!("{index} is not below {count}")))
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, name, "name", find) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;
    use crate::solve::{Certificate, Sense};

    struct Apple;
    struct Pear;

    impl Solution for Apple {
        const PROBLEM: &'static CStr = c"apples";
    }

    impl Solution for Pear {
        const PROBLEM: &'static CStr = c"pears";
    }

    fn result(solution: Option<()>) -> mks_result {
        let certificate = Certificate::proved(Sense::Minimise, solution.map(|()| 7i64));
        mks_result::new(certificate.outcome(solution, Report::default()), |()| Apple)
    }

    #[test]
    fn a_solution_is_read_by_its_own_problem_only() {
        assert!(result(Some(())).solution::<Apple>().is_ok());
        let failure = result(Some(())).solution::<Pear>().err().unwrap();
        assert_eq!(failure.text, "result: is one of apples, not of pears");
    }

    #[test]
    fn what_is_missing_is_said() {
        let failure = result(None).solution::<Apple>().err().unwrap();
        assert_eq!(
            (failure.status, failure.text.as_str()),
            (mks_status::NotAvailable, "the result has no solution")
        );
        let mut objective = 7;
        // SAFETY: both pointers are valid.
        let status = unsafe { mks_result_objective(&result(None), &mut objective) };
        assert_eq!((status, objective), (mks_status::NotAvailable, 7));
    }

    #[test]
    fn values_are_read_in_every_type_that_holds_them() {
        let read = |value: Value| {
            (unsigned(value, "bound").ok(), signed(value, "bound").ok(), value.to_f64())
        };
        assert_eq!(read(7i64.into()), (Some(7), Some(7), 7.0));
        assert_eq!(read((-7i64).into()), (None, Some(-7), -7.0));
        assert_eq!(read(0.5.into()), (None, None, 0.5));
        let failure = signed(Value::Real(0.5), "bound").unwrap_err();
        assert_eq!(failure.text, "the result has no bound of type int64_t");
    }
}
