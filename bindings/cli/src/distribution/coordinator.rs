//! The coordinator: owns the truth about the search.

use std::collections::VecDeque;
use std::mem;

use makespan::Result;

use super::{Order, Report, Work};

/// How the coordinator shares the work out.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Units made for each worker at the beginning.
    pub units_per_worker: usize,
    /// A worker whose units end sooner than this, in seconds, gets more of them at once.
    pub short: f64,
    /// A worker is not asked for a part sooner after its last report than this, in seconds.
    pub least_run: f64,
    /// From a worker that was asked for a part and does not report within this, in seconds, parts
    /// are taken without its report.
    pub patience: f64,
    /// Most workers that get a part at one report.
    pub most_shares: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            units_per_worker: 4,
            short: 5.0,
            least_run: 0.2,
            patience: 30.0,
            most_shares: 15,
        }
    }
}

/// Parts into which a unit is split before it is shared by rates.
const GRAIN: usize = 8;

/// Most units given to a worker at once.
const MOST_UNITS: usize = 1 << 10;

/// The state of the distribution. Times are seconds of any one clock.
#[derive(Debug)]
pub struct Coordinator<W> {
    settings: Settings,
    /// Units that no worker has.
    pool: Vec<W>,
    /// The best schedule, the limit and all work done; no open nodes.
    ledger: W,
    members: Vec<Member<W>>,
    /// Workers that wait for work, the first one first.
    hungry: VecDeque<usize>,
    /// The number of the latest unit that was given out.
    epoch: u64,
    is_stopping: bool,
    orders: Vec<(usize, Order<W>)>,
}

#[derive(Debug, Clone)]
struct Member<W> {
    /// A copy of the worker's unit.
    held: Option<W>,
    /// Whether the copy lost a part that the worker does not know of.
    was_robbed: bool,
    /// When it was asked for a part.
    asked: Option<f64>,
    /// When it got its unit, and its last order.
    granted: f64,
    updated: f64,
    /// Units given at once.
    portion: usize,
    /// Nodes in a second, 0 if unknown.
    rate: f64,
    is_present: bool,
}

impl<W: Work> Coordinator<W> {
    /// Shares out `whole` among `workers`, none of which is present yet.
    ///
    /// # Errors
    /// A lack of memory.
    pub fn new(whole: W, workers: usize, settings: Settings) -> Result<Self> {
        let ledger = whole.ledger();
        let parts = workers.max(1).saturating_mul(settings.units_per_worker.max(1));
        // The last one is given out first: the first ones are the shallowest.
        let mut pool = whole.without_work().split(parts)?;
        pool.reverse();
        let member = Member {
            held: None,
            was_robbed: false,
            asked: None,
            granted: 0.0,
            updated: 0.0,
            portion: 1,
            rate: 0.0,
            is_present: false,
        };
        let mut coordinator = Coordinator {
            settings,
            pool: Vec::new(),
            ledger,
            members: vec![member; workers],
            hungry: VecDeque::new(),
            epoch: 0,
            is_stopping: false,
            orders: Vec::new(),
        };
        for part in pool {
            coordinator.settle(&part)?;
            if !part.is_done() {
                coordinator.pool.push(part.without_work());
            }
        }
        Ok(coordinator)
    }

    /// The orders since the last call, each with its worker.
    pub fn orders(&mut self) -> Vec<(usize, Order<W>)> {
        mem::take(&mut self.orders)
    }

    /// The best schedule, the limit and all work that was reported; no open nodes.
    pub fn ledger(&self) -> &W {
        &self.ledger
    }

    /// The whole search as one unit, from which another coordinator can continue.
    ///
    /// # Errors
    /// A lack of memory.
    pub fn whole(&self) -> Result<W> {
        let held = self.members.iter().filter_map(|member| member.held.as_ref());
        let mut parts = self.pool.iter().chain(held).cloned();
        parts.try_fold(self.ledger.clone(), Work::merge)
    }

    /// Whether every unit is accounted for and none is open.
    pub fn is_done(&self) -> bool {
        self.pool.is_empty() && self.members.iter().all(|member| member.held.is_none())
    }

    /// Whether no worker has a unit any more, nor gets one.
    pub fn has_ended(&self) -> bool {
        let is_idle = self.members.iter().all(|member| member.held.is_none());
        is_idle && (self.is_stopping || self.pool.is_empty())
    }

    /// Workers that have a unit.
    pub fn busy(&self) -> usize {
        self.members.iter().filter(|member| member.held.is_some()).count()
    }

