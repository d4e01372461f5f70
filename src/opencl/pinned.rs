//! Memory of the host that copies to and from devices reach at full speed.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::slice;

use cl3::command_queue::{enqueue_map_buffer, enqueue_unmap_mem_object};
use cl3::memory::{
    CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, create_buffer,
};
use cl3::types::CL_TRUE;

use super::device::Opened;
use super::objects::{MemoryObject, Owned};
use super::queue::{Queue, enqueued};
use super::status::failed;
use crate::Result;

/// Bytes of the host for copies to and from devices.
pub(crate) type HostList = Box<dyn DerefMut<Target = [u8]> + Send + Sync>;

/// Bytes of the host that a driver keeps in place. No kernel uses them.
pub(crate) struct Pinned {
    object: Owned<MemoryObject>,
    queue: Queue,
    address: NonNull<u8>,
    len: usize,
}

// SAFETY: the memory belongs to this value alone until the drop, and any thread may call OpenCL.
unsafe impl Send for Pinned {}
// SAFETY: a shared reference only reads.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Zeros. The queue is for the memory alone.
    pub(super) fn zeros(opened: &Opened, queue: Queue, len: usize) -> Result<Self> {
        let (flags, bytes) = (CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, len.max(1));
        let what = |call: &str| format!("{call}, {bytes} bytes of pinned memory");
        // SAFETY: the context is live, and no contents are given.
        let raw = unsafe { create_buffer(opened.context().raw(), flags, bytes, ptr::null_mut()) }
            .map_err(|code| failed(&what("clCreateBuffer"), code))?;
        // SAFETY: the driver has just created the object for us.
        let object = unsafe { Owned::<MemoryObject>::new(raw) };
        let mut address: *mut c_void = ptr::null_mut();
        // SAFETY: the range is the whole buffer, and the call blocks until it is mapped.
        let mapped = unsafe {
            enqueue_map_buffer(
                queue.raw()?,
                object.raw(),
                CL_TRUE,
                CL_MAP_READ | CL_MAP_WRITE,
                0,
                bytes,
                &mut address,
                0,
                ptr::null(),
            )
        };
        enqueued(mapped, || what("clEnqueueMapBuffer"))?;
        let address = NonNull::new(address.cast::<u8>())
            .ok_or_else(|| failed(&what("clEnqueueMapBuffer"), 0))?;
        // SAFETY: the mapping has this many bytes, and nothing else uses them.
        unsafe { address.write_bytes(0, bytes) };
        Ok(Pinned { object, queue, address, len })
    }
}

impl Deref for Pinned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping has at least `len` bytes, which were written, and lasts until the drop.
        unsafe { slice::from_raw_parts(self.address.as_ptr(), self.len) }
    }
}

impl DerefMut for Pinned {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the reference is exclusive.
        unsafe { slice::from_raw_parts_mut(self.address.as_ptr(), self.len) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let Ok(queue) = self.queue.raw() else { return };
        // SAFETY: the address is that of the mapping, which nobody uses any more.
        let unmapped = unsafe {
            enqueue_unmap_mem_object(
                queue,
                self.object.raw(),
                self.address.as_ptr().cast(),
                0,
                ptr::null(),
            )
        };
        // A driver that fails here has lost the device; nothing is left to do.
        let _ = enqueued(unmapped, String::new);
        let _ = self.queue.finish();
    }
}

#[cfg(test)]
mod tests {
    use crate::opencl::testing::test_devices;

    #[test]
    fn pinned_memory_takes_what_a_device_has() {
        for device in test_devices() {
            let queue = device.queue();
            let mut pinned = device.pinned(1000).unwrap();
            assert_eq!(*pinned, [0; 1000]);
            let sent: Vec<u8> = (0..1000u32).map(|i| (i * 7 % 251) as u8).collect();
            let buffer = device.buffer_from(&queue, &sent).unwrap();
            queue.read(&buffer, 100, &mut pinned[..900]).unwrap();
            assert_eq!(pinned[..900], sent[100..]);
            queue.write(&buffer, 0, &pinned[..500]).unwrap();
            let mut back = vec![0; 1000];
            queue.read(&buffer, 0, &mut back).unwrap();
            assert_eq!(back, [&sent[100..600], &sent[500..]].concat());
            assert!(device.pinned(0).unwrap().is_empty());
        }
    }
}
