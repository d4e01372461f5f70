//! Production scheduling and the dynamic programs behind it.
mod error;
mod log;
pub mod opencl;

pub use error::{Error, Result};
pub use log::{Log, LogCallback, LogLevel};
