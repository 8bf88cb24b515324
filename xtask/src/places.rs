//! Counts what CONTRIBUTING's recipes promise: an example of each, with all places in the sources that
//! speak of it. A place is a file; tests are not counted, since each recipe asks for one anyway.

use std::collections::BTreeSet;
use std::path::Path;

use xtask::run;

/// What was added once by a recipe.
struct Example {
    recipe: &'static str,
    /// Words that only what was added has, in its files or in their names.
    words: &'static [&'static str],
    places: &'static [&'static str],
    /// More the recipe may not become.
    most: usize,
}

const EXAMPLES: &[Example] = &[
    Example {
        recipe: "## A new worker",
        words: &["unitassigner"],
        places: &[
            "host/agents/src/model/mod.rs",
            "host/agents/src/model/unitassigner.rs",
            "host/catalogue/src/table.rs",
        ],
        // The fourth is its test.
        most: 3,
    },
    Example {
        recipe: "## A new verb with its route",
        words: &[
            "RetryProvisioning",
            "retry_provisioning",
            "retry-provisioning",
            "RETRY_PROVISIONING",
        ],
        places: &[
            "host/cli/src/commands/machines.rs",
            "host/client/src/rest/provisioning.rs",
            "host/server/src/rest/machines.rs",
            "host/store/src/machine/operator.rs",
            "host/wire/src/rest/machines.rs",
            "host/wire/src/rest/paths.rs",
        ],
        most: 6,
    },
    // By name alone, since others speak of ports as well. `charm.wit` and `context/facts.rs` it shares
    // with other tools; a line in a list of tools, as of `HookTxn`, is no file.
    Example {
        recipe: "## A new hook tool",
        words: &["contract/src/ports/", "/ports.rs"],
        places: &[
            "guest-sdk/rust/src/ports.rs",
            "guest-sdk/rust/src/testing/host/ports.rs",
            "host/contract/src/ports/",
            "host/sandbox/src/tools/ports.rs",
            "host/store/src/hook/ports.rs",
        ],
        // The folder, and with those two six files.
        most: 5,
    },
];

/// The sources whose name or text has one of the words.
fn places(example: &Example) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in ["host", "guest-sdk/rust/src", "guest-sdk/wit"] {
        look(&run::root().join(folder), &mut |path: &str, text: &str| {
            let speaks = |word: &&str| path.contains(*word) || text.contains(*word);
            if example.words.iter().any(speaks) {
                found.insert(place(path));
            }
        });
    }
    found
}

/// A tool's folder is one place.
fn place(path: &str) -> String {
    match path
        .strip_prefix("host/contract/src/")
        .and_then(|rest| rest.split_once('/'))
    {
        Some((tool, _)) => format!("host/contract/src/{tool}/"),
        None => path.to_owned(),
    }
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
    for example in EXAMPLES {
        let recipe = example.recipe;
        let said: BTreeSet<String> = example
            .places
            .iter()
            .map(|&place| place.to_owned())
            .collect();
        assert_eq!(places(example), said, "{recipe}");
        assert!(said.len() <= example.most, "{recipe}: {said:?}");
        assert!(page.contains(&format!("{recipe}\n")), "{recipe}");
    }
}
