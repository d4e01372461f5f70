//! `makespan devices`: the OpenCL devices, or the reason why there is none.

use makespan::{Context, ContextOptions, DeviceInfo};
use serde_json::{Value, json};

use crate::columns::align;
use crate::console;
use crate::failure::Failure;
use crate::names::on_one_line;

/// List the OpenCL devices of this machine
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let context = Context::new(ContextOptions { threads: Some(1), ..ContextOptions::default() })?;
    let devices = context.devices();
    let reason = context.device_problem();
    if arguments.json {
        let devices: Vec<Value> = devices.iter().map(to_json).collect();
        console::write(&format!("{}\n", json!({ "devices": devices, "reason": reason })))
    } else if devices.is_empty() {
        let reason = reason.unwrap_or_else(|| "none was found".into());
        console::write(&format!("no OpenCL device: {}\n", on_one_line(&reason)))
    } else {
        console::write(&table(devices))
    }
}

fn to_json(device: &DeviceInfo) -> Value {
    json!({
        "index": device.index,
        "name": device.name,
        "vendor": device.vendor,
        "kind": device.kind.name(),
        "platform": device.platform,
        "platform_version": device.platform_version,
        "device_version": device.device_version,
        "opencl_c_version": device.opencl_c_version,
        "driver_version": device.driver_version,
        "architecture": device.architecture,
        "compute_units": device.compute_units,
        "max_work_group_size": device.max_work_group_size,
        "local_memory_bytes": device.local_memory_bytes,
        "global_memory_bytes": device.global_memory_bytes,
        "max_allocation_bytes": device.max_allocation_bytes,
    })
}

const HEADER: [&str; 7] = ["index", "name", "vendor", "kind", "units", "memory", "driver"];

fn table(devices: &[DeviceInfo]) -> String {
    let rows = devices.iter().map(|device| {
        [
            device.index.to_string(),
            on_one_line(&device.name),
            on_one_line(&device.vendor),
            device.kind.name().to_owned(),
            device.compute_units.to_string(),
            format!("{:.1} GiB", device.global_memory_bytes as f64 / (1u64 << 30) as f64),
            on_one_line(&device.driver_version),
        ]
    });
    align(&std::iter::once(HEADER.map(str::to_owned)).chain(rows).collect::<Vec<_>>())
}
