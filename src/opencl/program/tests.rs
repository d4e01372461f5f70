use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::LogLevel;
use crate::opencl::Source;
use crate::opencl::Tunable;
use crate::opencl::facts::DeviceInfo;
use crate::opencl::testing::{found_devices, open, self_testing_devices, shipped};
use crate::opencl::{
    Buffer, CacheLocation, Declaration, Device, GROUP_MEMORY, KernelFamily, UNTESTED, UserText,
    kernel_arguments,
};
use crate::testing::assert_error;

const FAMILY: KernelFamily = KernelFamily {
    name: "program_test",
    sources: &[
        Source::Text("#ifndef STEP\n#define STEP 1\n#endif"),
        Source::Text("kernel void count(global ulong *out) { out[0] = STEP + OFFSET; }"),
    ],
    kernels: crate::opencl::declared![Count, Missing, Unnamed],
    constants: &[],
    tuning: &[
        Tunable::number("STEP: for tests", (4, 1 << 31)),
        Tunable::number("OFFSET: for tests", (100, 1000)),
    ],
    self_test: UNTESTED,
};

kernel_arguments! {
    struct Count<'a> = "count" {
        out: &'a Buffer<u64>,
    }

    struct Missing<'a> = "missing" {
        out: &'a Buffer<u64>,
    }

    struct Unnamed<'a> = "a\0b" {
        out: &'a Buffer<u64>,
    }

    struct Calling<'a> = "f" {
        out: &'a Buffer<u64>,
    }

    struct Lanes<'a> = "lanes" {
        out: &'a Buffer<u32>,
    }
}

/// Opens a device with its cache in `directory`, runs the kernel, and returns the log.
fn run_with_cache(found: &FoundDevice, directory: &Path) -> String {
    let lines = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&lines);
    let log = Log::new(
        LogLevel::Debug,
        Arc::new(move |_, line| *sink.lock().unwrap() += &format!("{line}\n")),
    );
    let device = open(found.clone(), &CacheLocation::Directory(directory.to_owned()), log);
    assert_eq!(result(&device, &[]), 104);
    drop(device);
    std::mem::take(&mut *lines.lock().unwrap())
}

fn result(device: &Device, defines: &[(&'static str, u64)]) -> u64 {
    let program = device.program(&FAMILY, defines).unwrap();
    let queue = device.queue();
    let out = device.buffer::<u64>(1).unwrap();
    queue.launch(&program.kernel().unwrap(), &Count { out: &out }, [1], [1]).unwrap();
    queue.finish().unwrap();
    let mut value = [0];
    queue.read(&out, 0, &mut value).unwrap();
    value[0]
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory)
        .map_or_else(|_| Vec::new(), |files| files.map(|file| file.unwrap().path()).collect())
}

/// Devices with saved binaries, including those whose drivers have their own cache.
fn caching_devices() -> impl Iterator<Item = FoundDevice> {
    let asked = |mut found: FoundDevice| {
        found.quirks.keeps_kernels = false;
        found
    };
    found_devices().into_iter().filter(|found| !found.quirks.goes_without_cache()).map(asked)
}

#[test]
fn a_driver_that_keeps_its_kernels_is_not_asked_for_binaries() {
    for mut found in caching_devices() {
        found.quirks.keeps_kernels = true;
        let directory = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let log = run_with_cache(&found, directory.path());
            assert!(log.contains("built from source"), "{log}");
        }
        assert!(entries(directory.path()).is_empty());
    }
}

