//! Kernel families built for a device.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, cl_int};
use cl3::info_type::InfoType;
use cl3::program::{
    CL_PROGRAM_BINARIES, CL_PROGRAM_BUILD_LOG, build_program, create_program_with_binary,
    create_program_with_source, get_program_build_info, get_program_info,
};

use super::arguments::Arguments;
use super::build_log;
use super::cache::{Cache, Entry, Key};
use super::discovery::FoundDevice;
use super::kernel::{EntryPoint, Kernel};
use super::objects::{ContextObject, Owned, ProgramObject};
use super::recipe::{OPTIONS, Recipe, UserText};
use super::status::{describe, failed};
use super::trial::{Failing, SelfTest};
use crate::{Error, Log, Result};

/// A built kernel family.
pub(crate) struct Program {
    object: Owned<ProgramObject>,
    device: FoundDevice,
    recipe: Arc<Recipe>,
    cache: Cache,
    /// Whether the self-test passed, in this process or in the one that saved the binary.
    passed: AtomicBool,
    /// Whether there is nothing to save: the binary was loaded from disk, or was saved after a run.
    settled: AtomicBool,
}

impl Program {
    /// Builds from the saved binary if the driver accepts it, otherwise from source. Refuses if the
    /// cache says that the program is wrong.
    pub(super) fn build(
        recipe: &Arc<Recipe>,
        context: &Owned<ContextObject>,
        device: &FoundDevice,
        cache: &Cache,
        log: &Log,
    ) -> Result<Program, Failing> {
        let start = Instant::now();
        let (passed, cached) = match cache.load(&recipe.key) {
            Some(Entry::Passed(binary)) => {
                let built = from_passed(context, device, recipe, &binary, cache, log);
                (built.is_some(), built)
            }
            Some(Entry::Barred(reason)) => return Err(Failing::Wrong(reason)),
            None => (false, None),
        };
        let origin = if cached.is_some() { "the saved binary" } else { "source" };
        let object = match cached {
            Some(object) => object,
            None => from_source(context, device, recipe, log).map_err(Failing::Error)?,
        };
        log.debug(|| {
            let seconds = start.elapsed().as_secs_f64();
            format!("kernels {}: built from {origin} in {seconds:.3} s", recipe.family)
        });
        let (passed, settled) = (AtomicBool::new(passed), AtomicBool::new(passed));
        Ok(Program {
            object,
            device: device.clone(),
            recipe: Arc::clone(recipe),
            cache: cache.clone(),
            passed,
            settled,
        })
    }

    pub(super) fn key(&self) -> Key {
        self.recipe.key
    }

    /// Whether the self-test passed.
    pub(super) fn has_passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed)
    }

    /// Compares the kernels with the CPU by `run` and saves the verdict. A driver with its own
    /// cache is an exception, and a good verdict is not saved: if that cache has lost the kernels,
    /// the driver compiles them at their first launch, which must be the self-test's and not the
    /// solve's.
    pub(super) fn test(
        &self,
        run: impl FnOnce(SelfTest) -> Result<(), Failing>,
    ) -> Result<(), Failing> {
        let verdict = run(self.recipe.self_test);
        match &verdict {
            Ok(()) => {
                self.passed.store(true, Ordering::Relaxed);
                // If the solve is stopped now, the next one finds the compiled kernels.
                self.store();
            }
            Err(Failing::Wrong(reason)) => {
                self.cache.store(&self.recipe.key, &Entry::Barred(reason.clone()))
            }
            Err(Failing::Error(_)) => {}
        }
        verdict
    }

    /// A new object for the kernel that takes these arguments. It carries them, so every thread
    /// needs its own.
    pub(crate) fn kernel<A: Arguments>(self: &Arc<Self>) -> Result<Kernel<A>> {
        #[cfg(test)]
        self.recipe.check_declared::<A>();
        Ok(Kernel::new(EntryPoint::create(Arc::clone(self), A::KERNEL)?))
    }

    /// The value of the define `name`, from a tuning row or the caller.
    pub(crate) fn define(&self, name: &str) -> Option<u64> {
        self.recipe.defines.get(name).copied()
    }

    /// The user's part of the source.
    #[cfg(test)]
    pub(super) fn user_text(&self) -> Option<UserText<'_>> {
        self.recipe.user_text()
    }

    pub(super) fn object(&self) -> &Owned<ProgramObject> {
        &self.object
    }

    pub(super) fn device(&self) -> &FoundDevice {
        &self.device
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled.load(Ordering::Relaxed)
    }

    /// Saves the binary, once. Call it after a kernel has run: some drivers compile only then, and
    /// a binary taken earlier would leave that work to every later process. A program under test is
    /// not saved yet.
    pub(super) fn save(&self) {
        if self.has_passed() && !self.settled.swap(true, Ordering::Relaxed) {
            self.store();
        }
    }

    fn store(&self) {
        // A context of the host program may have more devices, for which there is no binary.
        if !self.device.quirks.keeps_kernels
            && !self.cache.is_off()
            && let Ok(InfoType::VecVecUchar(binaries)) =
                get_program_info(self.object.raw(), CL_PROGRAM_BINARIES)
            && let Some(binary) = binaries.into_iter().find(|binary| !binary.is_empty())
        {
            self.cache.store(&self.recipe.key, &Entry::Passed(binary));
        }
    }
}

