//! What an action is given, as it stands on a command line: `KEY=VALUE`, `KEY.SUB=VALUE`, a YAML file.

use std::path::Path;

use periapt_model::charm::Parameters;
use serde_json::Value;

use crate::failure::{Failure, Outcome};

/// Deeper than that nobody nests, and nobody takes it.
const DEEPEST: usize = 64;

/// What a file and the words of the command line say; the words win. With `as_text` their values are
/// text, else YAML.
pub fn parameters(file: Option<&Path>, words: &[String], as_text: bool) -> Outcome<Parameters> {
    let mut all = match file {
        Some(file) => from_file(file)?,
        None => Parameters::new(),
    };
    lay_over(&mut all, from_words(words, as_text)?);
    Ok(all)
}

fn from_file(path: &Path) -> Outcome<Parameters> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::file("cannot read the parameters", path, &error))?;
    parse(&text).map_err(|why| {
        Failure::usage(format!("{} holds no parameters", path.display()))
            .why(why)
            .advice("write KEY: VALUE lines")
    })
}

fn parse(text: &str) -> Result<Parameters, String> {
    if text.trim().is_empty() {
        return Ok(Parameters::new());
    }
    match serde_saphyr::from_str(text) {
        Ok(Value::Object(all)) => Ok(all),
        Ok(_) => Err("it has no keys at the top level".to_owned()),
        Err(error) => Err(error.without_snippet().to_string()),
    }
}

fn from_words(words: &[String], as_text: bool) -> Outcome<Parameters> {
    let mut all = Parameters::new();
    for word in words {
        let (path, text) = assignment(word)?;
        let value = match as_text {
            true => Value::String(text.to_owned()),
            false => value(word, text)?,
        };
        if !insert(&mut all, &path, value) {
            return Err(Failure::usage(format!("\"{word}\" sets a parameter twice"))
                .why(format!("another argument also sets {}", path.join(".")))
                .advice("leave one of them out"));
        }
    }
    Ok(all)
}

/// `KEY.SUB=VALUE` taken apart.
fn assignment(word: &str) -> Outcome<(Vec<&str>, &str)> {
    let (key, text) = word.split_once('=').unwrap_or_default();
    let path: Vec<&str> = key.split('.').collect();
    if path.iter().any(|part| part.is_empty()) || path.len() > DEEPEST {
        return Err(Failure::usage(format!("\"{word}\" is not a parameter"))
            .why("a parameter is a key, =, and a value; dots separate nested keys")
            .advice("write KEY=VALUE or KEY.SUB=VALUE after the action"));
    }
    Ok((path, text))
}

/// A value as YAML reads it. Nothing at all is empty text.
fn value(word: &str, text: &str) -> Outcome<Value> {
    if text.trim().is_empty() {
        return Ok(Value::String(text.to_owned()));
    }
    let why = match serde_saphyr::from_str(text) {
        // As in `#fff`, which is a comment.
        Ok(Value::Null) if !is_null(text) => "for YAML it is nothing".to_owned(),
        Ok(value) => return Ok(value),
        Err(error) => error.without_snippet().to_string(),
    };
    Err(
        Failure::usage(format!("the value of \"{word}\" is not YAML"))
            .why(why)
            .advice("quote it for YAML, or add --string-args"),
    )
}

fn is_null(text: &str) -> bool {
    text.trim() == "~" || text.trim().eq_ignore_ascii_case("null")
}

/// Whether there was room for it: nothing is said twice.
fn insert(all: &mut Parameters, path: &[&str], value: Value) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return false;
    };
    if rest.is_empty() {
        return match all.contains_key(*first) {
            true => false,
            false => all.insert((*first).to_owned(), value).is_none(),
        };
    }
    let within = all
        .entry(*first)
        .or_insert_with(|| Value::Object(Parameters::new()));
    match within {
        Value::Object(within) => insert(within, rest, value),
        _ => false,
    }
}

