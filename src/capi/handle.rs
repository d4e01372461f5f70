//! Values that C owns through opaque pointers, and the bodies of functions that make, read and change
//! them. A pointer does not show whether it is valid; the header demands that of the caller. This is
//! the SAFETY of every call of these functions.

use std::ffi::c_char;
use std::path::PathBuf;
use std::sync::Arc;

use super::guard::{guard, guard_free};
use super::pointer::{Out, OutArray, array, check, path, utf8};
use super::status::{Failure, Result, mks_status};
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
        self.hold().give()
    }

    /// Makes a handle that C does not have yet.
    fn hold(self) -> Held<Self> {
        Held(Box::new(Tagged { tag: tag(Self::NAME), value: self }))
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

/// A handle that C does not have yet. Of many, each lies where C will find it.
pub(super) struct Held<H>(Box<Tagged<H>>);

impl<H> Held<H> {
    pub(super) fn give(self) -> *mut H {
        Box::into_raw(self.0).cast()
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
