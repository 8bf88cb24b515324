use serde_json::json;

use super::*;
use crate::failure::Exit;

fn found() -> ApplicationResources {
    serde_json::from_value(json!({
        "application": "site",
        "resources": [
            {"name": "logo", "type": "oci-image", "description": "", "file-name": "logo"},
            {
                "name": "theme", "type": "file", "description": "How it looks",
                "file-name": "theme.css",
                "attached": {
                    "revision": 2, "sha256": "abc", "size": 2048,
                    "uploaded-by": "admin", "uploaded-at": 0,
                },
                "units": [{"unit": "site/0", "revision": 1}],
            },
        ],
    }))
    .unwrap()
}

#[test]
fn resources_are_shown_with_what_units_have() {
    let lines = details(&found()).render(false);
    let words: Vec<Vec<&str>> = lines
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(words[1][..4], ["logo", "-", "-", "-"]);
    assert_eq!(words[2], ["theme", "site/0", "1", "2", "theme.css", "abc"]);
    let lines = table(&found(), &Times::new(true)).render(false);
    assert!(lines.contains("an image, of no use here"), "{lines}");
    assert!(lines.contains("2.0 KiB"), "{lines}");
}

/// The files that words name for the charm of `found`.
fn read(words: &[String]) -> Outcome<Files> {
    Paths::parse(words)?.read_of(&found())
}

#[test]
fn files_are_read_and_names_are_held_against_the_charm() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("theme.css");
    std::fs::write(&path, "body {}").unwrap();
    let word = |name: &str| format!("{name}={}", path.display());
    let files = read(&[word("theme")]).unwrap();
    assert_eq!(files.into_all()["theme"], "body {}");
    let failure = read(&[word("them")]).unwrap_err();
    assert_eq!(failure.exit, Exit::NotFound);
    assert!(
        failure.to_string().contains("did you mean \"theme\"?"),
        "{failure}"
    );
    for words in [
        vec!["theme".to_owned()],
        vec!["=x".to_owned()],
        vec!["theme=".to_owned()],
        vec![word("theme"), word("theme")],
    ] {
        assert_eq!(read(&words).unwrap_err().exit, Exit::Usage, "{words:?}");
    }
    let missing = read(&["theme=/nowhere/theme.css".to_owned()]).unwrap_err();
    assert_eq!(missing.exit, Exit::NotFound);
}

#[test]
fn an_image_is_refused_as_an_image_whether_or_not_a_file_has_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("redis");
    std::fs::write(&path, "").unwrap();
    let there = path.to_str().unwrap();
    for image in ["redis:7", "ghcr.io/someone/logo", there] {
        let failure = read(&[format!("logo={image}")]).unwrap_err();
        assert_eq!(failure.exit, Exit::Usage, "{image}");
        let told = failure.to_string();
        assert!(told.contains("\"logo\" is a container image"), "{told}");
    }
}
