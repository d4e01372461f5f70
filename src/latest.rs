//! The latest of a few values, for readers that must not wait.

use std::sync::OnceLock;

/// A value that is replaced now and then. Reading takes no lock. Earlier values stay in memory, so
/// it suits what changes a few times in a context's life.
#[derive(Debug)]
pub(crate) struct Latest<T>(OnceLock<Box<Link<T>>>);

#[derive(Debug)]
struct Link<T> {
    value: T,
    next: Latest<T>,
}

impl<T: Copy> Latest<T> {
    pub(crate) fn get(&self) -> Option<T> {
        let mut link = self.0.get()?;
        while let Some(next) = link.next.0.get() {
            link = next;
        }
        Some(link.value)
    }

    pub(crate) fn set(&self, value: T) {
        let mut new = Box::new(Link { value, next: Latest::default() });
        let mut end = self;
        while let Err(unset) = end.0.set(new) {
            new = unset;
            // It holds a link, since the new one was refused.
            let Some(link) = end.0.get() else { return };
            end = &link.next;
        }
    }
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Latest(OnceLock::new())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_latest_value_counts() {
        let latest = Latest::default();
        assert_eq!(latest.get(), None);
        for value in [3, 1, 2] {
            latest.set(value);
            assert_eq!(latest.get(), Some(value));
        }
    }

    #[test]
    fn each_writer_s_last_value_may_be_the_latest() {
        let latest = Latest::default();
        let latest = &latest;
        thread::scope(|scope| {
            for writer in 0..4 {
                scope.spawn(move || (0..100).for_each(|count| latest.set((writer, count))));
            }
        });
        assert_eq!(latest.get().unwrap().1, 99);
        let links = std::iter::successors(latest.0.get(), |link| link.next.0.get());
        assert_eq!(links.count(), 400);
    }
}
