//! Simulates the distribution of a proof over many workers, by the coordinator and the workers that
//! `makespan-mpi` has: cargo run --release -p makespan-cli --example simulate -- --help

use clap::Parser;
use makespan::{Error, Result};
use makespan_cli::distribution::Work;
use makespan_cli::distribution::coordinator::Settings;
use makespan_cli::distribution::simulation::{Machine, Simulated, simulate};

/// Simulate the distribution of a proof over many workers
#[derive(Parser)]
struct Arguments {
    /// Workers, one a rank
    #[arg(long, default_value_t = 1000)]
    workers: usize,
    /// Nodes of the tree
    #[arg(long, default_value_t = 1e15)]
    nodes: f64,
    /// Nodes in a second of a worker
    #[arg(long, default_value_t = 1e9)]
    rate: f64,
    /// The slowest worker has this share of the rate, and the others lie between
    #[arg(long, default_value_t = 1.0)]
    slowest: f64,
    /// Seconds that a message is under way
    #[arg(long, default_value_t = 1e-3)]
    latency: f64,
    /// Seconds that the coordinator works on a message
    #[arg(long, default_value_t = 5e-5)]
    message: f64,
    /// Seconds that it works on each open node of a message
    #[arg(long, default_value_t = 2e-7)]
    message_node: f64,
    /// Open nodes of a unit, as a search leaves them
    #[arg(long, default_value_t = 400)]
    open_nodes: usize,
    /// Seconds that a worker needs from one slice to the next
    #[arg(long, default_value_t = 2e-3)]
    turn: f64,
    /// Workers lost in an hour. A lost worker is replaced
    #[arg(long, default_value_t = 0.0)]
    losses: f64,
    /// Makes other trees
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A number from 0 to below 1 that depends only on the seed.
fn random(seed: u64) -> f64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31) >> 11) as f64 / (1u64 << 53) as f64
}

/// A subtree of a known size, which no coordinator knows.
#[derive(Debug, Clone, Copy)]
struct Subtree {
    nodes: u64,
    depth: u32,
    seed: u64,
}

/// Children of a node.
const BRANCHES: u64 = 12;

impl Subtree {
    /// The subtrees of its children. Their sizes are as unequal as those of real trees, where few
    /// children have most of the nodes.
    fn children(self) -> impl Iterator<Item = Subtree> {
        let left = self.nodes.saturating_sub(1);
        let seed = move |child: u64| self.seed.wrapping_mul(31).wrapping_add(child + 1);
        let share = move |child: u64| (-4.0 * random(seed(child))).exp2();
        let total: f64 = (0..BRANCHES).map(share).sum();
        let mut given = 0;
        (0..BRANCHES).filter_map(move |child| {
            let nodes = match child + 1 {
                BRANCHES => left - given,
                _ => ((left as f64 * share(child) / total) as u64).min(left - given),
            };
            given += nodes;
            let depth = self.depth + 1;
            (nodes > 0).then_some(Subtree { nodes, depth, seed: seed(child) })
        })
    }
}

/// Work whose size only the simulation knows.
#[derive(Debug, Clone)]
struct Model {
    subtrees: Vec<Subtree>,
    /// Open nodes that a search would leave of one subtree.
    open_nodes: usize,
    epoch: u64,
    done: u64,
}

impl Model {
    fn with(&self, subtrees: Vec<Subtree>, done: u64) -> Self {
        Model { subtrees, done, epoch: 0, open_nodes: self.open_nodes }
    }
}

impl Work for Model {
    fn is_done(&self) -> bool {
        self.subtrees.is_empty()
    }

    fn open_nodes(&self) -> usize {
        if self.is_done() { 0 } else { self.subtrees.len() + self.open_nodes }
    }

    fn nodes(&self) -> u64 {
        self.done
    }

