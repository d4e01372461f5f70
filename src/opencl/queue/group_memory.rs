//! The memory of work-groups on a device without local memory: parts of buffers in global memory.
//! The kernels' side is `cl/group_memory.cl`.

use std::sync::MutexGuard;

use super::Queue;
use crate::mutex::lock;
use crate::opencl::arguments::{Arg, PARTS_AT};
use crate::opencl::buffer::Buffer;
use crate::opencl::objects::{MemoryObject, Owned};
use crate::{Error, Result};

/// Bytes behind each part that no kernel may change.
const GUARD_BYTES: usize = if cfg!(test) { PARTS_AT } else { 0 };

/// A queue's buffers, one for each such argument of a kernel. Launches of the queue run one after
/// the other, so that all of them use the same.
#[derive(Default)]
pub(super) struct GroupMemory(Vec<Option<Parts>>);

/// An arbitrary number.
#[cfg(test)]
const GUARD: u32 = 0x5a17_c0de;

/// A part for each work-group.
struct Parts {
    words: Buffer<u32>,
    /// As the first word says, once it is written.
    part_bytes: Option<usize>,
}

impl GroupMemory {
    /// The buffers of a queue for its next launch.
    pub(super) fn provided<'q>(
        queue: &'q Queue,
        args: &[Arg<'_>],
        global: &[usize],
        local: &[usize],
    ) -> Result<MutexGuard<'q, GroupMemory>> {
        let groups = global.iter().zip(local).map(|(all, group)| all / group);
        let groups = groups.fold(1, usize::saturating_mul);
        let mut memory = lock(&queue.group_memory);
        for (place, bytes) in args.iter().filter_map(Arg::group_bytes).enumerate() {
            let part_bytes = bytes.next_multiple_of(PARTS_AT) + GUARD_BYTES;
            let len = part_bytes.saturating_mul(groups).saturating_add(PARTS_AT) / 4;
            if place == memory.0.len() {
                memory.0.push(None);
            }
            // A smaller buffer goes first. The driver keeps its memory until its launches end.
            let kept = memory.0[place].take().filter(|parts| parts.words.len() >= len);
            let parts = match kept {
                Some(parts) => parts,
                None => Parts { words: allocate(queue, len, groups)?, part_bytes: None },
            };
            let parts = memory.0[place].insert(parts);
            if parts.part_bytes != Some(part_bytes) {
                queue.fill(&parts.words, 0, 1, part_bytes as u32)?;
                parts.part_bytes = Some(part_bytes);
            }
            #[cfg(test)]
            queue.fill(&parts.words, PARTS_AT / 4, parts.words.len() - PARTS_AT / 4, GUARD)?;
        }
        Ok(memory)
    }

    /// Expects that the last launch, of this kernel, has kept to its parts.
    #[cfg(test)]
    pub(super) fn check(&self, queue: &Queue, kernel: &str, args: &[Arg<'_>]) -> Result<()> {
        let buffers = args.iter().filter_map(Arg::group_bytes).count();
        for (place, parts) in self.0[..buffers].iter().flatten().enumerate() {
            let mut words = vec![0; parts.words.len()];
            queue.read(&parts.words, 0, &mut words)?;
            for part in words[PARTS_AT / 4..].chunks_exact(parts.part_bytes.unwrap() / 4) {
                let guards = &part[part.len() - GUARD_BYTES / 4..];
                assert!(guards.iter().all(|&word| word == GUARD), "{kernel}, buffer {place}");
            }
        }
        Ok(())
    }

    /// The buffers in the order of the arguments.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Owned<MemoryObject>> {
        self.0.iter().flatten().map(|parts| parts.words.object())
    }
}

/// The words of the parts of some groups.
fn allocate(queue: &Queue, len: usize, groups: usize) -> Result<Buffer<u32>> {
    let info = &queue.opened.found.info;
    Buffer::create(queue.opened.context(), info, len).map_err(|mut error| {
        if let Error::OutOfMemory { what, .. } = &mut *error {
            *what = format!("the memory of {groups} work-groups on {}", info.name);
        }
        error
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::opencl::testing::{devices_without_local_memory, test_devices};
    use crate::opencl::{
        Device, GroupArrays, KernelFamily, Local, Source, UNTESTED, kernel_arguments,
    };

    const FAMILY: KernelFamily = KernelFamily {
        name: "group_memory_test",
        sources: &[Source::Text(
            "
        kernel void turn(global uint *data, local uint *copy, uint beyond GROUP_ARRAYS) {
            TAKE_PART(copy);
            TAKE_PART(group_arrays);
            GROUP_ARRAY(uint, sum, 1);
            GROUP_ARRAY(ulong2, last, 5);
            size_t i = get_local_id(0), n = get_local_size(0);
            data += (get_group_id(0) + get_num_groups(0) * get_group_id(1)) * n;
            copy[i + beyond] = data[i];
            if (i == 0) {
                *sum = 0;
                last[4] = (ulong2)(data[0], data[n - 1]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            atomic_add(sum, copy[i + beyond]);
            barrier(CLK_LOCAL_MEM_FENCE);
            data[i] = i == 0 ? (uint)last[4].y : i == n - 1 ? *sum : copy[n - 1 - i + beyond];
        }",
        )],
        kernels: crate::opencl::declared![Turn],
        constants: &[],
        tuning: &[],
        self_test: UNTESTED,
    };

    kernel_arguments! {
        /// Reverses the numbers of each group; its last one is then their sum.
        struct Turn<'a> = "turn" {
            data: &'a Buffer<u32>,
            copy: Local as uint,
            beyond: u32,
            group_arrays: GroupArrays,
        }
    }

    /// Checks launches of groups of these sizes, which write that many numbers beyond their part.
    fn turn(device: &Device, sizes: &[usize], beyond: usize) {
        let queue = device.queue();
        let kernel = device.program(&FAMILY, &[]).unwrap().kernel().unwrap();
        for &group in sizes {
            let mut expected: Vec<u32> = (7..7 + 6 * group as u32).collect();
            let data = &device.buffer_from(&queue, &expected).unwrap();
            let copy = Local(4 * group);
            let group_arrays = GroupArrays::of([4, 5 * 16]);
            let arguments = Turn { data, copy, beyond: beyond as u32, group_arrays };
            queue.launch(&kernel, &arguments, [3 * group, 2], [group, 1]).unwrap();
            for part in expected.chunks_mut(group) {
                let sum = part.iter().sum();
                part.reverse();
                part[group - 1] = sum;
            }
            let mut found = vec![0; expected.len()];
            queue.read(data, 0, &mut found).unwrap();
            assert_eq!(found, expected, "{group}");
        }
    }

    #[test]
    fn groups_have_memory_of_their_own_with_and_without_local_memory() {
        let devices = test_devices().into_iter().chain(devices_without_local_memory());
        devices.for_each(|device| turn(&device, &[16, 2, 8, 32], 0));
    }

    #[test]
    fn kernels_that_write_behind_their_part_are_noticed() {
        for device in devices_without_local_memory() {
            let turned = catch_unwind(AssertUnwindSafe(|| turn(&device, &[16], 16)));
            assert!(turned.is_err(), "{:?}", device.info());
        }
    }
}
