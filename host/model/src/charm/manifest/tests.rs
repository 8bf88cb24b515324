use super::*;

const METADATA: &str = "name: site\nsummary: A site\n";

#[test]
fn the_older_layout_reads() {
    let manifest = Manifest::read(ManifestFiles {
        metadata: Some(METADATA),
        config: Some(
            "options:\n  title: {type: string, default: Home, description: Shown on top}\n  port: {type: int, default: 80}\n  \
             debug: {type: boolean, default: false}\n  ratio: {type: float, default: 1}\n  pages: {type: string}\n",
        ),
        actions: Some("render:\n  description: Render now\n  params: {depth: {type: integer}}\n  required: [depth]\n"),
        ..ManifestFiles::default()
    })
    .expect("reads");
    assert_eq!(manifest.metadata.name, "site");
    assert_eq!(
        manifest.config.options["port"].default,
        Some(Value::Integer(80))
    );
    assert_eq!(
        manifest.config.options["ratio"].default,
        Some(Value::Number(1.0))
    );
    assert_eq!(manifest.config.options["pages"].default, None);
    assert_eq!(manifest.actions["render"].required, ["depth"]);
    assert!(manifest.declared.is_empty());
}

#[test]
fn charmcraft_holds_everything_and_separate_files_win() {
    let charmcraft = "type: charm\nname: site\nsummary: s\ndescription: d\nbase: ubuntu@24.04\nplatforms: {amd64: null}\n\
                      parts: {charm: {plugin: charm}}\nconfig:\n  options:\n    title: {type: string, default: Old}\n\
                      actions: {render: {description: Now}}\n";
    let manifest = Manifest::read(ManifestFiles {
        charmcraft: Some(charmcraft),
        ..ManifestFiles::default()
    })
    .expect("reads");
    assert_eq!(
        manifest.config.options["title"].default,
        Some(Value::Text("Old".to_owned()))
    );
    assert!(manifest.actions.contains_key("render"));

    let both = Manifest::read(ManifestFiles {
        charmcraft: Some(charmcraft),
        config: Some("options: {title: {default: New}}"),
        actions: Some("# none\n"),
        ..ManifestFiles::default()
    })
    .expect("reads");
    assert_eq!(
        both.config.options["title"].default,
        Some(Value::Text("New".to_owned()))
    );
    assert!(both.actions.is_empty());
}

#[test]
fn shared_directories_are_declared_in_either_layout() {
    let declared = BTreeMap::from([
        ("logs".to_owned(), Access::ReadWrite),
        ("sockets".to_owned(), Access::ReadOnly),
    ]);
    let own_file = ManifestFiles {
        metadata: Some(METADATA),
        capabilities: Some("shared:\n  sockets: read-only\n  logs: read-write\n"),
        ..ManifestFiles::default()
    };
    let charmcraft = ManifestFiles {
        charmcraft: Some(
            "name: site\ncapabilities: {shared: {logs: read-write, sockets: read-only}}",
        ),
        ..ManifestFiles::default()
    };
    for files in [own_file, charmcraft] {
        let manifest = Manifest::read(files).expect("reads");
        assert_eq!(manifest.shared, declared);
        let declared: Vec<String> = manifest
            .declared
            .capabilities()
            .map(|one| one.to_string())
            .collect();
        assert_eq!(
            declared,
            ["shared/logs:read-write", "shared/sockets:read-only"]
        );
    }
    for nothing in ["", "shared:\n", "shared: {}", "[]"] {
        let manifest = Manifest::read(ManifestFiles {
            metadata: Some(METADATA),
            capabilities: Some(nothing),
            ..ManifestFiles::default()
        })
        .expect(nothing);
        assert!(manifest.shared.is_empty() && manifest.declared.is_empty());
    }
}

#[test]
fn faults_name_the_file_and_have_stable_codes() {
    let base = ManifestFiles {
        metadata: Some(METADATA),
        ..ManifestFiles::default()
    };
    let cases = [
        (
            ManifestFiles::default(),
            "charm-metadata-missing",
            "metadata.yaml",
        ),
        (
            ManifestFiles {
                metadata: Some("summary: x"),
                ..base
            },
            "charm-metadata-invalid",
            "name",
        ),
        (
            ManifestFiles {
                metadata: Some("name: ["),
                ..base
            },
            "charm-metadata-invalid",
            "metadata.yaml",
        ),
        (
            ManifestFiles {
                metadata: Some("name: a\nname: b"),
                ..base
            },
            "charm-metadata-invalid",
            "name",
        ),
        (
            ManifestFiles {
                config: Some("options: {a: {type: colour}}"),
                ..base
            },
            "charm-config-invalid",
            "config.yaml",
        ),
        (
            ManifestFiles {
                config: Some("options: {a: {type: int, default: many}}"),
                ..base
            },
            "charm-config-invalid",
            "integer",
        ),
        (
            ManifestFiles {
                config: Some("options: {a: {type: string, default: 80}}"),
                ..base
            },
            "charm-config-invalid",
            "string",
        ),
        (
            ManifestFiles {
                actions: Some("juju-run: {}"),
                ..base
            },
            "charm-actions-invalid",
            "reserved",
        ),
        (
            ManifestFiles {
                actions: Some("a: {required: [b]}"),
                ..base
            },
            "charm-actions-invalid",
            "\"b\"",
        ),
        (
            ManifestFiles {
                capabilities: Some("[teleport]"),
                ..base
            },
            "charm-capability-unknown",
            "teleport",
        ),
        (
            ManifestFiles {
                capabilities: Some("shared: {logs: read-only}\nteleport: {}"),
                ..base
            },
            "charm-capability-unknown",
            "teleport",
        ),
        (
            ManifestFiles {
                capabilities: Some("[shared]"),
                ..base
            },
            "charm-capability-invalid",
            "shared: {NAME: read-only}",
        ),
        (
            ManifestFiles {
                capabilities: Some("shared: {logs: append}"),
                ..base
            },
            "charm-capability-invalid",
            "append",
        ),
        (
            ManifestFiles {
                capabilities: Some("shared: [logs]"),
                ..base
            },
            "charm-capability-invalid",
            "capabilities.yaml",
        ),
        (
            ManifestFiles {
                capabilities: Some("shared: {../logs: read-only}"),
                ..base
            },
            "charm-capability-invalid",
            "../logs",
        ),
        (
            ManifestFiles {
                metadata: Some("name: a\ncapabilities: [x]"),
                ..base
            },
            "charm-capability-unknown",
            "metadata.yaml",
        ),
    ];
    for (files, code, hint) in cases {
        let error = Manifest::read(files).expect_err(code);
        assert_eq!(error.refusal().code(), code, "{error}");
        assert!(error.to_string().contains(hint), "{error}");
    }
}

#[test]
fn alias_bombs_end_in_an_error() {
    let mut text = String::from("name: a\nassumes:\n  - &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        text.push_str(&format!(
            "  - &a{level} [{}]\n",
            [below.as_str(); 10].join(", ")
        ));
    }
    let error = Manifest::read(ManifestFiles {
        metadata: Some(&text),
        ..ManifestFiles::default()
    })
    .expect_err("a bomb");
    assert_eq!(error.refusal().code(), "charm-metadata-invalid");
}
