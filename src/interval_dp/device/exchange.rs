//! Solved tiles on their way from each device to all others, through the host's memory: devices of
//! different contexts share no memory.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use super::fill::Share;
use super::kernels::Table;
use crate::context::{Meeting, Seat};
use crate::opencl::{Buffer, Kernel, Mark, Pinned, Queue, kernel_arguments};
use crate::{Error, Result};

/// Most work-items of a group that copies a tile.
const COPY_GROUP: usize = 256;

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
    /// The tiles of each device. A device may write those of a diagonal while others still read
    /// those of the last one, so there are two lists in turn.
    lists: [Vec<RwLock<Option<Pinned>>>; 2],
}

impl Exchange {
    /// Between devices with these shares of a table with `side` tiles along its edge.
    pub(super) fn new(shares: Vec<Share>, side: usize, tile_bytes: usize) -> Self {
        let empty = || shares.iter().map(|_| RwLock::new(None)).collect();
        let lists = [empty(), empty()];
        Exchange { shares, side, tile_bytes, lists }
    }
}

/// A device's side of the exchange.
pub(super) struct Trader<'a> {
    exchange: &'a Exchange,
    /// The device's number, and its place at the meetings.
    number: usize,
    seat: Seat<'a>,
    table: &'a Table<'a>,
    /// Copies tiles while the table's queue computes.
    copies: Queue,
    pack: Kernel<Pack<'static>>,
    unpack: Kernel<Unpack<'static>>,
    /// Work-items of a group that copies a tile.
    group: usize,
    /// The tiles of a diagonal on the device.
    tiles: Buffer<u8>,
}

impl<'a> Trader<'a> {
    pub(super) fn new(
        exchange: &'a Exchange,
        (number, seat): (usize, Seat<'a>),
        table: &'a Table<'a>,
    ) -> Result<Self> {
        let (pack, unpack): (Kernel<Pack<'static>>, Kernel<Unpack<'static>>) =
            (table.program.kernel()?, table.program.kernel()?);
        let largest = pack.max_work_group_size().min(unpack.max_work_group_size());
        let tiles = table.device.buffer(exchange.side * exchange.tile_bytes)?;
        let (copies, group) = (table.device.queue(), COPY_GROUP.min(largest));
        let most = exchange.shares[number].most(exchange.side.saturating_sub(1));
        for lists in &exchange.lists {
            let list = table.device.pinned(most * exchange.tile_bytes)?;
            *lists[number].write().unwrap_or_else(PoisonError::into_inner) = Some(list);
        }
        Ok(Trader { exchange, number, seat, table, copies, pack, unpack, group, tiles })
    }

    /// Collects the share's tiles at this distance, which the queue has been given to solve. The
    /// mark is their end.
    pub(super) fn pack(&self, distance: usize) -> Result<Mark> {
        let share = self.exchange.shares[self.number].of(self.exchange.side - distance);
        let arguments = Pack {
            cells: self.table.cells().cells,
            distance: distance as u32,
            first: share.start as u32,
            tiles: &self.tiles,
        };
        let size = [share.len() * self.group];
        self.table.queue.launch(&self.pack, &arguments, size, [self.group])?;
        self.table.queue.mark()
    }

    /// Gives the packed tiles to the other devices, and puts theirs into the table. The table's
    /// queue works on meanwhile.
    pub(super) fn trade(&self, distance: usize, packed: &Mark) -> Result<()> {
        let Exchange { shares, side, tile_bytes, lists } = self.exchange;
        let (lists, diagonal) = (&lists[distance % 2], side - distance);
        packed.wait()?;
        {
            let own = shares[self.number].of(diagonal);
            let mut list = lists[self.number].write().unwrap_or_else(PoisonError::into_inner);
            let list = list.as_mut().ok_or_else(missing)?;
            let list = &mut list[..own.len() * tile_bytes];
            self.copies.read(&self.tiles, own.start * tile_bytes, list)?;
        }
        self.seat.meet()?;
        for (number, (list, share)) in lists.iter().zip(shares).enumerate() {
            let given = share.of(diagonal);
            if number == self.number || given.is_empty() {
                continue;
            }
            let list = list.read().unwrap_or_else(PoisonError::into_inner);
            let list = list.as_ref().ok_or_else(missing)?;
            let list = &list[..given.len() * tile_bytes];
            self.copies.write(&self.tiles, given.start * tile_bytes, list)?;
            self.unpack(distance, given)?;
        }
        Ok(())
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

/// Takes all solved tiles off a table and puts them back, for the self-test.
pub(super) fn take_off_and_put_back(table: &Table<'_>, tile: usize) -> Result<()> {
    let (side, bytes) = (table.points.div_ceil(tile), tile * tile * table.cell_type.bytes());
    let exchange = Exchange::new(vec![Share::WHOLE], side, bytes);
    let meeting = Meeting::of(1, table.monitor);
    let seat = meeting.seats().remove(0);
    let trader = Trader::new(&exchange, (0, seat), table)?;
    let cells = table.cells().cells;
    for distance in 1..side {
        trader.pack(distance)?;
        for p in 0..side - distance {
            let q = p + distance;
            table.queue.fill(cells, (q * (q + 1) / 2 + p) * bytes, bytes, 0)?;
        }
        trader.unpack(distance, 0..side - distance)?;
    }
    Ok(())
}