/// Makes a program from its saved binary, unless the driver refuses it.
fn from_passed(
    context: &Owned<ContextObject>,
    device: &FoundDevice,
    recipe: &Recipe,
    binary: &[u8],
    cache: &Cache,
    log: &Log,
) -> Option<Owned<ProgramObject>> {
    let built = from_binary(context, device, binary);
    if let Err(error) = &built {
        log.debug(|| {
            format!("kernels {}: the driver refuses the saved binary: {error}", recipe.family)
        });
        cache.discard(&recipe.key);
    }
    built.ok()
}

fn from_binary(
    context: &Owned<ContextObject>,
    device: &FoundDevice,
    binary: &[u8],
) -> Result<Owned<ProgramObject>> {
    // SAFETY: the device belongs to the context. cl3 passes the slices by their layout in memory,
    // which C reads correctly only for a single slice, as here.
    let raw =
        unsafe { create_program_with_binary(context.raw(), &[device.handle.id()], &[binary]) };
    let program = created("clCreateProgramWithBinary", raw)?;
    compile(&program, device).map_err(|code| failed("clBuildProgram", code))?;
    Ok(program)
}

fn from_source(
    context: &Owned<ContextObject>,
    device: &FoundDevice,
    recipe: &Recipe,
    log: &Log,
) -> Result<Owned<ProgramObject>> {
    // A single text: cl3 passes wrong pointers for several.
    let raw = create_program_with_source(context.raw(), &[&recipe.source]);
    let program = created("clCreateProgramWithSource", raw)?;
    let compiled = compile(&program, device);
    let messages = build_log(&program, device);
    match compiled {
        Ok(()) => {
            if !messages.is_empty() {
                log.debug(|| format!("kernels {}: the compiler says: {messages}", recipe.family));
            }
            Ok(program)
        }
        Err(code) => Err(match recipe.user_text() {
            Some(UserText { argument, before, text }) if code == CL_BUILD_PROGRAM_FAILURE => {
                let [before, own] = [before, text].map(|text| text.lines().count());
                let errors = build_log::head(&messages, recipe.family, before, own);
                Error::argument(argument, format!("does not compile: {errors}"))
            }
            _ => {
                let call = describe(&format!("clBuildProgram {}", recipe.family), code);
                Error::device_failed(format!("{call}\n{messages}"))
            }
        }),
    }
}

fn created(call: &str, raw: Result<*mut c_void, cl_int>) -> Result<Owned<ProgramObject>> {
    let raw = raw.map_err(|code| failed(call, code))?;
    // SAFETY: the driver has just created the object and transferred it to us.
    Ok(unsafe { Owned::new(raw) })
}

fn compile(program: &Owned<ProgramObject>, device: &FoundDevice) -> Result<(), cl_int> {
    build_program(program.raw(), &[device.handle.id()], OPTIONS, None, ptr::null_mut())
}

/// The compiler's messages; empty if the driver does not report them.
fn build_log(program: &Owned<ProgramObject>, device: &FoundDevice) -> String {
    match get_program_build_info(program.raw(), device.handle.id(), CL_PROGRAM_BUILD_LOG) {
        Ok(InfoType::VecUchar(text)) => {
            String::from_utf8_lossy(&text).trim_matches(['\0', '\n', ' ']).to_owned()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;
    use crate::LogLevel;
    use crate::opencl::Source;
    use crate::opencl::facts::DeviceInfo;
    use crate::opencl::testing::{found_devices, open, self_testing_devices};
    use crate::opencl::tuning::{Match, TuningRow};
    use crate::opencl::{
        Buffer, CacheLocation, Declaration, Device, KernelFamily, UNTESTED, UserText,
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
        tuning: &[TuningRow { device: Match::Default, defines: &[("STEP", 4), ("OFFSET", 100)] }],
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
        found_devices().into_iter().filter(|found| !found.quirks.simulator).map(asked)
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
                Recipe::new(&FAMILY, defines, None, &found).key
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
            tuning: &[TuningRow { device: Match::Default, defines: &[("UNUSED", 1)] }],
            self_test: UNTESTED,
        };
        for device in self_testing_devices() {
            let Err(Error::DeviceFailed(text)) =
                device.program(&family, &[]).map_err(|error| *error)
            else {
                panic!("it compiles")
            };
            assert!(
                text.starts_with("clBuildProgram broken: CL_BUILD_PROGRAM_FAILURE (-11)"),
                "{text}"
            );
            // Oclgrind and NVIDIA ignore `#line` and count the defines before the sources.
            let place =
                ["broken[1]:3:12", ":7:12", ":8:12"].iter().any(|place| text.contains(place));
            assert!(text.contains("no_such_name") && place, "{text}");
        }
    }

    #[test]
    fn a_users_text_is_built_with_the_family_and_its_faults_are_the_users() {
        let family = KernelFamily {
            name: "calls",
            sources: &[Source::Text(
                "kernel void f(global ulong *out) { out[0] = twice(OFFSET); }",
            )],
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
            let key = Recipe::new(&FAMILY, &[], None, &found).key;
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
    fn simulators_always_see_the_source() {
        for found in found_devices().into_iter().filter(|found| found.quirks.simulator) {
            let directory = tempfile::tempdir().unwrap();
            run_with_cache(&found, directory.path());
            let log = run_with_cache(&found, directory.path());
            assert!(log.contains("built from source"), "{log}");
            assert_eq!(entries(directory.path()).len(), 0);
        }
    }
}
