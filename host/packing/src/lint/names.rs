//! Names in the source against names in the files.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::charm::Manifest;
use periapt_model::nearest::suggestion;

use super::Finding;
use super::source::Source;

/// One kind of thing that a charm declares and names.
struct Kind<'a> {
    word: &'static str,
    declared: BTreeSet<&'a str>,
    /// Methods whose first argument is one.
    calls: &'static [&'static str],
    /// What is declared and not named is of no use.
    named: bool,
}

fn kind<'a>(
    word: &'static str,
    declared: BTreeSet<&'a str>,
    calls: &'static [&'static str],
    named: bool,
) -> Kind<'a> {
    Kind {
        word,
        declared,
        calls,
        named,
    }
}

fn kinds(manifest: &Manifest) -> Vec<Kind<'_>> {
    fn keys<V>(map: &BTreeMap<String, V>) -> BTreeSet<&str> {
        map.keys().map(String::as_str).collect()
    }
    let metadata = &manifest.metadata;
    let endpoints = || {
        let declared = metadata.provides.keys().chain(metadata.requires.keys());
        let declared = declared.chain(metadata.peers.keys()).map(String::as_str);
        declared.chain(["juju-info"]).collect::<BTreeSet<&str>>()
    };
    let mut bindings = endpoints();
    bindings.extend(metadata.extra_bindings.keys().map(String::as_str));
    vec![
        kind(
            "option",
            keys(&manifest.config.options),
            &["config_value"],
            true,
        ),
        kind("endpoint", endpoints(), &["relations"], false),
        kind("binding", bindings, &["network"], false),
        kind(
            "storage",
            keys(&metadata.storage),
            &["storage_named", "add_storage"],
            false,
        ),
        kind(
            "resource",
            keys(&metadata.resources),
            &["resource", "optional_resource"],
            true,
        ),
        kind(
            "shared directory",
            keys(&manifest.shared),
            &["shared"],
            true,
        ),
        kind(
            "container",
            keys(&metadata.containers),
            &["container"],
            true,
        ),
        kind(
            "payload",
            keys(&metadata.payloads),
            &["register_payload"],
            true,
        ),
        kind("metric", keys(&manifest.metrics), &["add_metric"], true),
    ]
}

/// A finding for each name that only one of the two has.
pub(super) fn compared(manifest: &Manifest, source: &Source, file: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    // A component of another language has no source that is read here.
    if source.words.is_empty() {
        return found;
    }
    for kind in kinds(manifest) {
        let known = || kind.declared.iter().copied();
        for text in &source.texts {
            let call = text
                .call
                .as_deref()
                .filter(|call| kind.calls.contains(call));
            if let Some(call) = call
                && !kind.declared.contains(text.text.as_str())
            {
                found.push(Finding::warning(
                    &text.place,
                    format!(
                        "{call}(\"{}\") names no {} that the charm declares{}",
                        text.text,
                        kind.word,
                        suggestion(&text.text, known())
                    ),
                ));
            }
        }
        if !kind.named {
            continue;
        }
        for name in known() {
            let in_text = source.texts.iter().any(|text| text.text == name);
            let in_code = source.words.contains(&name.replace('-', "_"));
            if !in_text && !in_code {
                found.push(Finding::warning(
                    file,
                    format!(
                        "the {} \"{name}\" is declared, and the code names it nowhere",
                        kind.word
                    ),
                ));
            }
        }
    }
    found
}
