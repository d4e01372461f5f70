//! The engines that are compared.
//!
//! The device is the first one, or that with the index in `MAKESPAN_BENCH_DEVICE`. Further indices
//! with commas between join the exact searches of the flow shop.

use std::sync::Once;

use makespan::{Context, ContextOptions, DeviceKind, Engine, SolveOptions, lattice_dp};

use super::instances;

/// The CPU with `threads` threads, or one per core.
pub(crate) fn cpu(threads: Option<usize>) -> Context {
    let options = ContextOptions { engine: Engine::Cpu, threads, ..ContextOptions::default() };
    Context::new(options).expect("the CPU is always there")
}

/// The device, with `threads` threads on the host side, or one per core. `None`, with the reason on
/// standard error once, if there is no device.
pub(crate) fn device(threads: Option<usize>) -> Option<Context> {
    static SAID: Once = Once::new();
    let say = |error| SAID.call_once(|| eprintln!("the device is left out: {error}"));
    Context::new(with_device(Engine::Device, threads)).map_err(say).ok()
}

/// The library's own choice, after enough work that it has looked for the device.
pub(crate) fn auto(threads: Option<usize>) -> Context {
    let context =
        Context::new(with_device(Engine::Auto, threads)).expect("the CPU is always there");
    live(&context);
    context
}

/// Work after which a context has looked for the device.
pub(crate) fn live(context: &Context) {
    let (table, options) = (instances::configurations(&[4; 12]), lattice_dp::Options::default());
    for _ in 0..200 {
        lattice_dp::solve(context, &table, &options, &SolveOptions::default()).unwrap();
    }
}

/// A context of that engine, with the chosen devices.
pub(crate) fn with_device(engine: Engine, threads: Option<usize>) -> ContextOptions {
    let mut indices = device_indices().into_iter();
    let device = indices.next();
    let further_devices = indices.collect();
    ContextOptions { engine, device, further_devices, threads, ..ContextOptions::default() }
}

/// Whether the device is no processor.
pub(crate) fn has_card(context: &Context) -> bool {
    let index = device_indices().first().copied().unwrap_or(0);
    context.devices().get(index).is_some_and(|device| device.kind != DeviceKind::Cpu)
}

pub(crate) fn device_indices() -> Vec<usize> {
    let listed = std::env::var("MAKESPAN_BENCH_DEVICE").unwrap_or_default();
    let words = listed.split(',').filter(|word| !word.is_empty());
    words.map(|index| index.parse().expect("MAKESPAN_BENCH_DEVICE lists numbers")).collect()
}

/// An engine with the name that tables have for it.
pub(crate) struct NamedEngine {
    pub(crate) name: &'static str,
    pub(crate) context: Context,
}

impl NamedEngine {
    pub(crate) fn is_device(&self) -> bool {
        self.name == DEVICE
    }
}

const DEVICE: &str = "device";
/// One core, all cores, and the device.
pub(crate) const NAMES: [&str; 3] = ["core", "cores", DEVICE];

/// The available engines of these names, of [`NAMES`]. `cores` and the device's host side have
/// `threads` threads, or one per core.
pub(crate) fn found(names: &[&'static str], threads: Option<usize>) -> Vec<NamedEngine> {
    let open = |name| match name {
        "core" => Some(cpu(Some(1))),
        "cores" => Some(cpu(threads)),
        _ => device(threads),
    };
    names.iter().filter_map(|name| Some(NamedEngine { name, context: open(*name)? })).collect()
}
