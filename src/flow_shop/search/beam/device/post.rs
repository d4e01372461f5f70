//! Numbers and nodes on their way between the devices of a pass.

use std::ops::Range;

use crate::context::{Letters, Seat};
use crate::opencl::{Buffer, Device, HostList, Queue};
use crate::{Error, Result};

/// Bytes of nodes that a device sends at once, while another one receives those sent before.
const PARCEL_BYTES: usize = 8 << 20;

/// The buffers of a level's nodes, each with the number of words of a node.
type Records<'a> = [(&'a Buffer<u32>, usize)];

/// What the members leave for each other.
pub(super) struct Post {
    members: usize,
    /// The words that each member sends to all others.
    letters: Letters<Vec<u32>>,
    /// The records of nodes that each member sends to another one.
    parcels: Letters<Option<HostList>>,
}

impl Post {
    pub(super) fn new(members: usize) -> Self {
        Post { members, letters: Letters::new(members), parcels: Letters::new(members) }
    }
}

/// A member's place at the post.
pub(super) struct Desk<'a> {
    post: &'a Post,
    pub(super) number: usize,
    seat: Seat<'a>,
    told: usize,
    sent: usize,
    /// Nodes that are sent at once.
    parcel: usize,
}

impl<'a> Desk<'a> {
    pub(super) fn new(post: &'a Post, number: usize, seat: Seat<'a>) -> Self {
        Desk { post, number, seat, told: 0, sent: 0, parcel: 1 }
    }

    /// Makes room for nodes with such records, for those of a level at most.
    pub(super) fn provide(
        &mut self,
        device: &Device,
        records: &Records<'_>,
        width: usize,
    ) -> Result<()> {
        let words: usize = records.iter().map(|(_, each)| each).sum();
        self.parcel = (PARCEL_BYTES / (4 * words).max(1)).clamp(1, width);
        for turn in 0..2 {
            let list = device.host_list(4 * words * self.parcel)?;
            *self.post.parcels.write(turn, self.number) = Some(list);
        }
        Ok(())
    }

    /// Sends these words to all members. Returns the words of each.
    pub(super) fn tell(&mut self, words: Vec<u32>) -> Result<Vec<Vec<u32>>> {
        let (letters, turn) = (&self.post.letters, self.told);
        self.told += 1;
        *letters.write(turn, self.number) = words;
        self.seat.meet()?;
        let members = self.post.members;
        Ok((0..members).map(|member| letters.read(turn, member).clone()).collect())
    }

    /// Moves the nodes of a level: each member has a range of them, and wants another one. The
    /// records of the level before are free.
    pub(super) fn exchange(
        &mut self,
        queue: &Queue,
        [new, old]: &[Vec<(&Buffer<u32>, usize)>; 2],
        present: &[Range<usize>],
        wanted: &[Range<usize>],
    ) -> Result<()> {
        // Nodes are sent from copies, since others may take their places meanwhile.
        let (has, wants) = (&present[self.number], &wanted[self.number]);
        let stays = common(has, wants);
        let [from, to] = [has, wants].map(|range| stays.start - range.start);
        let parcels = parcels(present, wanted, self.parcel);
        let shifts = from != to && !stays.is_empty();
        for (&(new, each), &(old, _)) in new.iter().zip(old) {
            if shifts || !parcels[self.number].is_empty() {
                queue.copy((new, 0), (old, 0), has.len() * each)?;
            }
            if shifts {
                queue.copy((old, from * each), (new, to * each), stays.len() * each)?;
            }
        }
        for round in 0..parcels.iter().map(Vec::len).max().unwrap_or(0) {
            if let Some((_, sent)) = parcels[self.number].get(round) {
                self.send(queue, old, sent.start - has.start, sent.len())?;
            }
            self.seat.meet()?;
            for (sender, list) in parcels.iter().enumerate() {
                let own = list.get(round).filter(|(receiver, _)| *receiver == self.number);
                if let Some((_, got)) = own {
                    self.receive(queue, sender, new, got.start - wants.start, got.len())?;
                }
            }
            self.sent += 1;
        }
        Ok(())
    }

