//! Typed device memory.
#![allow(unsafe_code)]

use std::any::type_name;
use std::marker::PhantomData;
use std::ptr;

use cl3::memory::{CL_MEM_COPY_HOST_PTR, CL_MEM_READ_WRITE, create_buffer};

use super::facts::DeviceInfo;
use super::objects::{ContextObject, MemoryObject, Owned};
use super::status::failed;
use crate::{Error, Result};

/// A type with the same layout on host and device.
///
/// # Safety
///
/// Every bit pattern must be a valid value, and there must be no padding: buffers start
/// uninitialised, and kernels may write any bits.
pub(crate) unsafe trait Element: Copy + Send + Sync + 'static {
    /// The type in OpenCL C.
    #[cfg(test)]
    const NAME: &'static str;
}

macro_rules! elements {
    ($($element:ty = $name:ident),*) => {$(
        // SAFETY: a plain number.
        unsafe impl Element for $element {
            #[cfg(test)]
            const NAME: &'static str = stringify!($name);
        }
    )*};
}

elements!(
    u8 = uchar,
    u16 = ushort,
    u32 = uint,
    u64 = ulong,
    i32 = int,
    i64 = long,
    f32 = float,
    f64 = double
);

/// `len` elements of device memory.
///
/// A shared reference suffices for writing: the memory belongs to the device, and the host sees
/// only copies.
pub(crate) struct Buffer<T: Element> {
    object: Owned<MemoryObject>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// Allocates without initialising. An empty buffer also has an allocation, since OpenCL has no
    /// empty buffers.
    pub(super) fn create(
        context: &Owned<ContextObject>,
        info: &DeviceInfo,
        len: usize,
    ) -> Result<Self> {
        Buffer::holding(context, info, len, &mut [])
    }

    /// Allocates and fills with a byte. A fill command could run after a command of another queue.
    #[cfg(test)]
    pub(super) fn filled(
        context: &Owned<ContextObject>,
        info: &DeviceInfo,
        len: usize,
        byte: u8,
    ) -> Result<Self> {
        let required = len.max(1) as u128 * size_of::<T>() as u128;
        let bytes =
            if required <= u128::from(info.max_allocation_bytes) { required as usize } else { 0 };
        Buffer::holding(context, info, len, &mut vec![byte; bytes])
    }

    /// Allocates with these contents, or uninitialised if there are none.
    fn holding(
        context: &Owned<ContextObject>,
        info: &DeviceInfo,
        len: usize,
        contents: &mut [u8],
    ) -> Result<Self> {
        let required = len.max(1) as u128 * size_of::<T>() as u128;
        let what = || format!("a buffer of {len} {} on {}", type_name::<T>(), info.name);
        let limit = info.max_allocation_bytes;
        let bytes = match usize::try_from(required) {
            Ok(bytes) if required <= u128::from(limit) => bytes,
            _ => return Err(Box::new(Error::OutOfMemory { what: what(), required, limit })),
        };
        let (flags, host) = match contents.len() {
            0 => (CL_MEM_READ_WRITE, ptr::null_mut()),
            _ => (CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, contents.as_mut_ptr().cast()),
        };
        // SAFETY: the context is live; the contents, if any, have this many bytes and are copied
        // before the call returns.
        let raw = unsafe { create_buffer(context.raw(), flags, bytes, host) }
            .map_err(|code| failed(&format!("clCreateBuffer, {}", what()), code))?;
        // SAFETY: the driver has just created the object for us.
        let object = unsafe { Owned::new(raw) };
        Ok(Buffer { object, len, element: PhantomData })
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn object(&self) -> &Owned<MemoryObject> {
        &self.object
    }

    /// The byte offset of `count` elements from element `offset` on.
    pub(super) fn byte_offset(&self, offset: usize, count: usize) -> Result<usize> {
        check_range(offset, count, self.len)?;
        Ok(offset * size_of::<T>())
    }
}

#[inline(never)]
fn check_range(offset: usize, count: usize, len: usize) -> Result<()> {
    match offset.checked_add(count) {
        Some(end) if end <= len => Ok(()),
        _ => Err(Error::internal(format!(
            "{count} elements from {offset} on, in a device buffer of {len} elements"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::testing::test_devices;
    use crate::testing::assert_error;

    #[test]
    fn sizes_beyond_the_device_are_named() {
        for device in test_devices() {
            for len in [device.info().max_allocation_bytes as usize / 8 + 1, usize::MAX] {
                let error = device.buffer::<u64>(len).err().unwrap();
                let Error::OutOfMemory { what, required, limit } = &*error else {
                    panic!("{error}")
                };
                assert!(what.contains(&format!("{len} u64")), "{what}");
                assert_eq!(*required, len as u128 * 8);
                assert_eq!(*limit, device.info().max_allocation_bytes);
            }
        }
    }

    #[test]
    fn ranges_are_checked() {
        for device in test_devices() {
            let buffer = device.buffer::<u32>(10).unwrap();
            assert_eq!(buffer.len(), 10);
            assert_eq!(buffer.byte_offset(3, 7).unwrap(), 12);
            assert_eq!(buffer.byte_offset(10, 0).unwrap(), 40);
            for (offset, count) in [(0, 11), (11, 0), (usize::MAX, 1), (1, usize::MAX)] {
                assert_error!(buffer.byte_offset(offset, count), Error::Internal(_));
            }
        }
    }
}
