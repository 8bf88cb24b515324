use std::collections::BTreeSet;
use std::path::Path;

use periapt_model::charm::capability::INTERFACES;
use wit_parser::{Resolve, WorldItem};

use super::*;
use crate::tests::guest::CONTRACT;

mod juju;

#[test]
fn the_table_has_every_function_of_the_world_and_no_other() {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("charm.wit", CONTRACT).unwrap();
    let world = resolve.select_world(&[package], Some("charm")).unwrap();
    let mut declared: Vec<(String, String)> = Vec::new();
    for import in resolve.worlds[world].imports.values() {
        let WorldItem::Interface { id, .. } = import else {
            continue;
        };
        let interface = &resolve.interfaces[*id];
        let name = interface.name.clone().unwrap();
        assert!(knows(&name), "charms may import {name}");
        declared.extend(
            interface
                .functions
                .keys()
                .map(|function| (name.clone(), function.clone())),
        );
    }
    let mut listed: Vec<(String, String)> = hook_tools()
        .map(|tool| (tool.interface.to_owned(), tool.function.to_owned()))
        .collect();
    declared.sort();
    listed.sort();
    assert_eq!(listed, declared);
    assert!(!knows("root") && !knows(""));
}

#[test]
fn what_a_charm_declares_is_decided_for_each_interface() {
    let decided: BTreeSet<&str> = INTERFACES.iter().map(|interface| interface.name).collect();
    let linked: BTreeSet<&str> = hook_tools().map(|tool| tool.interface).collect();
    let linked: BTreeSet<&str> = linked.into_iter().chain(["types"]).collect();
    assert_eq!(decided, linked);
}

fn page() -> String {
    let mut page = String::from(
        "# Hook tools\n\n\
         What a charm may call, with the name of each tool in Juju. The functions are those of `guest-sdk/wit/charm.wit`.\n\
         Changes *at the commit* take effect together once the hook has succeeded; those *at once* stay even if the\n\
         hook fails later. In `collect-metrics`, which runs in parallel with other hooks and commits nothing to the model, a\n\
         charm may add metrics, write log lines and ask for its own name; everything else is `denied`. In\n\
         `meter-status-changed` it may do the same except add metrics. `cargo xtask openapi` generates this page from\n\
         `host/sandbox/src/tools`.\n\n\
         | Juju | function | changes something | who may call it |\n|---|---|---|---|\n",
    );
    for tool in hook_tools() {
        let when = match tool.when {
            When::Read => "",
            When::AtOnce => "at once",
            When::AtCommit => "at the commit",
        };
        let who = match tool.who {
            Permission::Everybody => "every unit",
            Permission::Leader => "the leader",
            Permission::LeaderForApplication => "every unit; for its own application the leader",
            Permission::InCollectMetrics => "every unit, in the hook `collect-metrics`",
            Permission::Trusted => "every unit of a trusted application",
            Permission::InAction => "every unit, in an action or a command",
            Permission::InHook => "every unit, in a hook",
        };
        let Tool {
            juju,
            interface,
            function,
            ..
        } = tool;
        page.push_str(&format!(
            "| `{juju}` | `{interface}.{function}` | {when} | {who} |\n"
        ));
    }
    page.push_str(
        "\n## Not offered\n\n\
         What Juju has beside these, and why charms do not have it here.\n\n\
         | Juju | why not |\n|---|---|\n",
    );
    for (tool, why) in juju::OUT {
        page.push_str(&format!("| `{tool}` | {why} |\n"));
    }
    page
}

#[test]
fn every_tool_of_juju_is_offered_or_has_a_reason_why_not() {
    let offered: Vec<&str> = hook_tools()
        .filter_map(|tool| tool.juju.split(' ').next())
        .collect();
    for tool in juju::ALL {
        let out = juju::OUT.iter().filter(|(name, _)| name == tool).count();
        let offered = usize::from(offered.contains(tool));
        assert_eq!(
            offered + out,
            1,
            "{tool} is either offered or out of the table, once"
        );
    }
    for (tool, _) in juju::OUT {
        assert!(juju::ALL.contains(tool), "{tool} is none of Juju's");
    }
    assert_eq!(juju::ALL.len(), 48);
}

#[test]
fn the_page_of_tools_in_the_checkout_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/hook-tools.md");
    if std::env::var_os("PERIAPT_WRITE_REFERENCE").is_some() {
        std::fs::write(path, page()).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == page(),
        "docs/reference/hook-tools.md differs from the table; write it anew with: cargo xtask openapi"
    );
}
