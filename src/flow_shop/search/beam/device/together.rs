//! A pass on several devices, each with a part of the nodes of every level.
//!
//! The nodes of a level have the order that one device would give them, and each device has a range
//! of it. A device expands its own nodes. The devices then exchange the numbers of children that
//! they have of each digit of the ranks, so that all of them find the same last rank to keep. Of
//! children with this rank the first ones in the order are kept. So a pass keeps the same children
//! on any number of devices. Nodes move through the host to another device where the next level
//! would be shared unevenly.

use std::ops::Range;

use super::levels::{DIGITS, NONE, ROUNDS, digit_bits};
use super::post::{Desk, Post, ranges};
use super::{DeviceNodes, Levels, Size, expand, grow, order_of};
use crate::context::{Failure, Meeting, all_of, rates, shares, side_by_side, wrong};
use crate::flow_shop::search::beam::{DeviceTree, Reached};
use crate::opencl::{Device, Queue};
use crate::{Error, Pacer, Result};

/// Nodes of a level below which no node moves.
const LEAST_TO_MOVE: usize = 4096;
/// Nodes move if a device lacks, or has too many by, this part of an equal share.
const UNEVEN: usize = 8;

/// Devices that run passes together.
pub(in crate::flow_shop) struct Together<'d> {
    devices: &'d [&'d Device],
    rates: Vec<f64>,
    least_to_move: usize,
}

impl<'d> Together<'d> {
    /// The devices, with equal parts for those of one name, else by their rates.
    pub(in crate::flow_shop) fn new(devices: &'d [&'d Device]) -> Self {
        let rates = rates(devices, |speeds| speeds.add_min_rate);
        Together { devices, rates, least_to_move: LEAST_TO_MOVE }
    }

    /// For tests: nodes move however few there are, to parts by these rates.
    #[cfg(test)]
    pub(in crate::flow_shop) fn moving_all(devices: &'d [&'d Device], rates: Vec<f64>) -> Self {
        Together { devices, rates, least_to_move: 0 }
    }

    /// Runs a pass. The first device's thread passes the number of complete levels to `progress`.
    pub(in crate::flow_shop) fn run<T: DeviceTree>(
        &self,
        tree: &T,
        width: usize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> std::result::Result<Reached, Failure> {
        let members = self.devices.len();
        let (meeting, post) = (Meeting::of(members, tree.monitor()), Post::new(members));
        let (post, rates) = (&post, &self.rates[..]);
        let least_to_move = self.least_to_move;
        let part = |(number, (device, seat)): (usize, (&'d Device, _))| {
            let mut desk = Desk::new(post, number, seat);
            move || -> Result<Option<Reached>> {
                let queue = device.queue();
                let (levels, nodes) = tree.prepare(device, &queue, width)?;
                let pacer = Pacer::new(&queue, tree.monitor(), "beam");
                let (size, levels, nodes) = (levels.size(), &levels, &nodes);
                desk.provide(device, &nodes.records(0), size.width)?;
                let queue = &queue;
                Member { desk, queue, levels, nodes, pacer, size, rates, least_to_move }
                    .run(progress)
            }
        };
        let parts = self.devices.iter().copied().zip(meeting.seats()).enumerate();
        let reached = all_of(side_by_side(tree.monitor(), parts.map(part)))?;
        let first = reached.into_iter().flatten().next();
        first.ok_or_else(|| (0, Error::internal("a pass without a device")))
    }
}

/// A device in a pass.
struct Member<'a, N> {
    desk: Desk<'a>,
    queue: &'a Queue,
    levels: &'a Levels,
    nodes: &'a N,
    pacer: Pacer<'a>,
    size: Size,
    rates: &'a [f64],
    least_to_move: usize,
}

/// How many nodes each member has of a level, and how many of the next one it grows.
type Trail = Vec<(Vec<usize>, Vec<usize>)>;