    /// Puts the nodes from `first` on into the own parcel.
    fn send(&self, queue: &Queue, records: &Records<'_>, first: usize, count: usize) -> Result<()> {
        let mut parcel = self.post.parcels.write(self.sent, self.number);
        let bytes = parcel.as_deref_mut().ok_or_else(missing)?;
        let mut rest = bytemuck::try_cast_slice_mut(bytes).map_err(|_| missing())?;
        for &(buffer, each) in records {
            let words;
            (words, rest) = rest.split_at_mut(count * each);
            queue.read(buffer, first * each, words)?;
        }
        Ok(())
    }

    /// Takes nodes from a parcel, to the places from `first` on.
    fn receive(
        &self,
        queue: &Queue,
        sender: usize,
        records: &Records<'_>,
        first: usize,
        count: usize,
    ) -> Result<()> {
        let parcel = self.post.parcels.read(self.sent, sender);
        let bytes = parcel.as_deref().ok_or_else(missing)?;
        let mut rest = bytemuck::try_cast_slice(bytes).map_err(|_| missing())?;
        for &(buffer, each) in records {
            let words;
            (words, rest) = rest.split_at(count * each);
            queue.write(buffer, first * each, words)?;
        }
        Ok(())
    }
}

/// The parcels that each member sends: the receiver, and the nodes, of which none has more than
/// `most`.
fn parcels(
    present: &[Range<usize>],
    wanted: &[Range<usize>],
    most: usize,
) -> Vec<Vec<(usize, Range<usize>)>> {
    let from = |(sender, present): (usize, &Range<usize>)| {
        let others = wanted.iter().enumerate().filter(|&(receiver, _)| receiver != sender);
        let cut = |(receiver, wanted)| {
            let all = common(present, wanted);
            all.clone().step_by(most).map(move |begin| (receiver, begin..all.end.min(begin + most)))
        };
        others.flat_map(cut).collect()
    };
    present.iter().enumerate().map(from).collect()
}

fn missing() -> Box<Error> {
    Error::internal("a parcel of nodes without memory")
}

/// The ranges of members that have these numbers of nodes.
pub(super) fn ranges(counts: &[usize]) -> Vec<Range<usize>> {
    let mut begin = 0;
    let range = |&count: &usize| {
        let range = begin..begin + count;
        begin = range.end;
        range
    };
    counts.iter().map(range).collect()
}

fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parcels_bring_each_member_what_it_wants(
            (counts, shares, most) in (1..5usize).prop_flat_map(|members| {
                let counts = || prop::collection::vec(0..30usize, members);
                (counts(), counts(), 1..12usize)
            }),
        ) {
            let all: usize = counts.iter().sum();
            // Other ranges of the same nodes.
            let mut left = all;
            let mut wants: Vec<usize> = shares.iter().map(|&share| {
                let part = share.min(left);
                left -= part;
                part
            }).collect();
            wants[0] += left;
            let (present, wanted) = (ranges(&counts), ranges(&wants));
            let parcels = parcels(&present, &wanted, most);
            let mut owners: Vec<Option<usize>> = vec![None; all];
            for (member, (has, wants)) in present.iter().zip(&wanted).enumerate() {
                common(has, wants).for_each(|node| owners[node] = Some(member));
            }
            for (sender, list) in parcels.iter().enumerate() {
                for (receiver, nodes) in list {
                    prop_assert!((1..=most).contains(&nodes.len()));
                    for node in nodes.clone() {
                        prop_assert!(present[sender].contains(&node) && owners[node].is_none());
                        owners[node] = Some(*receiver);
                    }
                }
            }
            for (node, owner) in owners.iter().enumerate() {
                prop_assert!(owner.is_some_and(|owner| wanted[owner].contains(&node)));
            }
        }
    }
}
