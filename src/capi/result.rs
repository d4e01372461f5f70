//! The result of a solve, one type for all problems.

use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::sync::OnceLock;

use super::convert::c_string;
use super::handle::{self, Handle, get};
use super::incumbent::{Incumbent, View};
use super::pointer;
use super::solution::{Readable, Solution};
use super::status::{Failure, Result, mks_status};
use crate::{Objective, Outcome, Progress, Report, Sense, Status, Value};

/// Result of a solve. It never changes: several threads may read it at once. It does not depend on
/// its context and instance, which may be freed first. Functions named mks_result_ serve every
/// problem. A problem's own functions read the solution and refuse results of other problems.
pub struct mks_result {
    problem: &'static CStr,
    pub(super) status: Status,
    pub(super) sense: Sense,
    pub(super) stages: u32,
    pub(super) objective: Option<Value>,
    pub(super) bound: Option<Value>,
    pub(super) guarantee: Option<f64>,
    pub(super) report: Report,
    /// Made at the first request: some solves take no longer than that.
    texts: OnceLock<Box<Texts>>,
    solution: Kept,
}

/// The texts of a report as C reads them.
struct Texts {
    method: CString,
    device: Option<CString>,
    fallback: Option<CString>,
    warning: Option<CString>,
    /// Sorted by name.
    statistics: Vec<(CString, u64)>,
}

impl Texts {
    fn new(report: &Report) -> Self {
        let text = |text: &Option<String>| text.as_deref().map(c_string);
        let statistics = report.statistics.iter();
        Texts {
            method: c_string(report.method),
            device: text(&report.device),
            fallback: text(&report.fallback),
            warning: text(&report.warning),
            statistics: statistics.map(|(name, count)| (c_string(name), count)).collect(),
        }
    }
}

/// The solution of a result.
enum Kept {
    Nothing,
    Own(Readable),
    Incumbent(Incumbent),
}

impl Kept {
    fn get(&self) -> Option<&Readable> {
        match self {
            Kept::Nothing => None,
            Kept::Own(solution) => Some(solution),
            Kept::Incumbent(incumbent) => incumbent.get(),
        }
    }
}

impl Handle for mks_result {
    const NAME: &'static str = "mks_result";
    const ARGUMENT: &'static str = "result";
}

impl mks_result {
    /// Keeps an outcome. `keep` turns its solution into the form that the problem's accessors need.
    pub(super) fn new<T, V, S>(outcome: Outcome<T, V>, keep: impl FnOnce(T) -> S) -> Self
    where
        V: Objective,
        S: Solution,
    {
        let guarantee = outcome.guarantee();
        let Outcome { status, objective, bound, sense, stages, solution, report, .. } = outcome;
        mks_result {
            problem: S::PROBLEM,
            status,
            sense,
            stages,
            objective: objective.map(V::into),
            bound: bound.map(V::into),
            guarantee,
            report,
            texts: OnceLock::new(),
            solution: match solution {
                Some(solution) => Kept::Own(Box::new(keep(solution))),
                None => Kept::Nothing,
            },
        }
    }

    /// The best solution of a report of progress.
    fn while_solving(
        progress: &Progress<'_>,
        problem: &'static CStr,
        incumbent: Incumbent,
    ) -> Self {
        let proved = progress.objective == progress.bound;
        mks_result {
            problem,
            status: if proved { Status::Optimal } else { Status::Feasible },
            sense: progress.sense,
            stages: progress.stages,
            objective: progress.objective,
            bound: progress.bound,
            guarantee: None,
            report: Report { seconds: progress.elapsed.as_secs_f64(), ..Report::default() },
            texts: OnceLock::new(),
            solution: Kept::Incumbent(incumbent),
        }
    }

    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Box::new(Texts::new(&self.report)))
    }

    /// The solution, if it is one of problem `S`.
    pub(super) fn solution<S: Solution>(&self) -> Result<&S> {
        if self.problem != S::PROBLEM {
            let (own, asked) = (self.problem.to_string_lossy(), S::PROBLEM.to_string_lossy());
            return Err(Failure::argument("result", format!("is one of {own}, not of {asked}")));
        }
        let solution = self.solution.get().and_then(|solution| solution.downcast_ref());
        solution.ok_or_else(|| Failure::not_available("solution"))
    }
}

/// Calls C with the best solution of a report as a result, or with NULL if there is none.
pub(super) fn lend_incumbent<T>(
    progress: &Progress<'_>,
    view: Option<&View>,
    call: impl FnOnce(*const mks_result) -> T,
) -> T {
    let Some(view) = view.filter(|_| progress.objective.is_some()) else {
        return call(ptr::null());
    };
    // SAFETY: the result ends with this call, before the report does.
    let incumbent = unsafe { Incumbent::new(progress, view) };
    handle::lend(mks_result::while_solving(progress, view.problem(), incumbent), call)
}

fn pointer_or_null(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// Frees a result with all its texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_free(result: *mut mks_result) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_result::free(result) };
}

/// Name of the problem, spelled as in its functions, such as "parallel_machines".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_problem(
    result: *const mks_result,
    problem: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, problem, "problem", |result| Ok(result.problem.as_ptr())) }
}

/// The method that ran, as the makespan command spells it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_method(
    result: *const mks_result,
    method: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, method, "method", |result| Ok(result.texts().method.as_ptr())) }
}

/// Name of the device that did the heavy work, or NULL if the CPU did.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_device(
    result: *const mks_result,
    device: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(result, device, "device", |result| Ok(pointer_or_null(result.texts().device.as_ref())))
    }
}

/// Why the CPU did the work although a device was requested or expected to be faster; NULL
/// otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_fallback(
    result: *const mks_result,
    reason: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(result, reason, "reason", |result| {
            Ok(pointer_or_null(result.texts().fallback.as_ref()))
        })
    }
}

/// A fault that did not end the solve, such as a checkpoint that was not written or a further
/// device that failed; NULL if there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_warning(
    result: *const mks_result,
    warning: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        get(result, warning, "warning", |result| {
            Ok(pointer_or_null(result.texts().warning.as_ref()))
        })
    }
}

/// Value of the counter `name` ("cells", "nodes", ...). ::MKS_STATUS_NOT_AVAILABLE if the solve has
/// no such counter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_statistic(
    result: *const mks_result,
    name: *const c_char,
    value: *mut u64,
) -> mks_status {
    let find = |result: &mks_result| {
        // SAFETY: the header demands a string or NULL.
        let name = unsafe { pointer::text(name, "name") }?;
        let found =
            result.texts().statistics.iter().find(|(known, _)| known.as_bytes() == name.as_bytes());
        let not_kept = || Failure::not_available(&format!("statistic '{name}'"));
        found.map(|&(_, count)| count).ok_or_else(not_kept)
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, value, "value", find) }
}

/// Number of counters of a result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_statistic_count(
    result: *const mks_result,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, count, "count", |result| Ok(result.texts().statistics.len())) }
}

/// Name of counter `index`, from 0 and below ::mks_result_statistic_count, in alphabetical order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_statistic_name(
    result: *const mks_result,
    index: usize,
    name: *mut *const c_char,
) -> mks_status {
    let find = |result: &mks_result| {
        let count = result.texts().statistics.len();
        let found = result.texts().statistics.get(index).map(|(name, _)| name.as_ptr());
        found.ok_or_else(|| Failure::argument("index", format!("{index} is not below {count}")))
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, name, "name", find) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;
    use crate::solve::Certificate;

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
    }
}