impl<N: DeviceNodes> Member<'_, N> {
    /// Runs the pass; the first member has the result.
    fn run(mut self, progress: &(dyn Fn(usize) + Sync)) -> Result<Option<Reached>> {
        let (jobs, members, me) = (self.size.jobs, self.rates.len(), self.desk.number);
        let mut counts: Vec<usize> = (0..members).map(|member| usize::from(member == 0)).collect();
        self.levels.set_nodes(self.queue, 0, counts[me])?;
        let (mut trail, mut dropped) = (Trail::new(), false);
        for depth in 0..jobs {
            let is_last = depth + 1 == jobs;
            let width = if is_last { 1 } else { self.size.width };
            let children = counts[me] * (jobs - depth);
            let Member { queue, levels, nodes, size, .. } = self;
            expand(nodes, (queue, levels), &mut self.pacer, size, depth, counts[me])?;
            let cut = self.cut(depth, children, width)?;
            dropped |= cut.drops() && !is_last;
            let (kept, wanted) = cut.shared();
            levels.keep(queue, &mut self.pacer, depth, children, [cut.rank, wanted[me]])?;
            grow(nodes, (queue, levels), &mut self.pacer, size, depth, kept[me])?;
            self.agree_on_least(depth + 1, kept[me])?;
            let total: usize = kept.iter().sum();
            let next = match is_last {
                true => kept.clone(),
                false => self.balance(depth + 1, &kept)?,
            };
            trail.push((std::mem::replace(&mut counts, next), kept));
            if me == 0 {
                progress(depth + 1);
            }
            if total == 0 {
                break;
            }
        }
        let generated = self.levels.counts(self.queue)?.children;
        let words = vec![generated as u32, (generated >> 32) as u32];
        let all = self.desk.tell(words)?;
        let children =
            all.iter().map(|words| u64::from(words[0]) | u64::from(words[1]) << 32).sum();
        let is_found = counts.iter().any(|&count| count > 0);
        let order = if is_found { Some(self.trace(&trail)?) } else { None };
        Ok((me == 0).then_some(Reached { order, exhaustive: !dropped, children }))
    }

    /// The last rank to keep of all members' children.
    fn cut(&mut self, depth: usize, children: usize, width: usize) -> Result<Cut> {
        let mut cut = Cut::new(self.rates.len(), width);
        for round in 0..ROUNDS {
            let Member { queue, levels, .. } = self;
            let tallies =
                levels.tallied(queue, &mut self.pacer, (depth, children), round, cut.rank)?;
            let all = self.desk.tell(tallies)?;
            if cut.narrow(&all, round)? {
                break;
            }
        }
        Ok(cut)
    }

    /// Replaces the least of a member's nodes by the least of all, if the tree has one.
    fn agree_on_least(&mut self, depth: usize, grown: usize) -> Result<()> {
        if !N::HAS_LEAST {
            return Ok(());
        }
        let own = if grown > 0 { self.levels.least(self.queue, depth)? } else { u32::MAX };
        let all = self.desk.tell(vec![own])?;
        let least = all.iter().flatten().copied().min().unwrap_or(u32::MAX);
        self.levels.set_least(self.queue, depth, least)
    }

    /// Moves nodes of a level so that each member has its share. Returns how many each one has.
    fn balance(&mut self, depth: usize, grown: &[usize]) -> Result<Vec<usize>> {
        let (me, total) = (self.desk.number, grown.iter().sum::<usize>());
        let (present, wanted) = (ranges(grown), shares(total, self.rates));
        let is_even = |(has, wanted): (&usize, &Range<usize>)| {
            has.abs_diff(wanted.len()) * UNEVEN * grown.len() <= total
        };
        if total < self.least_to_move || grown.iter().zip(&wanted).all(is_even) {
            return Ok(grown.to_vec());
        }
        let records = [self.nodes.records(depth), self.nodes.records(depth + 1)];
        self.desk.exchange(self.queue, &records, &present, &wanted)?;
        self.levels.set_nodes(self.queue, depth, wanted[me].len())?;
        Ok(wanted.into_iter().map(|range| range.len()).collect())
    }

    /// The order that leads to the only node of the last level. Each step is on the device that
    /// grew the node.
    fn trace(&mut self, trail: &Trail) -> Result<Vec<u32>> {
        let (mut node, mut steps) = (0, Vec::new());
        for (depth, (counts, grown)) in trail.iter().enumerate().rev() {
            let ranges = ranges(grown);
            let owner = ranges.iter().position(|range| range.contains(&node));
            let owner = owner.ok_or_else(|| wrong("the nodes of a beam"))?;
            let words = match owner == self.desk.number {
                true => self.levels.step(self.queue, depth, node - ranges[owner].start)?.to_vec(),
                false => Vec::new(),
            };
            let all = self.desk.tell(words)?;
            let (parent, step) = (all[owner][0] as usize, all[owner][1]);
            if parent >= counts[owner] {
                return Err(wrong("the parent of a beam's node"));
            }
            node = counts[..owner].iter().sum::<usize>() + parent;
            steps.push(step);
        }
        steps.reverse();
        order_of(&steps, self.size.jobs)
    }
}

