use makespan::Result;
use makespan::flow_shop::units::Unit;

/// A part of a search, as far as its distribution needs to know.
pub trait Work: Clone {
    /// Whether nothing is open.
    fn is_done(&self) -> bool;

    /// The number of open nodes.
    fn open_nodes(&self) -> usize;

    /// The work done on it since it was given out.
    fn nodes(&self) -> u64;

    /// The value below which it searches.
    fn limit(&self) -> u64;

    /// Its number.
    fn epoch(&self) -> u64;

    /// The same under a number.
    #[must_use]
    fn with_epoch(self, epoch: u64) -> Self;

    /// Its knowledge and its work, without what is open.
    fn ledger(&self) -> Self;

    /// The same without the work.
    #[must_use]
    fn without_work(self) -> Self;

    /// Disjoint parts that together are the whole.
    ///
    /// # Errors
    /// A lack of memory.
    fn split(self, parts: usize) -> Result<Vec<Self>>;

    /// Both parts as one.
    ///
    /// # Errors
    /// Parts of different searches.
    fn merge(self, other: Self) -> Result<Self>;

    /// Removes what is no longer open in the remainder.
    ///
    /// # Errors
    /// Units of different numbers.
    fn intersect(&mut self, remainder: &Self) -> Result<()>;
}

impl Work for Unit {
    fn is_done(&self) -> bool {
        Unit::is_done(self)
    }

    fn open_nodes(&self) -> usize {
        Unit::open_nodes(self)
    }

    fn nodes(&self) -> u64 {
        Unit::nodes(self)
    }

    fn limit(&self) -> u64 {
        Unit::limit(self)
    }

    fn epoch(&self) -> u64 {
        Unit::epoch(self)
    }

    fn with_epoch(self, epoch: u64) -> Self {
        Unit::with_epoch(self, epoch)
    }

    fn ledger(&self) -> Self {
        self.without_nodes()
    }

    fn without_work(self) -> Self {
        Unit::without_work(self)
    }

    fn split(self, parts: usize) -> Result<Vec<Self>> {
        Unit::split(self, parts)
    }

    fn merge(self, other: Self) -> Result<Self> {
        Unit::merge(self, other)
    }

    fn intersect(&mut self, remainder: &Self) -> Result<()> {
        Unit::intersect(self, remainder)
    }
}
