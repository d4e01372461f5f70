//! Memory that the system may refuse: lists whose growth is an error where the standard library
//! would abort.
//!
//! Everything whose size depends on the input is made here or is a [`Table`](crate::table::Table).
//! Small lists of known size live on the headroom that each phase finds free when it begins.

mod available;

pub(crate) use self::available::{address_space, available};
use bytemuck::Zeroable;
use memmap2::MmapMut;

use crate::{Error, Result};

/// What each phase finds free when it begins.
const HEADROOM: usize = 16 << 20;

/// Refuses to begin a phase with less than the headroom left.
pub(crate) fn check_headroom() -> Result<()> {
    check_room(0)
}

/// Refuses the next phase if the system does not have `bytes` bytes and the headroom.
pub(crate) fn check_room(bytes: usize) -> Result<()> {
    let required = bytes.saturating_add(HEADROOM);
    // No page of it is touched.
    match MmapMut::map_anon(required) {
        Ok(_) => Ok(()),
        Err(_) => Err(refused(required as u128, "the next phase of the work".into())),
    }
}

/// An empty list with room for `room` elements.
pub(crate) fn list<T>(room: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(room).map_err(|_| too_long(room, size_of::<T>()))?;
    Ok(list)
}

/// A list of one value. [`zeroed`] makes zeros faster.
pub(crate) fn filled<T: Clone>(value: T, count: usize) -> Result<Vec<T>> {
    let mut list = list(count)?;
    list.resize(count, value);
    Ok(list)
}

/// A list of zeros, which the system makes page by page on first use.
pub(crate) fn zeroed<T: Zeroable>(count: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(count).map_err(|()| too_long(count, size_of::<T>()))
}

/// Another list with the same elements.
pub(crate) fn copied<T: Clone>(elements: &[T]) -> Result<Vec<T>> {
    let mut list = list(elements.len())?;
    list.extend_from_slice(elements);
    Ok(list)
}

/// Lists that grow as long as there is memory.
pub(crate) trait Grow<T> {
    /// As [`Vec::push`].
    fn try_push(&mut self, element: T) -> Result<()>;

    /// As [`Vec::extend`].
    fn try_extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<()>;

    /// As [`Vec::resize`].
    fn try_resize(&mut self, count: usize, value: T) -> Result<()>
    where
        T: Clone;
}

impl<T> Grow<T> for Vec<T> {
    #[inline]
    fn try_push(&mut self, element: T) -> Result<()> {
        if self.len() == self.capacity() {
            make_room(self, 1)?;
        }
        self.push(element);
        Ok(())
    }

    fn try_extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<()> {
        let elements = elements.into_iter();
        make_room(self, elements.size_hint().0)?;
        elements.into_iter().try_for_each(|element| self.try_push(element))
    }

    fn try_resize(&mut self, count: usize, value: T) -> Result<()>
    where
        T: Clone,
    {
        make_room(self, count.saturating_sub(self.len()))?;
        self.resize(count, value);
        Ok(())
    }
}

/// Iterators whose elements become a list.
pub(crate) trait Gather: Iterator + Sized {
    /// As [`Iterator::collect`].
    fn gather(self) -> Result<Vec<Self::Item>>;

    /// As [`Iterator::collect`] of results, up to the first error.
    fn try_gather<T>(self) -> Result<Vec<T>>
    where
        Self: Iterator<Item = Result<T>>;
}

impl<I: Iterator> Gather for I {
    fn gather(self) -> Result<Vec<I::Item>> {
        let mut list = list(self.size_hint().0)?;
        let mut elements = self;
        elements.try_for_each(|element| list.try_push(element))?;
        Ok(list)
    }

    fn try_gather<T>(self) -> Result<Vec<T>>
    where
        Self: Iterator<Item = Result<T>>,
    {
        // No more than that; fewer if one fails.
        let mut list = list(self.size_hint().0)?;
        for element in self {
            list.try_push(element?)?;
        }
        Ok(list)
    }
}

/// Sorts by a key; what has the same key stays in order. It is compiled for one type of keys alone.
pub(crate) fn sort_by_key<T>(list: &mut [T], key: impl Fn(&T) -> u64) -> Result<()> {
    let keys = list.iter().enumerate().map(|(place, element)| (key(element), place));
    let mut order: Vec<(u64, usize)> = keys.gather()?;
    order.sort_unstable();
    for place in 0..order.len() {
        // What was there may have been swapped to a later place, and again from there.
        let mut from = order[place].1;
        while from < place {
            from = order[from].1;
        }
        order[place].1 = from;
        list.swap(place, from);
    }
    Ok(())
}

/// A key with the order of the numbers: sorting by it is compiled already, for other types.
pub(crate) fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    // The larger the bits of a negative number, the smaller the number.
    if number.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

/// Makes room for `more` elements behind those of the list.
#[cold]
pub(crate) fn make_room<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    list.try_reserve(more).map_err(|_| too_long(list.len().saturating_add(more), size_of::<T>()))
}

#[cold]
fn too_long(count: usize, bytes: usize) -> Box<Error> {
    refused(count as u128 * bytes as u128, format!("a list of {count} elements"))
}

/// The system's refusal.
pub(crate) fn refused(required: u128, what: String) -> Box<Error> {
    let left = available().unwrap_or(u64::MAX);
    Box::new(Error::OutOfMemory {
        what,
        required,
        limit: u64::try_from(required).map_or(left, |required| required.min(left)),
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::assert_error;

    #[test]
    fn lists_are_those_of_the_standard_library() {
        assert_eq!(filled(7u8, 3).unwrap(), [7; 3]);
        assert_eq!(zeroed::<u64>(2).unwrap(), [0; 2]);
        assert_eq!(copied(&[1, 2]).unwrap(), [1, 2]);
        assert_eq!((0..5).filter(|number| number % 2 == 0).gather().unwrap(), [0, 2, 4]);
        let mut list = list(1).unwrap();
        (0..4).for_each(|number| list.try_push(number).unwrap());
        list.try_extend(4..6).unwrap();
        list.try_resize(7, 9).unwrap();
        assert_eq!(list, [0, 1, 2, 3, 4, 5, 9]);
    }

    proptest! {
        #[test]
        fn a_list_is_sorted_by_a_key_and_stays_in_order_else(mut list in vec((0u64..9, 0u8..9), 0..40)) {
            let mut expected = list.clone();
            expected.sort_by_key(|element| element.0);
            sort_by_key(&mut list, |element| element.0).unwrap();
            prop_assert_eq!(list, expected);
        }
    }

    #[test]
    fn what_no_system_has_is_an_error() {
        let huge = usize::MAX / 16;
        let refused = |result: Result<Vec<u64>>| {
            matches!(result.as_ref().err().map(Box::as_ref), Some(Error::OutOfMemory { .. }))
        };
        assert!(refused(list(huge)) && refused(filled(1, huge)) && refused(zeroed(huge)));
        assert!(refused((0..huge as u64).gather()));
        assert_error!(Vec::from([1u64]).try_resize(huge, 1), Error::OutOfMemory { .. });
        assert!(check_room(usize::MAX).is_err());
        assert!(check_headroom().is_ok());
    }
}
