//! All conversions of pointers from C. A pointer does not show whether it is valid; the header
//! demands that of the caller. This is the SAFETY of every call of these functions.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::ptr::NonNull;

use super::status::{Failure, Result};
use crate::memory::Gather;
use crate::{Error, memory};

/// An output parameter: checked before the work, written after it.
pub(super) struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    /// # Safety
    /// The pointer is NULL or may be written to as long as the `Out` lives.
    pub(super) unsafe fn new(pointer: *mut T, argument: &'static str) -> Result<Self> {
        check(pointer, argument)?;
        NonNull::new(pointer).map(Out).ok_or_else(|| null(argument))
    }

    pub(super) fn write(self, value: T) {
        // SAFETY: promised to `new`.
        unsafe { self.0.write(value) };
    }
}

/// An output array with room for `capacity` elements.
pub(super) struct OutArray<T> {
    start: *mut T,
    capacity: usize,
    argument: &'static str,
}

impl<T: Copy> OutArray<T> {
    /// # Safety
    /// The pointer is NULL or `capacity` elements may be written there as long as the `OutArray`
    /// lives.
    pub(super) unsafe fn new(
        start: *mut T,
        capacity: usize,
        argument: &'static str,
    ) -> Result<Self> {
        check_array(start, capacity, argument)?;
        Ok(OutArray { start, capacity, argument })
    }

    /// [`OutArray::write`] for numbers of a narrower type.
    pub(super) fn write_wide<N: Copy + Into<T>>(self, values: &[N]) -> Result {
        self.write(&values.iter().map(|&value| value.into()).gather()?)
    }

    /// Writes all values; an error if there is not enough room.
    pub(super) fn write(self, values: &[T]) -> Result {
        let (capacity, length) = (self.capacity, values.len());
        if capacity < length {
            let reason = format!("has room for {capacity} elements, {length} are needed");
            return Err(Failure::argument(self.argument, reason));
        }
        if length > 0 {
            // SAFETY: room for that many was promised to `new`, which has checked that it is not
            // NULL; `values` is the library's own memory.
            unsafe { self.start.copy_from_nonoverlapping(values.as_ptr(), length) };
        }
        Ok(())
    }
}

impl OutArray<c_char> {
    /// Writes a text, cut where there is not enough room, and its NUL.
    pub(super) fn write_text(self, text: &CStr) {
        let Some(room) = self.capacity.checked_sub(1) else { return };
        let bytes = text.to_bytes();
        let length = bytes.len().min(room);
        // SAFETY: that much room was promised to `new`, which has checked that it is not NULL.
        unsafe { self.start.copy_from_nonoverlapping(bytes.as_ptr().cast(), length) };
        // SAFETY: within the room, as `length` is below the capacity.
        let end = unsafe { self.start.add(length) };
        // SAFETY: as above.
        unsafe { end.write(0) };
    }
}

/// An input array, which may be NULL if it is empty.
///
/// # Safety
/// The pointer is NULL or `length` elements may be read there during `'a`.
pub(super) unsafe fn array<'a, T>(
    start: *const T,
    length: usize,
    argument: &'static str,
) -> Result<&'a [T]> {
    check_array(start, length, argument)?;
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: not NULL, aligned and of a possible size by the check; the rest is the caller's
    // promise.
    Ok(unsafe { std::slice::from_raw_parts(start, length) })
}

/// A copy of an input array. A lack of memory for it is an error.
///
/// # Safety
/// That of [`array`].
pub(super) unsafe fn copy<T: Copy>(
    start: *const T,
    length: usize,
    argument: &'static str,
) -> Result<Vec<T>> {
    // SAFETY: the caller's promise.
    let given = unsafe { array(start, length, argument) }?;
    Ok(memory::copied(given)?)
}

/// A copy of an input array of amounts, each of which must fit into the narrower type.
///
/// # Safety
/// That of [`array`].
pub(super) unsafe fn narrowed<T: TryFrom<u64>>(
    start: *const u64,
    length: usize,
    argument: &'static str,
) -> Result<Vec<T>> {
    // SAFETY: the caller's promise.
    let given = unsafe { array(start, length, argument) }?;
    let narrow = |(index, &number): (usize, &u64)| {
        let beyond = || format!("is {number}, 2^{} or more", 8 * size_of::<T>());
        T::try_from(number).map_err(|_| Error::element(argument, index, beyond()))
    };
    Ok(given.iter().enumerate().map(narrow).try_gather()?)
}

/// A C string in UTF-8.
///
/// # Safety
/// The pointer is NULL or a string that ends with NUL, unchanged during `'a`.
pub(super) unsafe fn text<'a>(pointer: *const c_char, argument: &'static str) -> Result<&'a str> {
    // SAFETY: the caller's promise.
    let text = unsafe { bytes(pointer, argument) }?;
    utf8(text, argument)
}

/// A file's name in the operating system's encoding.
///
/// # Safety
/// The pointer is NULL or a string that ends with NUL.
pub(super) unsafe fn path(pointer: *const c_char, argument: &'static str) -> Result<PathBuf> {
    // SAFETY: the caller's promise.
    let name = unsafe { bytes(pointer, argument) }?;
    #[cfg(unix)]
    let path = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name).into();
    #[cfg(not(unix))]
    let path = utf8(name, argument)?.into();
    Ok(path)
}

pub(super) fn utf8<'a>(bytes: &'a [u8], argument: &'static str) -> Result<&'a str> {
    std::str::from_utf8(bytes)
        .map_err(|error| Error::element(argument, error.valid_up_to(), "is not UTF-8").into())
}

/// # Safety
/// That of [`text`].
unsafe fn bytes<'a>(pointer: *const c_char, argument: &'static str) -> Result<&'a [u8]> {
    check(pointer, argument)?;
    // SAFETY: not NULL by the check; the rest is the caller's promise.
    Ok(unsafe { CStr::from_ptr(pointer) }.to_bytes())
}

/// Checks what can be seen from a pointer.
pub(super) fn check<T>(pointer: *const T, argument: &'static str) -> Result {
    if pointer.is_null() {
        return Err(null(argument));
    }
    if !pointer.is_aligned() {
        return Err(Failure::argument(argument, "is not aligned for its type"));
    }
    Ok(())
}

fn check_array<T>(start: *const T, length: usize, argument: &'static str) -> Result {
    if length == 0 {
        return Ok(());
    }
    check(start, argument)?;
    let bytes = length.checked_mul(size_of::<T>()).and_then(|bytes| isize::try_from(bytes).ok());
    if bytes.is_none() {
        return Err(Failure::argument(argument, format!("can't have {length} elements")));
    }
    Ok(())
}

fn null(argument: &'static str) -> Failure {
    Failure::argument(argument, "is NULL")
}
