//! Proves in parts on two threads that no schedule is shorter than 1377, and counts the nodes.
#![allow(clippy::print_stdout)]

use makespan::flow_shop::units::{Tree, UpperBound};
use makespan::flow_shop::{ExactOptions, Instance, Method, Options};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    let instance = Instance::named("ta014").expect("it is well known");
    let exact = ExactOptions { upper_bound: Some(1377), ..ExactOptions::default() };
    let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
    let tree = Tree::new(instance, &options)?;
    // Another machine could take a part, as bytes.
    let mut parts = tree.whole()?.split(2)?;
    let upper_bound = UpperBound::new();
    std::thread::scope(|scope| {
        let run = |part| (part, &context, &upper_bound);
        let threads: Vec<_> = parts
            .iter_mut()
            .map(run)
            .map(|(part, context, upper_bound)| {
                scope.spawn(move || part.run(context, &SolveOptions::default(), upper_bound))
            })
            .collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(ran) => ran.map(drop),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut whole = parts.remove(0);
    for part in parts {
        whole = whole.merge(part)?;
    }
    assert!(whole.is_done());
    println!("no schedule is shorter than {}: {} nodes", whole.limit(), whole.nodes());
    Ok(())
}
