use std::fs;

use periapt_charm::testing::{Harness, Outcome, check_actions_yaml, json};
use periapt_charm::{Hook, StatusKind};

use super::*;

fn site() -> Harness<SiteCharm> {
    let mut harness = Harness::new();
    harness.add_container(CONTAINER, &["80/tcp"], &["server.wasm"]);
    harness.declare_storage(kept::STORAGE, Some(1));
    harness
        .add_metric("pages", "gauge")
        .add_metric("bytes", "gauge")
        .set_config("title", "Tea & <toast>")
        .set_config("theme", "dark")
        .set_config("pages", "--- index\n# Welcome\nHello <script>alert(1)</script>\n--- about\n# About\n[x](JAVA&#9;script:alert(1)) [y](https://a.b)\n");
    harness
}

fn read(harness: &Harness<SiteCharm>, name: &str) -> String {
    fs::read_to_string(harness.state_dir().join("site").join(name)).expect(name)
}

#[test]
fn the_site_is_rendered_and_counted() {
    let mut harness = site();
    for hook in [Hook::Install, Hook::ConfigChanged, Hook::Start] {
        harness.run(hook).expect("succeeds");
    }
    assert_eq!(harness.status(), Status::active("2 pages"));
    assert_eq!(
        harness.plan(CONTAINER)["services"][CONTAINER]["component"],
        "server.wasm"
    );
    assert_eq!(harness.ports(), [PortRange::tcp(PORT)]);
    assert_eq!(
        harness.workload_version().as_deref(),
        Some(env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(
        (
            harness.state::<u64>(RENDERS_KEY),
            harness.state::<u64>(PAGES_KEY)
        ),
        (Some(1), Some(2))
    );
    let index = read(&harness, "index.html");
    assert!(
        index.contains("<h1>Welcome</h1>") && index.contains("<a href=\"about.html\">About</a>")
    );
    assert!(index.contains("<title>Welcome - Tea &amp; &lt;toast&gt;</title>"));
    assert!(read(&harness, "style.css").contains("color-scheme: dark;"));
}

#[test]
fn a_theme_that_is_attached_comes_after_the_rules_of_the_site() {
    let mut harness = site();
    harness.run(Hook::ConfigChanged).expect("succeeds");
    let plain = read(&harness, "style.css");
    for rules in ["body { color: teal }\n", "body { color: navy }\n"] {
        harness
            .set_resource(theme::RESOURCE, rules)
            .run(Hook::UpgradeCharm)
            .expect("succeeds");
        assert_eq!(read(&harness, "style.css"), format!("{plain}{rules}"));
    }
    harness
        .set_resource(theme::RESOURCE, [0xff, 0xfe])
        .run(Hook::UpgradeCharm)
        .expect("does not fail");
    let status = harness.status();
    assert_eq!(status.kind, StatusKind::Blocked);
    assert!(read(&harness, "style.css").contains("navy"), "as it was");
    harness
        .remove_resource(theme::RESOURCE)
        .run(Hook::ConfigChanged)
        .expect("succeeds");
    assert_eq!(read(&harness, "style.css"), plain);
}

#[test]
fn pages_that_are_kept_come_and_go_with_their_storage() {
    let mut harness = site();
    let keep = ["tea", "# All about tea\n"];
    let error = harness.run_command("keep-page", &keep).unwrap_err();
    assert!(
        error.to_string().contains("add-storage test/0 pages"),
        "{error}"
    );
    let pages = harness.add_storage(kept::STORAGE);
    // Nothing is rendered before there is a configuration.
    harness.attach_storage(&pages).expect("has it");
    assert_eq!(harness.state::<u64>(RENDERS_KEY), None);
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness.run_command("keep-page", &keep).expect("keeps it");
    assert_eq!(harness.status(), Status::active("3 pages"));
    assert!(read(&harness, "tea.html").contains("All about tea"));

    harness.detach_storage(&pages).expect("lets go");
    assert_eq!(harness.status(), Status::active("2 pages"));
    assert!(!harness.state_dir().join("site/tea.html").exists());
    let written = harness.storage_dir(&pages).join("tea.md");
    assert_eq!(fs::read_to_string(&written).expect("is there"), keep[1]);
    // What somebody else left there is no page.
    for other in ["notes.txt", "Not A Page.md"] {
        fs::write(written.with_file_name(other), "x").expect("writes");
    }
    harness.attach_storage(&pages).expect("has it again");
    assert_eq!(harness.status(), Status::active("3 pages"));
    harness
        .run_command("keep-page", &["tea"])
        .expect("forgets it");
    assert_eq!(harness.status(), Status::active("2 pages"));
}

#[test]
fn what_operators_write_stays_text() {
    let mut harness = site();
    harness.run(Hook::ConfigChanged).expect("succeeds");
    let index = read(&harness, "index.html");
    assert!(
        !index.contains("<script>") && index.contains("&lt;script&gt;"),
        "{index}"
    );
    let about = read(&harness, "about.html");
    assert!(
        !about.to_lowercase().contains("script:") && about.contains("href=\"https://a.b\""),
        "{about}"
    );
}

#[test]
fn a_front_page_lists_the_others_where_there_is_none() {
    let mut harness = site();
    harness
        .set_config("pages", "--- a\n# First\n--- b\n# Second\n")
        .run(Hook::ConfigChanged)
        .expect("succeeds");
    assert!(read(&harness, "index.html").contains("<li><a href=\"b.html\">Second</a></li>"));
    assert_eq!(harness.status(), Status::active("2 pages"));
}

#[test]
fn a_wrong_value_blocks_and_keeps_the_site() {
    let mut harness = site();
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness
        .set_config("theme", "pink")
        .run(Hook::ConfigChanged)
        .expect("does not fail");
    let status = harness.status();
    assert_eq!(status.kind, StatusKind::Blocked);
    assert!(
        status.message.contains("auto, light or dark"),
        "{}",
        status.message
    );
    assert!(read(&harness, "index.html").contains("Welcome"));
    harness
        .set_config("theme", "light")
        .run(Hook::ConfigChanged)
        .expect("succeeds");
    assert_eq!(harness.status(), Status::active("2 pages"));
}

#[test]
fn pages_that_went_are_removed_and_lost_ones_come_back() {
    let mut harness = site();
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness
        .set_config("pages", "--- index\n# Only\n")
        .run(Hook::ConfigChanged)
        .expect("succeeds");
    assert!(!harness.state_dir().join("site/about.html").exists());

    harness.run(Hook::UpdateStatus).expect("succeeds");
    assert_eq!(
        harness.state::<u64>(RENDERS_KEY),
        Some(2),
        "nothing was missing"
    );
    fs::remove_file(harness.state_dir().join("site/index.html")).expect("removes");
    harness.run(Hook::UpdateStatus).expect("succeeds");
    assert_eq!(
        (harness.state::<u64>(RENDERS_KEY), harness.status()),
        (Some(3), Status::active("1 page"))
    );
}

#[test]
fn every_listed_hook_runs() {
    let mut harness = site();
    for hook in SiteCharm::HOOKS {
        assert_eq!(harness.run(*hook).expect("succeeds"), Outcome::Ran);
    }
    assert_eq!(harness.run(Hook::Remove).expect("skips"), Outcome::Skipped);
}

#[test]
fn who_is_related_learns_what_the_site_is() {
    let mut harness = site();
    harness.run(Hook::ConfigChanged).expect("succeeds");
    let id = harness.add_relation("website", "front").expect("creates");
    let website: Website = harness.data(&id, "test/0").expect("is published");
    assert_eq!(
        website,
        Website {
            title: "Tea & <toast>".to_owned(),
            pages: 2,
            path: "/".to_owned(),
            host: "test.test.localhost".to_owned(),
            port: PORT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    );
    assert_eq!(
        harness.data::<Title>(&id, "test"),
        None,
        "the leader's to say"
    );
    harness.elect().expect("leads");
    harness
        .set_config("title", "Toast")
        .run(Hook::ConfigChanged)
        .expect("succeeds");
    let title: Title = harness.data(&id, "test").expect("is published");
    let website: Website = harness.data(&id, "test/0").expect("is published");
    assert_eq!(
        (title.title.as_str(), website.title.as_str()),
        ("Toast", "Toast")
    );
    harness
        .set_config("title", " ")
        .run(Hook::ConfigChanged)
        .expect("does not fail");
    assert_eq!(
        harness.data::<Title>(&id, "test"),
        Some(title),
        "what it has is what it had"
    );
}

#[test]
fn what_is_rendered_is_logged_and_the_log_stays_small() {
    let mut harness = site();
    let logs = harness.add_shared(log::DIRECTORY);
    harness.run(Hook::ConfigChanged).expect("succeeds");
    let text = fs::read_to_string(logs.join(log::FILE)).expect("is there");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3, "two pages and a style sheet: {text}");
    let (time, rest) = lines[0].split_once(' ').expect("a time");
    assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
    assert!(rest.starts_with("rendered index.html, "), "{rest}");

    fs::write(logs.join(log::FILE), "x".repeat(log::FULL as usize)).expect("fills");
    harness.run(Hook::ConfigChanged).expect("succeeds");
    let size = |name| fs::metadata(logs.join(name)).expect("is there").len();
    assert_eq!(size(log::ROTATED), log::FULL);
    assert_eq!(size(log::FILE), text.len() as u64);
}

#[test]
fn the_site_is_measured_by_the_files_that_it_serves() {
    let mut harness = site();
    let mut measured = || {
        harness.run(Hook::CollectMetrics).expect("measures");
        let metrics = harness.metrics().into_iter();
        let values: Vec<(String, f64)> = metrics.map(|one| (one.name, one.value)).collect();
        harness.run(Hook::ConfigChanged).expect("renders");
        let files = fs::read_dir(harness.state_dir().join("site")).expect("the site");
        let bytes = |file: std::io::Result<fs::DirEntry>| {
            file.expect("a file").metadata().expect("length").len()
        };
        (values, files.map(bytes).sum::<u64>() as f64)
    };
    let (before, bytes) = measured();
    assert_eq!(
        before,
        [("bytes".to_owned(), 0.0), ("pages".to_owned(), 0.0)]
    );
    let (after, _) = measured();
    assert_eq!(
        after,
        [("bytes".to_owned(), bytes), ("pages".to_owned(), 2.0)]
    );
}

#[test]
fn actions_yaml_says_what_the_code_says() {
    check_actions_yaml::<SiteCharm>("actions.yaml");
}

#[test]
fn pages_are_built_anew_when_an_operator_asks_for_it() {
    let mut harness = site();
    harness.run(Hook::ConfigChanged).expect("succeeds");
    let about = read(&harness, "about.html");
    fs::write(harness.state_dir().join("site/about.html"), "lost").expect("writes");
    let given = json!({"title-suffix": "in bed", "pages": 2});
    let answer = harness.run_action("rebuild", given).expect("builds");
    assert_eq!(answer.results, json!({"pages": {"built": 2}}));
    assert_eq!(answer.log.len(), 2);
    assert!(
        answer.log[1].starts_with("built about.html, "),
        "{answer:?}"
    );
    let built = read(&harness, "about.html");
    assert!(
        built.contains("About - Tea &amp; &lt;toast&gt; in bed"),
        "{built}"
    );
    assert_eq!(harness.state::<u64>(RENDERS_KEY), Some(2));
    harness.run(Hook::ConfigChanged).expect("succeeds");
    assert_eq!(read(&harness, "about.html"), about);
}

#[test]
fn one_page_is_built_unless_more_are_asked_for_and_none_in_a_dry_run() {
    let mut harness = site();
    let answer = harness.run_action("rebuild", json!({})).expect("builds");
    assert_eq!(answer.results, json!({"pages": {"built": 1}}));
    assert!(!harness.state_dir().join("site/about.html").exists());
    let given = json!({"pages": 100, "dry-run": true});
    let answer = harness.run_action("rebuild", given).expect("says");
    assert_eq!(answer.results, json!({"pages": {"built": 0}}));
    assert!(
        answer.log[1].starts_with("would build about.html"),
        "{answer:?}"
    );
    assert!(!harness.state_dir().join("site/about.html").exists());
    assert_eq!(harness.state::<u64>(RENDERS_KEY), Some(1));
    for wrong in [json!({"pages": 101}), json!({"page": 1})] {
        harness
            .run_action("rebuild", wrong)
            .expect_err("is refused");
    }
    harness.set_config("theme", "pink");
    let error = harness.run_action("rebuild", json!({})).unwrap_err();
    assert!(error.to_string().contains("set theme to"), "{error}");
}
