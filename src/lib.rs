//! Production scheduling and the dynamic programs behind it.
mod error;
mod log;
mod opencl;

pub use error::{Error, Result};
pub use log::{Log, LogCallback, LogLevel};
pub use opencl::{CacheLocation, DeviceInfo, DeviceKind};
