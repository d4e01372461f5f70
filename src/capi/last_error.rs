//! The text of the last failure on each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

use super::convert::c_string;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Text of the failure of the last call on this thread; it names the argument, index or line at
/// fault. Never NULL; empty if the call succeeded. Valid until the next call on this thread that
/// returns a status; functions named `_free` do not change it unless they fail.
#[unsafe(no_mangle)]
pub extern "C" fn mks_last_error() -> *const c_char {
    // A thread that is ending may have destroyed its text already.
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

pub(super) fn set(text: &str) {
    let text = c_string(text);
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
}

pub(super) fn clear() {
    let _ = LAST_ERROR.try_with(RefCell::take);
}

#[cfg(test)]
pub(super) fn get() -> String {
    LAST_ERROR.with_borrow(|last| last.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_belong_to_their_thread_and_lose_their_nuls() {
        set("a\0b");
        std::thread::spawn(|| assert_eq!(get(), "")).join().unwrap();
        assert_eq!(get(), "ab");
        clear();
        assert_eq!(get(), "");
    }
}
