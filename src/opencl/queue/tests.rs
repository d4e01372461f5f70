use super::*;
use crate::Error;
use crate::opencl::testing::{real_test_devices, test_devices};
use crate::opencl::{Device, KernelFamily, Local, Source, UNTESTED, kernel_arguments};
use crate::testing::assert_error;

const FAMILY: KernelFamily = KernelFamily {
    name: "queue_test",
    sources: &[Source::Text("
        kernel void add(global const uint *a, global const ulong *b, global ulong *sum, uint shift, ulong n) {
            size_t i = get_global_id(0);
            if (i < n) sum[i] = a[i] + (b[i] << shift);
        }
        kernel void reverse(global uint *data, local uint *copy) {
            TAKE_PART(copy);
            size_t i = get_local_id(0), n = get_local_size(0), base = get_group_id(0) * n;
            copy[i] = data[base + i];
            barrier(CLK_LOCAL_MEM_FENCE);
            data[base + i] = copy[n - 1 - i];
        }
        kernel void where(global uint *ids, uint width, uint height) {
            uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
            ids[(z * height + y) * width + x] = x + 10 * y + 100 * z;
        }
        kernel void scratch(global uint *data) {
            local uint space[64];
            space[get_local_id(0)] = data[0];
            barrier(CLK_LOCAL_MEM_FENCE);
            data[get_global_id(0)] = space[0];
        }")],
    kernels: crate::opencl::declared![Add, Reverse, Where, Scratch, Short, Long, Mistyped],
    constants: &[],
    tuning: &[],
    self_test: UNTESTED,
};

kernel_arguments! {
    struct Add<'a> = "add" {
        a: &'a Buffer<u32>,
        b: &'a Buffer<u64>,
        sum: &'a Buffer<u64>,
        shift: u32,
        n: u64,
    }

    struct Reverse<'a> = "reverse" {
        data: &'a Buffer<u32>,
        copy: Local as uint,
    }

    struct Where<'a> = "where" {
        ids: &'a Buffer<u32>,
        width: u32,
        height: u32,
    }

    struct Scratch<'a> = "scratch" {
        data: &'a Buffer<u32>,
    }

    /// Wrong declarations of `reverse`.
    struct Short<'a> = "reverse" {
        data: &'a Buffer<u32>,
    }

    struct Long<'a> = "reverse" {
        right: Reverse<'a>,
        more: u32,
    }

    struct Mistyped = "reverse" {
        data: u32,
        copy: Local as uint,
    }
}

fn kernel<A: Arguments>(device: &Device) -> Kernel<A> {
    device.program(&FAMILY, &[]).unwrap().kernel().unwrap()
}

#[test]
fn kernels_equal_the_host_for_all_sizes() {
    for device in test_devices() {
        let queue = device.queue();
        let add: Kernel<Add<'_>> = kernel(&device);
        let group = 16.min(add.max_work_group_size());
        for n in [0, 1, 2, 15, 16, 17, 100] {
            let a: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let b: Vec<u64> = (0..n as u64).map(|i| i << 40).collect();
            let (a_device, b_device) =
                (device.buffer_from(&queue, &a).unwrap(), device.buffer_from(&queue, &b).unwrap());
            let sum_device = device.buffer::<u64>(n).unwrap();
            let sums = Add { a: &a_device, b: &b_device, sum: &sum_device, shift: 3, n: n as u64 };
            queue.launch(&add, &sums, [n.next_multiple_of(group)], [group]).unwrap();
            let mut sum = vec![0; n];
            queue.read(&sum_device, 0, &mut sum).unwrap();
            let expected: Vec<u64> =
                a.iter().zip(&b).map(|(&a, &b)| u64::from(a) + (b << 3)).collect();
            assert_eq!(sum, expected);
        }
    }
}

