//! Ownership of OpenCL objects: each is released once, without panics.
//!
//! In `Drop`, opencl3's objects unwrap the result of their release. A lost device would cause a
//! panic, or an abort during another unwind. In a `ManuallyDrop` they would leak the vectors and
//! strings that they own. Therefore this module holds the raw handles.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;

use cl3::error_codes::cl_int;

/// A kind of OpenCL object. Its marker is `Send` and `Sync` if OpenCL lets threads share the
/// object.
pub(crate) trait Object {
    /// Returns one reference to the driver.
    ///
    /// # Safety
    ///
    /// `raw` must be a live object of this kind, and the caller must own the reference.
    unsafe fn release(raw: *mut c_void) -> Result<(), cl_int>;
}

macro_rules! object {
    ($kind:ident, $release:path) => {
        impl Object for $kind {
            unsafe fn release(raw: *mut c_void) -> Result<(), cl_int> {
                // SAFETY: the caller guarantees the object and the reference.
                unsafe { $release(raw) }
            }
        }
    };
}

#[derive(Debug)]
pub(super) struct ContextObject;
#[derive(Debug)]
pub(super) struct QueueObject;
pub(super) struct ProgramObject;
pub(crate) struct MemoryObject;
pub(super) struct EventObject;
/// A kernel holds its arguments between `clSetKernelArg` and the launch, so two threads must not
/// share it.
pub(super) struct KernelObject(PhantomData<Cell<()>>);

object!(ContextObject, cl3::context::release_context);
object!(QueueObject, cl3::command_queue::release_command_queue);
object!(ProgramObject, cl3::program::release_program);
object!(MemoryObject, cl3::memory::release_mem_object);
object!(EventObject, cl3::event::release_event);
object!(KernelObject, cl3::kernel::release_kernel);

/// One reference to an OpenCL object, released on drop.
///
/// OpenCL counts references between objects: a queue keeps its context alive, a command its
/// buffers. So owners can be dropped in any order.
#[derive(Debug)]
pub(crate) struct Owned<K: Object> {
    raw: *mut c_void,
    kind: PhantomData<K>,
}

// SAFETY: any thread may call the OpenCL API; `K` is `Send` only if this kind of object may move
// between threads.
unsafe impl<K: Object + Send> Send for Owned<K> {}
// SAFETY: as above; `K` is `Sync` only if several threads may use the object at once.
unsafe impl<K: Object + Sync> Sync for Owned<K> {}

impl<K: Object> Owned<K> {
    /// Takes ownership of one reference.
    ///
    /// # Safety
    ///
    /// `raw` must be a live object of kind `K`, and nobody else may release the reference.
    pub(super) unsafe fn new(raw: *mut c_void) -> Self {
        Owned { raw, kind: PhantomData }
    }

    /// The handle, for calls during the lifetime of `self`.
    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }

    /// The address of the handle, for calls that take it by address.
    pub(super) fn address(&self) -> *const *mut c_void {
        &raw const self.raw
    }
}

impl<K: Object> Drop for Owned<K> {
    fn drop(&mut self) {
        // A driver that fails here has lost the device. Earlier calls have reported that, and
        // nothing is left to do. SAFETY: the caller of `new` guaranteed a live object and sole
        // ownership of this reference.
        let _ = unsafe { K::release(self.raw) };
    }
}

/// The host program's context and queue, if a device is used through these.
#[derive(Debug, Clone)]
pub(super) struct HostObjects {
    pub(super) context: Arc<Owned<ContextObject>>,
    pub(super) queue: Arc<Owned<QueueObject>>,
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        static RELEASED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    }

    struct Stubborn;

    impl Object for Stubborn {
        unsafe fn release(raw: *mut c_void) -> Result<(), cl_int> {
            RELEASED.with_borrow_mut(|released| released.push(raw.addr()));
            Err(-36)
        }
    }

    #[test]
    fn a_failing_release_happens_once_and_does_not_panic() {
        // SAFETY: `Stubborn` accepts any handle.
        let owned = unsafe { Owned::<Stubborn>::new(std::ptr::without_provenance_mut(42)) };
        assert_eq!(owned.raw().addr(), 42);
        drop(owned);
        assert_eq!(RELEASED.take(), [42]);
    }

    #[test]
    fn only_kernels_stay_with_one_thread_at_a_time() {
        fn send<T: Send>() {}
        fn sync<T: Sync>() {}
        send::<Owned<KernelObject>>();
        sync::<Owned<ContextObject>>();
        sync::<Owned<QueueObject>>();
        sync::<Owned<ProgramObject>>();
        sync::<Owned<MemoryObject>>();
    }
}
