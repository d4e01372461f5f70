//! Stock pieces that are in use already, by decisions on instances without such pieces.
//!
//! Let C be the stock length. Some pieces are in use, with a length `f_i` cut from each. The
//! question is whether N pieces suffice. The reduced instance has stock pieces of length `2 C + 1`.
//! Its items are the free items and N *blocks*: one of length `C + 1 + f_i` for each piece in use,
//! and one of length `C + 1` for each new piece. Two blocks never share a piece. So N pieces
//! suffice if and only if the reduced instance has a packing of N pieces. Each of them then has one
//! block, and other items of a length of at most `C - f_i`.

use std::sync::Arc;

use super::bounds;
use super::decreasing::{Fit, decreasing};
use super::incumbent::{Answer, Incumbent, count};
use super::instance::MAX_COUNT;
use super::packing::{Cut, Packing, Pattern};
use super::sizes::Sizes;
use super::{Instance, Method, Search};
use crate::memory::Gather;
use crate::solve::{Found, Monitor, Reduction, Values};
use crate::{Error, Result, memory};

/// Most numbers of pieces that may stay undecided before the search ends.
const MOST_UNDECIDED: u32 = 6;

impl Instance {
    /// The same instance with stock pieces that are in use already: the pieces of these patterns,
    /// with their items, which are part of the demands. A piece may have no item yet. Other items
    /// may join those of a piece. In every packing these pieces come first, in this order. Patterns
    /// without pieces are left out.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if a pattern has an unknown item type or is longer than a stock
    /// piece. The same if the patterns have more items of a type than demanded. The same if the
    /// pieces of a simple packing and the other items together are 2^32 or more.
    /// [`Error::Overflow`] if the lengths of such a packing's pieces, counted twice, have a sum of
    /// 2^63 or more.
    pub fn with_pinned(self, pinned: Vec<Pattern>) -> Result<Self> {
        let packing = Packing::new(pinned);
        let cut = packing.cut(&self).map_err(|error| error.about("pinned"))?;
        let beyond = |(_, (cut, demand)): &(usize, (&u128, &u32))| **cut > u128::from(**demand);
        if let Some((item, (cut, demand))) = cut.iter().zip(self.demands()).enumerate().find(beyond)
        {
            let reason = format!("have {cut} items of type {item}, the demand is {demand}");
            return Err(Error::argument("pinned", reason));
        }
        let in_use = packing.patterns().iter().filter(|pattern| pattern.pieces > 0);
        let pinned = in_use.map(Pattern::merged).gather()?;
        let instance = self.holding(pinned);
        // Refuses what no packing could be searched for.
        Opened::new(&instance)?.check()?;
        Ok(instance)
    }
}

