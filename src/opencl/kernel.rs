//! Kernels: functions of a program, each with its limits on the device.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::marker::PhantomData;
use std::sync::Arc;

use cl3::error_codes::cl_int;
use cl3::info_type::InfoType;
use cl3::kernel::{
    CL_KERNEL_LOCAL_MEM_SIZE, CL_KERNEL_NUM_ARGS, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
    CL_KERNEL_WORK_GROUP_SIZE, create_kernel, get_kernel_info, get_kernel_work_group_info,
};

use super::facts::{DeviceInfo, Quirks};
use super::objects::{KernelObject, Owned};
use super::program::Program;
use super::status::failed;
use crate::{Error, Result};

/// A kernel and its arguments, an `A`. It may move to another thread, but two threads can't use it
/// at once.
pub(crate) struct Kernel<A> {
    entry: EntryPoint,
    /// `A` names the lifetime `'static`. The compiler shortens it to that of a launch's buffers.
    arguments: PhantomData<fn() -> A>,
}

impl<A> Kernel<A> {
    pub(super) fn new(entry: EntryPoint) -> Self {
        Kernel { entry, arguments: PhantomData }
    }

    /// Most work-items of a work-group of this kernel on its device.
    pub(crate) fn max_work_group_size(&self) -> usize {
        self.entry.max_work_group_size
    }

    /// Work-items that run in step: the number of which groups should be multiples.
    pub(crate) fn preferred_multiple(&self) -> usize {
        self.entry.preferred_multiple
    }

    /// Work-items of a group: the number that is defined by this name, as far as the kernel can.
    pub(crate) fn group(&self, define: &str) -> usize {
        let tuned = self.entry.program.define(define).unwrap_or(1) as usize;
        tuned.min(self.entry.max_work_group_size)
    }

    pub(super) fn entry(&self) -> &EntryPoint {
        &self.entry
    }
}

/// A kernel without the types of its arguments.
pub(super) struct EntryPoint {
    object: Owned<KernelObject>,
    name: &'static str,
    program: Arc<Program>,
    arguments: usize,
    max_work_group_size: usize,
    preferred_multiple: usize,
    static_local_bytes: u64,
}

impl EntryPoint {
    pub(super) fn create(program: Arc<Program>, name: &'static str) -> Result<EntryPoint> {
        let refused = |call: &str, code: cl_int| failed(&format!("{call} {name}"), code);
        let c_name =
            CString::new(name).map_err(|_| Error::internal(format!("kernel name {name:?}")))?;
        let raw = create_kernel(program.object().raw(), &c_name)
            .map_err(|code| refused("clCreateKernel", code))?;
        // SAFETY: the driver has just created the object for us.
        let object: Owned<KernelObject> = unsafe { Owned::new(raw) };

        let device = program.device().handle.id();
        let limit = |parameter| {
            get_kernel_work_group_info(object.raw(), device, parameter)
                .map_err(|code| refused("clGetKernelWorkGroupInfo", code))
        };
        let arguments: u32 = get_kernel_info(object.raw(), CL_KERNEL_NUM_ARGS)
            .map(InfoType::into)
            .map_err(|code| refused("clGetKernelInfo", code))?;
        let own_limit: usize = limit(CL_KERNEL_WORK_GROUP_SIZE)?.into();
        // All groups are long along the first axis.
        let info = &program.device().info;
        let max_work_group_size =
            own_limit.min(info.max_work_group_size).min(info.max_work_item_sizes[0]);
        let preferred: usize = limit(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?.into();
        let preferred_multiple = preferred.clamp(1, max_work_group_size.max(1));
        // Before any argument is set, this is the local memory of the kernel's own declarations.
        let mut static_local_bytes: u64 = limit(CL_KERNEL_LOCAL_MEM_SIZE)?.into();
        if Quirks::of(info).doubles_local_memory {
            // As in the device's facts.
            static_local_bytes /= 2;
        }
        let arguments = arguments as usize;
        Ok(EntryPoint {
            object,
            name,
            program,
            arguments,
            max_work_group_size,
            preferred_multiple,
            static_local_bytes,
        })
    }

    /// Checks a launch against the limits of kernel and device. A launch that is wrong on every
    /// device is a defect of the library; one that only this device can't run is a device failure.
    pub(super) fn check(
        &self,
        arguments: usize,
        local_bytes: u64,
        global: &[usize],
        local: &[usize],
    ) -> Result<()> {
        let name = self.name;
        if arguments != self.arguments {
            let reason =
                format!("kernel {name} takes {} arguments, not {arguments}", self.arguments);
            return Err(Error::internal(reason));
        }
        let divides = |(all, group): (&usize, &usize)| all.checked_rem(*group) == Some(0);
        if !global.iter().zip(local).all(divides) {
            return Err(Error::internal(format!(
                "kernel {name}: work-groups {local:?} do not divide {global:?}"
            )));
        }
        let info = self.info();
        let items = local.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        let most = self.max_work_group_size;
        let fits = items.is_some_and(|items| items <= most)
            && local.iter().zip(info.max_work_item_sizes).all(|(&size, most)| size <= most);
        if !fits {
            let limits = info.max_work_item_sizes;
            return Err(Error::device_failed(format!(
                "kernel {name}: work-groups {local:?} on {}, which allows {most} work-items, {limits:?} by axis",
                info.name
            )));
        }
        let local_bytes = local_bytes.saturating_add(self.static_local_bytes);
        let most = match info.has_local_memory() {
            true => info.local_memory_bytes,
            // Sizes of parts have 32 bits.
            false => info.max_allocation_bytes.min(1 << 30),
        };
        if local_bytes > most {
            return Err(Error::device_failed(format!(
                "kernel {name}: {local_bytes} bytes for each work-group on {}, which has {most}",
                info.name
            )));
        }
        Ok(())
    }

    pub(super) fn object(&self) -> &Owned<KernelObject> {
        &self.object
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    fn info(&self) -> &DeviceInfo {
        &self.program.device().info
    }
}
