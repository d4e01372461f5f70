//! Solutions inside results, for any problem.

use std::any::Any;
use std::ffi::CStr;

/// A [`Solution`], as a problem's accessors need it.
pub(super) type Readable = Box<dyn Any + Send + Sync>;

/// A solution as a problem's accessors need it.
pub(super) trait Solution: Any + Send + Sync {
    /// The problem, as its functions spell it.
    const PROBLEM: &'static CStr;
}
