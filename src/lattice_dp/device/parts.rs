use crate::lattice_dp::cell::CellWidth;
use crate::opencl::{ArgList, Buffer, Device, DeviceInfo, Parameter, Queue};
#[cfg(test)]
use crate::opencl::{Declared, Forms};
use crate::{Error, Result};

/// The most buffers that the kernels take for a table.
pub(super) const MAX_PARTS: u64 = 8;

/// A table on a device, in as many buffers as its size needs.
pub(super) struct Parts {
    width: CellWidth,
    buffers: Vec<Buffer<u8>>,
    /// Each buffer holds 2^shift cells; the last one may hold fewer.
    shift: u32,
    /// Number of buffers that the kernels are built for.
    parts: u64,
}

impl Parts {
    pub(super) fn new(device: &Device, cells: u64, width: CellWidth) -> Result<Self> {
        check_size(cells, width, device.info())?;
        let largest = device.info().max_allocation_bytes / width.bytes();
        let shift = if cells <= largest { MAX_SHIFT } else { largest.ilog2() };
        Parts::with_shift(device, cells, width, shift)
    }

    /// A table for kernels built for `parts` buffers. It must fit into the first of them.
    pub(super) fn for_kernels(
        device: &Device,
        cells: u64,
        width: CellWidth,
        (parts, shift): (u64, u32),
    ) -> Result<Self> {
        let shift = if parts == 1 { MAX_SHIFT } else { shift };
        Ok(Parts { parts, ..Parts::with_shift(device, cells, width, shift)? })
    }

    pub(super) fn with_shift(
        device: &Device,
        cells: u64,
        width: CellWidth,
        shift: u32,
    ) -> Result<Self> {
        let part = 1 << shift;
        let buffers = (0..cells.div_ceil(part))
            // At most the size of an allocation.
            .map(|index| device.buffer(((cells - index * part).min(part) * width.bytes()) as usize))
            .collect::<Result<Vec<_>>>()?;
        let parts = if buffers.len() == 1 { 1 } else { MAX_PARTS };
        Ok(Parts { width, buffers, shift, parts })
    }