/// Cuts the items of an instance with pieces in use.
///
/// # Errors
/// Those of [`Search::run`].
pub(super) fn solve(
    instance: &Instance,
    mut search: Search<'_, '_>,
    start: Option<&Packing>,
    monitor: &Monitor,
) -> Result<Answer> {
    // Refuses a wrong packing before any work.
    if let Some(start) = start {
        start.stock_pieces(instance).map_err(|error| error.about("start"))?;
    }
    let opened = Opened::new(instance)?;
    let mut known = Known::start(&opened, search.method, monitor)?;
    if let Some(start) = start {
        known.offer("start", memory::copied(start.patterns())?);
    }
    while search.method != Method::Ffd {
        match known.decide(&opened, &mut search) {
            Ok(true) => search.seed = search.seed.wrapping_add(1),
            Ok(false) => break,
            // The packing and the bound are sound.
            Err(error) if matches!(*error, Error::Stopped) => break,
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                search.dispatch.warn(error.to_string());
                break;
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(reason) = known.left_out.take().filter(|_| known.bound < known.pieces) {
        search.dispatch.warn(reason);
    }
    let patterns = Arc::unwrap_or_clone(known.patterns);
    Ok(Answer { patterns, pieces: known.pieces, bound: known.bound })
}

/// The best packing of the instance and the best bound so far.
struct Known<'a> {
    monitor: &'a Monitor,
    patterns: Arc<Vec<Pattern>>,
    pieces: u64,
    bound: u64,
    /// The methods for which a reduced instance was too large.
    left_out: Option<String>,
}

impl<'a> Known<'a> {
    /// First-fit decreasing into the pieces in use and then into new ones, and best-fit decreasing
    /// unless the method is the former.
    ///
    /// # Errors
    /// [`Error::Stopped`] if there are many item types, and [`Error::OutOfMemory`].
    fn start(opened: &Opened<'_>, method: Method, monitor: &'a Monitor) -> Result<Self> {
        monitor.enter("ffd")?;
        let opening = monitor.opening();
        let known = Known::open(opened, method, monitor, &opening);
        monitor.join(&opening);
        known
    }

    fn open(
        opened: &Opened<'_>,
        method: Method,
        monitor: &'a Monitor,
        opening: &Monitor,
    ) -> Result<Self> {
        let bound = opened.bound(opening)?;
        let reduced = opened.reduced(opened.most)?;
        let sizes = Sizes::new(&reduced, opening)?;
        let fitted = |fit| {
            let patterns = decreasing(&sizes.list, reduced.stock_length(), fit, opening);
            opened.original(&sizes.name_types(&patterns))
        };
        let patterns = Arc::new(fitted(Fit::First)?);
        let pieces = count(&patterns);
        monitor.note_found(pieces, Some(bound), || found(&patterns));
        monitor.report("ffd", None);
        let mut known = Known { monitor, patterns, pieces, bound, left_out: None };
        if method != Method::Ffd && bound < pieces && !opening.should_stop() {
            known.offer("bfd", fitted(Fit::Best)?);
        }
        Ok(known)
    }

    /// Replaces the packing if the new one is better.
    fn offer(&mut self, phase: &'static str, patterns: Vec<Pattern>) {
        let pieces = count(&patterns);
        if pieces < self.pieces {
            (self.patterns, self.pieces) = (Arc::new(patterns), pieces);
            self.monitor.note_found(pieces, None, || found(&self.patterns));
        }
        self.monitor.report(phase, None);
    }

    /// Decides numbers of pieces from the bound upwards, until the packing is proved optimal, too
    /// many stay undecided or a limit comes. Returns whether the work on one was cut short to leave
    /// time for others, so that another pass may do more.
    fn decide(&mut self, opened: &Opened<'_>, search: &mut Search<'_, '_>) -> Result<bool> {
        // Numbers below `first` are refuted or given up.
        let (mut first, mut target) = (self.bound, self.bound);
        let (mut undecided, mut cut_short) = (0, false);
        while target < self.pieces && undecided < MOST_UNDECIDED {
            if self.monitor.should_stop() {
                return Ok(false);
            }
            let reduced = opened.reduced(target)?;
            // The last number may take all the time that is left.
            let others = target + 1 < self.pieces;
            let time = self.monitor.left().filter(|_| others).map(|left| left / 2);
            let part = self.monitor.reduced(time, Decision { pieces: target });
            let mut incumbent = Incumbent::start(&reduced, &part, None)?.seeking(target);
            let left_out = search.run(&mut incumbent, &part)?;
            self.monitor.join(&part);
            let refuted = incumbent.bound > target;
            // A packing of more pieces may still be better than the known one, but takes time.
            if incumbent.pieces <= target || !self.monitor.should_stop() {
                let patterns = incumbent.into_answer().patterns;
                self.offer("pieces in use", opened.original(&patterns)?);
            }
            if refuted {
                self.bound = target + 1;
                self.monitor.note_bound(self.bound);
                (first, target) = (self.bound, self.bound);
            } else if self.pieces <= target {
                target = first;
            } else {
                undecided += 1;
                cut_short |= part.interrupted();
                self.left_out = left_out.or(self.left_out.take());
                first = target + 1;
                target += (self.pieces - target).div_ceil(2);
            }
        }
        Ok(cut_short && self.bound < self.pieces)
    }
}

/// A packing for the progress callback.
fn found(patterns: &Arc<Vec<Pattern>>) -> Found {
    let patterns = Arc::clone(patterns);
    Found::new(move || Some(Packing::new(patterns.to_vec())))
}

/// The question whether a number of pieces suffices, which a solve of the reduced instance answers.
struct Decision {
    pieces: u64,
}

impl Reduction for Decision {
    /// A packing of the reduced instance may have more or fewer pieces than the packing of the
    /// instance. The search reports the latter itself.
    fn values(&self, Values { bound, .. }: Values) -> Values {
        let pieces = self.pieces as i64;
        let more = |bound: i64| (bound > pieces).then_some(pieces + 1);
        Values { objective: None, bound: bound.and_then(|bound| bound.map_whole(more)) }
    }

    fn found(&self, _: Found) -> Option<Found> {
        None
    }
}

/// The pieces in use, and the items that are not pinned to them.
pub(super) struct Opened<'a> {
    instance: &'a Instance,
    /// The stock length, or the length of all items if that is less.
    capacity: u64,
    /// Number of pieces in use.
    pieces: u64,
    /// The types of the free items, and their numbers.
    types: Vec<u32>,
    free: Vec<u32>,
    /// The length cut from a piece of each pinned pattern.
    cut: Vec<u64>,
    /// The most pieces that first-fit and best-fit decreasing take.
    most: u64,
}