/// Which children of a level are kept, as far as it is known.
struct Cut {
    /// The last rank to keep or its known digits; [`NONE`] if all children are kept.
    rank: u32,
    /// Children with that beginning of their rank to keep, of all members together.
    left: u64,
    /// Children of each member that rank before, and those that have that beginning.
    before: Vec<usize>,
    ties: Vec<u64>,
}

impl Cut {
    fn new(members: usize, width: usize) -> Self {
        Cut { rank: 0, left: width as u64, before: vec![0; members], ties: vec![0; members] }
    }

    /// Finds the next digit by the numbers of children by this digit; whether the rank is known.
    fn narrow(&mut self, tallies: &[Vec<u32>], round: u32) -> Result<bool> {
        let total =
            |digit: usize| tallies.iter().map(|tallies| u64::from(tallies[digit])).sum::<u64>();
        if round == 0 && (0..DIGITS).map(total).sum::<u64>() <= self.left {
            self.add_before(tallies, DIGITS);
            (self.rank, self.left) = (NONE, 0);
            return Ok(true);
        }
        let mut earlier = 0;
        let is_reached = |digit: &usize| {
            let here = total(*digit);
            let is_last = earlier + here >= self.left;
            earlier += if is_last { 0 } else { here };
            is_last
        };
        let digit = (0..DIGITS).find(is_reached).ok_or_else(|| wrong("the ranks of a beam"))?;
        self.left -= earlier;
        self.add_before(tallies, digit);
        self.ties = tallies.iter().map(|tallies| tallies[digit].into()).collect();
        let known = if round == 0 { 0 } else { self.rank << digit_bits(round) };
        self.rank = known | digit as u32;
        Ok(round + 1 == ROUNDS)
    }

    fn add_before(&mut self, tallies: &[Vec<u32>], digit: usize) {
        for (before, tallies) in self.before.iter_mut().zip(tallies) {
            *before += tallies[..digit].iter().map(|&count| count as usize).sum::<usize>();
        }
    }

    /// Whether children are dropped.
    fn drops(&self) -> bool {
        self.rank != NONE
    }

    /// How many children each member keeps, and how many of them have the last rank.
    fn shared(&self) -> (Vec<usize>, Vec<u32>) {
        let mut left = self.left;
        let members = self.before.iter().zip(&self.ties);
        let share = |(&before, &ties): (&usize, &u64)| {
            let wanted = ties.min(left);
            left -= wanted;
            (before + wanted as usize, wanted as u32)
        };
        members.map(share).unzip()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The tallies of ranks by a digit, of those with the known digits.
    fn tallied(ranks: &[u32], round: u32, known: u32) -> Vec<u32> {
        let low = [21, 10, 0][round as usize];
        let mut tallies = vec![0; DIGITS];
        for &rank in ranks {
            let is_known = round == 0 || rank >> (low + digit_bits(round)) == known;
            if is_known {
                tallies[(rank >> low & ((1 << digit_bits(round)) - 1)) as usize] += 1;
            }
        }
        tallies
    }

    proptest! {
        #[test]
        fn the_first_children_of_the_best_ranks_are_kept(
            lists in proptest::collection::vec(
                proptest::collection::vec(
                    prop_oneof![0u32..5, 1023u32..1026, 0u32..NONE], 0..40,
                ),
                1..4,
            ),
            width in 1usize..60,
        ) {
            let mut cut = Cut::new(lists.len(), width);
            for round in 0..ROUNDS {
                let tallies: Vec<_> =
                    lists.iter().map(|ranks| tallied(ranks, round, cut.rank)).collect();
                if cut.narrow(&tallies, round).unwrap() {
                    break;
                }
            }
            let mut all: Vec<(u32, usize)> = lists
                .iter()
                .enumerate()
                .flat_map(|(member, ranks)| ranks.iter().map(move |&rank| (rank, member)))
                .collect();
            // Stable: children with one rank stay in order.
            all.sort_by_key(|&(rank, _)| rank);
            prop_assert_eq!(cut.drops(), all.len() > width);
            all.truncate(width);
            let (kept, wanted) = cut.shared();
            for member in 0..lists.len() {
                let of_member = all.iter().filter(|&&(_, of)| of == member);
                let last = of_member.clone().filter(|&&(rank, _)| rank == cut.rank).count();
                prop_assert_eq!(kept[member], of_member.count());
                prop_assert_eq!(wanted[member] as usize, last);
            }
        }
    }
}
