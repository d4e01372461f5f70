//! Facts about a device, and the quirks derived from them.

use cl3::device::{CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
use opencl3::device::Device as ClDevice;
use opencl3::error_codes::ClError;
use opencl3::platform::Platform;

use crate::enumeration::enumeration;

enumeration! {
    /// A device's kind of hardware.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum DeviceKind {
        /// Any other kind.
        Other: "other", "Any other kind";
        /// The host's processor cores.
        Cpu: "cpu", "The host's processor";
        /// A graphics processor.
        Gpu: "gpu", "A graphics processor";
        /// Another accelerator, such as an FPGA.
        Accelerator: "accelerator", "Another accelerator, such as an FPGA";
    }
}

/// An OpenCL device, as its driver describes it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Position in the list of devices, from 0.
    pub index: usize,
    /// Name in the driver's spelling.
    pub name: String,
    /// Short name of the vendor, such as `NVIDIA`.
    pub vendor: String,
    /// Name of the OpenCL implementation.
    pub platform: String,
    /// OpenCL version of the implementation, with the implementation's version if it reports one.
    pub platform_version: String,
    /// Version of the driver.
    pub driver_version: String,
    /// OpenCL version of the device.
    pub device_version: String,
    /// Newest OpenCL C version that its compiler accepts.
    pub opencl_c_version: String,
    /// Kind of hardware.
    pub kind: DeviceKind,
    /// `sm_90` or `gfx90a` for NVIDIA and AMD, `cpu` for processors, empty if unknown.
    pub architecture: String,
    /// Parallel compute units.
    pub compute_units: u32,
    /// Highest clock rate in MHz, as the driver reports it; 0 if it does not.
    pub clock_megahertz: u32,
    /// Most work-items of a work-group; a kernel may allow fewer.
    pub max_work_group_size: usize,
    /// Most work-items of a work-group along each dimension.
    pub max_work_item_sizes: [usize; 3],
    /// Local memory of a work-group.
    pub local_memory_bytes: u64,
    /// Memory of the device.
    pub global_memory_bytes: u64,
    /// Largest single buffer.
    pub max_allocation_bytes: u64,
    extensions: Vec<String>,
}

impl DeviceInfo {
    /// Whether the device has an extension, such as `cl_khr_subgroups`.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|extension| extension == name)
    }

    /// Whether kernels may compute in double precision.
    pub(crate) fn has_double_precision(&self) -> bool {
        self.has_extension("cl_khr_fp64")
    }

    /// Whether work-groups have local memory. Without it, they have parts of global memory.
    pub(crate) fn has_local_memory(&self) -> bool {
        self.local_memory_bytes > 0
    }

    /// Most bytes that a work-group shares. Without local memory the device sets no limit;
    /// kernels then get what OpenCL 1.1 promises of local memory.
    pub(crate) fn group_memory_bytes(&self) -> u64 {
        match self.has_local_memory() {
            true => self.local_memory_bytes,
            false => 32 << 10,
        }
    }

    /// Clocks per second; cautious for drivers that report none.
    pub(crate) fn clock_rate(&self) -> f64 {
        f64::from(self.clock_megahertz.max(100)) * 1e6
    }

    /// An estimate of the 32-bit lanes of a compute unit.
    pub(crate) fn lanes_per_unit(&self) -> f64 {
        match (self.kind, self.vendor.as_str()) {
            (DeviceKind::Cpu, _) => 8.0,
            (_, "NVIDIA" | "AMD") => 64.0,
            (_, "Intel") => 8.0,
            _ => 16.0,
        }
    }

    /// Most work-items that a compute unit holds at once. OpenCL does not report it: the figures
    /// are those of NVIDIA's architectures, elsewhere the largest group.
    pub(crate) fn resident_items(&self) -> usize {
        match self.architecture.strip_prefix("sm_") {
            Some("75") => 1024,
            Some("86" | "87" | "88" | "89" | "120" | "121") => 1536,
            Some(_) => 2048,
            None => self.max_work_group_size,
        }
    }

    /// Most bytes for all buffers together. `host_limit` applies to processors, since they use the
    /// host's memory.
    pub(crate) fn buffer_bytes(&self, host_limit: u64) -> u64 {
        match self.kind {
            DeviceKind::Cpu => host_limit.min(self.global_memory_bytes),
            _ => self.global_memory_bytes,
        }
    }

    /// Queries the driver. Discovery sets the index later, once the order of all devices is known.
    pub(super) fn query(device: &ClDevice, platform: &Platform) -> Result<DeviceInfo, ClError> {
        let kind = kind(device.dev_type()?);
        let name = text(device.name()?);
        let extensions: Vec<String> =
            device.extensions()?.split_whitespace().map(str::to_owned).collect();
        let capability = match extensions.iter().any(|name| name == "cl_nv_device_attribute_query")
        {
            true => {
                Some((device.compute_capability_major_nv()?, device.compute_capability_minor_nv()?))
            }
            false => None,
        };
        let sizes = device.max_work_item_sizes()?;
        let mut info = DeviceInfo {
            index: 0,
            vendor: vendor(&text(device.vendor()?)),
            platform: text(platform.name()?),
            platform_version: text(platform.version()?),
            driver_version: text(device.driver_version()?),
            device_version: text(device.version()?),
            opencl_c_version: text(device.opencl_c_version()?),
            kind,
            architecture: architecture(kind, &name, capability),
            compute_units: device.max_compute_units()?,
            clock_megahertz: device.max_clock_frequency().unwrap_or(0),
            max_work_group_size: device.max_work_group_size()?,
            max_work_item_sizes: std::array::from_fn(|axis| sizes.get(axis).copied().unwrap_or(1)),
            local_memory_bytes: device.local_mem_size()?,
            global_memory_bytes: device.global_mem_size()?,
            max_allocation_bytes: device.max_mem_alloc_size()?,
            name,
            extensions,
        };
        if Quirks::of(&info).doubles_local_memory {
            info.local_memory_bytes /= 2;
        }
        Ok(info)
    }
}

