//! The progress of a solve and its callback.

use std::any::Any;
use std::ffi::{c_char, c_void};
use std::ops::Deref;
use std::sync::Arc;

use super::convert::{UserData, c_string, number};
use super::guard::outside;
use super::incumbent::View;
use super::result::{lend_incumbent, mks_result};
use super::solution::Solution;
use super::value::{Fields, is_real};
use crate::{Control, Progress, ProgressCallback, SolveOptions};

/// Answers of a progress callback.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_control {
    /// Continue the solve.
    Continue = 0,
    /// End the solve soon and return the best solution so far. Every other number means the same.
    #[expect(dead_code, reason = "an answer for C to give")]
    Stop = 1,
}

/// State of a running solve. The library fills it. Later versions may add fields at the end; a
/// field exists if struct_size includes it. Values have the same fields as in ::mks_summary.
#[repr(C)]
pub struct mks_progress {
    /// Size of this struct in the library.
    pub struct_size: usize,
    /// Wall-clock seconds since the solve began.
    pub elapsed_seconds: f64,
    /// Current work of the solver, in a word or two; valid during the call only.
    pub phase: *const c_char,
    /// Completed share of the current phase, from 0 to 1; -1 if unknown.
    pub fraction: f64,
    /// Whether lower or higher objectives are better, one of ::mks_sense.
    pub sense: i32,
    /// Number of lexicographic stages of the objective.
    pub stages: u32,
    /// 1 if objective and bound are real numbers, 0 if they are whole or not known yet.
    pub is_real: i32,
    /// 1 if there is a solution, else 0.
    pub has_objective: i32,
    /// 1 if there is a bound, else 0.
    pub has_bound: i32,
    /// Objective of the best solution so far; 0 if there is none or if it is real.
    pub objective: i64,
    /// Best proved bound so far; 0 if there is none or if it is real.
    pub bound: i64,
    /// The objective as the nearest double, NaN if there is none.
    pub objective_f64: f64,
    /// The bound as the nearest double, NaN if there is none.
    pub bound_f64: f64,
    /// The best solution so far, with the values above. Read it with the functions for results,
    /// such as ::mks_flow_shop_permutation and ::mks_result_summary; it is copied only if such a
    /// function is called. NULL if there is no solution, for batches, and for problems that find
    /// their only solution at the end: interval programs, lattices and recurrences. Valid during
    /// the call only; ::mks_result_free does nothing with it.
    pub incumbent: *const mks_result,
}

/// Receives the progress of a solve, at most about twenty times a second and at each better
/// solution or bound, on the thread that called the solver. Returns one of ::mks_control. The last
/// call, in the phase "end", has the values of the result, and its answer is ignored. It is also
/// the only call after an answer of ::MKS_CONTROL_STOP. The struct is valid during the call only.
/// The callback must return normally, without an exception or a longjmp. It may call any function
/// of the library and even start another solve; an attempt to free its own context returns
/// ::MKS_STATUS_BUSY.
pub type mks_progress_callback =
    Option<unsafe extern "C" fn(progress: *const mks_progress, user_data: *mut c_void) -> i32>;

/// C's callback with its user data.
#[derive(Clone, Copy)]
pub(super) struct Listener {
    callback: unsafe extern "C" fn(*const mks_progress, *mut c_void) -> i32,
    user_data: UserData,
}

impl Listener {
    pub(super) fn new(callback: mks_progress_callback, user_data: *mut c_void) -> Option<Self> {
        callback.map(|callback| Listener { callback, user_data: UserData::new(user_data) })
    }

    /// The library's callback, which calls C's. It can read the best solution if there is a view of
    /// it.
    pub(super) fn forward(self, view: Option<View>) -> ProgressCallback {
        Arc::new(move |progress: &Progress<'_>| {
            lend_incumbent(progress, view.as_ref(), |incumbent| self.call(progress, incumbent))
        })
    }

    fn call(self, progress: &Progress<'_>, incumbent: *const mks_result) -> Control {
        let phase = c_string(progress.phase);
        let (objective, bound) = (Fields::from(progress.objective), Fields::from(progress.bound));
        let progress = mks_progress {
            struct_size: size_of::<mks_progress>(),
            elapsed_seconds: progress.elapsed.as_secs_f64(),
            phase: phase.as_ptr(),
            fraction: progress.fraction.unwrap_or(-1.0),
            sense: number(progress.sense),
            stages: progress.stages,
            is_real: is_real(progress.objective, progress.bound),
            has_objective: objective.has,
            has_bound: bound.has,
            objective: objective.whole,
            bound: bound.whole,
            objective_f64: objective.real,
            bound_f64: bound.real,
            incumbent,
        };
        // SAFETY: the header demands a function that may be called like this on the solver's
        // thread.
        let answer = outside(|| unsafe { (self.callback)(&progress, self.user_data.get()) });
        if answer == mks_control::Continue as i32 { Control::Continue } else { Control::Stop }
    }
}

/// What the caller of a solve asks for: the options common to all problems, and reports of the
/// progress.
#[derive(Default)]
pub(super) struct Asked {
    options: SolveOptions,
    listener: Option<Listener>,
}

impl Asked {
    pub(super) fn new(options: SolveOptions, listener: Option<Listener>) -> Self {
        let progress = listener.map(|listener| listener.forward(None));
        Asked { options: SolveOptions { progress, ..options }, listener }
    }

    /// The options of a solve whose best solution the callback can read. `keep` turns a solution
    /// into the form that the problem's accessors need.
    pub(super) fn showing<T: Any, S: Solution>(
        &self,
        keep: impl Fn(&T) -> S + Send + Sync + 'static,
    ) -> SolveOptions {
        let progress = self.listener.map(|listener| listener.forward(Some(View::new(keep))));
        SolveOptions { progress, ..self.options.clone() }
    }
}

/// The options of a solve whose best solution the callback can't read.
impl Deref for Asked {
    type Target = SolveOptions;

    fn deref(&self) -> &SolveOptions {
        &self.options
    }
}
