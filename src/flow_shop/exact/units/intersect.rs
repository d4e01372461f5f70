//! The part of a unit that a remainder leaves open.
//!
//! A node represents all sequences with its first and its last jobs. In one tree two nodes are
//! disjoint, or one is below the other. The deeper one is then their intersection.

use std::collections::BTreeMap;

use super::Unit;
use crate::flow_shop::end::End;
use crate::flow_shop::exact::node::Open;
use crate::memory::Grow;
use crate::{Error, Result};

impl Unit {
    /// Removes from this unit what is no longer open in `remainder`: what is left of the same unit
    /// after a run, or was left of it before parts of it were given to others. Takes over the
    /// remainder's schedule and limit, but not its counts of work.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the remainder has another epoch or none, or belongs to another
    /// tree. The unit is then unchanged.
    pub fn intersect(&mut self, remainder: &Unit) -> Result<()> {
        if self.epoch != remainder.epoch || self.epoch == 0 {
            let reason =
                format!("is of epoch {}, the unit is of epoch {}", remainder.epoch, self.epoch);
            return Err(Error::argument("remainder", reason));
        }
        let common = common(&self.search.open, &remainder.search.open)?;
        self.take_knowledge(remainder).map_err(|error| error.about("remainder"))?;
        self.search.open = common.into();
        self.drop_closed();
        Ok(())
    }
}

/// Nodes of two lists that agree in their first `front` and their last `back` jobs.
struct Group<'n> {
    one: Vec<&'n Open>,
    other: Vec<&'n Open>,
    front: usize,
    back: usize,
}

/// The nodes of each list that are below a node of the other one, or equal to it.
fn common(one: &[Open], other: &[Open]) -> Result<Vec<Open>> {
    let mut found = Vec::new();
    let mut groups =
        vec![Group { one: one.iter().collect(), other: other.iter().collect(), front: 0, back: 0 }];
    while let Some(group) = groups.pop() {
        let Group { one, other, front, back } = &group;
        let is_whole = |node: &&Open| node.fixed.len() == front + back;
        // A list that has the group's own node has all of the group.
        let below = match (one.iter().any(is_whole), other.iter().any(is_whole)) {
            (true, _) => other,
            (_, true) => one,
            _ => {
                groups.extend(group.parts()?);
                continue;
            }
        };
        found.try_extend(below.iter().copied().cloned())?;
    }
    Ok(found)
}

impl<'n> Group<'n> {
    /// The groups by the next job at an end at which all nodes have another one. Parts that only
    /// one of the lists has are left out.
    fn parts(self) -> Result<Vec<Group<'n>>> {
        let Group { one, other, front, back } = self;
        let all =
            |longer: &dyn Fn(&Open) -> bool| one.iter().chain(&other).all(|node| longer(node));
        let end = if all(&|node| node.front_jobs().len() > front) {
            End::Front
        } else if all(&|node| node.back_jobs().len() > back) {
            End::Back
        } else {
            return Err(Error::argument("remainder", "has nodes of another search tree"));
        };
        let next = |node: &Open| match end {
            End::Front => node.front_jobs()[front],
            End::Back => node.back_jobs()[node.back_jobs().len() - 1 - back],
        };
        let (front, back) = match end {
            End::Front => (front + 1, back),
            End::Back => (front, back + 1),
        };
        let mut parts: BTreeMap<u32, Group<'n>> = BTreeMap::new();
        for node in one {
            let empty = || Group { one: Vec::new(), other: Vec::new(), front, back };
            parts.entry(next(node)).or_insert_with(empty).one.push(node);
        }
        for node in other {
            if let Some(part) = parts.get_mut(&next(node)) {
                part.other.push(node);
            }
        }
        Ok(parts.into_values().filter(|part| !part.other.is_empty()).collect())
    }
}
