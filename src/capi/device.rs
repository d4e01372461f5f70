//! What a context knows of OpenCL devices.

use std::ffi::c_char;
use std::mem::offset_of;

use super::context::{Call, get, mks_context};
use super::convert::{c_array, c_string, number};
use super::guard::guard;
use super::pointer::{Out, OutArray};
use super::stamped::{self, OutStamped, Stamped};
use super::status::{Failure, mks_status};
use crate::DeviceInfo;

/// Kinds of OpenCL devices. A later version may add numbers.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_device_kind {
    /// Any other kind.
    Other = 0,
    /// The processor of the machine.
    Cpu = 1,
    /// A graphics processor.
    Gpu = 2,
    /// Another accelerator.
    Accelerator = 3,
}

/// Properties of one OpenCL device. Texts that are too long are cut.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_device_info {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// Kind of hardware, one of ::mks_device_kind.
    pub kind: i32,
    /// Parallel compute units.
    pub compute_units: u32,
    /// Largest work-group, in work-items; a kernel may allow fewer.
    pub max_work_group_size: u64,
    /// Local memory of a work-group, in bytes.
    pub local_memory_bytes: u64,
    /// Memory of the device, in bytes.
    pub global_memory_bytes: u64,
    /// Largest single buffer, in bytes.
    pub max_allocation_bytes: u64,
    /// Name as the driver spells it.
    pub name: [c_char; 128],
    /// Short name of the vendor, such as "NVIDIA".
    pub vendor: [c_char; 64],
    /// Name of the OpenCL implementation.
    pub platform: [c_char; 128],
    /// Version of the driver.
    pub driver_version: [c_char; 64],
    /// Architecture, such as "sm_90" or "gfx90a"; empty if unknown.
    pub architecture: [c_char; 64],
    /// OpenCL version of the platform, followed by the platform's own version if the driver reports
    /// it.
    pub platform_version: [c_char; 128],
    /// OpenCL version of the device.
    pub device_version: [c_char; 128],
    /// Newest OpenCL C version that the device's compiler accepts.
    pub opencl_c_version: [c_char; 128],
}

// SAFETY: no padding, and every bit pattern is a valid integer.
unsafe impl Stamped for mks_device_info {
    const ARGUMENT: &'static str = "info";
    const FIRST_SIZE: usize = offset_of!(Self, opencl_c_version) + 128;
    const DEFAULT: Self = mks_device_info {
        struct_size: size_of::<Self>(),
        kind: mks_device_kind::Other as i32,
        compute_units: 0,
        max_work_group_size: 0,
        local_memory_bytes: 0,
        global_memory_bytes: 0,
        max_allocation_bytes: 0,
        name: [0; 128],
        vendor: [0; 64],
        platform: [0; 128],
        driver_version: [0; 64],
        architecture: [0; 64],
        platform_version: [0; 128],
        device_version: [0; 128],
        opencl_c_version: [0; 128],
    };

    fn reserved_is_zero(&self) -> bool {
        true
    }
}

impl From<&DeviceInfo> for mks_device_info {
    fn from(info: &DeviceInfo) -> Self {
        mks_device_info {
            struct_size: size_of::<Self>(),
            kind: number(info.kind),
            compute_units: info.compute_units,
            max_work_group_size: info.max_work_group_size as u64,
            local_memory_bytes: info.local_memory_bytes,
            global_memory_bytes: info.global_memory_bytes,
            max_allocation_bytes: info.max_allocation_bytes,
            name: c_array(&info.name),
            vendor: c_array(&info.vendor),
            platform: c_array(&info.platform),
            driver_version: c_array(&info.driver_version),
            architecture: c_array(&info.architecture),
            platform_version: c_array(&info.platform_version),
            device_version: c_array(&info.device_version),
            opencl_c_version: c_array(&info.opencl_c_version),
        }
    }
}

/// Prepares the struct; `size` is sizeof(mks_device_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_device_info_init(
    info: *mut mks_device_info,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(info, size) }
}

/// Number of OpenCL devices of this machine. Without OpenCL it is 0, which is no error. The first
/// call on a context searches for devices, which may take some tenths of a second.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_device_count(
    context: *const mks_context,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(context, count, "count", |context| Ok(context.devices().len())) }
}

/// Describes device `index`, from 0 and below ::mks_context_device_count; graphics cards come
/// first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_device_info(
    context: *const mks_context,
    index: usize,
    info: *mut mks_device_info,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let call = unsafe { Call::enter(context) }?;
        // SAFETY: the header demands an initialised struct or NULL.
        let out = unsafe { OutStamped::new(info) }?;
        let devices = call.devices();
        let info = devices.get(index).ok_or_else(|| {
            Failure::argument(
                "index",
                format!("{index} is not below the device count {}", devices.len()),
            )
        })?;
        out.write(mks_device_info::from(info));
        Ok(())
    })
}

/// Why there is no device, or why the chosen one did not open. The text is empty if there is no
/// problem.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_device_problem(
    context: *const mks_context,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let call = unsafe { Call::enter(context) }?;
        // SAFETY: the header demands room for that many bytes, or NULL.
        let text = unsafe { OutArray::new(text, capacity, "text") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let length = unsafe { Out::new(length, "length") }?;
        let problem = c_string(&call.device_problem().unwrap_or_default());
        text.write_text(&problem);
        length.write(problem.count_bytes());
        Ok(())
    })
}

/// The tuning rows of device `index`, from 0 and below ::mks_context_device_count: a row for each
/// kernel family, with the values of all its tunables. ::mks_options_set_tuning reads such a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_tuning(
    context: *const mks_context,
    index: usize,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let call = unsafe { Call::enter(context) }?;
        // SAFETY: the header demands room for that many bytes, or NULL.
        let text = unsafe { OutArray::new(text, capacity, "text") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let length = unsafe { Out::new(length, "length") }?;
        let count = call.devices().len();
        if index >= count {
            let reason = format!("{index} is not below the device count {count}");
            return Err(Failure::argument("index", reason));
        }
        let rows = c_string(&call.tuning(index)?);
        text.write_text(&rows);
        length.write(rows.count_bytes());
        Ok(())
    })
}