    /// Defines for building the kernels.
    pub(super) fn defines(&self) -> [(&'static str, u64); 3] {
        if self.parts == 1 {
            return single(self.width);
        }
        [
            ("CELL_BYTES", self.width.bytes()),
            ("PARTS", self.parts),
            ("PART_SHIFT", self.shift.into()),
        ]
    }

    /// Writes the bytes of the first cells.
    pub(super) fn send(&self, queue: &Queue, cells: &[u8]) -> Result<()> {
        let part = usize::try_from(self.width.bytes() << self.shift).unwrap_or(usize::MAX);
        let pieces = self.buffers.iter().zip(cells.chunks(part));
        pieces.into_iter().try_for_each(|(buffer, piece)| queue.send(buffer, 0, piece.to_vec()))
    }

    /// Reads the bytes of cells from number `first` on.
    pub(super) fn read_from(&self, queue: &Queue, first: u64, cells: &mut [u8]) -> Result<()> {
        let part = u128::from(self.width.bytes()) << self.shift;
        let (mut begin, mut rest) = (u128::from(first * self.width.bytes()), cells);
        while !rest.is_empty() {
            let (number, offset) = ((begin / part) as usize, begin % part);
            let count = usize::try_from(part - offset).unwrap_or(usize::MAX).min(rest.len());
            let (now, later) = rest.split_at_mut(count);
            queue.read(&self.buffers[number], offset as usize, now)?;
            begin += count as u128;
            rest = later;
        }
        Ok(())
    }

    /// Writes the bytes of cells from number `first` on.
    pub(super) fn write_to(&self, queue: &Queue, first: u64, cells: &[u8]) -> Result<()> {
        let part = u128::from(self.width.bytes()) << self.shift;
        let (mut begin, mut rest) = (u128::from(first * self.width.bytes()), cells);
        while !rest.is_empty() {
            let (number, offset) = ((begin / part) as usize, begin % part);
            let count = usize::try_from(part - offset).unwrap_or(usize::MAX).min(rest.len());
            let (now, later) = rest.split_at(count);
            queue.write(&self.buffers[number], offset as usize, now)?;
            begin += count as u128;
            rest = later;
        }
        Ok(())
    }

    /// Copies cells from number `first` on to those of another table from `to_first` on. Both may be
    /// the same table if the ranges do not overlap.
    pub(super) fn copy(
        &self,
        queue: &Queue,
        first: u64,
        (to, to_first): (&Parts, u64),
        cells: u64,
    ) -> Result<()> {
        let place = |parts: &Parts, cell: u64| {
            let (number, cell) = (cell >> parts.shift, cell & ((1 << parts.shift) - 1));
            (number as usize, cell, (1 << parts.shift) - cell)
        };
        let mut done = 0;
        while done < cells {
            let (number, at, rest) = place(self, first + done);
            let (to_number, to_at, to_rest) = place(to, to_first + done);
            let count = rest.min(to_rest).min(cells - done);
            // At most the sizes of allocations.
            let [from_byte, to_byte, bytes] =
                [at, to_at, count].map(|cells| (cells * self.width.bytes()) as usize);
            let (from, to) = (&self.buffers[number], &to.buffers[to_number]);
            queue.copy((from, from_byte), (to, to_byte), bytes)?;
            done += count;
        }
        Ok(())
    }

    pub(super) fn width(&self) -> CellWidth {
        self.width
    }

    pub(super) fn read(&self, queue: &Queue) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        for buffer in &self.buffers {
            let mut cells = vec![0; buffer.len()];
            queue.read(buffer, 0, &mut cells)?;
            all.extend(cells);
        }
        Ok(all)
    }

    #[cfg(test)]
    pub(super) fn poison(&self, queue: &Queue) {
        self.buffers.iter().for_each(|buffer| queue.fill(buffer, 0, buffer.len(), 123).unwrap());
    }
}

/// Defines for kernels of tables in one buffer.
pub(super) fn single(width: CellWidth) -> [(&'static str, u64); 3] {
    [("CELL_BYTES", width.bytes()), ("PARTS", 1), ("PART_SHIFT", 0)]
}

/// The parameters that `TABLE` declares in cl/lattice_dp.cl.
impl Parameter for &Parts {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        let last = self.buffers.len() - 1;
        (0..self.parts as usize).for_each(|part| list.buffer(&self.buffers[part.min(last)]));
    }

    #[cfg(test)]
    fn forms(_: &'static str, _: Option<&'static str>) -> Forms {
        let part = |number| Declared {
            name: format!("part_{number}"),
            space: "global".into(),
            element: "cell_t".into(),
        };
        [1, MAX_PARTS].map(|parts| (0..parts).map(part).collect()).to_vec()
    }
}

/// With this shift, one buffer holds every table.
const MAX_SHIFT: u32 = 40;

/// Whether a device can hold a table of `bytes` bytes.
pub(in crate::lattice_dp) fn device_holds(bytes: u64, info: &DeviceInfo) -> bool {
    bytes <= info.global_memory_bytes
        && (bytes <= info.max_allocation_bytes
            || bytes.div_ceil(1 << info.max_allocation_bytes.max(1).ilog2()) <= MAX_PARTS)
}

fn check_size(cells: u64, width: CellWidth, info: &DeviceInfo) -> Result<()> {
    // Below 2^41.
    let required = cells * width.bytes();
    if device_holds(required, info) {
        return Ok(());
    }
    let what = format!("a lattice of {cells} cells on {}", info.name);
    Err(Box::new(Error::OutOfMemory {
        what,
        required: required.into(),
        limit: info.global_memory_bytes,
    }))
}
