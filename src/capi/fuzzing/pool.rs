use std::ptr;

use super::bytes::Bytes;
use super::{check, mks_status};

/// Handles of one type.
pub(super) struct Pool<H> {
    pub(super) handles: Vec<*mut H>,
    free: unsafe extern "C" fn(*mut H),
}

impl<H> Pool<H> {
    pub(super) fn new(free: unsafe extern "C" fn(*mut H)) -> Self {
        Pool { handles: Vec::new(), free }
    }

    /// Makes a handle by a call that writes it on success alone.
    pub(super) fn make(&mut self, make: impl FnOnce(*mut *mut H) -> mks_status) {
        let mut handle = ptr::null_mut();
        let made = check(make(&mut handle));
        assert_eq!(made, !handle.is_null(), "a handle comes with success and only then");
        self.handles.extend(made.then_some(handle));
    }

    pub(super) fn pick(&self, bytes: &mut Bytes<'_>) -> *const H {
        match self.handles.len() {
            0 => ptr::null(),
            count => {
                let handle = self.handles[bytes.below(count)];
                bytes.or_null(handle)
            }
        }
    }

    pub(super) fn free_one(&mut self, bytes: &mut Bytes<'_>) {
        if !self.handles.is_empty() {
            let handle = self.handles.swap_remove(bytes.below(self.handles.len()));
            // SAFETY: it was made by the library and is gone from the pool.
            unsafe { (self.free)(handle) };
        }
    }
}

impl<H> Drop for Pool<H> {
    fn drop(&mut self) {
        for handle in self.handles.drain(..) {
            // SAFETY: it was made by the library and nobody else has it.
            unsafe { (self.free)(handle) };
        }
    }
}
