//! Solved tiles on their way from each device to all others, through the host's memory: devices of
//! different contexts share no memory.

use std::ops::Range;

use super::fill::Share;
use super::kernels::Table;
use crate::context::{Letters, Seat};
use crate::opencl::{Buffer, HostList, Kernel, Mark, Queue, kernel_arguments};
use crate::{Error, Result};

kernel_arguments! {
    /// Copies tiles of a diagonal from row `first` on from the table to a list.
    pub(super) struct Pack<'a> = "interval_pack" {
        cells: &'a Buffer<u8> as VALUE,
        distance: u32,
        first: u32,
        tiles: &'a Buffer<u8> as VALUE,
    }

    /// Copies such tiles from the list to the table.
    pub(super) struct Unpack<'a> = "interval_unpack" {
        cells: &'a Buffer<u8> as VALUE,
        distance: u32,
        first: u32,
        tiles: &'a Buffer<u8> as VALUE,
    }
}

/// Where devices that fill one table meet after each diagonal.
pub(super) struct Exchange {
    shares: Vec<Share>,
    /// Tiles along the edge of the table.
    side: usize,
    tile_bytes: usize,
    /// The tiles of each device, with a turn for each diagonal.
    lists: Letters<Option<HostList>>,
}

impl Exchange {
    /// Between devices with these shares of a table with `side` tiles along its edge.
    pub(super) fn new(shares: Vec<Share>, side: usize, tile_bytes: usize) -> Self {
        let lists = Letters::new(shares.len());
        Exchange { shares, side, tile_bytes, lists }
    }
}

/// A device's side of the exchange.
pub(super) struct Trader<'a> {
    exchange: &'a Exchange,
    /// The device's number, and its place at the meetings.
    number: usize,
    seat: Seat<'a>,
    list: TileList<'a>,
}

impl<'a> Trader<'a> {
    pub(super) fn new(
        exchange: &'a Exchange,
        (number, seat): (usize, Seat<'a>),
        table: &'a Table<'a>,
    ) -> Result<Self> {
        let most = exchange.shares[number].most(exchange.side.saturating_sub(1));
        for turn in 0..2 {
            let list = table.device.host_list(most * exchange.tile_bytes)?;
            *exchange.lists.write(turn, number) = Some(list);
        }
        let list = TileList::new(table, exchange.side, exchange.tile_bytes)?;
        Ok(Trader { exchange, number, seat, list })
    }

    /// Collects the share's tiles at this distance, which the queue has been given to solve. The
    /// mark is their end.
    pub(super) fn pack(&self, distance: usize) -> Result<Mark> {
        let share = self.exchange.shares[self.number].of(self.exchange.side - distance);
        self.list.pack(distance, share)?;
        self.list.table.queue.mark()
    }

    /// Gives the packed tiles to the other devices, and puts theirs into the table. The table's
    /// queue works on meanwhile.
    pub(super) fn trade(&self, distance: usize, packed: &Mark) -> Result<()> {
        let Exchange { shares, side, tile_bytes, lists } = self.exchange;
        let diagonal = side - distance;
        packed.wait()?;
        {
            let own = shares[self.number].of(diagonal);
            let mut list = lists.write(distance, self.number);
            let list = list.as_mut().ok_or_else(missing)?;
            let list = &mut list[..own.len() * tile_bytes];
            self.list.copies.read(&self.list.tiles, own.start * tile_bytes, list)?;
        }
        self.seat.meet()?;
        for (number, share) in shares.iter().enumerate() {
            let given = share.of(diagonal);
            if number == self.number || given.is_empty() {
                continue;
            }
            let list = lists.read(distance, number);
            let list = list.as_ref().ok_or_else(missing)?;
            let list = &list[..given.len() * tile_bytes];
            self.list.copies.write(&self.list.tiles, given.start * tile_bytes, list)?;
            self.list.unpack(distance, given)?;
        }
        Ok(())
    }
}

/// The tiles of a diagonal in a list on the device.
struct TileList<'a> {
    table: &'a Table<'a>,
    /// Copies tiles while the table's queue computes.
    copies: Queue,
    pack: Kernel<Pack<'static>>,
    unpack: Kernel<Unpack<'static>>,
    /// Work-items of a group that copies a tile.
    group: usize,
    tiles: Buffer<u8>,
}

