//! The best solution of a running solve, as a result that C reads during a report of progress.

use std::any::Any;
use std::cell::OnceCell;
use std::ffi::{CStr, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::pointer;
use super::result::{Readable, Solution, mks_result};
use crate::Progress;

type Read = dyn Fn(&Progress<'_>) -> Option<Readable> + Send + Sync;

/// How to make the solution of a problem readable, during a report of progress.
#[derive(Clone)]
pub(super) struct View {
    problem: &'static CStr,
    read: Arc<Read>,
}

impl View {
    /// `keep` turns the best solution into the form that the problem's accessors need.
    pub(super) fn new<T: Any, S: Solution>(keep: impl Fn(&T) -> S + Send + Sync + 'static) -> Self {
        let read = move |progress: &Progress<'_>| {
            progress.incumbent().map(&keep).map(|solution| Box::new(solution) as _)
        };
        View { problem: S::PROBLEM, read: Arc::new(read) }
    }
}

/// The best solution of a report, made readable when an accessor first asks for it.
pub(super) struct Incumbent {
    /// Lives as long as the result.
    progress: NonNull<c_void>,
    view: View,
    made: OnceCell<Option<Readable>>,
}

impl Incumbent {
    pub(super) fn get(&self) -> Option<&Readable> {
        let make = || {
            // SAFETY: made from such a reference in `lend_incumbent`, which ends the result before
            // the report.
            let progress = unsafe { self.progress.cast::<Progress<'_>>().as_ref() };
            (self.view.read)(progress)
        };
        self.made.get_or_init(make).as_ref()
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
    let made = OnceCell::new();
    let incumbent =
        Incumbent { progress: NonNull::from(progress).cast(), view: view.clone(), made };
    let result = mks_result::while_solving(progress, view.problem, incumbent);
    pointer::lend(result, call)
}
