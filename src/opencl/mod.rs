//! OpenCL at run time.
#![allow(dead_code, missing_docs)]
use std::path::PathBuf;
use std::time::Duration;

use crate::{Error, Log, Result};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CacheLocation {
    #[default]
    Default,
    Off,
    Directory(PathBuf),
}

#[derive(Debug, Clone)]
pub(crate) struct Cache;

impl Cache {
    pub(crate) fn new(_location: &CacheLocation, _log: Log) -> Self {
        Cache
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceKind {
    Gpu,
    Cpu,
    Accelerator,
    Other,
}

#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceInfo {
    pub index: usize,
    pub name: String,
    pub vendor: String,
    pub platform: String,
    pub driver_version: String,
    pub kind: DeviceKind,
    pub architecture: String,
    pub compute_units: u32,
    pub max_work_group_size: usize,
    pub local_memory_bytes: u64,
    pub global_memory_bytes: u64,
    pub max_allocation_bytes: u64,
}

#[derive(Debug)]
pub(crate) struct Discovery;

pub(crate) fn discover() -> Discovery {
    Discovery
}

impl Discovery {
    pub(crate) fn devices(&self) -> &[DeviceInfo] {
        &[]
    }
    pub(crate) fn reason(&self) -> Option<&str> {
        Some("no OpenCL loader library")
    }
    pub(crate) fn open(&self, _index: usize, _cache: Cache, _log: Log) -> Result<Device> {
        Err(Error::DeviceUnavailable("none".into()))
    }
}

#[derive(Debug)]
pub(crate) struct Device {
    info: DeviceInfo,
}

impl Device {
    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.info
    }
    pub(crate) fn build_time(&self) -> Duration {
        Duration::ZERO
    }
}