#[test]
fn keys_depend_on_source_and_device() {
    for found in found_devices() {
        let key = |change: fn(&mut DeviceInfo), defines: &[(&'static str, u64)]| {
            let mut found = found.clone();
            change(&mut found.info);
            Recipe::new(&FAMILY, defines, None, &shipped(), &found).key
        };
        let plain = key(|_| (), &[]);
        assert!(plain == key(|_| (), &[("STEP", 4)]), "the value that the tuning has anyway");
        assert!(plain != key(|_| (), &[("STEP", 5)]));
        assert!(plain != key(|info| info.name.push('x'), &[]));
        assert!(plain != key(|info| info.device_version.push('x'), &[]));
        assert!(plain != key(|info| info.driver_version.push('x'), &[]));
        assert!(plain != key(|info| info.platform.push('x'), &[]));
        assert!(plain != key(|info| info.platform_version.push('x'), &[]));
    }
}

#[test]
fn defines_reach_the_kernel_and_the_host() {
    for device in self_testing_devices() {
        assert_eq!(device.waited().time, Duration::ZERO);
        assert_eq!(result(&device, &[]), 104);
        assert_eq!(result(&device, &[("STEP", 1 << 40)]), 100 + (1 << 40));
        let program = device.program(&FAMILY, &[("STEP", 7)]).unwrap();
        assert_eq!(program.define("STEP"), Some(7));
        assert_eq!(program.define("OFFSET"), Some(100));
        assert_eq!(program.define("ELSE"), None);
        assert_eq!(program.define("INLINE_PTX"), device.quirks().inline_ptx.then_some(1));
        assert!(device.waited().time > Duration::ZERO);
    }
}

#[test]
fn a_program_is_built_once() {
    for device in self_testing_devices() {
        let first = device.program(&FAMILY, &[]).unwrap();
        let waited = device.waited().time;
        let again = device.program(&FAMILY, &[("OFFSET", 100)]).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(device.waited().time, waited);
        assert!(!Arc::ptr_eq(&first, &device.program(&FAMILY, &[("OFFSET", 1)]).unwrap()));
    }
}

#[test]
fn compiler_messages_reach_the_caller() {
    let family = KernelFamily {
        name: "broken",
        sources: &[
            Source::Text("constant int fine = 1;"),
            Source::Text("kernel void f(global int *out) {\n\n  out[0] = no_such_name;\n}"),
        ],
        kernels: &[],
        constants: &[],
        tuning: const { &[Tunable::number("UNUSED: for tests", (1, 1))] },
        self_test: UNTESTED,
    };
    for device in self_testing_devices() {
        let Err(Error::DeviceFailed(text)) = device.program(&family, &[]).map_err(|error| *error)
        else {
            panic!("it compiles")
        };
        assert!(
            text.starts_with("clBuildProgram broken: CL_BUILD_PROGRAM_FAILURE (-11)"),
            "{text}"
        );
        // Oclgrind and NVIDIA ignore `#line` and count what is before the sources: defines, of which
        // NVIDIA has one more, and the macros of all programs.
        let macros = GROUP_MEMORY.text().lines().count();
        let counted = |others: usize| format!(":{}:12", macros + others);
        let places = ["broken[1]:3:12".to_owned(), counted(9), counted(10)];
        let has_place = places.iter().any(|place| text.contains(place));
        assert!(text.contains("no_such_name") && has_place, "{text}");
    }
}

#[test]
fn a_users_text_is_built_with_the_family_and_its_faults_are_the_users() {
    let family = KernelFamily {
        name: "calls",
        sources: &[Source::Text("kernel void f(global ulong *out) { out[0] = twice(OFFSET); }")],
        kernels: const { &[Declaration::of::<Calling<'_>>()] },
        constants: &[],
        tuning: FAMILY.tuning,
        self_test: UNTESTED,
    };
    for device in self_testing_devices() {
        let with = |text| {
            device.program_with(&family, &[], UserText { argument: "twice", before: "", text })
        };
        let program = with("ulong twice(ulong x)\n{ return 2 * x; }").unwrap();
        let queue = device.queue();
        let out = device.buffer::<u64>(1).unwrap();
        queue.launch(&program.kernel().unwrap(), &Calling { out: &out }, [1], [1]).unwrap();
        let mut value = [0];
        queue.read(&out, 0, &mut value).unwrap();
        assert_eq!(value, [200]);

        let refusal = |text| match with(text).map_err(|error| *error) {
            Err(Error::InvalidArgument { argument: "twice", reason, .. }) => reason,
            _ => panic!("it compiles"),
        };
        let reason = refusal("ulong twice(ulong x)\n{ return y; }");
        assert!(reason.starts_with("does not compile: line 2, column 10: "), "{reason}");
        let reason = refusal("ulong thrice(ulong x)\n{ return 3 * x; }");
        assert!(reason.contains("in the kernels that follow it: "), "{reason}");
    }
}

#[test]
fn missing_kernels_are_named() {
    for device in self_testing_devices() {
        let program = device.program(&FAMILY, &[]).unwrap();
        let missing = program.kernel::<Missing<'_>>();
        let Err(Error::DeviceFailed(text)) = missing.map_err(|error| *error) else {
            panic!("it is there")
        };
        assert_eq!(text, "clCreateKernel missing: CL_INVALID_KERNEL_NAME (-46)");
        let unnamed = program.kernel::<Unnamed<'_>>();
        assert_error!(unnamed, Error::Internal(_));
    }
}

#[test]
fn inline_assembly_is_for_those_who_take_it() {
    let family = KernelFamily {
        name: "assembly",
        sources: &[Source::Text(
            "
            kernel void lanes(global uint *out) {
                uint value = 7;
            #ifdef INLINE_PTX
                asm(\"popc.b32 %0, %1;\" : \"=r\"(value) : \"r\"(127u));
            #endif
                out[0] = value;
            }",
        )],
        kernels: const { &[Declaration::of::<Lanes<'_>>()] },
        constants: &[],
        tuning: &[],
        self_test: UNTESTED,
    };
    for device in self_testing_devices() {
        let queue = device.queue();
        let out = device.buffer::<u32>(1).unwrap();
        let lanes = device.program(&family, &[]).unwrap().kernel().unwrap();
        queue.launch(&lanes, &Lanes { out: &out }, [1], [1]).unwrap();
        let mut value = [0];
        queue.read(&out, 0, &mut value).unwrap();
        assert_eq!(value, [7]);
    }
}

#[test]
fn the_second_process_finds_the_binary() {
    for found in caching_devices() {
        let directory = tempfile::tempdir().unwrap();
        let first = run_with_cache(&found, directory.path());
        assert!(first.contains("built from source") && first.contains("saved"), "{first}");
        let second = run_with_cache(&found, directory.path());
        assert!(
            second.contains("built from the saved binary") && !second.contains("saved /"),
            "{second}"
        );
        assert_eq!(entries(directory.path()).len(), 1);
    }
}

#[test]
fn binaries_are_saved_after_the_test_and_after_the_first_run() {
    for found in caching_devices() {
        let directory = tempfile::tempdir().unwrap();
        let device =
            open(found, &CacheLocation::Directory(directory.path().to_owned()), Log::default());
        // Whether an entry was saved since the last call.
        let is_saved =
            || entries(directory.path()).iter().any(|entry| fs::remove_file(entry).is_ok());
        let kernel = device.program(&FAMILY, &[]).unwrap().kernel().unwrap();
        assert!(is_saved());
        let queue = device.queue();
        let out = device.buffer_from(&queue, &[0u64]).unwrap();
        queue.finish().unwrap();
        assert!(!is_saved());
        queue.launch(&kernel, &Count { out: &out }, [1], [1]).unwrap();
        assert!(!is_saved());
        // Waiting for a result suffices; the queue's end need not be awaited.
        queue.read(&out, 0, &mut [0]).unwrap();
        assert!(is_saved());
    }
}

#[test]
fn damaged_and_foreign_binaries_are_built_anew() {
    for found in caching_devices() {
        let directory = tempfile::tempdir().unwrap();
        run_with_cache(&found, directory.path());
        let path = entries(directory.path()).remove(0);
        let good = fs::read(&path).unwrap();

        let mut damaged = good.clone();
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(&path, &damaged).unwrap();
        let log = run_with_cache(&found, directory.path());
        assert!(log.contains("is damaged") && log.contains("built from source"), "{log}");

        // An intact entry, but with contents that this driver does not accept as a binary.
        let location = CacheLocation::Directory(directory.path().to_owned());
        let key = Recipe::new(&FAMILY, &[], None, &shipped(), &found).key;
        Cache::new(&location, Log::default())
            .store(&key, &Entry::Passed(b"no binary at all".into()));
        let log = run_with_cache(&found, directory.path());
        assert!(
            log.contains("refuses the saved binary") && log.contains("built from source"),
            "{log}"
        );
        let log = run_with_cache(&found, directory.path());
        assert!(log.contains("built from the saved binary"), "{log}");
    }
}

#[test]
fn devices_without_cache_always_see_the_source() {
    for found in found_devices().into_iter().filter(|found| found.quirks.goes_without_cache()) {
        let directory = tempfile::tempdir().unwrap();
        run_with_cache(&found, directory.path());
        let log = run_with_cache(&found, directory.path());
        assert!(log.contains("built from source"), "{log}");
        assert_eq!(entries(directory.path()).len(), 0);
    }
}
