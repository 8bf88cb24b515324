use super::*;

fn read(text: &str) -> CharmMetadata {
    serde_saphyr::from_str(text).expect("reads")
}

#[test]
fn metadata_reads_as_juju_writes_it() {
    let metadata = read(
        "name: my-site\nsummary: A site\ndescription: |\n  Long.\nmaintainers: [someone]\ntags: [web]\n\
         provides:\n  website: http\nrequires:\n  db:\n    interface: pgsql\n    limit: 1\n    optional: true\n\
         peers:\n  cluster: {interface: site-peers}\n\
         storage:\n  content:\n    type: filesystem\n    minimum-size: 1G\n    multiple: {range: 0-3}\n\
         resources:\n  image: {type: oci-image, description: Web server}\n\
         containers:\n  web:\n    resource: image\n    mounts: [{storage: content, location: /srv}]\n\
         assumes:\n  - juju >= 3.1\n  - any-of: [k8s-api]\n",
    );
    assert_eq!(metadata.check(), Ok(()));
    assert_eq!(metadata.provides["website"].interface, "http");
    let database = &metadata.requires["db"];
    assert_eq!(
        (database.limit, database.optional, database.scope),
        (Some(1), true, Scope::Global)
    );
    assert_eq!(
        metadata.storage["content"].multiple,
        Some(Multiple {
            range: Count::Range("0-3".to_owned())
        })
    );
    assert_eq!(metadata.assumes.len(), 2);
    let json = serde_json::to_string(&metadata).expect("serialises");
    assert_eq!(
        serde_json::from_str::<CharmMetadata>(&json).expect("reads back"),
        metadata
    );
}

#[test]
fn what_cannot_work_is_refused_in_a_sentence() {
    for (text, hint) in [
        ("name: Bad_Name", "charm name"),
        (
            "name: a\nprovides: {x: http}\nrequires: {x: http}",
            "used once",
        ),
        ("name: a\nprovides: {juju-info: juju-info}", "reserved"),
        (
            "name: a\nsubordinate: true\nrequires: {host: juju-info}",
            "scope: container",
        ),
        ("name: a\nprovides: {'1': http}", "endpoint \"1\""),
        (
            "name: a\ncontainers: {web: {resource: image}}",
            "resource \"image\"",
        ),
        (
            "name: a\ncontainers: {web: {mounts: [{storage: s}]}}",
            "storage \"s\"",
        ),
    ] {
        let message = read(text).check().expect_err(text);
        assert!(message.contains(hint), "{message}");
    }
    let subordinate = read(
        "name: a\nsubordinate: true\nrequires: {juju-info: {interface: juju-info, scope: container}}",
    );
    assert_eq!(subordinate.check(), Ok(()));
}

#[test]
fn the_file_of_a_resource_has_a_name_and_no_path() {
    let of = |filename: Option<&str>| {
        let mut metadata = CharmMetadata {
            name: "site".to_owned(),
            ..CharmMetadata::default()
        };
        let theme = Resource {
            kind: ResourceKind::File,
            description: String::new(),
            filename: filename.map(str::to_owned),
            upstream_source: None,
        };
        metadata.resources.insert("theme".to_owned(), theme);
        metadata
    };
    for (filename, used) in [(None, "theme"), (Some("theme.css"), "theme.css")] {
        let metadata = of(filename);
        assert_eq!(metadata.check(), Ok(()));
        assert_eq!(metadata.resources["theme"].file_name("theme"), used);
    }
    for filename in ["", ".", "..", "a/b", "/etc/passwd", "a\\b", "a\nb"] {
        let metadata = of(Some(filename));
        let refused = metadata.check().expect_err("refused");
        assert!(refused.contains("theme"), "{refused}");
        assert_eq!(metadata.resources["theme"].file_name("theme"), "theme");
    }
}