    fn limit(&self) -> u64 {
        0
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn with_epoch(self, epoch: u64) -> Self {
        Model { epoch, ..self }
    }

    fn ledger(&self) -> Self {
        self.with(Vec::new(), self.done)
    }

    fn without_work(self) -> Self {
        Model { done: 0, ..self }
    }

    fn split(self, parts: usize) -> Result<Vec<Self>> {
        let (mut subtrees, mut done) = (self.subtrees.clone(), self.done);
        for _ in 0..6 {
            let Some(least) = subtrees.iter().map(|subtree| subtree.depth).min() else { break };
            let is_shallow = |subtree: &Subtree| subtree.depth == least;
            let (level, deeper): (Vec<_>, Vec<_>) = subtrees.into_iter().partition(is_shallow);
            subtrees = deeper;
            if level.len() >= 2 * parts {
                subtrees.extend(level);
                break;
            }
            done += level.len() as u64;
            subtrees.extend(level.into_iter().flat_map(Subtree::children));
        }
        subtrees.sort_by_key(|subtree| (subtree.depth, subtree.seed));
        let mut dealt = vec![Vec::new(); parts];
        for (position, subtree) in subtrees.into_iter().enumerate() {
            dealt[position % parts].push(subtree);
        }
        let part = |(index, subtrees)| self.with(subtrees, if index == 0 { done } else { 0 });
        Ok(dealt.into_iter().enumerate().map(part).collect())
    }

    fn merge(mut self, other: Self) -> Result<Self> {
        self.subtrees.extend(other.subtrees);
        (self.done, self.epoch) = (self.done + other.done, 0);
        Ok(self)
    }

    fn intersect(&mut self, _remainder: &Self) -> Result<()> {
        Err(Box::new(Error::Unsupported("workers that do not answer".into())))
    }
}

impl Simulated for Model {
    /// The deepest subtrees first.
    fn advance(&mut self, nodes: u64) -> Result<u64> {
        self.subtrees.sort_by_key(|subtree| subtree.depth);
        let mut left = nodes;
        while left > 0
            && let Some(subtree) = self.subtrees.last_mut()
        {
            let step = subtree.nodes.min(left);
            subtree.nodes -= step;
            left -= step;
            if subtree.nodes == 0 {
                self.subtrees.pop();
            }
        }
        self.done += nodes - left;
        Ok(nodes - left)
    }
}

fn main() -> Result<()> {
    let given = Arguments::parse();
    let rates = (0..given.workers)
        .map(|worker| given.rate * (1.0 - (1.0 - given.slowest) * random(worker as u64)))
        .collect::<Vec<_>>();
    let ideal = given.nodes / rates.iter().sum::<f64>();
    let count = (given.losses * ideal / 3600.0) as u64;
    let losses = (0..count)
        .map(|loss| {
            let worker = random(given.seed + 2 * loss + 1) * given.workers as f64;
            (random(given.seed + 2 * loss) * ideal, worker as usize, true)
        })
        .collect();
    let machine = Machine {
        rates,
        latency: given.latency,
        message: given.message,
        message_node: given.message_node,
        turn: given.turn,
        losses,
        settings: Settings { patience: f64::INFINITY, ..Settings::default() },
    };
    let root = Subtree { nodes: given.nodes as u64, depth: 0, seed: given.seed };
    let whole = Model { subtrees: vec![root], open_nodes: given.open_nodes, epoch: 0, done: 0 };
    let (found, _) = simulate(whole, &machine)?;
    let twice = (found.decomposed as f64 / found.nodes as f64 - 1.0).max(0.0);
    makespan_cli::console::write(&format!(
        "workers {}, nodes {:.3e}, {:.2} s: efficiency {:.4}, coordinator busy {:.2} %, {} messages, \
         {:.3} % of the nodes twice\n",
        given.workers,
        found.nodes as f64,
        found.seconds,
        found.efficiency,
        100.0 * found.busy,
        found.messages,
        100.0 * twice,
    ))
    .map_err(|failure| Box::new(Error::Internal(failure.to_string())))
}
