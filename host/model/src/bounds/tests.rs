use std::path::Path;

use super::*;

#[test]
fn every_bound_has_a_name_of_its_own() {
    let mut names: Vec<(&str, &str)> = all().map(|bound| (bound.of, bound.unit)).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all().count());
    assert!(all().all(|bound| bound.most > 0));
}

#[test]
fn what_is_read_in_one_message_fits_into_one() {
    let message = AGENT_MESSAGE_BYTES.most;
    assert!(SETTINGS_BYTES.most < message);
    assert!(EFFECTS_BYTES.most < message);
    const { assert!(SETTINGS_BYTES.most <= EFFECTS_BYTES.most) };
    // The worst text takes six bytes for one.
    const { assert!(STATE_BYTES.most * 6 <= EFFECTS_BYTES.most) };
}

/// 1048576 as `1 MiB`, 1000 as `1,000`.
fn number(bound: &Bound) -> String {
    let binary = bound.unit.starts_with("bytes");
    match bound.most {
        most if binary && most % (1 << 20) == 0 => format!("{} Mi{}", most >> 20, bytes(bound)),
        most if binary && most % (1 << 10) == 0 => format!("{} Ki{}", most >> 10, bytes(bound)),
        most => {
            let digits = most.to_string();
            let grouped: Vec<&str> = digits
                .as_bytes()
                .rchunks(3)
                .rev()
                .map(|group| std::str::from_utf8(group).expect("digits"))
                .collect();
            format!("{} {}", grouped.join(","), bound.unit)
        }
    }
}

fn bytes(bound: &Bound) -> String {
    bound.unit.replacen("bytes", "B", 1)
}

fn page() -> String {
    let mut page = String::from(
        "# Bounds\n\n\
         The size limits of everything that an outsider can send: a charm, a client that has not logged in, a user with\n\
         access to one model. They cannot be configured. The limits of a hook (memory, time, output, host calls,\n\
         directories) are set with `periapt bootstrap --limits`. `cargo xtask openapi` generates this page from\n\
         `bounds.rs` in `host/contract` and `host/model`.\n\n\
         | what | at most | beyond it |\n|---|---|---|\n",
    );
    for bound in all() {
        let row = format!("| {} | {} | {} |\n", bound.of, number(bound), bound.beyond);
        page.push_str(&row);
    }
    page
}

#[test]
fn the_page_of_bounds_in_the_checkout_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/bounds.md");
    if std::env::var_os("PERIAPT_WRITE_REFERENCE").is_some() {
        std::fs::write(path, page()).expect("written");
        return;
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == page(),
        "docs/reference/bounds.md differs from the table; write it anew with: cargo xtask openapi"
    );
}
