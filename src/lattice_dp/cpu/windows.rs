//! Tables beyond the memory limit, segment by segment.

use super::{Filler, Traceback, allocate};
use crate::lattice_dp::Path;
use crate::lattice_dp::cell::Cell;
use crate::lattice_dp::instance::Instance;
use crate::lattice_dp::windows::Windows;
use crate::solve::Monitor;
use crate::{Context, Result};

/// Fills the table and traces the cheapest path to the last cell back.
pub(super) fn solve<C: Cell>(
    context: &Context,
    instance: &Instance,
    windows: &Windows,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    let mut window = allocate(windows.cells(), monitor)?;
    let (window, checkpoints) = window.split_at_mut(windows.window_cells() as usize);
    let checkpoint_cells = windows.checkpoint_cells() as usize;
    let filler = Filler::new(context, instance, Some(instance.cells()), monitor);

    filler.fill_from(&mut window[..windows.plane as usize], 1)?;
    fill(&filler, window, windows, 0)?;
    for (segment, checkpoint) in (1..).zip(checkpoints.chunks_exact_mut(checkpoint_cells)) {
        let handed_over = windows.handed_over() as usize;
        checkpoint.copy_from_slice(&window[handed_over..][..checkpoint_cells]);
        window[..checkpoint_cells].copy_from_slice(checkpoint);
        fill(&filler, window, windows, segment)?;
    }

    let last = windows.segments() - 1;
    let least = |segment| if segment == 0 { 0 } else { windows.filled(segment).start };
    let mut traceback =
        Traceback::new(instance).follow::<C>(window, windows.origin(last), least(last))?;
    let filler = Filler { cells: None, ..filler };
    let unfinished = if traceback.is_unreachable { 0..0 } else { 0..last };
    for segment in unfinished.rev() {
        match segment.checked_sub(1) {
            Some(before) => {
                let checkpoint = &checkpoints[before as usize * checkpoint_cells..];
                window[..checkpoint_cells].copy_from_slice(&checkpoint[..checkpoint_cells]);
            }
            None => {
                window[0] = C::ZERO;
                filler.fill_from(&mut window[..windows.plane as usize], 1)?;
            }
        }
        fill(&filler, window, windows, segment)?;
        traceback = traceback.follow::<C>(window, windows.origin(segment), least(segment))?;
    }
    traceback.into_path()
}

/// Fills the planes of a segment, whose first ones are in the window.
fn fill<C: Cell>(
    filler: &Filler<'_, C>,
    window: &mut [C],
    windows: &Windows,
    segment: u64,
) -> Result<()> {
    let origin = windows.origin(segment);
    windows.planes(segment).try_for_each(|plane| filler.fill_slab(window, origin, 0, plane as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice_dp::cell::CellWidth;
    use crate::lattice_dp::cpu;
    use crate::lattice_dp::testing::instances;
    use crate::solve::SolveOptions;
    use crate::testing::{cpu_context, limited};
    use crate::{Error, Limits};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn windows_change_nothing(instance in instances(), room in 1u64..4000) {
            let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
            let expected = cpu::solve(&context, &instance, &monitor).unwrap();
            if let Some(windows) = Windows::new(&instance, room % instance.cells()) {
                if instance.cell_width() == CellWidth::Bits8 {
                    let found = solve::<u8>(&context, &instance, &windows, &monitor).unwrap();
                    prop_assert_eq!(&found, &expected);
                }
                let found = solve::<u16>(&context, &instance, &windows, &monitor).unwrap();
                prop_assert_eq!(&found, &expected);
            }
        }
    }

    #[test]
    fn a_table_beyond_the_memory_limit_is_filled_in_segments() {
        // The fewest steps use the longest dimension, so that it comes first in the layout.
        let steps = [([1, 2, 0], 1), ([2, 0, 1], 1), ([1, 0, 0], 2), ([0, 1, 0], 2)]
            .into_iter()
            .chain([([0, 0, 1], 2), ([0, 2, 1], 1), ([0, 1, 2], 1)]);
        let instance = Instance::new(&[101, 20, 20], steps).unwrap();
        let solve_within = |memory| {
            let monitor =
                Monitor::new(&limited(Limits { memory: Some(memory), ..Limits::default() }));
            cpu::solve(&cpu_context(2), &instance, &monitor)
        };
        let bytes = instance.table_bytes();
        let whole = solve_within(bytes).unwrap();
        assert!(whole.is_some());
        assert_eq!(solve_within(bytes - 1).unwrap(), whole);
        assert_eq!(solve_within(bytes / 3).unwrap(), whole);
        let Error::OutOfMemory { required, .. } = *solve_within(bytes / 100).unwrap_err() else {
            panic!("a hundredth of the table is too little")
        };
        assert_eq!(required, bytes.into());
    }
}
