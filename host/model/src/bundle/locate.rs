//! Where in its file a bundle has a mistake.
//!
//! What the YAML reader refuses has its own line. Other mistakes name an application or a relation, whose line is
//! looked for in the text: that is where a person has to look.

use super::{BundleError, PlanError};

/// The line of the mistake, from 1; none where no line stands for it.
pub fn line_of(error: &BundleError, text: &str) -> Option<u64> {
    match error {
        BundleError::Unreadable { line, .. } => *line,
        BundleError::Empty => line_of_key(text, "applications"),
        BundleError::NoCharm(application)
        | BundleError::NotARevision { application, .. }
        | BundleError::RevisionOfFile { application, .. }
        | BundleError::UnknownMachine { application, .. }
        | BundleError::TooManyPlacements { application, .. }
        | BundleError::Storage { application, .. }
        | BundleError::NothingToRemove(application) => line_of_key(text, application),
        BundleError::NotAPair(relation) | BundleError::UnknownApplication { relation, .. } => {
            line_of_relation(text, relation)
        }
    }
}

/// The same of what is found only when the bundle is compared with the model and its charms.
pub fn line_of_plan(error: &PlanError, text: &str) -> Option<u64> {
    match error {
        PlanError::NoCharm(application)
        | PlanError::NoRevision { application, .. }
        | PlanError::Constraints { application, .. }
        | PlanError::Subordinate(application) => line_of_key(text, application.as_str()),
        PlanError::Relation { relation, .. } => line_of_relation(text, relation),
    }
}

/// The first line with this key of a mapping: `site:`, `'site': …`, or within braces.
pub fn line_of_key(text: &str, key: &str) -> Option<u64> {
    index_of_key(text, key).map(number)
}

fn index_of_key(text: &str, key: &str) -> Option<usize> {
    text.lines().position(|line| has_key(line, key))
}

fn has_key(line: &str, key: &str) -> bool {
    let line = code(line);
    let mut rest = line;
    let mut before = None;
    while let Some(at) = rest.find(key) {
        let (left, right) = rest.split_at(at);
        let after = &right[key.len()..];
        let begins = match left.chars().next_back().or(before) {
            None => true,
            Some(character) => character.is_whitespace() || "{,'\"?".contains(character),
        };
        let after = after.trim_start_matches(['\'', '"']).trim_start();
        if begins && after.starts_with(':') && !after.starts_with("::") {
            return true;
        }
        before = key.chars().next_back();
        rest = &right[key.len()..];
    }
    false
}

/// The first line that has all ends of a relation, else the first that has one of them as an end of a list.
fn line_of_relation(text: &str, relation: &str) -> Option<u64> {
    let ends: Vec<&str> = relation.split_whitespace().collect();
    if ends.is_empty() {
        return line_of_key(text, "relations");
    }
    // The line of the key is the answer only where no line after it is.
    let begin = index_of_key(text, "relations").map_or(0, |index| index + 1);
    let lines = || text.lines().map(code).enumerate().skip(begin);
    let all = lines().find(|(_, line)| ends.iter().all(|end| line.contains(end)));
    let one = || lines().find(|(_, line)| ends.iter().any(|end| line.contains(end)));
    all.or_else(one)
        .map(|(index, _)| number(index))
        .or_else(|| line_of_key(text, "relations"))
}

/// The line without its comment.
fn code(line: &str) -> &str {
    match line.find(" #") {
        Some(at) => &line[..at],
        None if line.starts_with('#') => "",
        None => line,
    }
}

fn number(index: usize) -> u64 {
    index as u64 + 1
}

#[cfg(test)]
mod tests;