impl<'a> Opened<'a> {
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn new(instance: &'a Instance) -> Result<Self> {
        let (lengths, pinned) = (instance.lengths(), instance.pinned());
        let mut left = memory::copied(instance.demands())?;
        for pattern in pinned {
            // The instance has checked that no type has more pinned items than are demanded.
            pattern
                .cuts
                .iter()
                .for_each(|cut| left[cut.item as usize] -= cut.count * pattern.pieces);
        }
        let length = |(count, each): (&u32, &u64)| u64::from(*count) * each;
        let total: u64 = instance.demands().iter().zip(lengths).map(length).sum();
        let free_length: u64 = left.iter().zip(lengths).map(length).sum();
        let capacity = instance.stock_length().min(total).max(1);
        let cut = |pattern: &Pattern| {
            let cut =
                pattern.cuts.iter().map(|cut| lengths[cut.item as usize] * u64::from(cut.count));
            cut.sum()
        };
        let cut = pinned.iter().map(cut).gather()?;
        let types: Vec<u32> =
            (0..left.len() as u32).filter(|&item| left[item as usize] > 0).gather()?;
        let free: Vec<u32> = types.iter().map(|&item| left[item as usize]).gather()?;
        let items: u64 = free.iter().copied().map(u64::from).sum();
        let pieces = count(pinned);
        // Only one new piece can be at most half full: its first item had no room on the others.
        let full = (2 * u128::from(free_length) / u128::from(capacity)) as u64 + 1;
        let most = pieces + items.min(full);
        Ok(Opened { instance, capacity, pieces, types, free, cut, most })
    }

    /// Refuses an instance with too many or too long pieces to search for packings.
    pub(super) fn check(&self) -> Result<()> {
        let items: u64 = self.free.iter().copied().map(u64::from).sum();
        if self.most + items > MAX_COUNT {
            let reason =
                format!("{} stock pieces and {items} items are more than {MAX_COUNT}", self.most);
            return Err(Error::argument("pinned", reason));
        }
        self.reduced(self.most).map(drop)
    }

