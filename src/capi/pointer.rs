//! All conversions of pointers from C. A pointer does not show whether it is valid; the header
//! demands that of the caller. This is the SAFETY of every call of these functions.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::Arc;

use super::guard::{guard, guard_free};
use super::status::{Failure, Result, mks_status};
use crate::memory::Gather;
use crate::{Error, memory};

/// A value that C owns through an opaque pointer. In memory a tag of its type comes first, so that
/// a handle of another type is noticed.
pub(super) trait Handle: Sized {
    /// Name of the type in C.
    const NAME: &'static str;
    /// Name of every parameter of this type.
    const ARGUMENT: &'static str;

    /// Hands the value to C.
    fn give(self) -> *mut Self {
        Box::into_raw(Box::new(Tagged { tag: tag(Self::NAME), value: self })).cast()
    }

    /// The value behind a pointer that must not be NULL.
    ///
    /// # Safety
    /// The pointer is NULL or a handle of any type that is not freed during `'a`.
    unsafe fn borrow<'a>(pointer: *const Self) -> Result<&'a Self> {
        // SAFETY: the caller's promise.
        unsafe { ownership(pointer) }?;
        // SAFETY: a handle of this type by its tag; the rest is the caller's promise.
        Ok(unsafe { &(*pointer.cast::<Tagged<Self>>()).value })
    }

    /// [`Handle::borrow`] for changes.
    ///
    /// # Safety
    /// That of [`Handle::borrow`], and nothing else uses the handle during `'a`.
    unsafe fn borrow_mut<'a>(pointer: *mut Self) -> Result<&'a mut Self> {
        // SAFETY: the caller's promise.
        if unsafe { ownership(pointer) }? == Ownership::Lent {
            return Err(Failure::argument(Self::ARGUMENT, "is lent for reading"));
        }
        // SAFETY: a handle of this type by its tag; the rest is the caller's promise.
        Ok(unsafe { &mut (*pointer.cast::<Tagged<Self>>()).value })
    }

    /// Ends the value; NULL is harmless, and a handle of another type or a lent one is left alone.
    ///
    /// # Safety
    /// The pointer is NULL or a handle of any type; one of this type is not used again.
    unsafe fn free(pointer: *mut Self) {
        if pointer.is_null() {
            return;
        }
        guard_free(|| {
            // SAFETY: the caller's promise.
            if unsafe { ownership(pointer) }? == Ownership::Given {
                // SAFETY: made by `give`, as its tag shows, and not used again.
                drop(unsafe { Box::from_raw(pointer.cast::<Tagged<Self>>()) });
            }
            Ok(())
        });
    }
}

/// A handle in memory.
#[repr(C)]
struct Tagged<H> {
    tag: u64,
    value: H,
}

impl<H> Drop for Tagged<H> {
    fn drop(&mut self) {
        // The compiler must not leave it out: a later call may still find the freed memory.
        // SAFETY: the handle's own memory.
        unsafe { (&raw mut self.tag).write_volatile(0) };
    }
}

/// The tag of a type: the 64-bit FNV-1a hash of its name.
const fn tag(name: &str) -> u64 {
    let (name, mut hash, mut index) = (name.as_bytes(), 0xcbf2_9ce4_8422_2325, 0);
    while index < name.len() {
        hash = (hash ^ name[index] as u64).wrapping_mul(0x0100_0000_01b3);
        index += 1;
    }
    hash
}

/// Who ends a handle's value.
#[derive(PartialEq)]
enum Ownership {
    /// C.
    Given,
    /// The library.
    Lent,
}

/// The tag of a lent handle differs by this.
const LENT: u64 = 1;

/// Calls C with a handle that it may read during the call.
pub(super) fn lend<H: Handle, T>(value: H, call: impl FnOnce(*const H) -> T) -> T {
    let lent = Tagged { tag: tag(H::NAME) ^ LENT, value };
    call((&raw const lent).cast())
}

/// Refuses NULL and handles of another type.
///
/// # Safety
/// The pointer is NULL or a handle of any type.
unsafe fn ownership<H: Handle>(pointer: *const H) -> Result<Ownership> {
    check(pointer.cast::<u64>(), H::ARGUMENT)?;
    // SAFETY: every handle begins with a tag.
    match unsafe { pointer.cast::<u64>().read() } ^ const { tag(H::NAME) } {
        0 => Ok(Ownership::Given),
        LENT => Ok(Ownership::Lent),
        _ => Err(Failure::argument(H::ARGUMENT, format!("is no {}", H::NAME))),
    }
}

/// Body of an exported function that reads one value of a handle.
///
/// # Safety
/// That of [`Handle::borrow`] and of [`Out::new`].
pub(super) unsafe fn get<H: Handle, T>(
    handle: *const H,
    out: *mut T,
    argument: &'static str,
    value: impl FnOnce(&H) -> Result<T>,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let handle = unsafe { H::borrow(handle) }?;
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, argument) }?;
        out.write(value(handle)?);
        Ok(())
    })
}

/// Body of an exported function that copies a list of a handle.
///
/// # Safety
/// That of [`Handle::borrow`] and of [`OutArray::new`].
pub(super) unsafe fn get_list<H: Handle, T: Copy>(
    handle: *const H,
    out: *mut T,
    capacity: usize,
    argument: &'static str,
    copy: impl FnOnce(&H, OutArray<T>) -> Result,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let handle = unsafe { H::borrow(handle) }?;
        // SAFETY: the caller's promise.
        let out = unsafe { OutArray::new(out, capacity, argument) }?;
        copy(handle, out)
    })
}