/// Puts `over` over `under`; keys of objects that both have are put together likewise.
fn lay_over(under: &mut Parameters, over: Parameters) {
    for (key, value) in over {
        match value {
            Value::Object(over) => match under.entry(key).or_insert(Value::Null) {
                Value::Object(under) => lay_over(under, over),
                other => *other = Value::Object(over),
            },
            value => {
                under.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::failure::Exit;

    fn read(words: &[&str], as_text: bool) -> Outcome<Value> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        from_words(&words, as_text).map(Value::Object)
    }

    #[test]
    fn values_are_yaml_and_dots_lead_inwards() {
        let words = [
            "out=out.tar.bz2",
            "file.kind=xz",
            "file.quality=9",
            "file.deep.down=true",
            "list=[1, two]",
            "map={a: 1}",
            "map.b=2",
            "equation=a=b",
            "empty=",
            "nothing=null",
            "text='3'",
        ];
        assert_eq!(
            read(&words, false).unwrap(),
            json!({
                "out": "out.tar.bz2",
                "file": { "kind": "xz", "quality": 9, "deep": { "down": true } },
                "list": [1, "two"], "map": { "a": 1, "b": 2 }, "equation": "a=b", "empty": "",
                "nothing": null, "text": "3",
            })
        );
        assert_eq!(
            read(&["time=1000", "on.off=yes", "glob=*.txt"], true).unwrap(),
            json!({ "time": "1000", "on": { "off": "yes" }, "glob": "*.txt" })
        );
    }

    #[test]
    fn what_is_no_parameter_or_said_twice_is_refused() {
        for words in [
            &["level"][..],
            &["=3"],
            &["a..b=1"],
            &[".a=1"],
            &["a.=1"],
            &["glob=*.txt"],
            &["list=[1"],
            &["colour=#fff"],
            &["a=1", "a=2"],
            &["a=1", "a.b=2"],
            &["a.b=2", "a=1"],
            &["a.b=1", "a.b=1"],
        ] {
            let failure = read(words, false).unwrap_err();
            assert_eq!(failure.exit, Exit::Usage, "{words:?}");
            assert_eq!(failure.to_string().lines().count(), 3, "{failure}");
        }
        let deep = format!("{}=1", vec!["a"; DEEPEST + 1].join("."));
        assert!(read(&[&deep], false).is_err());
    }

    #[test]
    fn words_win_over_a_file_also_within_objects() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("parameters.yaml");
        std::fs::write(
            &file,
            "level: 3\nfile: {kind: gz, quality: low}\nlist: [1]\n",
        )
        .unwrap();
        let words = ["file.kind=xz", "list.first=2", "more=yes please"].map(str::to_owned);
        assert_eq!(
            Value::Object(parameters(Some(&file), &words, false).unwrap()),
            json!({
                "level": 3, "file": { "kind": "xz", "quality": "low" }, "list": { "first": 2 },
                "more": "yes please",
            })
        );
        std::fs::write(&file, " \n").unwrap();
        assert_eq!(
            parameters(Some(&file), &[], false).unwrap(),
            Parameters::new()
        );
        for bad in ["- 1\n", "text\n", "a: [\n"] {
            std::fs::write(&file, bad).unwrap();
            let failure = parameters(Some(&file), &[], false).unwrap_err();
            assert_eq!(failure.exit, Exit::Usage, "{bad}");
        }
        let missing = parameters(Some(&folder.path().join("none.yaml")), &[], false);
        assert_eq!(missing.unwrap_err().exit, Exit::NotFound);
    }

    proptest! {
        #[test]
        fn whatever_is_typed_is_read_or_refused(words in prop::collection::vec(".{0,12}", 0..4), as_text in any::<bool>()) {
            if let Err(failure) = from_words(&words, as_text) {
                prop_assert_eq!(failure.exit, Exit::Usage);
            }
        }

        #[test]
        fn text_is_taken_as_it_is(text in ".{0,20}") {
            let read = from_words(&[format!("a.b={text}")], true).unwrap();
            prop_assert_eq!(Value::Object(read), json!({ "a": { "b": text } }));
        }
    }
}
