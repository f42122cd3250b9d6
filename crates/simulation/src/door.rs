//! Requests as JSON: `{"run": {…}}` or `{"replay": {…}}`, with the names of the options. The Python module asks this way.

use serde::Deserialize;

use crate::failure::{Failure, usage};
use crate::run::RunRequest;
use crate::traced::ReplayRequest;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Request {
    /// Runs programs.
    Run(Box<RunRequest>),
    /// Replays a trace.
    Replay(Box<ReplayRequest>),
}

impl Request {
    /// Reads a request. Settings that do not exist are refused.
    pub fn read(text: &str) -> Result<Request, Failure> {
        let request: Request = serde_json::from_str(text)
            .map_err(|error| usage(format!("the request makes no sense: {error}")))?;
        let unknown = match &request {
            Request::Run(run) => &run.unknown,
            Request::Replay(replay) => &replay.unknown,
        };
        match unknown.keys().next() {
            Some(name) => Err(usage(format!("unknown setting {name}"))),
            None => Ok(request),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_names_of_the_options() {
        let text = r#"{"run": {"programs": [{"words": ["./ring", "4"], "ranks": 8, "environment": {"A": "b"}}], "platform": "cluster:8",
            "host": "a,b:2", "trace": "run.prv", "trace_collectives": "yes", "every": 3, "report_ideal": "no", "compute": "none"}}"#;
        let Request::Run(run) = Request::read(text).unwrap() else { panic!("a run") };
        assert_eq!((run.programs[0].ranks, run.machine.platform.as_deref()), (8, Some("cluster:8")));
        assert_eq!((run.machine.host.len(), run.outputs.trace.len(), run.migration.every), (2, 1, 3));
        assert_eq!(run.programs[0].environment, [("A".into(), "b".into())]);
        assert!(run.outputs.trace_collectives && run.machine.model == "flow" && run.compute == "none");
    }

    #[test]
    fn a_setting_that_does_not_exist_is_refused() {
        let refusal = |text| Request::read(text).unwrap_err().to_string();
        assert!(refusal(r#"{"replay": {"workload": "gen:ring", "plattform": "x"}}"#).contains("plattform"));
        assert!(refusal(r#"{"walk": {}}"#).contains("walk"));
        assert!(refusal(r#"{"run": {"seed": "many"}}"#).contains("seed") || refusal("{").contains("EOF"));
    }
}