    /// The reduced instance for a number of pieces, from that of those in use to `most`: item types
    /// are those of the free items, one for each pinned pattern, and the blocks of new pieces.
    fn reduced(&self, pieces: u64) -> Result<Instance> {
        let block = self.capacity + 1;
        let lengths = self.types.iter().map(|&item| self.instance.lengths()[item as usize]);
        let blocks = self.cut.iter().map(|cut| block + cut).chain([block]);
        let in_use = self.instance.pinned().iter().map(|pattern| pattern.pieces);
        let demands =
            self.free.iter().copied().chain(in_use).chain([(pieces - self.pieces) as u32]);
        // No overflow: the capacity is below 2^63.
        Instance::new(lengths.chain(blocks).gather()?, demands.gather()?, self.capacity + block)
            .map_err(|error| match *error {
                Error::Overflow { .. } => {
                    Error::overflow("the length of all stock pieces, counted twice,")
                }
                error => Box::new(error),
            })
    }

    /// The bound of the instance in which what is pinned to a piece is one item, and the number of
    /// pieces in use.
    fn bound(&self, monitor: &Monitor) -> Result<u64> {
        let lengths = self.types.iter().map(|&item| self.instance.lengths()[item as usize]);
        let (cut, pinned) = (self.cut.iter(), self.instance.pinned());
        let joined = || cut.clone().zip(pinned).filter(|(cut, _)| **cut > 0);
        let lengths = lengths.chain(joined().map(|(&cut, _)| cut)).gather()?;
        let demands = self.free.iter().copied();
        let demands = demands.chain(joined().map(|(_, pattern)| pattern.pieces)).gather()?;
        let sizes = Sizes::new(&Instance::new(lengths, demands, self.capacity)?, monitor)?;
        Ok(bounds::lower_bound(&sizes.list, self.capacity, monitor).max(self.pieces))
    }

    /// The packing for which patterns of a reduced instance stand: pieces in use come first, new
    /// ones without items are left out.
    fn original(&self, patterns: &[Pattern]) -> Result<Vec<Pattern>> {
        let pinned = self.instance.pinned();
        let (mut in_use, mut new) = (Vec::new(), Vec::new());
        for &Pattern { pieces, ref cuts } in patterns {
            let is_item = |cut: &&Cut| (cut.item as usize) < self.types.len();
            let named = |cut: &Cut| Cut { item: self.types[cut.item as usize], count: cut.count };
            let items: Vec<Cut> = cuts.iter().filter(is_item).map(named).collect();
            let block = cuts.iter().find(|cut| !is_item(cut));
            match block.map(|block| block.item as usize - self.types.len()) {
                Some(index) if index < pinned.len() => {
                    let all = pinned[index].cuts.iter().copied().chain(items).collect();
                    in_use.push((index, Pattern { pieces, cuts: all }.merged()));
                }
                Some(_) if items.is_empty() => {}
                Some(_) => new.push(Pattern { pieces, cuts: items }),
                None => self.divide(pieces, &items, &mut new),
            }
        }
        memory::sort_by_key(&mut in_use, |(index, _)| *index as u64)?;
        in_use.into_iter().map(|(_, pattern)| pattern).chain(new).gather()
    }

    /// Cuts items from new pieces by next-fit. A piece of the reduced instance without a block is
    /// longer than a stock piece.
    fn divide(&self, pieces: u32, items: &[Cut], new: &mut Vec<Pattern>) {
        let (mut cuts, mut left) = (Vec::new(), self.capacity);
        for &Cut { item, mut count } in items {
            let length = self.instance.lengths()[item as usize];
            while count > 0 {
                let fitting = u32::try_from(left / length).unwrap_or(u32::MAX).min(count);
                if fitting == 0 {
                    new.push(Pattern { pieces, cuts: std::mem::take(&mut cuts) });
                    left = self.capacity;
                    continue;
                }
                cuts.push(Cut { item, count: fitting });
                left -= length * u64::from(fitting);
                count -= fitting;
            }
        }
        if !cuts.is_empty() {
            new.push(Pattern { pieces, cuts });
        }
    }
}
