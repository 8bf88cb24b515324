use gateway_routes::Found;
use periapt_charm::testing::Harness;
use periapt_charm::{Hook, StatusKind};

use super::*;

fn gateway() -> Harness<Gateway> {
    let mut harness = Harness::new();
    harness.add_container(CONTAINER, &["80/tcp"], &["server.wasm"]);
    harness.set_config("routes", "");
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness
}

fn table(harness: &Harness<Gateway>) -> Table {
    let path = harness.state_dir().join("gateway/routes.json");
    Table::from_json(&fs::read(path).expect("is there")).expect("is a table")
}

fn website(port: u16) -> Website {
    Website {
        title: "Tea".to_owned(),
        pages: 1,
        path: "/".to_owned(),
        host: String::new(),
        port,
        version: String::new(),
    }
}

fn routes(harness: &mut Harness<Gateway>, routes: &str) -> Status {
    harness.set_config("routes", routes);
    harness.run(Hook::ConfigChanged).expect("does not fail");
    harness.status()
}

#[test]
fn units_come_and_go() {
    let mut harness = gateway();
    assert_eq!(harness.status().kind, StatusKind::Waiting);
    let tea = harness.add_relation("website", "tea").expect("creates");
    assert_eq!(
        harness.status(),
        Status::waiting("until tea says where it is")
    );
    for (unit, port) in [("tea/0", 80), ("tea/1", 8080)] {
        harness.set_data(&tea, unit, &website(port));
        harness.join(&tea, unit).expect("joins");
    }
    assert_eq!(harness.status(), Status::active("1 site"));
    assert_eq!(harness.ports(), [PortRange::tcp(PORT)]);
    assert_eq!(harness.plan(CONTAINER)["services"]["web"]["port"], PORT);
    let made = table(&harness);
    let site = &made.sites[0];
    assert_eq!(site.units, ["tea-0.internal:80", "tea-1.internal:8080"]);
    let prefix = "/tea";
    assert_eq!(made.find("x.y", "/tea/a"), Found::Site { site, prefix });

    harness.depart(&tea, "tea/0").expect("departs");
    assert_eq!(table(&harness).sites[0].units, ["tea-1.internal:8080"]);
    harness.break_relation(&tea).expect("breaks");
    assert_eq!(table(&harness), Table::default());
    assert_eq!(harness.status().kind, StatusKind::Waiting);
}

#[test]
fn bad_routes_say_what_to_change_and_keep_what_was() {
    let mut harness = gateway();
    let tea = harness.add_relation("website", "tea").expect("creates");
    harness.set_data(&tea, "tea/0", &website(80));
    harness.join(&tea, "tea/0").expect("joins");
    let before = table(&harness);
    let status = routes(&mut harness, "tea");
    assert_eq!(status.kind, StatusKind::Blocked);
    assert!(status.message.contains("/PATH=APPLICATION"), "{status:?}");
    assert_eq!(table(&harness), before);

    let status = routes(&mut harness, "/=tea /toast=toast");
    assert_eq!(status.kind, StatusKind::Blocked);
    assert!(
        status.message.contains("periapt integrate test toast"),
        "{status:?}"
    );
    assert_eq!(table(&harness).routes.len(), 2);
    assert_eq!(routes(&mut harness, "/=tea"), Status::active("1 site"));
}
