//! Packs the kernels of `cl/`: without comments and indentation, which are a third of the text, and
//! compressed.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The most that the packer can do; it takes milliseconds.
const LEVEL: u8 = 10;

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cl");
    let folder =
        |variable: &str| env::var_os(variable).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    let packed = folder("OUT_DIR")?;
    for file in fs::read_dir(folder("CARGO_MANIFEST_DIR")?.join("cl"))? {
        let path = file?.path();
        let name = path.file_name().map(Path::new).ok_or(io::ErrorKind::InvalidData)?;
        let plain = plain(&fs::read_to_string(&path)?);
        fs::write(
            packed.join(name),
            miniz_oxide::deflate::compress_to_vec(plain.as_bytes(), LEVEL),
        )?;
    }
    Ok(())
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