/// Where a device differs from the layer's usual assumptions.
///
/// Compiler faults that the kernels avoid by their form need no flag. Intel's runtime for
/// processors (seen in 2026.22) has two:
///
/// - It vectorises over work-items and interleaves their private arrays in memory. If each
///   work-item selects one of two private arrays by a pointer, the compiled code steps through the
///   arrays as if they were contiguous, and so reads numbers of other work-items. So no kernel may
///   select private arrays by pointer; selecting by index is compiled correctly. A selection
///   between elements, `c ? a[i] : b[i]`, is also miscompiled, as in `rebuild`, probably since the
///   compiler turns it into such a pointer. Kernels read both elements before they select.
/// - Its pass "Machine InstCombiner" follows a register that no instruction sets any more, and the
///   process ends with a segmentation fault in `clBuildProgram`. Long chains of integer minima and
///   maxima in registers trigger this, as in the unrolled loops of `interval_fringe` and
///   `interval_products`. So these loops are not unrolled on processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quirks {
    /// The driver has a cache of compiled kernels on disk. Asking it for a binary makes it compile
    /// all kernels once more, for groups of any size.
    pub(crate) keeps_kernels: bool,
    /// A binary that the driver did not write ends the process, so none is saved or loaded.
    pub(crate) aborts_on_binaries: bool,
    /// A simulator, whose purpose is to check the sources; a saved binary would hide them. Threads
    /// can't use its device at the same time.
    pub(crate) simulator: bool,
    /// The compiler accepts inline PTX; kernels then see the define `INLINE_PTX`.
    pub(crate) inline_ptx: bool,
    /// If a launch has one work-group per compute unit, all groups run at once: the hardware starts
    /// a group wherever there is room, and only other kernels take room, until they end.
    pub(crate) resident_groups: bool,
    /// A work-item leaves its loops after [`FEW_ITERATIONS`] iterations of all of them together, so
    /// that long launches compute wrong values.
    pub(crate) short_loops: bool,
    /// The local memory of a kernel's own declarations counts and is taken twice.
    pub(crate) doubles_local_memory: bool,
    /// Two launches must not run at the same time in a process. When a launch ends, PoCL 3.1 finds
    /// the kernel's loaded code by its hash and the size of the groups alone. If another queue
    /// launches the kernel with more work-items than any launch before, there are two such codes.
    /// PoCL then lowers the use count of the wrong one, and aborts the process: "Assertion
    /// `found->ref_count > 0' failed".
    pub(crate) launches_in_turn: bool,
}

