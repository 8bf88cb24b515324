//! Names of operations, of which generators make the methods of clients: `listUnits`, `deployApplication`.
//!
//! A name follows from method and path. Where another reads better, the handler says so with `operation_id`.

/// What a `POST` to the end of a path does to what stands before it.
const VERBS: &[&str] = &[
    "attach", "cancel", "detach", "expose", "login", "refresh", "register", "retry", "reveal",
    "rotate", "scale", "start", "stop", "unexpose",
];

/// Words that are the same for one and for many.
const UNCOUNTED: &[&str] = &["access", "status", "storage"];

/// The name of an operation. `given` is what its handler says, or, since that is what is there when it says
/// nothing, the function's name, which has no capital letter.
pub(super) fn of(method: &str, path: &str, given: &str, lists: bool) -> String {
    if given.contains(|c: char| c.is_ascii_uppercase()) {
        return given.to_owned();
    }
    let mut segments: Vec<&str> = path.split('/').skip(2).collect();
    // What is in a model is not called after it.
    let in_model = matches!(segments.as_slice(), ["models", "{model}", _, ..]);
    if in_model {
        segments.drain(..2);
    }
    let variable = |segment: Option<&&str>| segment.is_some_and(|name| name.starts_with('{'));
    let about_one = variable(segments.last());
    let mut nouns: Vec<String> = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        if variable(Some(segment)) {
            continue;
        }
        nouns.push(match variable(segments.get(index + 1)) {
            true => singular(segment),
            false => (*segment).to_owned(),
        });
    }
    if method == "post"
        && !about_one
        && let Some(last) = nouns.pop()
    {
        let (verb, rest) = last.split_once('-').unwrap_or((last.as_str(), ""));
        if VERBS.contains(&verb) {
            return format!("{verb}{}{}", capitals(&nouns), capitals(&[rest.to_owned()]));
        }
        nouns.push(singular(&last));
    }
    let of_the_model = in_model && nouns.len() == 1 && !about_one && !lists;
    if of_the_model && method != "post" && method != "delete" {
        nouns.insert(0, "model".to_owned());
    }
    let verb = match method {
        "get" if lists => "list",
        "get" => "get",
        "post" => "add",
        "put" => "set",
        "patch" => "update",
        _ => "remove",
    };
    format!("{verb}{}", capitals(&nouns))
}

fn singular(word: &str) -> String {
    if UNCOUNTED.contains(&word) {
        return word.to_owned();
    }
    match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

/// `block-devices` and `x` become `BlockDevicesX`.
fn capitals(words: &[String]) -> String {
    let mut name = String::new();
    for part in words.iter().flat_map(|word| word.split(['-', '.'])) {
        let mut letters = part.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_method_and_path() {
        for (method, path, lists, name) in [
            ("get", "/v1/models/{model}/units", true, "listUnits"),
            (
                "get",
                "/v1/models/{model}/units/{name}/{number}",
                false,
                "getUnit",
            ),
            (
                "get",
                "/v1/models/{model}/units/{name}/{number}/history",
                true,
                "listUnitHistory",
            ),
            ("get", "/v1/models/{model}/config", false, "getModelConfig"),
            (
                "patch",
                "/v1/models/{model}/applications/{name}/config",
                false,
                "updateApplicationConfig",
            ),
            (
                "put",
                "/v1/models/{model}/applications/{name}/min-units",
                false,
                "setApplicationMinUnits",
            ),
            (
                "post",
                "/v1/models/{model}/applications/{name}/refresh",
                false,
                "refreshApplication",
            ),
            ("post", "/v1/models", false, "addModel"),
            (
                "delete",
                "/v1/models/{model}/secrets/{secret}",
                false,
                "removeSecret",
            ),
            (
                "get",
                "/v1/models/{model}/machines/{machine}/block-devices",
                true,
                "listMachineBlockDevices",
            ),
            ("post", "/v1/login", false, "login"),
        ] {
            assert_eq!(of(method, path, "list", lists), name);
        }
    }

    #[test]
    fn a_handler_may_say_another_name() {
        let path = "/v1/models/{model}/applications";
        assert_eq!(
            of("post", path, "deployApplication", false),
            "deployApplication"
        );
    }
}