impl<'a> TileList<'a> {
    /// For a table with `side` tiles along its edge.
    fn new(table: &'a Table<'a>, side: usize, tile_bytes: usize) -> Result<Self> {
        let (pack, unpack): (Kernel<Pack<'static>>, Kernel<Unpack<'static>>) =
            (table.program.kernel()?, table.program.kernel()?);
        let tiles = table.device.buffer(side * tile_bytes)?;
        let (copies, group) =
            (table.device.queue(), pack.group("COPY_GROUP").min(unpack.max_work_group_size()));
        Ok(TileList { table, copies, pack, unpack, group, tiles })
    }

    /// Copies these tiles of a diagonal to the list.
    fn pack(&self, distance: usize, rows: Range<usize>) -> Result<()> {
        let arguments = Pack {
            cells: self.table.cells().cells,
            distance: distance as u32,
            first: rows.start as u32,
            tiles: &self.tiles,
        };
        let size = [rows.len() * self.group];
        self.table.queue.launch(&self.pack, &arguments, size, [self.group])
    }

    /// Puts tiles of a diagonal into the table.
    fn unpack(&self, distance: usize, rows: Range<usize>) -> Result<()> {
        let arguments = Unpack {
            cells: self.table.cells().cells,
            distance: distance as u32,
            first: rows.start as u32,
            tiles: &self.tiles,
        };
        let size = [rows.len() * self.group];
        self.table.queue.launch(&self.unpack, &arguments, size, [self.group])
    }
}

fn missing() -> Box<Error> {
    Error::internal("a device without a list of tiles")
}

/// Takes all solved tiles off a table and puts them back, for the self-test. It needs no memory of
/// the host: one device alone solves tables without it.
pub(super) fn take_off_and_put_back(table: &Table<'_>, tile: usize) -> Result<()> {
    let (side, bytes) = (table.points.div_ceil(tile), tile * tile * table.cell_type.bytes());
    let list = TileList::new(table, side, bytes)?;
    let cells = table.cells().cells;
    for distance in 1..side {
        list.pack(distance, 0..side - distance)?;
        for p in 0..side - distance {
            let q = p + distance;
            table.queue.fill(cells, (q * (q + 1) / 2 + p) * bytes, bytes, 0)?;
        }
        list.unpack(distance, 0..side - distance)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval_dp::Semiring;
    use crate::interval_dp::device::FAMILY;
    use crate::interval_dp::device::fill::fill;
    use crate::interval_dp::device::instance::device_instance;
    use crate::interval_dp::device::kernels::{Layout, Tiling};
    use crate::interval_dp::semiring::CellType;
    use crate::interval_dp::testing::instance;
    use crate::interval_dp::view::Request;
    use crate::opencl::testing::test_devices;
    use crate::testing::monitor;

    #[test]
    fn tiles_come_back_on_a_device_without_pinned_memory() {
        let tiling = Tiling { tile: 8, block: 2, panel: 4 };
        for device in test_devices() {
            device.refuse_to_pin();
            let (chain, monitor) = (instance(29, Semiring::MinPlus, 1, 1, 5), monitor());
            let request = Request::new(&chain, &[]);
            let in_cells = device_instance(&request.view, CellType::I32, tiling.tile).unwrap();
            let layout = Layout::Triangle(tiling);
            let table = Table::new(&device, &*in_cells, layout, &FAMILY, &monitor).unwrap();
            fill(&table, tiling, None).unwrap();
            let before = table.all().unwrap();
            take_off_and_put_back(&table, tiling.tile).unwrap();
            assert_eq!(table.all().unwrap(), before);
            assert_eq!(device.host_list(3).unwrap()[..], [0; 3]);
        }
    }
}