/// Iterations of all loops of a work-item on devices with [`Quirks::short_loops`].
pub(crate) const FEW_ITERATIONS: usize = 65_535;

impl Quirks {
    /// Whether the cache has no programs of the device.
    pub(super) fn goes_without_cache(self) -> bool {
        self.simulator || self.aborts_on_binaries
    }

    /// The only place where names of vendors and platforms decide anything.
    pub(crate) fn of(info: &DeviceInfo) -> Quirks {
        // The platform matters, not only the vendor: PoCL also runs on NVIDIA's hardware, with its
        // own compiler.
        let nvidia = info.vendor == "NVIDIA" && info.platform == "NVIDIA CUDA";
        let llvmpipe = info.platform == "rusticl" && info.name.starts_with("llvmpipe");
        let pocl = info.platform == "Portable Computing Language";
        Quirks {
            keeps_kernels: pocl,
            aborts_on_binaries: info.platform == "rusticl",
            simulator: info.platform == "Oclgrind",
            inline_ptx: nvidia,
            resident_groups: nvidia,
            // Seen in Mesa 22.3; its later sources have such a limit, too.
            short_loops: llvmpipe,
            doubles_local_memory: llvmpipe,
            launches_in_turn: pocl && info.kind == DeviceKind::Cpu,
        }
    }
}

fn text(raw: String) -> String {
    raw.trim_matches(['\0', ' ']).to_owned()
}

fn kind(bits: u64) -> DeviceKind {
    // Gpu first: Oclgrind claims to be every kind at once, and has a GPU's limits.
    match bits {
        bits if bits & CL_DEVICE_TYPE_GPU != 0 => DeviceKind::Gpu,
        bits if bits & CL_DEVICE_TYPE_ACCELERATOR != 0 => DeviceKind::Accelerator,
        bits if bits & CL_DEVICE_TYPE_CPU != 0 => DeviceKind::Cpu,
        _ => DeviceKind::Other,
    }
}

/// Vendors' short names, by the spellings that drivers use.
const VENDORS: [(&str, &str); 9] = [
    ("nvidia", "NVIDIA"),
    ("advanced micro devices", "AMD"),
    ("authenticamd", "AMD"),
    ("genuineintel", "Intel"),
    ("intel", "Intel"),
    ("apple", "Apple"),
    ("qualcomm", "Qualcomm"),
    ("imagination", "Imagination"),
    ("arm", "Arm"),
];

fn vendor(raw: &str) -> String {
    let lower = raw.to_lowercase();
    let known = VENDORS.iter().find(|(spelling, _)| lower.starts_with(spelling));
    known.map_or(raw, |(_, short)| short).to_owned()
}

