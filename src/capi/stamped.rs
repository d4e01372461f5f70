//! Structs that C fills, stamped with the size that its compiler knew.
//!
//! They grow at the end only. An older caller's struct is shorter than ours: the rest keeps its
//! defaults. A newer caller's struct is longer: fields that this version does not know must be
//! zero, so that no option is silently ignored.

use super::guard::guard;
use super::pointer::{self, check};
use super::status::{Failure, Result, mks_status};

/// A size-stamped struct.
///
/// # Safety
/// It is `repr(C)`, begins with `struct_size: usize`, has no padding, and every bit pattern is a
/// valid value.
pub(super) unsafe trait Stamped: Copy {
    /// Name of every parameter of this type.
    const ARGUMENT: &'static str;
    /// Size in the first release, the least that a caller can pass.
    const FIRST_SIZE: usize;
    /// What the init function fills in, with the struct's own size.
    const DEFAULT: Self;

    /// Whether the reserved fields are zero. A later version may give them a meaning.
    fn reserved_is_zero(&self) -> bool;
}

/// Larger than any struct of any version; a larger size is uninitialised memory.
const MAX_SIZE: usize = 4096;

/// Body of an init function: fills in the defaults.
///
/// # Safety
/// The pointer is NULL or `size` bytes may be written there.
pub(super) unsafe fn init<T: Stamped>(pointer: *mut T, size: usize) -> mks_status {
    guard(|| {
        check(pointer, T::ARGUMENT)?;
        check_size::<T>(size, "size")?;
        // SAFETY: the caller's promise.
        unsafe { write(pointer, size, T::DEFAULT) };
        Ok(())
    })
}

/// Reads a struct; NULL means the defaults.
///
/// # Safety
/// The pointer is NULL or as many bytes may be read there as the struct's first field says.
pub(super) unsafe fn read<T: Stamped>(pointer: *const T) -> Result<T> {
    let mut value = T::DEFAULT;
    if pointer.is_null() {
        return Ok(value);
    }
    // SAFETY: the caller's promise.
    let size = unsafe { stamp(pointer) }?;
    // SAFETY: the caller's promise.
    let bytes = unsafe { pointer::array(pointer.cast::<u8>(), size, T::ARGUMENT) }?;
    let (known, unknown) = bytes.split_at(size.min(size_of::<T>()));
    // SAFETY: `known` is no longer than `value`, of which every bit pattern is valid.
    unsafe { (&raw mut value).cast::<u8>().copy_from_nonoverlapping(known.as_ptr(), known.len()) };
    if !value.reserved_is_zero() {
        return Err(Failure::argument(T::ARGUMENT, "a reserved field is not zero"));
    }
    if unknown.iter().any(|&byte| byte != 0) {
        let reason = "a field that this version of the library does not know is not zero";
        return Err(Failure::argument(T::ARGUMENT, reason));
    }
    Ok(value)
}

/// An output struct that the caller has stamped: checked before the work, written after it.
pub(super) struct OutStamped<T> {
    pointer: *mut T,
    size: usize,
}

impl<T: Stamped> OutStamped<T> {
    /// # Safety
    /// The pointer is NULL or as many bytes may be read and written there, as long as the
    /// `OutStamped` lives, as the struct's first field says.
    pub(super) unsafe fn new(pointer: *mut T) -> Result<Self> {
        // SAFETY: the caller's promise.
        let size = unsafe { stamp(pointer) }?;
        Ok(OutStamped { pointer, size })
    }

    pub(super) fn write(self, value: T) {
        // SAFETY: promised to `new`.
        unsafe { write(self.pointer, self.size, value) };
    }
}

/// Reads the size, the only field that every caller's struct has.
///
/// # Safety
/// The pointer is NULL or a `usize` may be read there.
unsafe fn stamp<T: Stamped>(pointer: *const T) -> Result<usize> {
    check(pointer, T::ARGUMENT)?;
    // SAFETY: the caller's promise.
    let size = unsafe { pointer.cast::<usize>().read() };
    check_size::<T>(size, "struct_size")?;
    Ok(size)
}

fn check_size<T: Stamped>(size: usize, name: &str) -> Result {
    if (T::FIRST_SIZE..=MAX_SIZE).contains(&size) {
        return Ok(());
    }
    let reason = format!("{name} {size} is impossible; the struct's _init function sets it");
    Err(Failure::argument(T::ARGUMENT, reason))
}

