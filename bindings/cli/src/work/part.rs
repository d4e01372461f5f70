//! A part of the proof as a file: a line with the names of the parts that were given away from it,
//! and its unit.

use std::path::Path;

use makespan::flow_shop::units::{Tree, Unit};
use makespan::{Error, Result};

/// Begins every file of a part, with the version of the format.
const HEAD: &str = "makespan part 1";

/// A unit with its name. The proof of a part is complete if its unit is done and the proofs of all
/// parts that were given away from it are complete.
pub(super) struct Part {
    pub(super) name: String,
    /// The names of the parts that were given away from this one.
    pub(super) given: Vec<String>,
    pub(super) unit: Unit,
}

impl Part {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let names = self.given.join(" ");
        let mut bytes = format!("{HEAD} {:016x} {names}\n", checksum(&names)).into_bytes();
        bytes.extend(self.unit.to_bytes()?);
        Ok(bytes)
    }

    pub(super) fn from_bytes(tree: &Tree, name: &str, path: &Path, bytes: &[u8]) -> Result<Part> {
        let fault = |reason: &str| {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidData, reason);
            Box::new(Error::Io { path: path.to_owned(), source })
        };
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let (line, unit) = bytes.split_at(end.ok_or_else(|| fault("is no part of a proof"))?);
        let line = std::str::from_utf8(line).map_err(|_| fault("is damaged"))?;
        let Some(rest) = line.strip_prefix(HEAD) else {
            let is_part = line.starts_with("makespan part");
            let reason = if is_part { "has an unknown version" } else { "is no part of a proof" };
            return Err(fault(reason));
        };
        let (sum, names) = rest.trim_start().split_once(' ').ok_or_else(|| fault("is damaged"))?;
        if sum != format!("{:016x}", checksum(names)) {
            return Err(fault("is damaged"));
        }
        // They become names of files.
        if !names.chars().all(|c| c.is_ascii_hexdigit() || c == ' ') {
            return Err(fault("is damaged"));
        }
        let given = names.split_whitespace().map(str::to_owned).collect();
        let unit = tree.read(&unit[1..]).map_err(|error| fault(&error.to_string()))?;
        Ok(Part { name: name.to_owned(), given, unit })
    }
}

/// The 64-bit FNV-1a hash. The unit has another checksum.
fn checksum(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use makespan::flow_shop::{Instance, Method, Options};

    use super::*;

    #[test]
    fn every_altered_or_missing_byte_is_noticed() {
        let options = Options { method: Method::BranchAndBound, ..Options::default() };
        let tree = Tree::new(Instance::named("ta001").unwrap(), &options).unwrap();
        let given = vec!["5e".to_owned(), "a0b".to_owned()];
        let part = Part { name: "0".into(), given: given.clone(), unit: tree.whole().unwrap() };
        let bytes = part.to_bytes().unwrap();
        let read = |bytes: &[u8]| Part::from_bytes(&tree, "0", Path::new("x"), bytes);
        let again = read(&bytes).unwrap();
        assert_eq!((again.given, again.unit.limit()), (given, part.unit.limit()));
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length}");
            let mut altered = bytes.clone();
            altered[length] ^= 1;
            assert!(read(&altered).is_err(), "{length}");
        }
        let newer = String::from_utf8_lossy(&bytes[..40]).replace("part 1", "part 2");
        let refused = read(format!("{newer}\n").as_bytes()).err().unwrap().to_string();
        assert_eq!(refused, "x: has an unknown version");
    }
}
