use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::*;

/// Every text between `before` and the next quotation mark in the sources below a folder of the
/// host, tests left out.
fn quoted(folder: &str, before: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    for file in sources(&root) {
        let text = std::fs::read_to_string(&file).unwrap();
        for (start, _) in text.match_indices(before) {
            let rest = &text[start + before.len()..];
            found.insert(rest[..rest.find('"').unwrap()].to_owned());
        }
    }
    found
}

fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_source = name.ends_with(".rs") && !name.starts_with("test");
        return is_source.then(|| path.to_owned()).into_iter().collect();
    }
    let is_tests = path.file_name().is_some_and(|name| name == "tests");
    match is_tests {
        true => Vec::new(),
        false => std::fs::read_dir(path)
            .unwrap()
            .flat_map(|entry| sources(&entry.unwrap().path()))
            .collect(),
    }
}

/// Codes that rules of the store and of the model have in their sources.
fn codes() -> BTreeSet<String> {
    let mut codes = quoted("store/src", "code: \"");
    codes.extend(quoted(
        "store/src/relation/scope.rs",
        "NOT_IN_SCOPE: &str = \"",
    ));
    for file in [
        "relation/endpoint.rs",
        "options/mod.rs",
        "config.rs",
        "reach/exposure.rs",
    ] {
        let words = quoted(&format!("model/src/{file}"), "=> \"");
        codes.extend(words.into_iter().filter(|word| word.contains('-')));
    }
    // Errors with one code each.
    codes.extend(["cidr-invalid", "endpoint-not-exposed"].map(str::to_owned));
    // `PasswordError` has one, and two are codes of Juju with spaces.
    codes.extend(["password-refused", "bad-request", "try-again"].map(str::to_owned));
    codes
}

#[test]
fn every_rule_of_the_store_has_a_status_and_advice() {
    let codes = codes();
    assert!(codes.len() > 40, "{codes:?}");
    let table: BTreeSet<String> = refusals::REFUSALS
        .iter()
        .map(|row| row.code.to_owned())
        .collect();
    assert_eq!(table, codes, "left: the table, right: the sources");
    assert_eq!(table.len(), refusals::REFUSALS.len(), "a row twice");
    for row in refusals::REFUSALS {
        assert!((400..=503).contains(&row.status), "{}", row.code);
        assert!(!row.advice.is_empty(), "{}", row.code);
        let error = StoreError::Invalid {
            code: row.code,
            message: "a reason".to_owned(),
        };
        let Answer(problem) = error.into();
        assert_eq!((problem.status, &*problem.code), (row.status, row.code));
        assert_eq!(problem.advice, row.advice);
        assert_ne!(problem.title, title(500), "{}", row.code);
    }
}

#[test]
fn whatever_is_missing_taken_or_going_has_advice() {
    let mut kinds = quoted("store/src", "not_found(\"");
    kinds.extend(quoted("store/src", "kind: \""));
    assert!(kinds.len() > 8, "{kinds:?}");
    let advice_of = |error: StoreError| {
        let Answer(problem) = error.into();
        assert!(!problem.advice.is_empty(), "{}", problem.code);
        problem.status
    };
    let name = || "NAME".to_owned();
    for kind in kinds {
        let kind: &'static str = kind.leak();
        assert_eq!(advice_of(StoreError::NotFound { kind, name: name() }), 404);
        assert_eq!(
            advice_of(StoreError::AlreadyExists { kind, name: name() }),
            409
        );
        for life in [periapt_model::Life::Dying, periapt_model::Life::Dead] {
            let name = name();
            assert_eq!(advice_of(StoreError::NotAlive { kind, name, life }), 409);
        }
    }
    for (error, status) in [
        (
            StoreError::NotEmpty {
                model: name(),
                applications: 1,
                units: 1,
                machines: 1,
            },
            409,
        ),
        (
            StoreError::HasAssignedUnits {
                machine: name(),
                units: name(),
            },
            409,
        ),
        (StoreError::NotProvisioned { machine: name() }, 409),
        (
            StoreError::HasSubordinates {
                unit: name(),
                subordinates: name(),
            },
            409,
        ),
        (StoreError::LeaseDenied { lease: name() }, 409),
        (
            StoreError::LeaseLost {
                lease: name(),
                holder: name(),
            },
            409,
        ),
        (StoreError::LeaseTimedOut { lease: name() }, 503),
        (StoreError::NodeRemoved { node: 1 }, 409),
        (DatabaseError::Stopped.into(), 503),
        (DatabaseError::Locked.into(), 503),
        (DatabaseError::DiskFull.into(), 507),
        (
            DatabaseError::SchemaTooNew {
                found: 2,
                supported: 1,
            }
            .into(),
            500,
        ),
        (DatabaseError::Failed { message: name() }.into(), 500),
        (
            DatabaseError::Corrupt {
                what: "row",
                message: name(),
            }
            .into(),
            500,
        ),
        (DatabaseError::Internal { message: name() }.into(), 500),
        (DatabaseError::KeyTaken.into(), 409),
        (
            DatabaseError::Changed {
                definition: name(),
                found: 2,
            }
            .into(),
            412,
        ),
    ] {
        assert_eq!(advice_of(error), status);
    }
}