/// Writes as much of the value as the caller has room for, with the caller's size, and zeros behind
/// it.
///
/// # Safety
/// `size` bytes may be written at the pointer.
unsafe fn write<T: Stamped>(pointer: *mut T, size: usize, value: T) {
    let known = size.min(size_of::<T>());
    let bytes = pointer.cast::<u8>();
    // SAFETY: `known` is within both structs.
    unsafe { bytes.copy_from_nonoverlapping((&raw const value).cast(), known) };
    // SAFETY: within `size`.
    let rest = unsafe { bytes.add(known) };
    // SAFETY: ends at `size`.
    unsafe { rest.write_bytes(0, size - known) };
    // SAFETY: the first field is the size.
    unsafe { pointer.cast::<usize>().write(size) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capi::last_error;

    /// Version 2 of a struct whose first version ended before `second`.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Sample {
        struct_size: usize,
        first: u64,
        reserved: u64,
        second: u64,
    }

    // SAFETY: no padding, integers alone.
    unsafe impl Stamped for Sample {
        const ARGUMENT: &'static str = "sample";
        const FIRST_SIZE: usize = 24;
        const DEFAULT: Self = Sample { struct_size: 32, first: 1, reserved: 0, second: 2 };

        fn reserved_is_zero(&self) -> bool {
            self.reserved == 0
        }
    }

    /// A caller's struct: the first word is the size, the others are the fields.
    fn read_words<const N: usize>(words: [u64; N]) -> Result<Sample> {
        // SAFETY: the tests below pass as many words as the first one says, where it is possible.
        unsafe { read(words.as_ptr().cast()) }
    }

    fn init_words<const N: usize>(size: usize) -> (mks_status, [u64; N]) {
        let mut words = [u64::MAX; N];
        // SAFETY: the tests below pass enough words for every possible size.
        let status = unsafe { init::<Sample>(words.as_mut_ptr().cast(), size) };
        (status, words)
    }

    #[test]
    fn callers_of_any_age_are_understood() {
        let second =
            |words: Result<Sample>| words.map(|sample| (sample.first, sample.second)).unwrap();
        assert_eq!(second(read_words([24, 5, 0])), (5, 2), "older: the rest has its default");
        assert_eq!(second(read_words([32, 5, 0, 6])), (5, 6));
        assert_eq!(second(read_words([48, 5, 0, 6, 0, 0])), (5, 6), "newer, nothing new set");
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { read(std::ptr::null::<Sample>()) }.unwrap(), Sample::DEFAULT);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let text = |words: Result<Sample>| words.unwrap_err().text;
        assert_eq!(
            text(read_words([0, 0, 0, 0])),
            "sample: struct_size 0 is impossible; the struct's _init function sets it"
        );
        assert!(text(read_words([23, 0, 0, 0])).contains("struct_size 23"));
        assert!(text(read_words([4097, 0, 0, 0])).contains("struct_size 4097"));
        assert_eq!(text(read_words([32, 5, 1, 6])), "sample: a reserved field is not zero");
        assert!(text(read_words([40, 5, 0, 6, 1 << 63])).contains("does not know"));
    }

    #[test]
    fn init_writes_as_much_as_the_caller_has() {
        assert_eq!(init_words(24), (mks_status::Ok, [24, 1, 0, u64::MAX]));
        assert_eq!(init_words(32), (mks_status::Ok, [32, 1, 0, 2, u64::MAX]));
        assert_eq!(init_words(40), (mks_status::Ok, [40, 1, 0, 2, 0, u64::MAX]));
        assert_eq!(init_words(23), (mks_status::InvalidArgument, [u64::MAX]));
        assert!(last_error::get().contains("size 23 is impossible"));
    }

    #[test]
    fn outputs_respect_the_callers_size() {
        let mut words = [24u64, 0, 0, 77];
        // SAFETY: there is room for what the first word says.
        let out = unsafe { OutStamped::new(words.as_mut_ptr().cast::<Sample>()) }.unwrap();
        out.write(Sample { first: 9, ..Sample::DEFAULT });
        assert_eq!(words, [24, 9, 0, 77]);
    }
}
