//! Counts what CONTRIBUTING's recipes promise: an example of each, with all places in the sources that
//! speak of it. A place is a file; tests are not counted, since each recipe asks for one anyway.
//!
//! Three kinds are told apart, since they do not cost the same: files that a person writes, lists in
//! which what was added has its line or two, and what it needed beyond itself, for which there are other
//! recipes. None is left out: whatever has one of the words is in one of the three.

use std::collections::BTreeSet;
use std::path::Path;

use xtask::run;

/// What was added once by a recipe.
struct Example {
    recipe: &'static str,
    /// Words that only what was added has, in its files or in their names.
    words: &'static [&'static str],
    /// Files that a person writes, or writes into more than a line.
    files: &'static [&'static str],
    /// Lists with what else is of its kind: its module, its row.
    lists: &'static [&'static str],
    /// What this one needed and another of its kind may not.
    beyond: &'static [&'static str],
    /// How the recipe says it.
    says: &'static str,
    /// More than so many files and lists the recipe may not become.
    most: (usize, usize),
}

/// Lines of a list that may speak of one thing: its module, its row, and what the row begins with.
const LINES: usize = 3;

const EXAMPLES: &[Example] = &[
    Example {
        recipe: "## A new worker",
        words: &["unitassigner"],
        files: &["host/agents/src/model/unitassigner.rs"],
        lists: &[
            "host/agents/src/model/mod.rs",
            "host/catalogue/src/table.rs",
        ],
        beyond: &[],
        says: "one file, a line or two in each of two lists, and one test",
        // The fourth place is its test.
        most: (1, 2),
    },
    Example {
        recipe: "## A new worker",
        words: &["leaseexpiry"],
        files: &["host/controller/src/workers/leaseexpiry.rs"],
        lists: &[
            "host/catalogue/src/table.rs",
            "host/controller/src/workers/mod.rs",
        ],
        beyond: &[],
        says: "one file, a line or two in each of two lists, and one test",
        most: (1, 2),
    },
    Example {
        recipe: "## A new verb with its route",
        words: &[
            "RetryProvisioning",
            "retry_provisioning",
            "retry-provisioning",
            "RETRY_PROVISIONING",
        ],
        files: &[
            "host/cli/src/commands/machines.rs",
            "host/client/src/rest/provisioning.rs",
            "host/server/src/rest/machines.rs",
            "host/store/src/machine/operator.rs",
            "host/wire/src/rest/machines.rs",
            "host/wire/src/rest/paths.rs",
        ],
        lists: &["host/server/src/audit/words.rs"],
        // Juju has it too.
        beyond: &["host/cli/src/juju/verbs.rs"],
        says: "six files that a person writes",
        most: (6, 1),
    },
    Example {
        recipe: "## A new facade",
        words: &["life_flag"],
        files: &[
            "host/server/src/facades/life_flag.rs",
            "host/wire/src/agent/life_flag.rs",
        ],
        lists: &["host/server/src/facades/mod.rs", "host/wire/src/agent.rs"],
        // Who calls it.
        beyond: &["host/agents/src/model/lifeflag.rs"],
        says: "these two files, the two lists, and the worker that calls it",
        most: (2, 2),
    },
    // Others speak of ports as well: who shows them, and who reaches them. The words are those of the
    // tool, of its effect and of what is kept of it.
    Example {
        recipe: "## A new hook tool",
        words: &[
            "contract/src/ports/",
            "/ports.rs",
            "PortsAnswers",
            "PortsHost",
            "mod ports;",
            "pub use ports::",
            "ports::Changes",
            "effects.ports",
            "interface ports",
            "ports: Openings",
            "TooManyPorts",
            // Its row among the interfaces that charms declare.
            "who may reach the unit",
        ],
        files: &[
            "guest-sdk/rust/src/ports.rs",
            "guest-sdk/rust/src/testing/host/ports.rs",
            "guest-sdk/wit/charm.wit",
            "host/contract/src/ports/",
            "host/sandbox/src/tools/ports.rs",
            "host/store/src/hook/ports.rs",
            "host/uniter/src/context/facts.rs",
        ],
        lists: &[
            "guest-sdk/rust/src/host.rs",
            "guest-sdk/rust/src/lib.rs",
            "guest-sdk/rust/src/testing/host/mod.rs",
            "host/contract/src/lib.rs",
            "host/contract/src/txn.rs",
            "host/model/src/charm/capability/tools.rs",
            "host/sandbox/src/tools/mod.rs",
            "host/store/src/hook/mod.rs",
        ],
        beyond: &[
            // What the commit refuses, and its rows among all refusals.
            "host/model/src/hook/commit.rs",
            "host/model/src/refusal/rules.rs",
            // What a unit keeps of it from one hook to the next.
            "host/store/src/unit/uniter.rs",
            "host/uniter/src/snapshot.rs",
            "host/wire/src/agent/uniter.rs",
            // The controller and the unit that tests have in memory.
            "host/contract/src/testing.rs",
            "host/uniter/src/testing/controller/effects.rs",
        ],
        says: "and the six files `charm.wit`, `tools/ports.rs`, `context/facts.rs`, `hook/ports.rs`, `src/ports.rs` and `testing/host/ports.rs`; and eight lists with at most three lines each",
        // The folder, and six files.
        most: (7, 8),
    },
    Example {
        recipe: "## A new hook tool",
        words: &[
            "GoalState",
            "goal_state",
            "interface goal-state",
            "\"goal-state\",",
        ],
        files: &[
            "guest-sdk/rust/src/goal_state.rs",
            "guest-sdk/rust/src/testing/harness.rs",
            "guest-sdk/rust/src/testing/host/mod.rs",
            "guest-sdk/wit/charm.wit",
            "host/sandbox/src/tools/goal_state.rs",
            "host/uniter/src/context/relations.rs",
        ],
        lists: &[
            "guest-sdk/rust/src/host.rs",
            "guest-sdk/rust/src/lib.rs",
            "host/model/src/charm/capability/tools.rs",
            "host/sandbox/src/tools/mod.rs",
        ],
        beyond: &[
            // The call to the controller: declared, answered, read.
            "host/wire/src/agent/uniter.rs",
            "host/server/src/facades/uniter.rs",
            "host/store/src/relation/goal_state.rs",
            "host/store/src/relation/mod.rs",
            // The controller that tests have in memory, and a test that is called otherwise.
            "host/uniter/src/testing/controller/relations.rs",
            "host/uniter/src/testing/controller/units.rs",
            "guest-sdk/rust/src/testing/two_ends.rs",
        ],
        says: "six files and four lists and no folder",
        most: (6, 4),
    },
    Example {
        recipe: "## A new provider",
        words: &[
            "providers/src/local/",
            "mod local;",
            "providers::local",
            "local::KIND",
            "LocalProvider",
        ],
        files: &["host/controller/src/run.rs", "host/providers/src/local/"],
        lists: &["host/providers/src/lib.rs"],
        // Scenarios put machines of their own in its place.
        beyond: &[
            "host/testing/src/machines.rs",
            "host/testing/src/scenario.rs",
        ],
        says: "its folder, the lines in `run.rs` that open it and end what it runs, and its module in `lib.rs`",
        most: (2, 1),
    },
];

