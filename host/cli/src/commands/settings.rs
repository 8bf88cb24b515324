//! Settings as they stand on a command line: `KEY=VALUE`, `KEY=@FILE`, YAML files.

use std::collections::BTreeMap;
use std::path::Path;

use periapt_model::config::Value;
use serde_json::Value as Json;

use crate::failure::{Failure, Outcome};

pub type Settings = BTreeMap<String, Value>;

/// What `--config` says: each word is a setting, or a file of settings. Settings win over files,
/// whatever their order.
pub fn from_words(words: &[String], application: &str) -> Outcome<Settings> {
    let (assignments, files): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.contains('='));
    let mut all = Settings::new();
    for file in files {
        all.extend(from_file(Path::new(file), application)?);
    }
    for word in assignments {
        let (key, value) = assignment(word)?;
        all.insert(key, value);
    }
    Ok(all)
}

/// `KEY=VALUE`. The value stays text: the controller knows the option's type.
pub fn assignment(word: &str) -> Outcome<(String, Value)> {
    let Some((key, value)) = word.split_once('=').filter(|(key, _)| !key.is_empty()) else {
        return Err(Failure::usage(format!("\"{word}\" is no setting"))
            .why("an option is a key, =, and a value")
            .advice("write KEY=VALUE, or KEY=@FILE for a file's content"));
    };
    let value = match value.strip_prefix('@') {
        Some(path) => std::fs::read_to_string(path).map_err(|error| {
            Failure::file(
                format!("cannot read the value of {key}"),
                Path::new(path),
                &error,
            )
        })?,
        None => value.to_owned(),
    };
    Ok((key.to_owned(), Value::Text(value)))
}

/// A YAML file of settings, at its top or under the application's name.
pub fn from_file(path: &Path, application: &str) -> Outcome<Settings> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::file("cannot read the options", path, &error))?;
    parse(&text, application).map_err(|why| {
        Failure::usage(format!("{} holds no settings", path.display()))
            .why(why)
            .advice("write KEY: VALUE lines, at the top or under the application's name")
    })
}

fn parse(text: &str, application: &str) -> Result<Settings, String> {
    if text.trim().is_empty() {
        return Ok(Settings::new());
    }
    let mut all: BTreeMap<String, Json> =
        serde_saphyr::from_str(text).map_err(|error| error.without_snippet().to_string())?;
    let all = match all.remove(application) {
        Some(Json::Object(own)) => own.into_iter().collect(),
        Some(other) => {
            all.insert(application.to_owned(), other);
            all
        }
        None => all,
    };
    all.into_iter()
        .map(|(key, value)| match value {
            Json::Null => Err(format!("{key} has no value")),
            Json::Array(_) | Json::Object(_) => Err(format!("{key} is no single value")),
            value => serde_json::from_value(value)
                .map(|value| (key.clone(), value))
                .map_err(|error| format!("{key}: {error}")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_stand_at_the_top_or_under_the_application() {
        let expected = Settings::from([
            ("greeting".to_owned(), Value::Text("hi".to_owned())),
            ("size".to_owned(), Value::Integer(3)),
            ("debug".to_owned(), Value::Boolean(true)),
        ]);
        assert_eq!(
            parse("greeting: hi\nsize: 3\ndebug: true\n", "site").unwrap(),
            expected
        );
        assert_eq!(
            parse(
                "site:\n  greeting: hi\n  size: 3\n  debug: true\ndb:\n  x: 1\n",
                "site"
            )
            .unwrap(),
            expected
        );
        assert_eq!(parse("", "site").unwrap(), Settings::new());
        for bad in ["- a\n", "a: [1]\n", "a:\n", "a: {b: c}\n"] {
            assert!(parse(bad, "site").is_err(), "{bad}");
        }
    }

    #[test]
    fn assignments_keep_their_value_as_text() {
        assert_eq!(
            assignment("size=3=4").unwrap(),
            ("size".to_owned(), Value::Text("3=4".to_owned()))
        );
        assert_eq!(
            assignment("empty=").unwrap(),
            ("empty".to_owned(), Value::Text(String::new()))
        );
        for bad in ["novalue", "=x"] {
            assert_eq!(
                assignment(bad).unwrap_err().exit,
                crate::failure::Exit::Usage
            );
        }
    }
}
