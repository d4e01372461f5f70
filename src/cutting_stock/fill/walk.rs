use super::Items;
use super::sums::Sums;
use crate::Result;
use crate::memory::Gather;

/// Kinds, ascending, with how often each is cut.
pub(super) type Cuts = Vec<(u32, u32)>;

/// A walk through the patterns of a piece, depth first: its kinds ascend, so that each pattern is
/// met once.
pub(super) struct Walk<'a> {
    items: &'a Items,
    sums: &'a Sums,
    /// Items left without those of the pattern.
    counts: Vec<u32>,
    /// The kinds cut, one for each item.
    cut: Vec<usize>,
    /// Length left of the piece.
    room: u64,
    /// What may be left of it in the end.
    waste: u64,
    /// Items that a pattern may have at most.
    most: usize,
    /// The kind that may be cut next, or one after it.
    from: usize,
}

impl<'a> Walk<'a> {
    /// A walk through patterns of at most `most` items.
    pub(super) fn new(items: &'a Items, sums: &'a Sums, most: usize) -> Self {
        let counts = items.counts.clone();
        Walk { items, sums, counts, cut: Vec::new(), room: 0, waste: 0, most, from: 0 }
    }

    /// Starts with an item of this kind in a piece of length `room`; at most the waste is to be
    /// left of it.
    pub(super) fn start(&mut self, first: usize, room: u64, waste: u64) {
        (self.room, self.waste) = (room, waste);
        self.take(first);
    }

    /// Cuts the longest item that can lead to little enough waste, or one after it while `skips`
    /// says so. False if there is none.
    pub(super) fn forward(&mut self, mut skips: impl FnMut() -> bool) -> bool {
        let fitting =
            self.items.lengths.partition_point(|&length| length > self.room).max(self.from);
        let more = (self.most - self.cut.len()) as u64;
        if more == 0 {
            return false;
        }
        let mut chosen = None;
        for kind in fitting..self.items.lengths.len() {
            // What this kind and shorter ones can't fill, those alone can't either.
            let longest = self.items.lengths[kind].saturating_mul(more);
            if longest.saturating_add(self.waste) < self.room || !self.can_fill(kind, self.room) {
                break;
            }
            if self.counts[kind] > 0 && self.can_fill(kind, self.room - self.items.lengths[kind]) {
                chosen = Some(kind);
                if !skips() {
                    break;
                }
            }
        }
        chosen.map(|kind| self.take(kind)).is_some()
    }

    /// Takes the last item back; the next cut is a shorter one. False if that was the first item.
    pub(super) fn back(&mut self) -> bool {
        let Some(kind) = self.cut.pop() else { return false };
        self.counts[kind] += 1;
        self.room += self.items.lengths[kind];
        self.from = kind + 1;
        !self.cut.is_empty()
    }

    pub(super) fn room(&self) -> u64 {
        self.room
    }

    pub(super) fn cuts(&self) -> Result<Cuts> {
        self.cut.chunk_by(|a, b| a == b).map(|run| (run[0] as u32, run.len() as u32)).gather()
    }

    fn can_fill(&self, kind: usize, room: u64) -> bool {
        self.sums.greatest(kind, room, self.waste).is_some()
    }

    fn take(&mut self, kind: usize) {
        self.counts[kind] -= 1;
        self.room -= self.items.lengths[kind];
        self.cut.push(kind);
        self.from = kind;
    }
}
