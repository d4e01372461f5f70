//! Device discovery: all platforms, in a stable order, with a reason for everything missing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use cl3::device::CL_DEVICE_TYPE_ALL;
use cl3::error_codes::{
    CL_PLATFORM_NOT_FOUND_KHR, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED, cl_int,
};
use opencl3::device::Device as ClDevice;
use opencl3::platform::{Platform, get_platforms};

use super::cache::{Cache, Key};
use super::facts::{DeviceInfo, DeviceKind, Quirks};
use super::objects::HostObjects;
use super::speeds::{self, DeviceSpeeds, Known};
use super::status::describe;
use crate::mutex::lock;

/// A device that can be opened.
#[derive(Debug, Clone)]
pub(crate) struct FoundDevice {
    pub(crate) info: DeviceInfo,
    pub(super) quirks: Quirks,
    pub(super) handle: ClDevice,
    /// The host program's context and queue, if it works with these.
    pub(super) host: Option<HostObjects>,
    /// How fast the device is, if that was measured.
    pub(super) known: Known,
}

impl FoundDevice {
    /// How fast the device is, measured or estimated.
    pub(crate) fn speeds(&self) -> DeviceSpeeds {
        self.known.get().unwrap_or_else(|| self.estimate())
    }

    pub(super) fn estimate(&self) -> DeviceSpeeds {
        DeviceSpeeds::estimate(&self.info, self.quirks.resident_groups)
    }

    /// Why [`Engine::Auto`](crate::Engine::Auto) leaves the device alone.
    pub(crate) fn barred_from_auto(&self) -> Option<&'static str> {
        match (self.quirks.simulator, self.info.kind) {
            (true, _) => Some("it is a simulator"),
            (false, DeviceKind::Cpu) => {
                Some("it is the processor, whose cores the CPU engine uses as well")
            }
            _ => None,
        }
    }

    #[cfg(test)]
    pub(crate) fn is_simulator(&self) -> bool {
        self.quirks.simulator
    }

    /// Notes what was measured, here and on disk.
    pub(crate) fn learn(&self, speeds: DeviceSpeeds, cache: &Cache) {
        self.known.learn(&self.info, speeds, cache);
    }

    /// Reads what an earlier process measured.
    pub(crate) fn recall(&self, cache: &Cache) {
        self.known.recall(&self.info, cache);
    }

    /// The key of the figures that are kept of the device.
    pub(crate) fn figures_key(&self) -> Key {
        speeds::key(&self.info)
    }

    /// Whether the device could be faster than the CPU engine. A processor shares its cores with
    /// the engine, and a simulator is slow.
    pub(crate) fn may_be_fast(&self) -> bool {
        self.barred_from_auto().is_none()
    }
}

/// The result of a search for devices.
#[derive(Debug, Clone)]
pub(crate) struct Discovery {
    /// GPUs and accelerators first, then CPUs; otherwise as the loader lists them.
    pub(crate) devices: Vec<FoundDevice>,
    /// What is missing or unusable, and why. Always set if `devices` is empty.
    pub(crate) reason: Option<String>,
}

impl Discovery {
    /// The result if no search takes place, with the reason for that.
    pub(crate) fn none(reason: String) -> Self {
        Discovery { devices: Vec::new(), reason: Some(reason) }
    }
}

/// Drivers initialise during the first search in a process, and not all of them tolerate two at
/// once: PoCL 3.1 then finds no device, or crashes. The lock guards the drivers, which are
/// process-wide; it holds no state of the library.
static SEARCHING: Mutex<()> = Mutex::new(());

/// The process in which the drivers were initialised; 0 for none. A copy made by `fork()` lacks
/// their threads, and a call that waits for them never returns.
static SET_UP_IN: AtomicU32 = AtomicU32::new(0);

/// Notes that this process uses the drivers, unless they do not work in it.
pub(super) fn set_up() -> Result<(), &'static str> {
    let process = std::process::id();
    match SET_UP_IN.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire) {
        Err(other) if other != process => Err(
            "the parent process used OpenCL before fork(), and its drivers do not work in a child",
        ),
        _ => Ok(()),
    }
}

/// Searches all platforms. The first call in the process opens the loader library.
pub(crate) fn discover() -> Discovery {
    if let Err(reason) = set_up() {
        return Discovery::none(reason.to_owned());
    }
    let _alone = lock(&SEARCHING);
    let mut devices = Vec::new();
    let mut problems = Vec::new();
    match get_platforms() {
        Ok(platforms) if platforms.is_empty() => {
            problems.push(no_platforms(CL_PLATFORM_NOT_FOUND_KHR))
        }
        Ok(platforms) => {
            platforms.iter().for_each(|platform| search(platform, &mut devices, &mut problems))
        }
        Err(error) => problems.push(no_platforms(error.0)),
    }
    devices.sort_by_cached_key(|device| rank(device.info.kind));
    for (index, device) in devices.iter_mut().enumerate() {
        device.info.index = index;
    }
    let reason = (!problems.is_empty()).then(|| problems.join("; "));
    Discovery { devices, reason }
}