    /// Asks all workers for their remainders, and gives out no more work.
    pub fn stop(&mut self) {
        if !mem::replace(&mut self.is_stopping, true) {
            let busy =
                (0..self.members.len()).filter(|&worker| self.members[worker].held.is_some());
            self.orders.extend(busy.map(|worker| (worker, Order::Report)));
            let idle = mem::take(&mut self.hungry).into_iter();
            self.orders.extend(idle.map(|worker| (worker, Order::End)));
        }
    }

    /// A worker is lost. Its unit is given out again.
    pub fn lost(&mut self, worker: usize, now: f64) -> Result<()> {
        let member = &mut self.members[worker];
        (member.is_present, member.asked) = (false, None);
        self.pool.extend(member.held.take());
        self.hungry.retain(|&other| other != worker);
        self.feed(now)
    }

    /// Takes a worker's report.
    ///
    /// # Errors
    /// A remainder of another search; a lack of memory.
    pub fn report(&mut self, worker: usize, report: Report<W>, now: f64) -> Result<()> {
        let member = &mut self.members[worker];
        (member.is_present, member.asked) = (true, None);
        // A worker without a remainder has lost its unit, if it had one.
        let mut has_changed = mem::take(&mut member.was_robbed) || report.remainder.is_none();
        if let Some(remainder) = report.remainder {
            if report.seconds > 0.0 {
                member.rate = remainder.nodes() as f64 / report.seconds;
            }
            let is_current =
                member.held.as_ref().is_some_and(|held| held.epoch() == remainder.epoch());
            let left = match member.held.take() {
                Some(mut held) if is_current && has_changed => {
                    held.intersect(&remainder)?;
                    Some(held)
                }
                // Nothing was taken from it, so the remainder is what is left.
                Some(_) if is_current => Some(remainder.clone().without_work()),
                held => held,
            };
            member.held = left.filter(|left| !left.is_done());
            let is_worse = self.ledger.limit() > remainder.limit();
            if is_current {
                self.settle(&remainder)?;
            } else {
                // The unit was given to another worker meanwhile, who does this work again.
                has_changed = true;
                self.settle(&remainder.ledger().without_work())?;
            }
            if is_worse {
                self.announce(worker, remainder.limit());
            }
        }
        if self.is_stopping {
            self.pool.extend(self.members[worker].held.take());
            self.orders.push((worker, Order::End));
            return Ok(());
        }
        let kept = match self.members[worker].held.take() {
            None => {
                self.note_portion(worker, now);
                None
            }
            Some(held) => {
                has_changed |= !self.hungry.is_empty();
                Some(self.share(held, worker, now)?).filter(|kept| !kept.is_done())
            }
        };
        match kept {
            None => self.hungry.push_back(worker),
            Some(kept) => {
                let order = if has_changed { Order::Work(kept.clone()) } else { Order::Continue };
                self.orders.push((worker, order));
                let member = &mut self.members[worker];
                (member.held, member.updated) = (Some(kept), now);
            }
        }
        self.feed(now)
    }

    /// To be called every tenth of a second or so.
    ///
    /// # Errors
    /// A lack of memory.
    pub fn tick(&mut self, now: f64) -> Result<()> {
        let (patience, hungry) = (self.settings.patience, !self.hungry.is_empty());
        let is_silent =
            |member: &Member<W>| member.asked.is_some_and(|asked| now - asked > patience);
        if hungry && let Some(silent) = self.members.iter().position(is_silent) {
            if let Some(held) = self.members[silent].held.take() {
                let kept = self.share(held, silent, now)?;
                let member = &mut self.members[silent];
                (member.held, member.was_robbed) =
                    (Some(kept).filter(|kept| !kept.is_done()), true);
            }
            self.members[silent].asked = Some(now);
        }
        self.feed(now)
    }

    /// Gives the hungry what is in the pool, or asks others for parts.
    fn feed(&mut self, now: f64) -> Result<()> {
        while !self.pool.is_empty()
            && let Some(worker) = self.hungry.pop_front()
        {
            let present = self.members.iter().filter(|member| member.is_present).count();
            let fair = self.pool.len().div_ceil(2 * present.max(1));
            let count = self.members[worker].portion.min(fair).max(1);
            let taken = self.pool.split_off(self.pool.len() - count);
            let unit = merged(taken)?;
            self.grant(worker, unit, now)?;
        }
        if self.hungry.is_empty() {
            return Ok(());
        }
        if self.is_done() {
            let all = mem::take(&mut self.hungry);
            self.orders.extend(all.into_iter().map(|worker| (worker, Order::End)));
            return Ok(());
        }
        self.ask(now);
        Ok(())
    }