/// The sources whose name or text has one of the words, and how many lines of each do.
fn places(example: &Example) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for folder in ["host", "guest-sdk/rust/src", "guest-sdk/wit"] {
        look(&run::root().join(folder), &mut |path: &str, text: &str| {
            let speaks = |said: &str| example.words.iter().any(|word| said.contains(word));
            let lines = text.lines().filter(|line| speaks(line)).count();
            if speaks(path) || lines > 0 {
                found.push((place(path), lines));
            }
        });
    }
    found
}

/// Folders of which each folder in them is one thing, and so one place.
const OF_FOLDERS: &[&str] = &["host/contract/src/", "host/providers/src/"];

fn place(path: &str) -> String {
    let within = |folder: &&&str| path.strip_prefix(**folder)?.split_once('/');
    OF_FOLDERS
        .iter()
        .find_map(|folder| Some(format!("{folder}{}/", within(&folder)?.0)))
        .unwrap_or_else(|| path.to_owned())
}

/// Shows every source below a folder, but no test: its path within the checkout, and its text.
fn look(folder: &Path, see: &mut impl FnMut(&str, &str)) {
    let entries = std::fs::read_dir(folder).unwrap();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy();
        if name == "tests" || name == "tests.rs" || name == "target" {
            continue;
        }
        if path.is_dir() {
            look(&path, see);
        } else if name.ends_with(".rs") || name.ends_with(".wit") {
            let short = path.strip_prefix(run::root()).unwrap();
            see(
                &short.to_string_lossy(),
                &std::fs::read_to_string(&path).unwrap(),
            );
        }
    }
}

#[test]
fn the_recipes_take_as_few_places_as_they_say() {
    let page = std::fs::read_to_string(run::root().join("CONTRIBUTING.md")).unwrap();
    let in_one_line = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for example in EXAMPLES {
        let (recipe, words) = (example.recipe, example.words);
        let all = [example.files, example.lists, example.beyond].concat();
        let said: BTreeSet<String> = all.iter().map(|&place| place.to_owned()).collect();
        let found = places(example);
        let there: BTreeSet<String> = found.iter().map(|(place, _)| place.clone()).collect();
        assert_eq!(there, said, "{recipe} {words:?}");
        for (list, lines) in found {
            let is_list = example.lists.contains(&list.as_str());
            assert!(
                !is_list || lines <= LINES,
                "{recipe} {words:?}: {list} has {lines} lines"
            );
        }
        let count = (example.files.len(), example.lists.len());
        assert!(
            count.0 <= example.most.0 && count.1 <= example.most.1,
            "{recipe} {count:?}"
        );
        assert!(page.contains(&format!("{recipe}\n")), "{recipe}");
        assert!(
            in_one_line.contains(example.says),
            "{recipe}: {}",
            example.says
        );
    }
}
