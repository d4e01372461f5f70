use crate::enumeration::enumeration;

enumeration! {
    /// The solution method.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Method {
        /// Several methods in turn, chosen by instance size: beam search, branch and bound if a
        /// proof may be cheap, iterated greedy search. For the makespan alone, iterated greedy search
        /// runs on the CPU only; for other models, the short proof does.
        #[default]
        Auto: "auto",
            "Beam search, branch and bound, and iterated greedy search, by instance size and time \
             limit";
        /// The insertion heuristic of Nawaz, Enscore and Ham (1983) with Taillard's acceleration
        /// and the tie-breaking of Fernandez-Viagas and Framinan. Runs on the CPU only.
        Neh: "neh", "The insertion heuristic of Nawaz, Enscore and Ham";
        /// Branch and bound until optimality is proved or a limit is reached.
        BranchAndBound: "branch-and-bound",
            "Branch and bound until the optimum is proved or a limit ends it";
        /// Bi-directional iterative beam search: Libralesso, Focke, Secardin and Jost (2022). An
        /// iteration is a pass.
        Beam: "beam", "Bi-directional beam search, wider with each pass";
        /// Iterated greedy search: Ruiz and Stützle (2007), Dubois-Lacoste, Pagnozzi and Stützle
        /// (2017). An iteration removes some jobs from each trajectory's sequence and reinserts
        /// them. For the makespan alone it runs on the CPU only.
        IteratedGreedy: "iterated-greedy", "Iterated greedy search";
        /// Tabu search over all neighbours of each trajectory's sequence: Czapiński and Barnes
        /// (2011). An iteration is a generation.
        Tabu: "tabu", "Tabu search over all neighbours";
    }
}

impl Method {
    /// Whether the method keeps improving sequences until it is stopped.
    pub(super) fn searches(self) -> bool {
        !matches!(self, Method::BranchAndBound | Method::Neh)
    }

    /// Whether the method can use a device, for the makespan alone or for other models.
    pub(super) fn has_kernels(self, is_plain: bool) -> bool {
        match self {
            Method::Neh => false,
            Method::IteratedGreedy => !is_plain,
            Method::Auto | Method::Beam | Method::Tabu | Method::BranchAndBound => true,
        }
    }
}
