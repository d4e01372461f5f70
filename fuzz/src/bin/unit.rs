#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| makespan::fuzzing::run("unit", data));