/// A driver may load a kernel again for a larger launch, while other threads run it.
#[test]
fn threads_launch_a_kernel_with_more_and_more_work_items() {
    let count = |device: &Device, launches: &mut dyn Iterator<Item = usize>| {
        let (queue, add) = (device.queue(), kernel::<Add<'_>>(device));
        for n in launches {
            let a = device.buffer_from(&queue, &vec![1u32; n]).unwrap();
            let b = device.buffer_from(&queue, &vec![2u64; n]).unwrap();
            let sum = device.buffer::<u64>(n).unwrap();
            let sums = Add { a: &a, b: &b, sum: &sum, shift: 1, n: n as u64 };
            queue.launch(&add, &sums, [n], [1]).unwrap();
            let mut found = vec![0; n];
            queue.read(&sum, 0, &mut found).unwrap();
            assert_eq!(found, vec![5; n]);
        }
    };
    let devices: Vec<Vec<Device>> = (0..4).map(|_| real_test_devices()).collect();
    std::thread::scope(|scope| {
        for (thread, devices) in (0..).zip(&devices) {
            scope.spawn(move || {
                for device in devices {
                    let grows = thread == 0;
                    count(device, &mut (1..200).map(|n| if grows { n } else { 1 }));
                }
            });
        }
    });
}

#[test]
fn local_memory_belongs_to_a_group() {
    for device in test_devices() {
        let queue = device.queue();
        let reverse: Kernel<Reverse<'_>> = kernel(&device);
        let group = 8.min(reverse.max_work_group_size());
        let mut data: Vec<u32> = (0..3 * group as u32).collect();
        let buffer = device.buffer_from(&queue, &data).unwrap();
        let arguments = Reverse { data: &buffer, copy: Local(4 * group) };
        queue.launch(&reverse, &arguments, [3 * group], [group]).unwrap();
        data.chunks_mut(group).for_each(<[u32]>::reverse);
        let mut found = vec![0; data.len()];
        queue.read(&buffer, 0, &mut found).unwrap();
        assert_eq!(found, data);
    }
}

#[test]
fn launches_have_up_to_three_dimensions() {
    for device in test_devices() {
        let queue = device.queue();
        let ids = kernel(&device);
        let buffer = device.buffer::<u32>(24).unwrap();
        let arguments = Where { ids: &buffer, width: 4, height: 3 };
        queue.launch(&ids, &arguments, [4, 3, 2], [1, 1, 1]).unwrap();
        let mut found = [0; 24];
        queue.read(&buffer, 0, &mut found).unwrap();
        let expected: Vec<u32> = (0..2)
            .flat_map(|z| (0..3).flat_map(move |y| (0..4).map(move |x| x + 10 * y + 100 * z)))
            .collect();
        assert_eq!(found[..], expected);
        queue.launch(&ids, &arguments, [4, 0], [1, 1]).unwrap();
        queue.finish().unwrap();
    }
}

#[test]
fn parts_are_copied_and_filled() {
    for device in test_devices() {
        let queue = device.queue();
        let buffer = device.buffer::<i64>(6).unwrap();
        queue.fill(&buffer, 0, 6, -1).unwrap();
        queue.fill(&buffer, 4, 2, i64::MAX).unwrap();
        queue.write(&buffer, 1, &[7, 8]).unwrap();
        let mut all = [0; 6];
        queue.read(&buffer, 0, &mut all).unwrap();
        assert_eq!(all, [-1, 7, 8, -1, i64::MAX, i64::MAX]);
        let mut part = [0; 2];
        queue.read(&buffer, 2, &mut part).unwrap();
        assert_eq!(part, [8, -1]);

        queue.send(&buffer, 2, vec![-8, -9]).unwrap();
        queue.send(&buffer, 3, vec![-3]).unwrap();
        queue.read(&buffer, 1, &mut part).unwrap();
        assert_eq!(part, [7, -8]);
        queue.read(&buffer, 3, &mut part).unwrap();
        assert_eq!(part, [-3, i64::MAX]);

        let other = device.buffer::<i64>(4).unwrap();
        queue.copy((&buffer, 1), (&other, 0), 4).unwrap();
        queue.copy((&other, 0), (&other, 2), 2).unwrap();
        let mut copied = [0; 4];
        queue.read(&other, 0, &mut copied).unwrap();
        assert_eq!(copied, [7, -8, 7, -8]);
        queue.copy((&buffer, 6), (&other, 4), 0).unwrap();
        assert_error!(queue.copy((&buffer, 3), (&other, 0), 4), Error::Internal(_));

        queue.write(&buffer, 6, &[]).unwrap();
        queue.read(&buffer, 6, &mut []).unwrap();
        queue.fill(&buffer, 6, 0, 1).unwrap();
        assert_error!(queue.write(&buffer, 5, &[1, 2]), Error::Internal(_));
        assert_error!(queue.read(&buffer, 7, &mut []), Error::Internal(_));
        assert_error!(queue.fill(&buffer, usize::MAX, 2, 1), Error::Internal(_));
    }
}

#[test]
fn empty_buffers_are_usual() {
    for device in test_devices() {
        let queue = device.queue();
        let buffer = device.buffer_from::<u8>(&queue, &[]).unwrap();
        assert_eq!(buffer.len(), 0);
        queue.read(&buffer, 0, &mut []).unwrap();
    }
}

#[test]
fn wrong_launches_are_refused() {
    for device in test_devices() {
        let queue = device.queue();
        let (reverse, scratch) = (kernel(&device), kernel(&device));
        let data = &device.buffer::<u32>(64).unwrap();
        let arguments = Reverse { data, copy: Local(16) };
        let defect = |result: Result<()>| {
            assert_error!(result, Error::Internal(_));
        };
        defect(queue.launch(&kernel(&device), &Short { data }, [4], [4]));
        defect(queue.launch(&kernel(&device), &Long { right: arguments, more: 1 }, [4], [4]));
        defect(queue.launch(&reverse, &arguments, [5], [4]));
        defect(queue.launch(&reverse, &arguments, [4], [0]));

        let beyond = |copy: usize, local: [usize; 2]| {
            let arguments = Reverse { data, copy: Local(copy) };
            let result = queue.launch(&reverse, &arguments, local, local);
            assert_error!(result, Error::DeviceFailed(_));
        };
        let most = device.info().max_work_group_size;
        let local = device.info().local_memory_bytes as usize;
        beyond(16, [most + 1, 1]);
        beyond(16, [most, 2]);
        beyond(16, [usize::MAX, 2]);
        beyond(local + 1, [4, 1]);
        beyond(usize::MAX, [4, 1]);
        queue.launch(&scratch, &Scratch { data }, [1], [1]).unwrap();
        queue.finish().unwrap();

        let wrong = Mistyped { data: 1, copy: Local(16) };
        let mistyped = queue.launch(&kernel(&device), &wrong, [4], [4]);
        let Err(Error::DeviceFailed(text)) = mistyped.map_err(|error| *error) else {
            panic!("it runs")
        };
        assert!(text.starts_with("clSetKernelArg reverse, argument 0: CL_INVALID_ARG_"), "{text}");
    }
}

#[test]
fn threads_share_a_queue() {
    for device in real_test_devices() {
        let queue = device.queue();
        let program = device.program(&FAMILY, &[]).unwrap();
        std::thread::scope(|scope| {
            for number in 0..4u32 {
                let (device, queue, program) = (&device, &queue, &program);
                scope.spawn(move || {
                    let kernel = program.kernel().unwrap();
                    let buffer = device.buffer::<u32>(8).unwrap();
                    for _ in 0..10 {
                        let arguments = Where { ids: &buffer, width: 8, height: 1 };
                        queue.fill(&buffer, 0, 8, number).unwrap();
                        queue.launch(&kernel, &arguments, [8], [1]).unwrap();
                        let mut ids = [0; 8];
                        queue.read(&buffer, 0, &mut ids).unwrap();
                        assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6, 7]);
                    }
                });
            }
        });
    }
}
