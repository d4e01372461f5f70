//! Gives the shared library the name by which programs look for it: `libmakespan.so.0.MINOR` before
//! 1.0, `libmakespan.so.MAJOR` after, and `@rpath/libmakespan.0.MINOR.dylib` on macOS. A DLL has
//! its name from the import library, which scripts/install.sh makes.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let major = variable("CARGO_PKG_VERSION_MAJOR");
    let series = match major.as_str() {
        "0" => format!("0.{}", variable("CARGO_PKG_VERSION_MINOR")),
        _ => major,
    };
    if variable("CARGO_CFG_TARGET_VENDOR") == "apple" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmakespan.{series}.dylib");
    } else if variable("CARGO_CFG_TARGET_FAMILY") == "unix" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmakespan.so.{series}");
    }
}
