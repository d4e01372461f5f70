//! Packs the kernels of `cl/` and the tuning rows: without comments and indentation, which are a
//! third of the text, and compressed.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The most that the packer can do; it takes milliseconds.
const LEVEL: u8 = 10;
const ROWS: &str = "src/opencl/rows.txt";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cl");
    println!("cargo:rerun-if-changed={ROWS}");
    let folder =
        |variable: &str| env::var_os(variable).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    let (packed, root) = (folder("OUT_DIR")?, folder("CARGO_MANIFEST_DIR")?);
    let pack = |path: &Path, plain: fn(&str) -> String| {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidData)?;
        let plain = plain(&fs::read_to_string(path)?);
        let bytes = miniz_oxide::deflate::compress_to_vec(plain.as_bytes(), LEVEL);
        fs::write(packed.join(name), bytes)
    };
    for file in fs::read_dir(root.join("cl"))? {
        pack(&file?.path(), plain)?;
    }
    pack(&root.join(ROWS), |rows| {
        rows.split_inclusive('\n').filter(|line| !line.starts_with('#')).collect()
    })
}

/// OpenCL C without its block comments and without the spaces that begin a line. Lines stay where
/// they are, so that a compiler's messages point into the files.
fn plain(text: &str) -> String {
    let mut outside = text.split("/*");
    let mut plain = outside.next().unwrap_or_default().to_owned();
    for part in outside {
        let (comment, rest) = part.split_once("*/").unwrap_or((part, ""));
        plain.extend(comment.matches('\n'));
        plain.push_str(rest);
    }
    plain.split_inclusive('\n').map(|line| line.trim_start_matches(' ')).collect()
}
