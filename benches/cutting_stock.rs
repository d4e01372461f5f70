//! Bin packing with many lengths: the classes of Falkenauer 1996 at several sizes, and uniform lengths from a fifth to a
//! half of the stock length.
//!
//! `cargo bench --bench cutting_stock -- [SECONDS]`: method `auto` on one thread, at most so many seconds each, ten by
//! default. A line for each class: proved optima, the pieces above the bounds, the slowest.
#![allow(clippy::print_stdout, reason = "prints its findings")]

mod common;

use std::time::Duration;

use common::threads_context;
use makespan::cutting_stock::{Instance, Options, solve};
use makespan::{Limits, SolveOptions, Status};

const INSTANCES: u64 = 5;

/// Makes an instance of so many items.
type Class = fn(u64, &mut Random) -> Instance;

fn main() {
    let seconds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10.0);
    let limits = Limits { time: Some(Duration::from_secs_f64(seconds)), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let context = threads_context(Some(1));
    println!("class, items: proved of {INSTANCES}, pieces above the bounds, columns, slowest");
    let classes: [(&str, Class, &[u64]); 3] = [
        ("uniform 20 to 100 of 150", uniform, &[120, 250, 500, 1000]),
        ("triplets of 1000", triplets, &[60, 120, 249, 501]),
        ("uniform 200 to 500 of 1000", long, &[100, 200, 300]),
    ];
    for (name, class, sizes) in classes {
        for &items in sizes {
            let mut random = Random(items);
            let (mut proved, mut above, mut columns, mut slowest) = (0, 0, 0, 0.0);
            for _ in 0..INSTANCES {
                let instance = class(items, &mut random);
                let outcome = solve(&context, &instance, &Options::default(), &solve_options).unwrap();
                proved += u64::from(outcome.status == Status::Optimal);
                above += outcome.objective.unwrap() - outcome.bound.unwrap();
                columns += outcome.report.statistics.get("columns").unwrap_or(0);
                slowest = f64::max(slowest, outcome.report.seconds);
            }
            println!("{name}, {items}: {proved}, {above}, {columns}, {slowest:.3} s");
        }
    }
}

/// A linear congruential generator (Lehmer 1951).
struct Random(u64);

impl Random {
    fn within(&mut self, least: u64, most: u64) -> u64 {
        self.0 = self.0 * 48271 % 2147483647;
        least + self.0 % (most - least + 1)
    }
}

fn instance(lengths: Vec<u64>, stock_length: u64) -> Instance {
    let demands = vec![1; lengths.len()];
    Instance::new(lengths, demands, stock_length).unwrap()
}

fn uniform(items: u64, random: &mut Random) -> Instance {
    instance((0..items).map(|_| random.within(20, 100)).collect(), 150)
}

fn long(items: u64, random: &mut Random) -> Instance {
    instance((0..items).map(|_| random.within(200, 500)).collect(), 1000)
}

/// Three items fill each piece of an optimal packing.
fn triplets(items: u64, random: &mut Random) -> Instance {
    let triplet = |_| {
        let first = random.within(380, 490);
        let second = random.within(250, (1000 - first) / 2);
        [first, second, 1000 - first - second]
    };
    instance((0..items / 3).flat_map(triplet).collect(), 1000)
}
