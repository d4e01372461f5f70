//! The best solution of a running solve, as a result that C reads during a report of progress.

use std::any::Any;
use std::cell::OnceCell;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use super::solution::{Readable, Solution};
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

    /// The problem, as its functions spell it.
    pub(super) fn problem(&self) -> &'static CStr {
        self.problem
    }
}

/// The best solution of a report, made readable when an accessor first asks for it.
pub(super) struct Incumbent {
    /// Outlives this value.
    progress: NonNull<c_void>,
    view: View,
    made: OnceCell<Option<Readable>>,
}

impl Incumbent {
    /// # Safety
    /// The report must outlive the incumbent.
    pub(super) unsafe fn new(progress: &Progress<'_>, view: &View) -> Self {
        let progress = NonNull::from(progress).cast();
        Incumbent { progress, view: view.clone(), made: OnceCell::new() }
    }

    pub(super) fn get(&self) -> Option<&Readable> {
        let make = || {
            // SAFETY: made from such a reference, and `new` demands that the report still lives.
            let progress = unsafe { self.progress.cast::<Progress<'_>>().as_ref() };
            (self.view.read)(progress)
        };
        self.made.get_or_init(make).as_ref()
    }
}
