//! What an agent wrote, taken with care: it may have been taken over by a guest.

use std::collections::BTreeMap;
use std::path::{Component as Part, Path, PathBuf};
use std::time::Duration;

use periapt_model::UnitName;
use periapt_model::workload::desired::{Component, Desired, Stored, file_name};
use periapt_model::workload::plan::Plan;

/// The largest file that is read.
pub const BYTES: u64 = 8 << 20;
/// Units of one model; what is beyond is not read.
pub const MOST: usize = 20_000;
/// The directories in which an agent has what its workloads read.
const COMPILED: &str = "compiled";
const UNITS: &str = "units";
const STORAGE: &str = "storage";
/// Nothing is done again and again more often than this, whatever a plan says.
const CALM: Duration = Duration::from_millis(100);

/// The unit of a file, as long as its name is that of the unit.
pub fn desired(name: &str, bytes: &[u8]) -> Result<(UnitName, Desired), String> {
    let mut desired: Desired = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let unit: UnitName = desired
        .unit
        .parse()
        .map_err(|_| "it names no unit".to_owned())?;
    if file_name(unit.as_str()) != name {
        return Err("it is of a unit of another name".to_owned());
    }
    for container in desired.containers.values_mut() {
        let plan = &mut container.plan;
        plan.validate().map_err(|error| error.to_string())?;
        calm(plan);
    }
    Ok((unit, desired))
}

fn calm(plan: &mut Plan) {
    let at_least = |time: &mut Option<Duration>| *time = time.map(|time| time.max(CALM));
    for service in plan.services.values_mut() {
        at_least(&mut service.backoff_delay);
        at_least(&mut service.backoff_limit);
    }
    for check in plan.checks.values_mut() {
        at_least(&mut check.period);
    }
}

/// The artifact of a component, from the directory of its agent.
pub fn artifact(component: &Component) -> Result<PathBuf, String> {
    inside(&component.file, COMPILED)
}

/// The directory of a unit's state, from that of its agent.
pub fn generation(generation: &Path) -> Result<PathBuf, String> {
    inside(generation, UNITS)
}

fn inside(path: &Path, folder: &str) -> Result<PathBuf, String> {
    match path.starts_with(folder) && is_plain(path) {
        true => Ok(path.to_owned()),
        false => Err(format!(
            "{} is not in {folder} of its agent",
            path.display()
        )),
    }
}

fn is_plain(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Part::Normal(_)))
}

/// Whether what lies below the generation stays there, and is found at absolute paths.
pub fn files(files: &BTreeMap<String, String>) -> Result<(), String> {
    for (below, guest) in files {
        if !is_plain(Path::new(below)) || !guest.starts_with('/') {
            return Err(format!("{below} cannot be found at {guest}"));
        }
    }
    Ok(())
}

/// Whether each storage is one of the agent's, and is found at an absolute path.
pub fn storage(storage: &BTreeMap<String, Stored>) -> Result<(), String> {
    for (guest, stored) in storage {
        let directory = inside(&stored.directory, STORAGE)?;
        if directory.components().count() != 2 || !guest.starts_with('/') {
            let directory = directory.display();
            return Err(format!("storage {directory} cannot be found at {guest}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_where_they_belong() {
        let good = generation(Path::new("units/docs-0/state/3"));
        assert_eq!(good.unwrap(), Path::new("units/docs-0/state/3"));
        for path in ["/etc", "units/../../x", "/a/m/units/docs-0", "compiled/x"] {
            assert!(generation(Path::new(path)).is_err(), "{path}");
        }
        let map = |below: &str, guest: &str| [(below.to_owned(), guest.to_owned())].into();
        assert!(files(&map("site", "/site")).is_ok());
        assert!(files(&map("", "/")).is_ok());
        for (below, guest) in [
            ("..", "/x"),
            ("/etc", "/x"),
            ("site", "x"),
            ("a/../..", "/x"),
        ] {
            assert!(files(&map(below, guest)).is_err(), "{below}");
        }
    }

    #[test]
    fn storage_is_one_of_the_agent() {
        let at = |directory: &str, guest: &str| {
            let stored = Stored {
                directory: PathBuf::from(directory),
                read_only: false,
            };
            storage(&[(guest.to_owned(), stored)].into())
        };
        assert_eq!(at("storage/data-0", "/storage/data/0"), Ok(()));
        for (directory, guest) in [
            ("storage", "/x"),
            ("storage/data-0/deep", "/x"),
            ("storage/../units", "/x"),
            ("units/docs-0", "/x"),
            ("/storage/data-0", "/x"),
            ("storage/data-0", "x"),
        ] {
            assert!(at(directory, guest).is_err(), "{directory} at {guest}");
        }
    }

    #[test]
    fn a_plan_is_one_that_can_run_and_is_calm() {
        let read = |plan: &str| {
            let text = format!(
                r#"{{"unit": "docs/0", "number": 1, "generation": "a",
                    "containers": {{"web": {{"plan": {plan}}}}}}}"#
            );
            desired("docs-0.json", text.as_bytes())
        };
        let plan = |port: u16, backoff: &str| {
            format!(
                r#"{{"services": {{"site": {{"kind": "http", "component": "a", "port": {port},
                    "backoff-delay": "{backoff}"}}}},
                "checks": {{"up": {{"period": "2ms", "timeout": "1ms", "tcp": {{"port": 80}}}}}}}}"#
            )
        };
        assert!(read(&plan(0, "1s")).is_err());
        let (_, read) = read(&plan(80, "0s")).unwrap();
        let plan = &read.containers["web"].plan;
        assert_eq!(plan.services["site"].backoff_delay(), CALM);
        assert_eq!(plan.checks["up"].period(), CALM);
    }

    #[test]
    fn a_file_is_of_the_unit_of_its_name() {
        let text = br#"{"unit": "docs/0", "number": 1, "generation": "/a"}"#;
        assert_eq!(desired("docs-0.json", text).unwrap().1.number, 1);
        assert!(desired("docs-1.json", text).is_err());
        assert!(desired("docs-0.json", b"{}").is_err());
    }
}