/// Body of an exported function that points to a list of a handle.
///
/// # Safety
/// That of [`Handle::borrow`] and of [`Out::new`].
pub(super) unsafe fn view<H: Handle + 'static, T: 'static>(
    handle: *const H,
    list: *mut *const T,
    count: *mut usize,
    argument: &'static str,
    of: impl FnOnce(&'static H) -> Result<&'static [T]>,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise. The header demands that the list is not used longer.
        let handle = unsafe { H::borrow(handle) }?;
        // SAFETY: the caller's promise.
        let list = unsafe { Out::new(list, argument) }?;
        // SAFETY: the caller's promise.
        let count = unsafe { Out::new(count, "count") }?;
        let found = of(handle)?;
        list.write(found.as_ptr());
        count.write(found.len());
        Ok(())
    })
}

/// Body of an exported function that changes a handle.
///
/// # Safety
/// That of [`Handle::borrow`], and nothing else uses the handle meanwhile.
pub(super) unsafe fn change<H: Handle>(
    handle: *mut H,
    change: impl FnOnce(&mut H) -> Result,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        change(unsafe { H::borrow_mut(handle) }?)
    })
}

/// Body of an exported function that makes a handle.
///
/// # Safety
/// That of [`Out::new`].
pub(super) unsafe fn make<H: Handle>(
    out: *mut *mut H,
    build: impl FnOnce() -> Result<H>,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, H::ARGUMENT) }?;
        out.write(build()?.give());
        Ok(())
    })
}

/// Body of an exported function that makes a handle from text[length].
///
/// # Safety
/// That of [`array`] and of [`Out::new`].
pub(super) unsafe fn parse<H: Handle>(
    start: *const c_char,
    length: usize,
    out: *mut *mut H,
    build: impl FnOnce(&str) -> Result<H>,
) -> mks_status {
    let build = || {
        // SAFETY: the caller's promise.
        let bytes = unsafe { array(start.cast::<u8>(), length, "text") }?;
        build(utf8(bytes, "text")?)
    };
    // SAFETY: the caller's promise.
    unsafe { make(out, build) }
}

/// Body of an exported function that makes a handle from the file at `path`.
///
/// # Safety
/// That of [`path`] and of [`Out::new`].
pub(super) unsafe fn read<H: Handle>(
    name: *const c_char,
    out: *mut *mut H,
    build: impl FnOnce(PathBuf) -> Result<H>,
) -> mks_status {
    let build = || {
        // SAFETY: the caller's promise.
        build(unsafe { path(name, "path") }?)
    };
    // SAFETY: the caller's promise.
    unsafe { make(out, build) }
}

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

/// A share of the value behind each handle of an input array: a callback may free the handles.
///
/// # Safety
/// The pointer is NULL or `length` handles may be read there, each NULL or valid.
pub(super) unsafe fn shares<H: Handle, T>(
    start: *const *mut H,
    length: usize,
    argument: &'static str,
    share: fn(&H) -> Arc<T>,
) -> Result<Vec<Arc<T>>> {
    // SAFETY: the caller's promise.
    let handles = unsafe { array(start, length, argument) }?;
    let mut shares = memory::list(length)?;
    for (index, &handle) in handles.iter().enumerate() {
        // SAFETY: the caller's promise.
        let handle = unsafe { H::borrow(handle) }.map_err(|failure| {
            let reason = failure.text.split_once(": ").map_or("is wrong", |(_, reason)| reason);
            Error::element(argument, index, reason)
        })?;
        shares.push(share(handle));
    }
    Ok(shares)
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Apple(u32);

    impl Handle for Apple {
        const NAME: &'static str = "mks_apple";
        const ARGUMENT: &'static str = "apple";
    }

    struct Pear;

    impl Handle for Pear {
        const NAME: &'static str = "mks_pear";
        const ARGUMENT: &'static str = "pear";
    }

    #[test]
    fn handles_of_another_type_are_refused_and_live_on() {
        let apple = Apple(7).give();
        let mistaken = apple.cast::<Pear>();
        // SAFETY: a handle that lives.
        let refused = unsafe { Pear::borrow(mistaken) }.err().unwrap();
        assert_eq!(refused.text, "pear: is no mks_pear");
        // SAFETY: a handle that lives.
        unsafe { Pear::free(mistaken) };
        assert_eq!(crate::capi::last_error::get(), "pear: is no mks_pear");
        // SAFETY: a handle that nothing else uses.
        unsafe { Apple::borrow_mut(apple) }.unwrap().0 += 1;
        // SAFETY: a handle that lives.
        assert_eq!(unsafe { Apple::borrow(apple) }.unwrap().0, 8);
        // SAFETY: a handle that lives, and is not used again.
        unsafe { Apple::free(apple) };
    }

    #[test]
    fn lent_handles_are_read_only() {
        lend(Apple(7), |apple: *const Apple| {
            // SAFETY: a handle that lives.
            unsafe { Apple::free(apple.cast_mut()) };
            // SAFETY: a handle that lives.
            let refused = unsafe { Apple::borrow_mut(apple.cast_mut()) }.err().unwrap();
            assert_eq!(refused.text, "apple: is lent for reading");
            // SAFETY: a handle that lives.
            assert_eq!(unsafe { Apple::borrow(apple) }.unwrap().0, 7);
            // SAFETY: a handle that lives.
            assert!(unsafe { Pear::borrow(apple.cast::<Pear>()) }.is_err());
        });
    }
}
