use periapt_charm::testing::Harness;
use periapt_charm::{Hook, StatusKind};

use super::*;

fn front() -> Harness<Front> {
    let mut harness = Harness::new();
    harness.add_container(CONTAINER, &["80/tcp"], &["server.wasm"]);
    harness.set_config("title", "Our sites");
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness
}

fn page(harness: &Harness<Front>) -> String {
    fs::read_to_string(harness.state_dir().join("front/index.html")).expect("is there")
}

fn website(title: &str, pages: u32) -> Website {
    Website {
        title: title.to_owned(),
        pages,
        path: "/".to_owned(),
        host: format!(
            "{}.demo.localhost",
            title.split(' ').next().unwrap_or_default().to_lowercase()
        ),
        port: PORT,
        version: String::new(),
    }
}

#[test]
fn without_sites_it_says_what_to_do() {
    let mut harness = front();
    let status = harness.status();
    assert_eq!(status.kind, StatusKind::Waiting);
    assert!(status.message.contains("periapt integrate test SITE"));
    harness.add_relation("website", "tea").expect("creates");
    assert_eq!(
        harness.status(),
        Status::waiting("until tea says what it has")
    );
}

#[test]
fn sites_come_change_and_go() {
    let mut harness = front();
    let tea = harness.add_relation("website", "tea").expect("creates");
    harness.set_data(&tea, "tea/0", &website("Tea & more", 2));
    harness.join(&tea, "tea/0").expect("joins");
    assert_eq!(harness.status(), Status::active("1 site"));
    let toast = harness.add_relation("website", "toast").expect("creates");
    for unit in ["toast/0", "toast/1"] {
        harness.set_data(&toast, unit, &website("Toast", 1));
        harness.join(&toast, unit).expect("joins");
    }
    assert_eq!(harness.status(), Status::active("2 sites"));
    assert_eq!(harness.plan(CONTAINER)["services"]["web"]["port"], PORT);
    assert_eq!(harness.ports(), [PortRange::tcp(PORT)]);
    let html = page(&harness);
    assert!(
        html.contains("<a href=\"//tea.demo.localhost{port}/\"><strong>Tea &amp; more</strong></a> (tea): 2 pages"),
        "{html}"
    );
    assert!(html.contains("1 page on toast/0, toast/1"), "{html}");

    let said = Title {
        title: "The toast".to_owned(),
    };
    harness.change(&toast, "toast", &said).expect("changes");
    harness
        .change(&tea, "tea/0", &website("Tea", 3))
        .expect("changes");
    let html = page(&harness);
    assert!(
        html.contains("The toast") && html.contains("Tea</strong></a> (tea): 3 pages"),
        "{html}"
    );

    harness.depart(&toast, "toast/0").expect("departs");
    assert!(!page(&harness).contains("toast/0"));
    harness.break_relation(&tea).expect("breaks");
    assert_eq!(harness.status(), Status::active("1 site"));
    harness.break_relation(&toast).expect("breaks");
    assert_eq!(harness.status().kind, StatusKind::Waiting);
    assert!(page(&harness).contains("No sites yet"));
}
