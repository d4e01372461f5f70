use std::any::Any;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The best solution of a running solve, made when a progress callback first asks for it.
#[derive(Clone)]
pub(crate) struct Found(Arc<dyn Make>);

/// What can be shown to a progress callback.
pub(super) type Shown<'a> = &'a (dyn Any + Send + Sync);

trait Make: Send + Sync {
    fn solution(&self) -> Option<Shown<'_>>;
}

impl<S: Any + Send + Sync, F: FnOnce() -> Option<S> + Send> Make for LazyLock<Option<S>, F> {
    fn solution(&self) -> Option<Shown<'_>> {
        LazyLock::force(self).as_ref().map(|solution| solution as _)
    }
}

impl Found {
    /// `make` returns a solution of the type that the solve returns; nothing if it can't be made,
    /// for lack of memory.
    pub(crate) fn new<S: Any + Send + Sync>(
        make: impl FnOnce() -> Option<S> + Send + 'static,
    ) -> Self {
        Found(Arc::new(LazyLock::new(make)))
    }

    /// A solution of another type, made from this one.
    pub(crate) fn map<S: Any, T: Any + Send + Sync>(
        self,
        convert: impl FnOnce(&S) -> Option<T> + Send + 'static,
    ) -> Self {
        Found::new(move || convert(self.solution()?.downcast_ref()?))
    }

    pub(super) fn solution(&self) -> Option<Shown<'_>> {
        self.0.solution()
    }
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Found")
    }
}
