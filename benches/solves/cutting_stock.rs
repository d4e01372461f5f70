//! Cutting stock with many lengths.

use clap::Args;
use makespan::Status;
use makespan::cutting_stock::{Instance, Options, solve};

use crate::common::Result;
use crate::common::log::Log;
use crate::common::options::Run;

const INSTANCES: u64 = 5;

/// Falkenauer's classes and uniform lengths: 10 s each, one thread
#[derive(Args)]
pub(crate) struct Classes {
    #[command(flatten)]
    run: Run,
}

/// Makes an instance of a number of items.
type Class = fn(u64, &mut Random) -> Instance;

const CLASSES: [(&str, Class, &[u64]); 4] = [
    ("uniform 20 to 100 of 150", uniform, &[120, 250, 500, 1000]),
    ("triplets of 1000", triplets, &[60, 120, 249, 501]),
    ("uniform 200 to 500 of 1000", long, &[100, 200, 300]),
    ("uniform 200,000 to 700,000 of 1,000,000", fine, &[300, 600, 1000]),
];

impl Classes {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let (context, solve_options) = (self.run.context(1)?, self.run.solve_options(Some(10.0)));
        println!("class, items: proved of {INSTANCES}, pieces above the bounds, columns, slowest");
        for (name, class, sizes) in CLASSES {
            for &items in sizes {
                let mut random = Random(items);
                let (mut proved, mut above, mut columns, mut slowest) = (0, 0, 0, 0.0);
                for number in 0..INSTANCES {
                    let instance = class(items, &mut random);
                    let outcome = solve(&context, &instance, &Options::default(), &solve_options)?;
                    proved += u64::from(outcome.status == Status::Optimal);
                    above += outcome.objective.unwrap() - outcome.bound.unwrap();
                    columns += outcome.report.statistics.get("columns").unwrap_or(0);
                    slowest = f64::max(slowest, outcome.report.seconds);
                    let line = log.outcome(number.to_string(), &context, &solve_options, &outcome);
                    line.class(format!("{name}, {items}")).with("items", items).write()?;
                }
                println!("{name}, {items}: {proved}, {above}, {columns}, {slowest:.3} s");
            }
        }
        Ok(())
    }
}

/// Instances cut from full pieces: 30 s each, two threads
#[derive(Args)]
pub(crate) struct Planted {
    #[command(flatten)]
    run: Run,
}

/// Draws of instances whose pieces are all full.
const DRAWS: u64 = 50;

/// Cuts a piece of that length.
type Cuts = fn(u64, &mut Random) -> Vec<u64>;

const FAMILIES: [(&str, Cuts); 7] = [
    ("triplets", triplet),
    ("3", |stock_length, random| cut(3, stock_length, random)),
    ("2 to 6", |stock_length, random| cut(random.within(2, 6), stock_length, random)),
    ("5", |stock_length, random| cut(5, stock_length, random)),
    ("2 to 4", |stock_length, random| cut(random.within(2, 4), stock_length, random)),
    ("a tenth to a half", remainders),
    ("3 to 12", |stock_length, random| cut(random.within(3, 12), stock_length, random)),
];

impl Planted {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let (context, solve_options) = (self.run.context(2)?, self.run.solve_options(Some(30.0)));
        println!(
            "draw: parts of a piece, items, lengths, stock length; \
             pieces, bound, attempts, columns, seconds"
        );
        let mut proved = 0;
        for draw in 0..DRAWS {
            let (family, stock_length, mut lengths) = planted(draw);
            let instance = instance(lengths.clone(), stock_length);
            lengths.sort_unstable();
            lengths.dedup();
            let outcome = solve(&context, &instance, &Options::default(), &solve_options)?;
            proved += u64::from(outcome.status == Status::Optimal);
            let counter = |name| outcome.report.statistics.get(name).unwrap_or(0);
            println!(
                "{draw}: {family}, {}, {}, {stock_length}; {}, {}, {}, {}, {:.2}",
                instance.types(),
                lengths.len(),
                outcome.objective.unwrap(),
                outcome.bound.unwrap(),
                counter("attempts"),
                counter("columns"),
                outcome.report.seconds
            );
            let line = log.outcome(draw.to_string(), &context, &solve_options, &outcome);
            let line = line.class(family).with("items", instance.types());
            line.with("lengths", lengths.len()).with("stock_length", stock_length).write()?;
        }
        println!("proved {proved} of {DRAWS}");
        Ok(())
    }
}

/// The family's name, the stock length and the lengths of a draw.
fn planted(draw: u64) -> (&'static str, u64, Vec<u64>) {
    let mut random = Random(1 + draw);
    (0..5).for_each(|_| _ = random.within(0, 1));
    let stock_length = 10f64.powf(4.0 + random.within(0, 2000) as f64 / 1000.0) as u64;
    let items = random.within(200, 1000) as usize;
    let (family, cuts) = FAMILIES[draw as usize % FAMILIES.len()];
    let mut lengths = Vec::new();
    while lengths.len() < items {
        lengths.extend(cuts(stock_length, &mut random));
    }
    (family, stock_length, lengths)
}

/// Cuts a piece into `parts` parts at random places.
fn cut(parts: u64, stock_length: u64, random: &mut Random) -> Vec<u64> {
    loop {
        let mut ends: Vec<u64> = (1..parts).map(|_| random.within(1, stock_length - 1)).collect();
        ends.extend([0, stock_length]);
        ends.sort_unstable();
        let lengths: Vec<u64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
        if !lengths.contains(&0) {
            return lengths;
        }
    }
}

/// Cuts parts of a tenth to half of a piece off until what is left is one.
fn remainders(stock_length: u64, random: &mut Random) -> Vec<u64> {
    let mut lengths = Vec::new();
    let mut left = stock_length;
    while 2 * left > stock_length
        || !(lengths.is_empty() || random.within(0, 1) == 0) && 5 * left > stock_length
    {
        lengths.push(
            random.within(stock_length / 10, (stock_length / 2).min(left - stock_length / 10)),
        );
        left -= lengths[lengths.len() - 1];
    }
    lengths.push(left);
    lengths
}

/// Cuts a piece into three parts of a quarter to half of it.
fn triplet(stock_length: u64, random: &mut Random) -> Vec<u64> {
    loop {
        let lengths = cut(3, stock_length, random);
        if lengths.iter().all(|&length| 4 * length > stock_length && 2 * length < stock_length) {
            return lengths;
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

/// Far too long for a table.
fn fine(items: u64, random: &mut Random) -> Instance {
    instance((0..items).map(|_| random.within(200_000, 700_000)).collect(), 1_000_000)
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