fn search(platform: &Platform, devices: &mut Vec<FoundDevice>, problems: &mut Vec<String>) {
    let name = platform.name().unwrap_or_else(|_| "without a name".to_owned());
    let handles = match platform.get_devices(CL_DEVICE_TYPE_ALL) {
        Ok(handles) => handles,
        Err(error) => {
            return problems
                .push(format!("platform {name}: {}", describe("clGetDeviceIDs", error.0)));
        }
    };
    if handles.is_empty() {
        problems.push(format!("platform {name} has no device"));
    }
    for (number, handle) in handles.into_iter().map(ClDevice::new).enumerate() {
        match examine(handle, platform) {
            Ok(device) => devices.push(device),
            Err(reason) => problems.push(format!("platform {name}, device {number}: {reason}")),
        }
    }
}

/// A device with its facts, or why it is of no use.
pub(super) fn examine(handle: ClDevice, platform: &Platform) -> Result<FoundDevice, String> {
    let refused = |error: opencl3::error_codes::ClError| describe("clGetDeviceInfo", error.0);
    if !handle.available().map_err(refused)? {
        return Err("not available".to_owned());
    }
    if !handle.compiler_available().map_err(refused)? {
        return Err("its driver has no compiler".to_owned());
    }
    let info = DeviceInfo::query(&handle, platform).map_err(refused)?;
    Ok(FoundDevice { quirks: Quirks::of(&info), info, handle, host: None, known: Known::default() })
}

pub(super) fn no_platforms(code: cl_int) -> String {
    match code {
        DLOPEN_RUNTIME_LOAD_FAILED => "the OpenCL loader library could not be opened".to_owned(),
        DLOPEN_FUNCTION_NOT_AVAILABLE => {
            "the OpenCL loader library has no clGetPlatformIDs".to_owned()
        }
        CL_PLATFORM_NOT_FOUND_KHR => "no OpenCL platform is installed".to_owned(),
        code => describe("clGetPlatformIDs", code),
    }
}

fn rank(kind: DeviceKind) -> u64 {
    match kind {
        DeviceKind::Gpu | DeviceKind::Accelerator => 0,
        DeviceKind::Cpu => 1,
        DeviceKind::Other => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_found_has_a_reason() {
        let found = discover();
        assert!(!found.devices.is_empty() || found.reason.is_some());
    }

    #[test]
    fn order_is_stable_and_indexed() {
        let first = discover().devices;
        let second = discover().devices;
        assert!(first.iter().map(|device| rank(device.info.kind)).is_sorted());
        for (index, (one, two)) in first.iter().zip(&second).enumerate() {
            assert_eq!((one.info.index, two.info.index), (index, index));
            assert_eq!(one.handle.id(), two.handle.id());
        }
    }

    #[test]
    fn searches_at_once_agree() {
        let searches: Vec<_> =
            (0..8).map(|_| std::thread::spawn(|| discover().devices.len())).collect();
        let found: Vec<_> = searches.into_iter().map(|search| search.join().unwrap()).collect();
        assert_eq!(found, [discover().devices.len(); 8]);
    }

    /// A process opens the loader only once, so these tests run a copy of this program in another
    /// environment.
    #[cfg(target_os = "linux")]
    mod absence {
        use std::ffi::OsStr;
        use std::process::Command;

        use super::discover;

        const REPORT: &str = "opencl::discovery::tests::absence::report";

        /// Not a separate test: the copies run it.
        #[test]
        #[ignore = "run by the other tests, in an environment without OpenCL"]
        #[allow(clippy::print_stdout, reason = "the parent reads it")]
        fn report() {
            let found = discover();
            println!("{} devices, reason: {:?}", found.devices.len(), found.reason);
        }

        fn report_with(variable: &str, value: impl AsRef<OsStr>) -> String {
            let program = std::env::current_exe().unwrap();
            let output = Command::new(program)
                .args(["--exact", "--ignored", "--nocapture", REPORT])
                .env_remove("OPENCL_DYLIB_PATH")
                .env_remove("OCL_ICD_FILENAMES")
                .env(variable, value)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        }

        #[test]
        fn of_the_loader() {
            // An empty file with the library's name ends the search for it.
            let directory = tempfile::tempdir().unwrap();
            std::fs::write(directory.path().join("libOpenCL.so.1"), "").unwrap();
            let report = report_with("LD_LIBRARY_PATH", directory.path());
            assert!(
                report.contains("0 devices") && report.contains("could not be opened"),
                "{report}"
            );
        }

        #[test]
        fn of_a_function() {
            let report = report_with("OPENCL_DYLIB_PATH", "libc.so.6");
            assert!(
                report.contains("0 devices") && report.contains("no clGetPlatformIDs"),
                "{report}"
            );
        }

        #[test]
        fn of_platforms() {
            let directory = tempfile::tempdir().unwrap();
            let report = report_with("OCL_ICD_VENDORS", directory.path());
            let loader_is_there = !report.contains("could not be opened");
            assert!(report.contains("0 devices"), "{report}");
            assert!(!loader_is_there || report.contains("no OpenCL platform"), "{report}");
        }
    }
}
