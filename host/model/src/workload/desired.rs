//! What an agent asks the supervisor of its machine for, and what it hears of it: one file of each for every
//! unit, replaced as a whole.
//!
//! Names of units and digests are text here, so that this says no more than what stands in the files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::plan::Plan;

pub use periapt_plan::request::{Asked, Request};
pub use periapt_plan::seen::{CheckSeen, Passed, Seen, ServiceSeen};

/// A unit as its charm's last commit wants it: `workloads/desired/docs-0.json` in the directory of its
/// model's agent. Where there is no file there is no unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Desired {
    /// `docs/0`.
    pub unit: String,
    /// Grows with each change.
    pub number: u64,
    /// The directory of the unit's committed state, below that of its agent.
    pub generation: PathBuf,
    /// The charm's components by their names in it, compiled.
    #[serde(default)]
    pub components: BTreeMap<String, Component>,
    #[serde(default)]
    pub containers: BTreeMap<String, Container>,
}

/// A component that was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Component {
    /// The artifact, below the directory of the agent.
    pub file: PathBuf,
    /// Of the component, SHA-256 in hexadecimal.
    pub digest: String,
    /// Of the engine that the artifact was made for.
    pub engine_hash: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Container {
    #[serde(default)]
    pub plan: Plan,
    /// Paths below the generation, and where the workload finds them, to read.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Storage that the unit has, by where the workload finds it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, Stored>,
    /// What is to be done once, in the order of the numbers.
    #[serde(default)]
    pub requests: Vec<Asked>,
}

/// The directory of a storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Stored {
    /// Below the directory of the agent.
    pub directory: PathBuf,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// A unit as it is: `workloads/observed/docs-0.json` beside the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Observed {
    pub unit: String,
    /// Of what is desired, the number that this is about.
    pub number: u64,
    /// Changes when the containers were made anew, so that nothing of before runs any more.
    pub boot: u64,
    pub containers: BTreeMap<String, Seen>,
}

/// The name of a unit's files: `docs-0.json` for `docs/0`.
pub fn file_name(unit: &str) -> String {
    format!("{}.json", unit.replace('/', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_is_written_by_hand() {
        let text = r#"{
            "unit": "docs/0", "number": 7, "generation": "units/docs-0/state/3",
            "components": {"server.wasm": {"file": "compiled/x.cwasm", "digest": "00", "engine-hash": "11"}},
            "containers": {"web": {
                "plan": {"services": {"site": {"kind": "http", "component": "server.wasm", "port": 80}}},
                "files": {"site": "/site"},
                "storage": {"/storage/data/0": {"directory": "storage/data-0"},
                    "/srv": {"directory": "storage/pool-1", "read-only": true}},
                "requests": [
                    {"id": 1, "request": {"replan": null}},
                    {"id": 2, "request": {"start": ["site"]}},
                    {"id": 3, "request": {"signal": ["SIGHUP", ["site"]]}}
                ]
            }}
        }"#;
        let desired: Desired = serde_json::from_str(text).unwrap();
        let web = &desired.containers["web"];
        let pool = &web.storage["/srv"];
        assert_eq!(pool.directory, PathBuf::from("storage/pool-1"));
        assert!(pool.read_only && !web.storage["/storage/data/0"].read_only);
        let requests: Vec<&Request> = web.requests.iter().map(|asked| &asked.request).collect();
        let site = || vec!["site".to_owned()];
        let signal = Request::Signal("SIGHUP".to_owned(), site());
        assert_eq!(
            requests,
            [&Request::Replan, &Request::Start(site()), &signal]
        );
        let text = serde_json::to_string(&desired).unwrap();
        assert_eq!(serde_json::from_str::<Desired>(&text).unwrap(), desired);
        assert_eq!(file_name(&desired.unit), "docs-0.json");
    }
}
