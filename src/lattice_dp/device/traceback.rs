use crate::lattice_dp::Path;
use crate::lattice_dp::cell::CellWidth;
use crate::lattice_dp::instance::{Instance, Packed, WORDS, fits};
use crate::opencl::{Buffer, Queue};
use crate::{Error, Result};

/// Traceback from the last cell to cell 0 by kernels; the layout is in cl/lattice_dp.cl. Any layout
/// of the table will do whose last cell is the box's last cell.
pub(in crate::lattice_dp) struct Traceback {
    width: CellWidth,
    words: Vec<u64>,
    /// The cell reached so far.
    packed: Packed,
    /// Value of the last cell, once it has been read.
    value: Option<u64>,
}

/// Words of the head, before the steps.
pub(in crate::lattice_dp) const TRACEBACK_HEAD: usize = 5;

/// The value that a persistent kernel writes if its groups waited for each other in vain.
pub(super) const WAITED_IN_VAIN: u64 = u64::MAX;

impl Traceback {
    pub(in crate::lattice_dp) fn new(instance: &Instance, width: CellWidth) -> Self {
        let mut words = vec![0; TRACEBACK_HEAD + instance.longest_path() as usize];
        let [low, high] = *instance.corner();
        words[..3].copy_from_slice(&[instance.cells() - 1, low, high]);
        Traceback { width, words, packed: *instance.corner(), value: None }
    }

    /// Words that a kernel may write.
    pub(in crate::lattice_dp) fn len(&self) -> usize {
        self.words.len()
    }

    /// Index of the cell reached so far.
    pub(in crate::lattice_dp) fn index(&self) -> u64 {
        self.words[0]
    }

    /// Whether no path leads to the cell where the traceback began.
    pub(super) fn is_unreachable(&self) -> bool {
        self.value == Some(self.width.unreachable().into())
    }

    pub(in crate::lattice_dp) fn packed(&self) -> Packed {
        self.packed
    }

    pub(in crate::lattice_dp) fn steps(&self) -> u32 {
        self.words[3] as u32
    }

    /// Whether the kernel wrote that its groups waited for each other in vain.
    pub(super) fn waited_in_vain(&self) -> bool {
        self.words[4] == WAITED_IN_VAIN
    }

    /// Reads the kernel's progress from position `at` of the buffer. Returns whether the traceback
    /// is complete: at cell 0, or at an unreachable last cell. The next launch starts at the cell
    /// that the kernel names; the host makes the same steps to check it. `place_of` gives a cell's
    /// place in the table.
    pub(in crate::lattice_dp) fn read(
        &mut self,
        instance: &Instance,
        place_of: &dyn Fn(&Packed) -> u64,
        (queue, buffer, at): (&Queue, &Buffer<u64>, usize),
    ) -> Result<bool> {
        let before = self.words[3] as usize;
        let (head, steps) = self.words.split_at_mut(TRACEBACK_HEAD);
        queue.read(buffer, at, head)?;
        // The buffer may lack the steps of earlier buffers.
        let wrong = || Error::device_wrong("a lattice value has no explanation");
        let new = steps.get_mut(before..head[3] as usize).ok_or_else(wrong)?;
        queue.read(buffer, at + TRACEBACK_HEAD + before, new)?;
        let value = *self.value.get_or_insert(self.words[4]);
        if value == self.width.unreachable().into() {
            return Ok(true);
        }
        let steps =
            self.words[TRACEBACK_HEAD..].get(before..self.words[3] as usize).ok_or_else(wrong)?;
        for &row in steps {
            let offset = instance.offsets().get(row as usize).ok_or_else(wrong)?;
            if !fits(&offset.packed, &self.packed, instance.guards()) {
                return Err(wrong());
            }
            (0..WORDS).for_each(|word| self.packed[word] -= offset.packed[word]);
        }
        let end = self.packed == [0; WORDS];
        let agrees =
            self.words[0] == place_of(&self.packed) && self.words[1..][..WORDS] == self.packed;
        if !agrees || !end && steps.is_empty() {
            return Err(wrong());
        }
        Ok(end)
    }

    /// The path; `None` if the last cell is unreachable.
    pub(in crate::lattice_dp) fn into_path(self, instance: &Instance) -> Result<Option<Path>> {
        let value = self.value.unwrap_or_default();
        if value == self.width.unreachable().into() {
            return Ok(None);
        }
        let rows = self.words[TRACEBACK_HEAD..].get(..self.words[3] as usize);
        let position =
            |&row: &u64| instance.offsets().get(row as usize).map(|offset| offset.position);
        let steps: Option<Vec<u32>> = rows.and_then(|rows| rows.iter().map(position).collect());
        let unknown = || Error::device_wrong("the lattice path names no offset");
        Ok(Some(Path { value: value as u16, steps: steps.ok_or_else(unknown)? }))
    }
}
