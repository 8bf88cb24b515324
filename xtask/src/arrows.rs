//! Holds the dependencies of our crates against the table of rooms in ARCHITECTURE.md: a room may use
//! those below it and no other, and nothing of what the table says it never does. What only tests use
//! is not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::run;

/// The packages that each room names in its manifest, ours and those of others.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// What a room may name.
#[derive(Clone, Copy)]
enum May {
    /// Whatever is below it, but none of these.
    Not(&'static [&'static str]),
    /// These and no other.
    Only(&'static [&'static str]),
}

const ASYNC: &str = "tokio";
const HTTP: &str = "reqwest";
const SQL: [&str; 2] = ["rusqlite", "sqlx"];
const STORE: &str = "periapt-store";
/// What speaks with servers that are not ours.
const OUTSIDE: May = May::Not(&["periapt-wire", STORE, SQL[0], SQL[1], HTTP]);

/// The last column of the table, where a dependency can tell.
const LIMITS: &[(&str, May)] = &[
    (
        "agents",
        May::Not(&[STORE, "periapt-database", "periapt-server", "axum", "hyper"]),
    ),
    ("controller", May::Not(&SQL)),
    (
        "server",
        May::Not(&["wasmtime", "periapt-sandbox", SQL[0], SQL[1]]),
    ),
    ("repository", OUTSIDE),
    ("secrets", OUTSIDE),
    ("receivers", OUTSIDE),
    ("telemetry", OUTSIDE),
    ("outbound", May::Only(&[HTTP, "thiserror"])),
    ("uniter", May::Not(&["wasmtime", STORE, SQL[0], SQL[1]])),
    ("packing", May::Not(&["wasmtime", "periapt-sandbox"])),
    (
        "workloads",
        May::Not(&["periapt-client", "periapt-wire", STORE]),
    ),
    ("serving", May::Not(&["periapt-contract", HTTP])),
    (
        "sandbox",
        May::Not(&["periapt-client", "periapt-wire", "periapt-server", STORE]),
    ),
    ("providers", May::Not(&["periapt-wire", STORE])),
    ("store", May::Not(&["axum", "wasmtime"])),
    ("wire", May::Not(&["hyper", HTTP, "tokio-tungstenite"])),
    ("database", May::Not(&["periapt-contract"])),
    ("files", May::Only(&["rustix"])),
    ("engine", May::Not(&["periapt-model", "periapt-contract"])),
    (
        "model",
        May::Not(&[
            ASYNC,
            "tokio-util",
            "futures",
            "rand",
            "jiff",
            SQL[0],
            SQL[1],
        ]),
    ),
    (
        "contract",
        May::Only(&["periapt-plan", "serde", "serde_json"]),
    ),
    ("plan", May::Not(&[ASYNC])),
];

pub fn run() -> Result<()> {
    let page = std::fs::read_to_string(run::root().join("ARCHITECTURE.md"))?;
    let (rooms, graph) = (rooms(&page), graph()?);
    let mut faults = faults(&rooms, &graph);
    faults.extend(beyond(LIMITS, &graph));
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    let arrows = graph.values().flatten().filter_map(|name| ours(name));
    println!(
        "{} rooms, {} arrows, none points up",
        rooms.len(),
        arrows.count()
    );
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
            .filter_map(|dependency| dependency["name"].as_str())
            .map(str::to_owned)
            .collect();
        graph.insert(room, used);
    }
    Ok(graph)
}

/// The room of a package of ours.
fn ours(package: &str) -> Option<&str> {
    package.strip_prefix("periapt-")
}

/// What rooms name although the table says never, and limits of rooms that there are not.
fn beyond(limits: &[(&str, May)], graph: &Graph) -> Vec<String> {
    let mut faults = Vec::new();
    for (room, may) in limits {
        let Some(used) = graph.get(*room) else {
            faults.push(format!("host/{room} has limits and is no crate"));
            continue;
        };
        for package in used {
            let refused = match may {
                May::Not(never) => never.contains(&package.as_str()),
                May::Only(these) => !these.contains(&package.as_str()),
            };
            if refused {
                faults.push(format!("host/{room} never uses {package}, and names it"));
            }
        }
    }
    faults
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
        for other in used.iter().filter_map(|package| ours(package)) {
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
        assert!(graph["cli"].contains("periapt-model"), "{graph:?}");
        assert_eq!(faults(&rooms(&page), &graph), [""; 0]);
    }

    #[test]
    fn no_room_names_what_it_never_uses() {
        assert_eq!(beyond(LIMITS, &graph().unwrap()), [""; 0]);
    }

    #[test]
    fn what_a_room_never_uses_is_found_and_so_is_what_is_not_among_the_few_it_may() {
        let mut graph = graph().unwrap();
        for (room, package) in [
            ("agents", "axum"),
            ("agents", "periapt-store"),
            ("contract", "thiserror"),
            ("model", "tokio"),
            ("uniter", "wasmtime"),
        ] {
            let named = graph.get_mut(room).unwrap();
            assert!(named.insert(package.to_owned()), "{room} {package}");
            assert_eq!(
                beyond(LIMITS, &graph),
                [format!("host/{room} never uses {package}, and names it")]
            );
            graph.get_mut(room).unwrap().remove(package);
        }
        graph.remove("files");
        assert_eq!(
            beyond(LIMITS, &graph),
            ["host/files has limits and is no crate"]
        );
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
                    .insert(format!("periapt-{to}"));
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
