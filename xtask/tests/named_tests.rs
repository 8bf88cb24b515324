//! A promise names the test that keeps it; a name that no test has keeps nothing.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every source file of ours below `folder`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            if !matches!(&*name, "target" | "node_modules" | "dist" | "build") {
                sources(&path, found);
            }
        } else if [".rs", ".ts", ".tsx"].iter().any(|end| name.ends_with(end)) {
            found.push(path);
        }
    }
}

/// Words in backticks that read as the sentence of a test.
fn names(text: &str) -> BTreeSet<&str> {
    let is_test = |word: &&str| {
        let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        word.matches('_').count() >= 3 && word.chars().all(letters)
    };
    text.split('`').skip(1).step_by(2).filter(is_test).collect()
}

/// Sentences in backticks at the end of a row: tests in a `main` of their own and those of the page are called so.
fn sentences(text: &str) -> BTreeSet<&str> {
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.trim_end_matches(['|', ' ']).rsplit('|').next());
    let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.filter(|words| words.contains(' ')).collect()
}

#[test]
fn every_sentence_that_a_promise_names_is_a_test() {
    let mut files = Vec::new();
    for folder in ["host", "tests", "web-ui"] {
        sources(&root().join(folder), &mut files);
    }
    let texts: Vec<String> = files
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let text = std::fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let named = sentences(&text);
    assert!(named.len() > 10, "SECURITY.md names tests");
    let is_there = |sentence: &&&str| {
        let quoted = ['"', '\''].map(|quote| format!("{quote}{sentence}{quote}"));
        let mut texts = texts.iter();
        texts.any(|text| quoted.iter().any(|quoted| text.contains(quoted)))
    };
    let missing: Vec<&&str> = named.iter().filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "tests that are not there: {missing:#?}");
}

#[test]
fn every_test_that_a_promise_names_is_there() {
    let mut files = Vec::new();
    for folder in ["host", "tests", "charms", "guest-sdk", "xtask"] {
        sources(&root().join(folder), &mut files);
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let functions: BTreeSet<String> = files
        .iter()
        .flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let heads = text.lines().filter_map(|line| line.split_once("fn "));
            heads
                .map(|(_, rest)| rest.split(['(', '<']).next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(functions.len() > 1_000, "the sources were not found");
    for page in ["SPECIFICATION.md", "SECURITY.md"] {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let named = names(&text);
        assert!(named.len() > 20, "{page} names tests");
        let missing: Vec<&&str> = named
            .iter()
            .filter(|name| !functions.contains(**name))
            .collect();
        assert!(
            missing.is_empty(),
            "{page} names tests that are not there: {missing:#?}"
        );
    }
}