fn architecture(kind: DeviceKind, name: &str, capability: Option<(u32, u32)>) -> String {
    match (kind, capability) {
        (_, Some((major, minor))) => format!("sm_{major}{minor}"),
        (DeviceKind::Cpu, None) => "cpu".to_owned(),
        // AMD's names are architectures with feature flags, such as `gfx90a:sramecc+:xnack-`.
        _ if name.starts_with("gfx") => name.split(':').next().unwrap_or(name).to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
impl DeviceInfo {
    /// Takes extensions from the device.
    pub(crate) fn lose(&mut self, extensions: &[&str]) {
        self.extensions.retain(|extension| !extensions.contains(&extension.as_str()));
    }

    /// Limits the work-items of a group.
    pub(crate) fn limit_groups(&mut self, most: usize) {
        self.max_work_group_size = self.max_work_group_size.min(most);
        self.max_work_item_sizes = self.max_work_item_sizes.map(|size| size.min(most));
    }

    /// A fictitious device, for tests of the quirks.
    pub(crate) fn sample(
        name: &str,
        vendor: &str,
        platform: &str,
        architecture: &str,
    ) -> DeviceInfo {
        DeviceInfo {
            index: 0,
            name: name.to_owned(),
            vendor: vendor.to_owned(),
            platform: platform.to_owned(),
            platform_version: "OpenCL 3.0".to_owned(),
            driver_version: "1.0".to_owned(),
            device_version: "OpenCL 3.0".to_owned(),
            opencl_c_version: "OpenCL C 1.2".to_owned(),
            kind: DeviceKind::Gpu,
            architecture: architecture.to_owned(),
            compute_units: 8,
            clock_megahertz: 1500,
            max_work_group_size: 256,
            max_work_item_sizes: [256, 256, 64],
            local_memory_bytes: 32 << 10,
            global_memory_bytes: 1 << 30,
            max_allocation_bytes: 1 << 28,
            extensions: vec!["cl_khr_int64_base_atomics".to_owned()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::testing::test_devices;

    #[test]
    fn vendors_get_short_names() {
        for (raw, short) in [
            ("NVIDIA Corporation", "NVIDIA"),
            ("GenuineIntel", "Intel"),
            ("Intel(R) Corporation", "Intel"),
            ("AuthenticAMD", "AMD"),
            ("Advanced Micro Devices, Inc.", "AMD"),
            ("ARM", "Arm"),
            ("University of Bristol", "University of Bristol"),
            ("", ""),
        ] {
            assert_eq!(vendor(raw), short);
        }
    }

    #[test]
    fn architectures_are_normalised() {
        assert_eq!(architecture(DeviceKind::Gpu, "NVIDIA H200", Some((9, 0))), "sm_90");
        assert_eq!(architecture(DeviceKind::Gpu, "gfx90a:sramecc+:xnack-", None), "gfx90a");
        assert_eq!(architecture(DeviceKind::Cpu, "cpu-haswell", None), "cpu");
        assert_eq!(architecture(DeviceKind::Gpu, "Mali-G78", None), "");
    }

    #[test]
    fn kinds_come_from_bits() {
        assert_eq!(kind(CL_DEVICE_TYPE_CPU), DeviceKind::Cpu);
        assert_eq!(kind(CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU), DeviceKind::Gpu);
        assert_eq!(kind(CL_DEVICE_TYPE_ACCELERATOR), DeviceKind::Accelerator);
        assert_eq!(kind(0), DeviceKind::Other);
    }

    #[test]
    fn quirks_follow_from_facts() {
        let quirks = |vendor, platform| Quirks::of(&DeviceInfo::sample("X", vendor, platform, ""));
        assert!(quirks("NVIDIA", "NVIDIA CUDA").inline_ptx);
        assert!(!quirks("NVIDIA", "Portable Computing Language").inline_ptx);
        assert!(quirks("University of Bristol", "Oclgrind").simulator);
        assert!(!quirks("Intel", "Portable Computing Language").simulator);
        assert!(quirks("Intel", "Portable Computing Language").keeps_kernels);
        let mut processor = DeviceInfo::sample("X", "Intel", "Portable Computing Language", "");
        assert!(!Quirks::of(&processor).launches_in_turn);
        processor.kind = DeviceKind::Cpu;
        assert!(Quirks::of(&processor).launches_in_turn);
        assert!(!quirks("NVIDIA", "NVIDIA CUDA").keeps_kernels);
        assert!(quirks("Mesa/X.org", "rusticl").goes_without_cache());
        assert!(!quirks("NVIDIA", "NVIDIA CUDA").goes_without_cache());
        let mesa = |name| Quirks::of(&DeviceInfo::sample(name, "Mesa/X.org", "rusticl", ""));
        assert!(mesa("llvmpipe (LLVM 15.0.6, 256 bits)").short_loops);
        assert!(!mesa("Mesa Intel(R) UHD Graphics").short_loops);
    }

    #[test]
    fn extensions_match_whole_names() {
        let info = DeviceInfo::sample("X", "Y", "Z", "");
        assert!(info.has_extension("cl_khr_int64_base_atomics"));
        assert!(!info.has_extension("cl_khr_int64"));
    }

    #[test]
    fn real_devices_have_sensible_facts() {
        for device in test_devices() {
            let info = device.info();
            assert!(
                !info.name.is_empty()
                    && !info.platform.is_empty()
                    && !info.driver_version.is_empty()
            );
            assert!(info.device_version.starts_with("OpenCL "), "{}", info.device_version);
            assert!(info.opencl_c_version.starts_with("OpenCL C "), "{}", info.opencl_c_version);
            assert!(info.compute_units >= 1 && info.max_work_group_size >= 1);
            assert!(info.max_allocation_bytes <= info.global_memory_bytes);
            assert!(info.local_memory_bytes > 0);
        }
    }
}
