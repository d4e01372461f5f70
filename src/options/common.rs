//! The tables of what all problems share: options of solves and of contexts.

use std::ffi::OsStr;
use std::time::Duration;

use super::{Entry, Field, Kind, Named, Range, Tier, entry, joined, position};
use crate::opencl::CacheLocation;
use crate::solve::Engine;
use crate::{ContextOptions, Enumeration, SolveOptions};

impl Named for SolveOptions {
    const TABLE: &'static [Entry<Self>] = &[
        TIME_LIMIT,
        entry!(
            "iteration_limit",
            limits.iterations,
            "End after this number of iterations of the method; none sets no limit"
        )
        .or_none()
        .tier(Tier::Basic),
        MEMORY_LIMIT,
        entry!("seed", seed, "Seed of the methods that draw random numbers").tier(Tier::Basic),
        ENGINE,
    ];
}

/// Seconds. Infinity is no limit, so that methods set their own.
const TIME_LIMIT: Entry<SolveOptions> = Entry {
    name: "time_limit",
    text: "End with the best solution so far after this number of seconds; none sets no limit",
    kind: Kind::Seconds,
    range: Range::All,
    unset: Some("none"),
    tier: Tier::Basic,
    methods: &[],
    read: |options, text| {
        let limit = Option::<Duration>::read_os(text)?;
        options.limits.time = limit.filter(|&limit| limit < Duration::MAX);
        Ok(())
    },
    write: |options| options.limits.time.write(),
    equal: |options, others| options.limits.time == others.limits.time,
};

/// Bytes, with or without a suffix.
const MEMORY_LIMIT: Entry<SolveOptions> = Entry {
    name: "memory_limit",
    text: "Memory for tables; K, M and G are powers of 1024; auto takes half of the free memory",
    kind: Kind::Bytes,
    range: Range::All,
    unset: Some("auto"),
    tier: Tier::Basic,
    methods: &[],
    read: |options, text| {
        options.limits.memory = match unicode(text)? {
            "auto" => None,
            text => Some(bytes(text)?),
        };
        Ok(())
    },
    write: |options| options.limits.memory.write(),
    equal: |options, others| options.limits.memory == others.limits.memory,
};

/// The engine of one solve, which may be that of its context.
const ENGINE: Entry<SolveOptions> = Entry {
    name: "engine",
    text: "Engine for the heavy work",
    kind: Kind::Choice(|| {
        let engines = Engine::VALUES.iter().map(|engine| (engine.name(), engine.text()));
        std::iter::once((OF_CONTEXT, "The engine of the context")).chain(engines).collect()
    }),
    range: Range::All,
    unset: None,
    tier: Tier::Basic,
    methods: &[],
    read: |options, text| {
        let engines = Engine::VALUES.iter().map(|engine| engine.name());
        let names: Vec<_> = std::iter::once(OF_CONTEXT).chain(engines).collect();
        let position = position(&names, unicode(text)?)?;
        options.engine = position.checked_sub(1).map(|engine| Engine::VALUES[engine]);
        Ok(())
    },
    write: |options| options.engine.map_or_else(|| OF_CONTEXT.into(), |engine| engine.write()),
    equal: |options, others| options.engine == others.engine,
};

const OF_CONTEXT: &str = "context";

impl Named for ContextOptions {
    const TABLE: &'static [Entry<Self>] = &[
        entry!("engine", engine, "Engine for the heavy work").tier(Tier::Basic),
        DEVICE,
        entry!("threads", threads, "Threads of the CPU engine; auto takes one per core")
            .range(Range::Whole(1, 1024))
            .tier(Tier::Basic),
        entry!(
            "cache",
            cache,
            "Folder for built kernels, or off; auto takes the platform's cache folder"
        ),
        TUNING,
    ];
}

/// The device, and the further ones.
const DEVICE: Entry<ContextOptions> = Entry {
    name: "device",
    text: "OpenCL device by its number from 0; several with commas between share long searches, \
           tables and batches; auto takes the best",
    kind: Kind::List,
    range: Range::All,
    unset: Some("auto"),
    tier: Tier::Basic,
    methods: &[],
    read: |options, text| {
        let devices = match unicode(text)? {
            "auto" => Vec::new(),
            text => Vec::read(text)?,
        };
        let twice = (1..devices.len()).find(|&later| devices[..later].contains(&devices[later]));
        if let Some(position) = twice {
            return Err(format!("{} is named twice", devices[position]));
        }
        options.device = devices.first().copied();
        options.further_devices = devices.into_iter().skip(1).collect();
        Ok(())
    },
    write: |options| match options.device {
        None => "auto".into(),
        Some(device) => joined([&device].into_iter().chain(&options.further_devices)),
    },
    equal: |options, others| {
        (options.device, &options.further_devices) == (others.device, &others.further_devices)
    },
};

