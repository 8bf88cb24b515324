//! Holds the dependencies among our crates against the table of rooms in ARCHITECTURE.md: a room may
//! use those below it and no other. What only tests use is not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::run;

/// What each room uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

pub fn run() -> Result<()> {
    let page = std::fs::read_to_string(run::root().join("ARCHITECTURE.md"))?;
    let (rooms, graph) = (rooms(&page), graph()?);
    let faults = faults(&rooms, &graph);
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    let arrows: usize = graph.values().map(BTreeSet::len).sum();
    println!("{} rooms, {arrows} arrows, none points up", rooms.len());
    Ok(())
}

/// The table, from above.
fn rooms(page: &str) -> Vec<&str> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| `host/")?.split('`').next())
        .collect()
}

/// The crates in `host/`, as cargo sees them.
fn graph() -> Result<Graph> {
    let mut command = run::cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&run::output(&mut command)?)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let mut graph = Graph::new();
    for package in packages {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let Ok(room) = manifest.strip_prefix(run::root().join("host")) else {
            continue;
        };
        let room = room.parent().unwrap_or(room).display().to_string();
        let used = package["dependencies"].as_array().into_iter().flatten();
        let used = used
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(|dependency| dependency["name"].as_str()?.strip_prefix("periapt-"))
            .map(str::to_owned)
            .collect();
        graph.insert(room, used);
    }
    Ok(graph)
}

/// Everything in which the table and the crates differ.
fn faults(rooms: &[&str], graph: &Graph) -> Vec<String> {
    let floor = |room: &str| rooms.iter().position(|one| *one == room);
    let mut faults: Vec<String> = rooms
        .iter()
        .filter(|room| !graph.contains_key(**room))
        .map(|room| format!("host/{room} is in the table of ARCHITECTURE.md and is no crate"))
        .collect();
    for (room, used) in graph {
        let Some(own) = floor(room) else {
            faults.push(format!(
                "host/{room} is not in the table of ARCHITECTURE.md"
            ));
            continue;
        };
        for other in used {
            if floor(other).is_some_and(|other| other <= own) {
                faults.push(format!("host/{room} uses host/{other}, which is above it"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_room_uses_one_above_it() {
        let page = std::fs::read_to_string(run::root().join("ARCHITECTURE.md")).unwrap();
        let graph = graph().unwrap();
        assert!(graph["cli"].contains("model"), "{graph:?}");
        assert_eq!(faults(&rooms(&page), &graph), [""; 0]);
    }

    #[test]
    fn an_arrow_that_points_up_is_refused_with_both_names() {
        let page =
            "| room | owns |\n|---|---|\n| `host/cli` | words |\n| `host/wire` | `host/x` |\n";
        let graph = |arrows: &[(&str, &str)]| {
            let mut graph =
                Graph::from(["cli", "wire"].map(|room| (room.to_owned(), BTreeSet::new())));
            for (from, to) in arrows {
                graph
                    .entry((*from).to_owned())
                    .or_default()
                    .insert((*to).to_owned());
            }
            graph
        };
        let found = |arrows: &[(&str, &str)]| faults(&rooms(page), &graph(arrows));
        assert_eq!(found(&[("cli", "wire")]), [""; 0]);
        assert_eq!(
            found(&[("cli", "wire"), ("wire", "cli")]),
            ["host/wire uses host/cli, which is above it"]
        );
        assert_eq!(
            found(&[("attic", "wire")]),
            ["host/attic is not in the table of ARCHITECTURE.md"]
        );
        let mut without = graph(&[]);
        without.remove("wire");
        assert_eq!(
            faults(&rooms(page), &without),
            ["host/wire is in the table of ARCHITECTURE.md and is no crate"]
        );
    }
}
