//! First-fit decreasing for item types: the containers of a packing whose table is not filled in
//! time.

use super::packing::{Containers, Packing};
use crate::memory::{self, Grow};
use crate::solve::Monitor;
use crate::{Error, Result};

/// Most containers, so that the heuristic costs next to nothing.
const MOST: usize = 1 << 16;

/// Packs each type, from the largest size on, into the first containers that have room.
///
/// # Errors
/// [`Error::Stopped`] if the monitor stops it, [`Error::Unsupported`] beyond [`MOST`] containers.
pub(super) fn first_fit_decreasing(packing: &Packing, monitor: &Monitor) -> Result<Containers> {
    let types = packing.sizes().len();
    let mut order: Vec<usize> = memory::list(types)?;
    order.extend(0..types);
    memory::sort_by_key(&mut order, |&of| u64::MAX - packing.sizes()[of])?;
    let (mut containers, mut room) = (Containers::new(), Vec::new());
    for of in order {
        let (size, mut left) = (packing.sizes()[of], packing.counts()[of]);
        monitor.check()?;
        for place in 0.. {
            if left == 0 {
                break;
            }
            if place == MOST {
                return Err(Error::unsupported(format!("more than {MOST} containers")));
            }
            if place == containers.len() {
                monitor.check_step(place)?;
                containers.try_push(memory::zeroed(types)?)?;
                room.try_push(packing.capacity())?;
            }
            let taken = (room[place] / size).min(left.into()) as u32;
            containers[place][of] = taken;
            room[place] -= u64::from(taken) * size;
            left -= taken;
        }
    }
    Ok(containers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::SolveOptions;

    fn pack(sizes: &[u64], counts: &[u32], capacity: u64) -> Result<Containers> {
        let packing = Packing::new(sizes.to_vec(), counts.to_vec(), capacity).unwrap();
        let containers = first_fit_decreasing(&packing, &Monitor::new(&SolveOptions::default()))?;
        packing.evaluate(&containers)?;
        Ok(containers)
    }

    #[test]
    fn larger_sizes_are_packed_first() {
        let containers = pack(&[3, 7, 5], &[4, 2, 1], 12).unwrap();
        assert_eq!(containers, [[0, 1, 1], [1, 1, 0], [3, 0, 0]]);
        assert_eq!(pack(&[], &[], 5).unwrap(), Containers::new());
    }

    #[test]
    fn very_many_containers_are_refused() {
        assert_eq!(pack(&[1], &[1 << 16], 1).unwrap().len(), 1 << 16);
        assert!(pack(&[1], &[(1 << 16) + 1], 1).is_err());
    }
}
