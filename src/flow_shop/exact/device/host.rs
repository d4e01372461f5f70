//! The host's side of a search on devices: the nodes that no device has had, and the CPU's threads
//! where they take part.

use std::thread::Scope;

use super::crew::{Exchange, Need};
use super::helper::Helper;
use super::layout::Layout;
use super::record::encode;
use super::tables::Explored;
use crate::context::Crewing;
use crate::flow_shop::exact::Counts;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::problem::Problem;
use crate::solve::Monitor;
use crate::{Context, Result};

/// Nodes to encode as records at once.
const MOST_ENCODED: usize = 1 << 15;
/// Nodes for each of the CPU's threads.
const HELPED: usize = 64;

pub(super) struct Host<'s, 'e, O: Explored> {
    scope: &'s Scope<'s, 'e>,
    context: &'e Context,
    problem: &'e Problem<'e, O>,
    monitor: &'e Monitor,
    layout: Layout,
    /// Nodes that no device has had yet, the next ones last.
    fresh: Vec<Open>,
    /// The CPU's threads, while they take part.
    helper: Option<Helper<'s, 'e, O>>,
    /// The work of the CPU's threads before.
    helped: Counts,
}

impl<'s, 'e, O: Explored> Host<'s, 'e, O> {
    pub(super) fn new(
        scope: &'s Scope<'s, 'e>,
        context: &'e Context,
        problem: &'e Problem<'e, O>,
        fresh: Vec<Open>,
        monitor: &'e Monitor,
    ) -> Result<Self> {
        let (layout, helped) = (problem.objective.layout()?, Counts::default());
        Ok(Host { scope, context, problem, monitor, layout, fresh, helper: None, helped })
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Lets the CPU's threads take part, or not.
    pub(super) fn crew_as(&mut self, crewing: Crewing, limit: &'e Limit) -> Result<()> {
        self.dismiss_helper()?;
        if crewing == Crewing::Both {
            let Host { scope, context, problem, monitor, .. } = *self;
            self.helper = Some(Helper::new(scope, context, problem, limit, monitor));
        }
        Ok(())
    }

    /// Takes the nodes of the CPU's threads back.
    pub(super) fn dismiss_helper(&mut self) -> Result<()> {
        if let Some(mut helper) = self.helper.take() {
            self.fresh.extend(helper.take()?);
            self.helped = sum(self.helped, helper.counts());
        }
        Ok(())
    }

    /// Whether it has no nodes.
    pub(super) fn is_idle(&self) -> bool {
        self.fresh.is_empty() && self.helper.as_ref().is_none_or(Helper::is_idle)
    }

    /// A lower bound of all its nodes.
    pub(super) fn least_bound(&self) -> Option<u32> {
        let helped = self.helper.as_ref().and_then(Helper::least_bound);
        self.fresh.iter().map(|node| node.bound).chain(helped).min()
    }

    /// Its open nodes. The CPU's threads end their work.
    pub(super) fn open(&mut self) -> Result<&[Open]> {
        if let Some(helper) = &mut self.helper {
            self.fresh.extend(helper.take()?);
        }
        Ok(&self.fresh)
    }

    /// The work of the CPU's threads, except that under way.
    pub(super) fn counts(&self) -> Counts {
        sum(self.helped, self.helper.as_ref().map_or(Counts::default(), Helper::counts))
    }

    /// Gives nodes to members without any, and to idle threads of the CPU. Without any open node it
    /// ends the search.
    pub(super) fn serve(&mut self, exchange: &Exchange) -> Result<()> {
        if let Some(helper) = &mut self.helper {
            helper.look()?;
        }
        match exchange.need() {
            Need::Nothing => {}
            Need::NodesForSome(most) => self.feed(most, exchange),
            Need::NodesForAll(most) => {
                if self.fresh.is_empty() {
                    self.open()?;
                }
                match self.fresh.is_empty() {
                    true => exchange.stop(),
                    false => self.feed(most, exchange),
                }
                return Ok(());
            }
        }
        self.feed_helper(exchange)
    }

    /// Hands out up to `most` of the fresh nodes, and no more than a member's share.
    fn feed(&mut self, most: usize, exchange: &Exchange) {
        let share = self.fresh.len().div_ceil(exchange.members());
        let first = self.fresh.len() - share.min(most).min(MOST_ENCODED);
        let mut records =
            Vec::with_capacity((self.fresh.len() - first) * self.layout.record_words());
        for node in self.fresh.drain(first..) {
            encode(&self.layout, self.problem, &node, &mut records);
        }
        if !records.is_empty() {
            exchange.put(&records);
        }
    }

    /// Gives nodes to idle threads of the CPU.
    fn feed_helper(&mut self, exchange: &Exchange) -> Result<()> {
        let Some(helper) = self.helper.as_mut().filter(|helper| helper.is_idle()) else {
            return Ok(());
        };
        let most = HELPED * self.context.threads();
        let given = match self.fresh.len() {
            0 => {
                let records = exchange.take_for_host(most);
                self.layout.decode(self.problem.instance, &self.layout.tails(&records))?
            }
            nodes => {
                exchange.host_has_nodes();
                self.fresh.split_off(nodes - nodes.div_ceil(2).min(most))
            }
        };
        helper.search(given);
        Ok(())
    }
}

fn sum(one: Counts, other: Counts) -> Counts {
    Counts { nodes: one.nodes + other.nodes, bounds: one.bounds + other.bounds }
}