/// The file of tuning rows.
const TUNING: Entry<ContextOptions> = Entry {
    name: "tuning",
    text: "File of tuning rows for devices; none for those of the user and of the library alone",
    kind: Kind::Path,
    range: Range::All,
    unset: Some("none"),
    tier: Tier::Advanced,
    methods: &[],
    read: |options, text| {
        options.tuning_file = match text.to_str() {
            Some("") => return Err("must be a file or none, but is empty".into()),
            Some("none" | "auto") => None,
            _ => Some(text.into()),
        };
        Ok(())
    },
    write: |options| match &options.tuning_file {
        None => "none".into(),
        Some(file) => file.display().to_string(),
    },
    equal: |options, others| options.tuning_file == others.tuning_file,
};

impl Field for CacheLocation {
    const KIND: Kind = Kind::Path;
    const IS_OPTIONAL: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        Self::read_os(OsStr::new(text))
    }

    fn read_os(text: &OsStr) -> Result<Self, String> {
        match text.to_str() {
            Some("") => Err("must be a folder, off or auto, but is empty".into()),
            Some("auto") => Ok(CacheLocation::Default),
            Some("off") => Ok(CacheLocation::Off),
            _ => Ok(CacheLocation::Directory(text.into())),
        }
    }

    fn write(&self) -> String {
        match self {
            CacheLocation::Default => "auto".into(),
            CacheLocation::Off => "off".into(),
            CacheLocation::Directory(folder) => folder.display().to_string(),
        }
    }
}

fn unicode(text: &OsStr) -> Result<&str, String> {
    text.to_str().ok_or_else(|| "is not UTF-8".into())
}

fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().next_back() {
        Some((end, 'k' | 'K')) => (&text[..end], 10),
        Some((end, 'm' | 'M')) => (&text[..end], 20),
        Some((end, 'g' | 'G')) => (&text[..end], 30),
        _ => (text, 0),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("must be a whole number with or without K, M or G, not \"{text}\""))?;
    number.checked_mul(1 << shift).ok_or_else(|| format!("{text} does not fit into 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_suffixes() {
        for (text, number) in [
            ("0", 0),
            ("17", 17),
            ("3K", 3 << 10),
            ("5m", 5 << 20),
            ("17179869183G", 17179869183 << 30),
        ] {
            assert_eq!(bytes(text), Ok(number), "{text}");
        }
        for text in ["", "K", "-1", "1.5G", "1KB", "17179869184G", "18446744073709551616", "1µ"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_read_and_written() {
        let mut options = SolveOptions::default();
        for (name, value, written) in [
            ("time_limit", "1.5", "1.5"),
            ("time_limit", "inf", "none"),
            ("time_limit", "1e300", "none"),
            ("time_limit", "none", "none"),
            ("time_limit", "auto", "none"),
            ("iteration_limit", "auto", "none"),
            ("iteration_limit", "7", "7"),
            ("memory_limit", "2K", "2048"),
            ("memory_limit", "auto", "auto"),
            ("engine", "cpu", "cpu"),
            ("engine", "auto", "auto"),
            ("engine", "context", "context"),
        ] {
            options.set(name, value).unwrap();
            assert_eq!(options.get(name).unwrap(), written, "{name}");
        }
        options.set("time_limit", "0.25").unwrap();
        assert_eq!(options.limits.time, Some(Duration::from_millis(250)));
        for (name, value, message) in [
            ("time_limit", "soon", "time_limit: must be a number of seconds, not \"soon\""),
            ("time_limit", "-1", "time_limit: must be 0 or more, not -1"),
            ("engine", "gpu", "engine: must be one of context, auto, cpu, device, not \"gpu\""),
            (
                "seed",
                "-1",
                "seed: must be a whole number of at most 18446744073709551615, not \"-1\"",
            ),
        ] {
            assert_eq!(options.set(name, value).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn contexts_have_devices_and_a_cache() {
        let mut options = ContextOptions::default();
        options.set("device", "2,0 1").unwrap();
        assert_eq!((options.device, &options.further_devices[..]), (Some(2), &[0, 1][..]));
        assert_eq!(options.get("device").unwrap(), "2 0 1");
        let error = options.set("device", "1 0 1").unwrap_err().to_string();
        assert_eq!(error, "device: 1 is named twice");
        assert_eq!(options.get("device").unwrap(), "2 0 1", "unchanged");
        options.set("device", "auto").unwrap();
        assert_eq!((options.device, options.further_devices.len()), (None, 0));
        options.set("cache", "x/off").unwrap();
        assert_eq!(options.cache, CacheLocation::Directory("x/off".into()));
        options.set("cache", "off").unwrap();
        assert_eq!(options.cache, CacheLocation::Off);
        assert!(options.set("cache", "").is_err());
        options.set("tuning", "x/rows").unwrap();
        assert_eq!(options.tuning_file.as_deref(), Some("x/rows".as_ref()));
        assert!(options.set("tuning", "").is_err());
        options.set("tuning", "none").unwrap();
        assert_eq!(options.tuning_file, None);
        assert_eq!(
            options.set("threads", "0").unwrap_err().to_string(),
            "threads: must be from 1 to 1024, not 0"
        );
    }
}
