//! Known sizes of search trees: decomposed nodes below the optima of Taillard's instances. They
//! depend only on the bound and the rule, not on the engine or the order of the search. Independent
//! programs counted them. For the two largest forward trees, the publications have only the first
//! digits; CPU and device agree on the other digits.

use super::makespan::Makespan;
use super::problem::Problem;
use super::{Bound, Branching};
use crate::flow_shop::taillard;
use crate::solve::{Monitor, SolveOptions};

/// One search tree.
#[derive(Debug)]
pub(super) struct Tree {
    name: &'static str,
    pub(super) bound: Bound,
    branching: Branching,
    pub(super) nodes: u64,
}

impl Tree {
    /// Calls `search` with the problem of finding a sequence shorter than the optimum.
    pub(super) fn with<T>(&self, search: impl FnOnce(&Problem<'_, Makespan<'_>>) -> T) -> T {
        let known = taillard::find(self.name).unwrap();
        let (instance, monitor) = (known.instance(), Monitor::new(&SolveOptions::default()));
        let problem =
            Makespan::problem(&instance, self.bound, self.branching, known.upper_bound, &monitor);
        search(&problem.unwrap())
    }
}

/// All known trees with at most `one_machine` nodes by LB1, or at most `two_machine` nodes by the
/// slower bounds with LB2.
pub(super) fn trees(one_machine: u64, two_machine: u64) -> impl Iterator<Item = Tree> {
    use Bound::{OneMachine, Refined, TwoMachine};
    use Branching::{Forward, MaxSum, MinBranch, MinMin, MinMinFront};
    let trees = [
        ("ta003", OneMachine, Forward, 2_567_445),
        ("ta003", OneMachine, MaxSum, 43),
        ("ta003", OneMachine, MinBranch, 28),
        ("ta003", OneMachine, MinMin, 28),
        ("ta003", OneMachine, MinMinFront, 27),
        ("ta011", OneMachine, Forward, 6_703_747),
        ("ta011", OneMachine, MaxSum, 177_130),
        ("ta011", OneMachine, MinBranch, 150_679),
        ("ta011", OneMachine, MinMin, 156_874),
        ("ta011", OneMachine, MinMinFront, 171_198),
        ("ta014", OneMachine, Forward, 2_571_005),
        ("ta014", OneMachine, MaxSum, 29_686),
        ("ta014", OneMachine, MinBranch, 19_285),
        ("ta014", OneMachine, MinMin, 17_394),
        ("ta014", OneMachine, MinMinFront, 12_726),
        ("ta016", OneMachine, Forward, 10_714_215),
        ("ta016", OneMachine, MaxSum, 1_477),
        ("ta016", OneMachine, MinBranch, 1_509),
        ("ta016", OneMachine, MinMin, 1_729),
        ("ta016", OneMachine, MinMinFront, 2_123),
        ("ta020", OneMachine, Forward, 859_253_415),
        ("ta020", OneMachine, MaxSum, 348_401),
        ("ta020", OneMachine, MinBranch, 268_813),
        ("ta020", OneMachine, MinMin, 288_358),
        ("ta020", OneMachine, MinMinFront, 296_415),
        ("ta022", OneMachine, MinBranch, 45_955_935),
        ("ta028", OneMachine, MinBranch, 12_869_872),
        ("ta029", OneMachine, MinBranch, 12_233_363),
        ("ta030", OneMachine, Forward, 111_887_399),
        ("ta030", OneMachine, MaxSum, 3_045_578),
        ("ta030", OneMachine, MinBranch, 2_415_747),
        ("ta030", OneMachine, MinMin, 2_742_969),
        ("ta030", OneMachine, MinMinFront, 3_021_090),
        ("ta041", OneMachine, MinBranch, 16_419),
        ("ta041", OneMachine, MinMin, 18_993),
        ("ta050", OneMachine, MaxSum, 2_211_186),
        ("ta050", OneMachine, MinBranch, 2_129_065),
        ("ta050", OneMachine, MinMin, 2_317_088),
        ("ta050", OneMachine, MinMinFront, 2_070_184),
        ("ta003", TwoMachine, Forward, 80_063),
        ("ta014", TwoMachine, Forward, 144_640),
        ("ta016", TwoMachine, Forward, 2_646_206),
        ("ta011", TwoMachine, MinBranch, 72_131),
        ("ta014", TwoMachine, MinBranch, 15_101),
        ("ta016", TwoMachine, MinBranch, 1_130),
        ("ta020", TwoMachine, MinBranch, 118_865),
        ("ta014", TwoMachine, MaxSum, 23_244),
        ("ta014", TwoMachine, MinMin, 11_727),
        ("ta014", Refined, MinBranch, 15_262),
        ("ta020", Refined, MinBranch, 140_192),
        ("ta014", Refined, MinMin, 13_468),
    ];
    let trees = trees.map(|(name, bound, branching, nodes)| Tree { name, bound, branching, nodes });
    trees.into_iter().filter(move |tree| match tree.bound {
        OneMachine => tree.nodes <= one_machine,
        TwoMachine | Refined => tree.nodes <= two_machine,
    })
}
