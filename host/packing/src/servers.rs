//! The web components of a charm: when each runs, and which of them, or of the containers that are to run them,
//! could never be asked. Nothing else would say so: a charm that plans no service is a charm all the same.

use std::collections::BTreeMap;

use periapt_model::charm::{Archive, COMPONENT, CharmMetadata, Workload};
use periapt_model::ports::PortRange;

/// When a web component of a charm runs, in words.
#[must_use]
pub fn when(archive: &Archive) -> String {
    let places: Vec<String> = answering(&archive.workload)
        .map(|(name, workload)| {
            let ports: Vec<String> = workload.ports.iter().map(PortRange::to_string).collect();
            format!("{} of container {name}", ports.join(" and "))
        })
        .collect();
    match places.is_empty() {
        true => "never runs: no container of the charm may answer at a port".to_owned(),
        false => format!(
            "runs when it is asked, where a service of the charm names it, at {}; an instance for each request",
            places.join(", ")
        ),
    }
}

/// A sentence for each component that no container could run, and for each container that could run none.
#[must_use]
pub fn never_asked(archive: &Archive) -> Vec<String> {
    let beside = |path: &&str| path.ends_with(".wasm") && !path.contains('/') && *path != COMPONENT;
    let components: Vec<&str> = archive
        .files()
        .map(|(path, _)| path)
        .filter(beside)
        .collect();
    unasked(&archive.metadata, &archive.workload, &components)
}

/// The same of a charm with these web components, whether it was built or not.
pub(crate) fn unasked(
    metadata: &CharmMetadata,
    workload: &BTreeMap<String, Workload>,
    components: &[&str],
) -> Vec<String> {
    let mut found = Vec::new();
    if answering(workload).next().is_none() {
        found.extend(components.iter().map(|component| {
            format!(
                "the component \"{component}\" never runs: no container may answer at a port; name one under \
                 containers in metadata.yaml, and in capabilities.yaml as in workload: {{web: {{ports: [80/tcp]}}}}"
            )
        }));
    }
    for name in metadata.containers.keys() {
        let sentence = match workload.get(name) {
            None => format!(
                "the container \"{name}\" can run nothing: capabilities.yaml has nothing for it under workload"
            ),
            Some(own) if own.ports.is_empty() => format!(
                "the container \"{name}\" can answer nobody: it has no ports; write workload: {{{name}: {{ports: [80/tcp]}}}} \
                 in capabilities.yaml"
            ),
            Some(_) if components.is_empty() => format!(
                "the container \"{name}\" can run nothing: the charm has no component beside {COMPONENT}"
            ),
            Some(_) => continue,
        };
        found.push(sentence);
    }
    found
}

/// The containers whose services may answer somewhere.
fn answering(workload: &BTreeMap<String, Workload>) -> impl Iterator<Item = (&String, &Workload)> {
    let containers = workload.iter();
    containers.filter(|(_, workload)| !workload.ports.is_empty())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn archive(containers: &str, capabilities: &str, server: bool) -> Archive {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let metadata = format!("name: a\nsummary: b\ncontainers: {containers}\n");
        let mut files = vec![
            ("metadata.yaml", metadata.as_bytes()),
            ("capabilities.yaml", capabilities.as_bytes()),
            (COMPONENT, EMPTY),
        ];
        if server {
            files.push(("server.wasm", EMPTY));
        }
        for (name, content) in files {
            zip.start_file(name, zip::write::SimpleFileOptions::default())
                .unwrap();
            zip.write_all(content).unwrap();
        }
        Archive::read(&zip.finish().unwrap().into_inner()).unwrap()
    }

    #[test]
    fn what_could_never_be_asked_is_named_with_what_to_write() {
        let told = |containers: &str, capabilities: &str, server: bool| {
            never_asked(&archive(containers, capabilities, server)).join("\n")
        };
        let whole = "workload: {web: {ports: [80/tcp, 8080-8090/tcp]}}";
        assert_eq!(told("{web: {}}", whole, true), "");
        assert_eq!(told("{}", "{}", false), "", "a charm without web workloads");
        let none = told("{}", "{}", true);
        assert!(
            none.starts_with("the component \"server.wasm\" never runs"),
            "{none}"
        );
        let portless = told("{web: {}}", "workload: {web: {files: {site: /site}}}", true);
        assert!(
            portless.contains("\"server.wasm\" never runs"),
            "{portless}"
        );
        assert!(
            portless.contains("\"web\" can answer nobody: it has no ports"),
            "{portless}"
        );
        let other = told("{web: {}, api: {}}", whole, true);
        assert_eq!(
            other,
            "the container \"api\" can run nothing: capabilities.yaml has nothing for it under workload"
        );
        let empty = told("{web: {}}", whole, false);
        assert!(empty.ends_with("no component beside charm.wasm"), "{empty}");
    }

    #[test]
    fn it_is_said_when_a_component_runs() {
        let said = when(&archive(
            "{web: {}, api: {}}",
            "workload: {web: {ports: [80/tcp]}, api: {ports: [81/tcp, 90-99/tcp]}}",
            true,
        ));
        assert_eq!(
            said,
            "runs when it is asked, where a service of the charm names it, at 81/tcp and 90-99/tcp of container api, \
             80/tcp of container web; an instance for each request"
        );
        let never = when(&archive("{web: {}}", "workload: {web: {}}", true));
        assert!(never.starts_with("never runs"), "{never}");
    }
}
