//! Which library is this?

use std::ffi::c_char;

/// Number of the ABI that this header describes. It changes, and the library's soname with it,
/// whenever programs must be compiled again.
pub const MKS_ABI_NUMBER: u32 = 1;

/// The library's version, such as "0.1.0"; compare with MKS_VERSION_STRING.
#[unsafe(no_mangle)]
pub extern "C" fn mks_version_string() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The library's version as MAJOR * 10000 + MINOR * 100 + PATCH; compare with MKS_VERSION_NUMBER.
#[unsafe(no_mangle)]
pub extern "C" fn mks_version_number() -> u32 {
    const NUMBER: u32 = 10000 * number(env!("CARGO_PKG_VERSION_MAJOR"))
        + 100 * number(env!("CARGO_PKG_VERSION_MINOR"))
        + number(env!("CARGO_PKG_VERSION_PATCH"));
    NUMBER
}

/// The library's ABI number; compare with ::MKS_ABI_NUMBER.
#[unsafe(no_mangle)]
pub extern "C" fn mks_abi_number() -> u32 {
    MKS_ABI_NUMBER
}

/// How the library was built, for problem reports. The format of the text may change.
#[unsafe(no_mangle)]
pub extern "C" fn mks_build_info() -> *const c_char {
    const PROFILE: &str = if cfg!(debug_assertions) { "debug" } else { "release" };
    static TEXT: std::sync::OnceLock<std::ffi::CString> = std::sync::OnceLock::new();
    let text = TEXT.get_or_init(|| {
        let (version, arch, os) =
            (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS);
        super::convert::c_string(&format!(
            "makespan {version} (ABI {MKS_ABI_NUMBER}), {PROFILE}, {arch}-{os}"
        ))
    });
    text.as_ptr()
}

const fn number(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("a version number is not a number"),
    }
}
