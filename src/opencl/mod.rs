//! The OpenCL layer: the only module that talks to an OpenCL driver.
#![cfg_attr(not(test), expect(dead_code, reason = "the devices that use it come next"))]

mod cache;

pub use cache::CacheLocation;
