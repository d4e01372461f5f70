//! Why a step runs on its engine, for the log.

use std::fmt;

/// An expected time, corrected by experience.
#[derive(Debug, Clone, Copy)]
pub(super) struct Likely {
    pub(super) seconds: f64,
    /// What experience multiplied the cost model's time with.
    pub(super) factor: f64,
}

/// Why a step runs on its engine.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reason {
    /// The engine was asked for.
    Asked,
    /// Opening a device takes longer than the step on the CPU.
    Little { cpu: Likely },
    /// The time limit is too near for opening a device.
    NoTime,
    /// The device is a processor or a simulator.
    Unsuited,
    /// The expected times were compared.
    Weighed { cpu: Likely, device: Likely },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Asked => f.write_str("as asked for"),
            Reason::Little { cpu } => write!(f, "{cpu} there, too little to open a device"),
            Reason::NoTime => f.write_str("too little time to open a device"),
            Reason::Unsuited => f.write_str("the device is a processor or a simulator"),
            Reason::Weighed { cpu, device } => {
                write!(f, "{cpu} on the CPU, {device} on the device")
            }
        }
    }
}

impl fmt::Display for Likely {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Likely { seconds, factor } = self;
        match *factor {
            1.0 => write!(f, "{seconds:.6} s"),
            _ => write!(f, "{seconds:.6} s (experience {factor:.2})"),
        }
    }
}
