/// Words of the summary that the JSON object lacks.
pub(crate) struct Wording {
    /// Size of the instance, such as "12 jobs on 3 machines".
    pub(crate) size: String,
    /// Name of the objective.
    pub(crate) objective: &'static str,
    /// Kind of the problem, if there are several.
    pub(crate) kind: Option<&'static str>,
    /// Unit of the times, if it is known.
    pub(crate) unit: Option<String>,
}

impl Wording {
    pub(crate) fn new(size: String, objective: &'static str) -> Self {
        Wording { size, objective, kind: None, unit: None }
    }
}
