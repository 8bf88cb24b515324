//! Routes as an operator writes them.

use std::collections::BTreeSet;

use crate::{Route, Source};

/// What was written, or what is to be changed about it, as a sentence without an end.
pub type Written = Result<Vec<Route>, String>;

/// Reads `/docs=docs docs.example.com=docs`.
pub fn read(text: &str) -> Written {
    let mut routes = Vec::new();
    let mut known = BTreeSet::new();
    for word in text.split_whitespace() {
        let route = route(word)?;
        if !known.insert(route.from.clone()) {
            return Err(format!("routes says twice where {} leads", source(word)));
        }
        routes.push(route);
    }
    Ok(routes)
}

fn route(word: &str) -> Result<Route, String> {
    let form = || {
        format!(
            "routes has \"{word}\", which is not of the form /PATH=APPLICATION or HOST=APPLICATION"
        )
    };
    let (from, application) = word.split_once('=').ok_or_else(form)?;
    let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if application.is_empty() || !application.chars().all(name) {
        return Err(form());
    }
    let from = match from.strip_prefix('/') {
        Some(rest) => {
            let part = |part: &str| {
                !part.is_empty() && !part.contains(['?', '#', '%', '\\']) && !part.starts_with('.')
            };
            let rest = rest.strip_suffix('/').unwrap_or(rest);
            if !rest.is_empty() && !rest.split('/').all(part) {
                return Err(format!(
                    "routes has the path \"{from}\", which is none of plain parts such as /docs/new"
                ));
            }
            Source::Path(match rest {
                "" => String::new(),
                rest => format!("/{rest}"),
            })
        }
        None => {
            let letter = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let label = |label: &str| !label.is_empty() && label.chars().all(letter);
            if !from.split('.').all(label) {
                return Err(format!(
                    "routes has the host \"{from}\", which is none such as docs.example.com; ports and paths are not part of one"
                ));
            }
            Source::Host(from.to_ascii_lowercase())
        }
    };
    Ok(Route {
        from,
        application: application.to_owned(),
    })
}

fn source(word: &str) -> &str {
    word.split_once('=').map_or(word, |(from, _)| from)
}