    /// Asks the workers that were not updated for longest for parts, one for each hungry one.
    fn ask(&mut self, now: f64) {
        let asked = self.members.iter().filter(|member| member.asked.is_some()).count();
        let wanted = self.hungry.len().saturating_sub(asked);
        let least_run = self.settings.least_run;
        let can_give = |member: &&mut Member<W>| {
            let has_several = member.held.as_ref().is_some_and(|held| held.open_nodes() > 0);
            has_several && member.asked.is_none() && now - member.updated >= least_run
        };
        let mut able: Vec<_> =
            self.members.iter_mut().enumerate().filter(|(_, member)| can_give(member)).collect();
        able.sort_by(|(_, one), (_, other)| one.updated.total_cmp(&other.updated));
        for (worker, member) in able.into_iter().take(wanted) {
            member.asked = Some(now);
            self.orders.push((worker, Order::Report));
        }
    }

    /// Gives parts of a worker's unit to hungry ones. Returns what is left to it.
    fn share(&mut self, unit: W, worker: usize, now: f64) -> Result<W> {
        let count = self.hungry.len().min(self.settings.most_shares);
        if count == 0 {
            return Ok(unit);
        }
        let epoch = unit.epoch();
        let takers: Vec<usize> = self.hungry.drain(..count).collect();
        let number = GRAIN.max(2 * (count + 1));
        let mut parts = Vec::with_capacity(number);
        for part in unit.split(number)? {
            self.settle(&part)?;
            if !part.is_done() {
                parts.push(part.without_work());
            }
        }
        let rates = || takers.iter().chain([&worker]).map(|&of| self.members[of].rate);
        let (total, equal) = (rates().sum::<f64>(), rates().any(|rate| rate <= 0.0));
        let mut takers = takers.into_iter();
        for taker in takers.by_ref() {
            let share = match equal {
                true => 1.0 / (count + 1) as f64,
                false => self.members[taker].rate / total,
            };
            // The owner keeps one part at least.
            let most = parts.len().saturating_sub(1);
            let given = ((share * number as f64).round() as usize).max(1).min(most);
            if given == 0 {
                self.hungry.push_front(taker);
                break;
            }
            let taken = parts.split_off(parts.len() - given);
            let part = merged(taken)?;
            self.grant(taker, part, now)?;
        }
        self.hungry.extend(takers);
        let kept = match parts.is_empty() {
            true => self.ledger.ledger(),
            false => merged(parts)?,
        };
        Ok(kept.without_work().with_epoch(epoch))
    }

    fn grant(&mut self, worker: usize, unit: W, now: f64) -> Result<()> {
        self.settle(&unit)?;
        self.epoch += 1;
        let unit = unit.without_work().with_epoch(self.epoch);
        self.orders.push((worker, Order::Work(unit.clone())));
        let member = &mut self.members[worker];
        (member.held, member.granted, member.updated) = (Some(unit), now, now);
        Ok(())
    }

    /// Doubles the portion of a worker whose units are short, and halves it otherwise.
    fn note_portion(&mut self, worker: usize, now: f64) {
        let short = self.settings.short;
        let member = &mut self.members[worker];
        let has_had_one = member.rate > 0.0;
        match now - member.granted {
            lasted if has_had_one && lasted < short => {
                member.portion = (2 * member.portion).min(MOST_UNITS);
            }
            lasted if lasted > 2.0 * short => member.portion = (member.portion / 2).max(1),
            _ => {}
        }
    }

    /// Notes the work and the knowledge of a unit.
    fn settle(&mut self, unit: &W) -> Result<()> {
        let ledger = self.ledger.clone().merge(unit.ledger())?;
        self.ledger = ledger;
        Ok(())
    }

    /// Sends a better schedule to all workers but one.
    fn announce(&mut self, finder: usize, value: u64) {
        let others = (0..self.members.len())
            .filter(|&worker| worker != finder && self.members[worker].is_present);
        self.orders.extend(others.map(|worker| (worker, Order::Bound(value))));
    }
}

fn merged<W: Work>(parts: Vec<W>) -> Result<W> {
    let mut parts = parts.into_iter();
    // Callers have at least one.
    let first = parts.next().ok_or_else(|| makespan::Error::Internal("no part".into()))?;
    parts.try_fold(first, Work::merge)
}
