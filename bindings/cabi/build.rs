//! Gives the shared library its soname: `libmakespan.so.0.MINOR` before 1.0, `libmakespan.so.MAJOR`
//! after.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let elf = variable("CARGO_CFG_TARGET_FAMILY") == "unix"
        && variable("CARGO_CFG_TARGET_VENDOR") != "apple";
    if elf {
        let major = variable("CARGO_PKG_VERSION_MAJOR");
        let series = match major.as_str() {
            "0" => format!("0.{}", variable("CARGO_PKG_VERSION_MINOR")),
            _ => major,
        };
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmakespan.so.{series}");
    }
}
