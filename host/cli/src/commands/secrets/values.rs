//! The values of a secret on the command line: `KEY=VALUE`, `KEY#file=PATH`, `KEY#base64=VALUE`, and files of them.
//!
//! What is written as an argument is in the shell's history and in the list of processes, so every value can
//! also come from a file or from standard input.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_wire::rest::SecretValues;

use crate::failure::{Failure, Outcome};

/// All values of `words` and of the YAML or JSON `file`; `-` is standard input. Empty where there are none.
pub fn read(words: &[String], file: Option<&Path>) -> Outcome<SecretValues> {
    let from_input = words
        .iter()
        .filter(|word| word.ends_with("#file=-"))
        .count();
    if from_input + usize::from(file == Some(Path::new("-"))) > 1 {
        return Err(Failure::usage("standard input is named twice")
            .why("it can be read only once; the second value would be empty")
            .advice("give the others as files, or all of them with --file -"));
    }
    let mut values = match file {
        Some(file) => of_file(file)?,
        None => BTreeMap::new(),
    };
    for word in words {
        let (key, value) = of_word(word)?;
        if values.insert(key.clone(), value).is_some() {
            return Err(Failure::usage(format!("the key {key} is given twice"))
                .why("a secret has one value for each key")
                .advice("leave one of them out"));
        }
    }
    Ok(SecretValues(values))
}

fn of_word(word: &str) -> Outcome<(String, String)> {
    let malformed = || {
        // The word may be the value itself.
        Failure::usage("an argument is not a secret value")
            .why("values are written KEY=VALUE, KEY#file=PATH or KEY#base64=VALUE")
            .advice("write for example: password#file=./password.txt")
    };
    let (key, value) = word.split_once('=').ok_or_else(malformed)?;
    match key.split_once('#') {
        None if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        Some((key, "file")) if !key.is_empty() => Ok((key.to_owned(), text_of(Path::new(value))?)),
        Some((key, "base64")) if !key.is_empty() => {
            let bytes = BASE64_STANDARD.decode(value).ok();
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            let text = text.ok_or_else(|| {
                Failure::usage(format!("the value of {key} is not base64-encoded text"))
                    .why("secret values are text")
                    .advice("give values that the charm decodes itself as KEY=VALUE")
            })?;
            Ok((key.to_owned(), text))
        }
        _ => Err(malformed()),
    }
}

fn of_file(path: &Path) -> Outcome<BTreeMap<String, String>> {
    let text = text_of(path)?;
    let read: Result<BTreeMap<String, String>, _> = serde_saphyr::from_str(&text);
    // What the parser says may quote the file.
    read.map_err(|_| {
        Failure::usage(format!("{} contains no secret values", path.display()))
            .why("the file must be a map of texts, in YAML or JSON")
            .advice("write one line for each, for example: password: \"...\"")
    })
}

fn text_of(path: &Path) -> Outcome<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| Failure::file("cannot read the value", path, &error))?;
        return Ok(text);
    }
    std::fs::read_to_string(path)
        .map_err(|error| Failure::file("cannot read the value", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn values_come_from_words_files_and_base64() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("password");
        std::fs::write(&file, "hunter2\n").unwrap();
        let all = home.path().join("all.yaml");
        std::fs::write(&all, "user: admin\n").unwrap();
        let from_file = format!("password#file={}", file.display());
        let given = words(&["token=a=b", &from_file, "note#base64=aGVsbG8="]);
        let SecretValues(read) = read(&given, Some(&all)).unwrap();
        let expected = [
            ("note", "hello"),
            ("password", "hunter2\n"),
            ("token", "a=b"),
            ("user", "admin"),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(read, expected.into());
    }

    #[test]
    fn what_is_no_value_is_refused_and_never_shown() {
        for wrong in [
            "hunter2",
            "=hunter2",
            "#file=hunter2",
            "key#fil=hunter2",
            "key#base64=hunter2!",
            "key#base64=/w==",
        ] {
            let refused = read(&words(&[wrong]), None).unwrap_err();
            let shown = format!("{refused:?}");
            assert!(!shown.contains("hunter2"), "{shown}");
        }
        let twice = read(&words(&["key=1", "key=2"]), None).unwrap_err();
        assert!(format!("{twice:?}").contains("twice"));
        let both = read(&words(&["one#file=-"]), Some(Path::new("-"))).unwrap_err();
        assert!(format!("{both:?}").contains("standard input"));
    }
}
