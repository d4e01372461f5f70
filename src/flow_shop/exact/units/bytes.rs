//! A unit as bytes: a form of the checkpoint whose own bytes are the digest of the options and the
//! epoch, little-endian.

use std::path::Path;

use super::{Checkpoint, Makespan, Tree, Unit};
use crate::flow_shop::exact::checkpoint::{Fault, Form};
use crate::solve::{Monitor, SolveOptions};
use crate::{Error, Result};

const UNIT: Form<'_> = Form {
    magic: b"mksfsun\n",
    version: 1,
    no_such: "is no unit of a flow shop's search",
    own_bytes: 32 + 8,
};

impl Tree {
    /// Reads the bytes of a unit of this tree. A checksum detects damaged bytes, but not forged
    /// ones: the library believes what a unit claims to be proved.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the bytes are damaged, of another version, or belong to another
    /// instance or to other options; [`Error::OutOfMemory`].
    pub fn read(&self, bytes: &[u8]) -> Result<Unit> {
        let monitor = Monitor::new(&SolveOptions::default());
        let read = Checkpoint::from_form::<Makespan<'_>>(
            &UNIT,
            &self.0.instance_digest,
            self.instance(),
            bytes,
            |bytes| monitor.has_memory(bytes),
        );
        let (own, search) = read.map_err(|fault| match fault {
            Fault::Content(reason) => Error::argument("unit", reason),
            Fault::Size(required) => monitor.out_of_memory(required, "the unit".into()),
        })?;
        let (options, epoch) = own.split_at(32);
        if options != self.0.options_digest {
            return Err(Error::argument("unit", "belongs to a search with other options"));
        }
        let epoch = epoch.try_into().map(u64::from_le_bytes).unwrap_or(0);
        Ok(self.unit(search).with_epoch(epoch))
    }
}

impl Unit {
    /// The unit as bytes for [`Tree::read`]. They are the same on every machine.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let shared = &*self.tree.0;
        let own = [&shared.options_digest[..], &self.epoch.to_le_bytes()].concat();
        self.search.to_form(&UNIT, &own, &shared.instance_digest)
    }

    /// Writes the unit as a checkpoint of [`solve`](crate::flow_shop::solve), which continues it.
    /// Only a unit that is the whole proof makes a checkpoint of the instance: what other units
    /// hold counts as done.
    ///
    /// # Errors
    /// [`Error::Io`], and the old file is then unchanged; [`Error::OutOfMemory`].
    pub fn write_checkpoint(&self, path: &Path) -> Result<()> {
        self.search.write::<Makespan<'_>>(self.tree.instance(), path)
    }
}

/// Reads the fuzzer's data, both unchanged and with a valid header and checksum. Splits, merges,
/// writes and reads again every unit that was read.
#[cfg(any(test, fuzzing))]
pub(in crate::flow_shop::exact) fn fuzz(data: &[u8]) {
    use sha2::{Digest, Sha256};

    use crate::flow_shop::{Instance, Method, Options};

    let instance = Instance::new(5, 3, vec![3, 9, 4, 7, 2, 8, 6, 5, 1, 4, 4, 4, 9, 1, 5]);
    let options = Options { method: Method::BranchAndBound, ..Options::default() };
    let tree = instance.and_then(|instance| Tree::new(instance, &options)).expect("it is valid");
    let shared = &*tree.0;
    let header = [
        &UNIT.magic[..],
        &UNIT.version.to_le_bytes(),
        &shared.options_digest,
        &7u64.to_le_bytes(),
        &shared.instance_digest,
    ];
    let forged = [&header.concat()[..], data].concat();
    let forged = [&forged[..], &Sha256::digest(&forged)].concat();
    for bytes in [data, &forged] {
        let Ok(unit) = tree.read(bytes) else { continue };
        let again = tree.read(&unit.to_bytes().expect("there is memory")).expect("it was written");
        assert!(again.search == unit.search && again.epoch == unit.epoch);
        // Forged nodes may overlap. The parts have the same ones, or those below them.
        let open = unit.open_nodes();
        let parts = unit.split(2).expect("there is memory");
        let whole = parts.into_iter().reduce(|one, other| one.merge(other).expect("of one tree"));
        assert!(whole.is_some_and(|whole| whole.is_done() || open > 0));
    }
}
