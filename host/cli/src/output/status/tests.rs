use jiff::tz::TimeZone;
use periapt_wire::status::FullStatus;
use serde_json::{Value, json};

use super::*;

/// A model with a leader, a unit that runs a hook, a subordinate and a unit on its way.
fn status() -> FullStatus {
    let unit = |machine: &str, workload: Value, agent: Value, ports: Value, leader: bool| {
        json!({
            "agent-status": detailed(agent), "workload-status": detailed(workload), "workload-version": "",
            "machine": machine, "opened-ports": ports, "public-address": "127.0.0.1", "charm": "local:site-12",
            "subordinates": null, "leader": leader,
        })
    };
    let mut first = unit(
        "0",
        json!(["active", "serving\u{1b}[2J"]),
        json!(["idle", ""]),
        json!(["80/tcp", "443/tcp", "53/udp"]),
        true,
    );
    first["subordinates"] = json!({ "log-agent/0": unit("", json!(["unknown", ""]), json!(["idle", ""]), json!([]), true) });
    let status = json!({
        "model": {
            "name": "demo", "type": "iaas", "cloud-tag": "cloud-local", "version": "0.1.0", "available-version": "",
            "model-status": detailed(json!(["available", ""])), "meter-status": { "color": "", "message": "" }, "sla": "unsupported",
        },
        "machines": { "10": machine("10", "pending"), "0": machine("0", "started"), "9": machine("9", "started") },
        "applications": {
            "site": application("local:site-12", "active", json!({
                "site/0": first,
                "site/10": unit("10", json!(["waiting", "waiting for machine"]), json!(["allocating", ""]), json!([]), false),
                "site/9": unit("9", json!(["active", "serving"]), json!(["executing", "running config-changed hook"]), json!([]), false),
            }), "1.28.0-beta.1+build7"),
            "log-agent": application("local:log-agent-0", "unknown", Value::Null, ""),
        },
        "remote-applications": {}, "offers": {}, "branches": {},
        "relations": [{
            "id": 0, "key": "log-agent:site site:juju-info", "interface": "juju-info", "scope": "container",
            "endpoints": [
                { "application": "site", "name": "juju-info", "role": "provider", "subordinate": false },
                { "application": "log-agent", "name": "site", "role": "requirer", "subordinate": true },
            ],
            "status": detailed(json!(["joined", ""])),
        }],
        "controller-timestamp": "2026-11-21T10:38:00Z",
    });
    serde_json::from_value(status).unwrap()
}

fn detailed(words: Value) -> Value {
    json!({
        "status": words[0], "info": words[1], "data": {}, "since": "2026-11-21T10:30:00Z", "kind": "", "version": "", "life": "",
    })
}

fn machine(id: &str, state: &str) -> Value {
    json!({
        "agent-status": detailed(json!([state, ""])), "instance-status": detailed(json!(["running", "running"])),
        "modification-status": detailed(json!(["idle", ""])), "hostname": "here", "dns-name": "127.0.0.1",
        "ip-addresses": ["127.0.0.1"], "instance-id": format!("local-x-{id}"), "display-name": "",
        "base": { "name": "ubuntu", "channel": "24.04/stable" }, "id": id, "containers": {}, "constraints": "",
        "hardware": "arch=amd64 availability-zone=here", "jobs": [], "has-vote": false, "wants-vote": false,
    })
}

fn application(charm: &str, state: &str, units: Value, version: &str) -> Value {
    json!({
        "charm": charm, "charm-version": "", "charm-profile": "", "base": { "name": "ubuntu", "channel": "24.04/stable" },
        "exposed": false, "life": "", "relations": { "juju-info": ["log-agent"] }, "can-upgrade-to": "",
        "subordinate-to": [], "units": units, "meter-statuses": null, "status": detailed(json!([state, "fine"])),
        "workload-version": version, "endpoint-bindings": {},
    })
}

fn view<'a>(status: &'a FullStatus, times: &'a Times, format: StatusFormat) -> View<'a> {
    View {
        status,
        controller: "local",
        format,
        times,
        relations: true,
        storages: &[],
    }
}

fn utc() -> Times {
    Times::in_zone(TimeZone::UTC)
}

#[test]
fn the_table_has_jujus_columns() {
    let (status, times) = (status(), utc());
    let expected = "\
Model  Controller  Cloud/Region  Version  SLA          Timestamp
demo   local       local         0.1.0    unsupported  10:38:00Z

App        Version          Status   Scale  Charm      Channel  Rev  Exposed  Message
log-agent                   unknown      1  log-agent             0  no       fine
site       1.28.0-beta....  active     2/3  site                 12  no       fine

Unit            Workload  Agent       Machine  Public address  Ports              Message
site/0*         active    idle        0        127.0.0.1       80,443/tcp 53/udp  serving
  log-agent/0*  unknown   idle                 127.0.0.1
site/9          active    executing   9        127.0.0.1                          (config-changed) serving
site/10         waiting   allocating  10       127.0.0.1                          waiting for machine

Machine  State    Address    Inst id     Base          AZ    Message
0        started  127.0.0.1  local-x-0   ubuntu@24.04  here  running
9        started  127.0.0.1  local-x-9   ubuntu@24.04  here  running
10       pending  127.0.0.1  local-x-10  ubuntu@24.04  here  running

Integration provider  Requirer        Interface  Type         Message
site:juju-info        log-agent:site  juju-info  subordinate
";
    assert_eq!(
        view(&status, &times, StatusFormat::Tabular).text(false),
        expected
    );
}

/// A storage that `site/0` has.
fn stored() -> Vec<StorageInfo> {
    let storage = json!({
        "id": "data/0", "kind": "filesystem", "owner": "site/0", "life": "alive",
        "status": { "status": "attached", "message": "", "data": {}, "since": 0 }, "pool": "loop",
        "provider": "loop", "size": 1024, "limited": true, "persistent": true, "provider-id": "data-0",
        "created-at": 0, "attachments": [{
            "unit": "site/0", "machine": "0", "location": "/srv/data", "read-only": false, "life": "alive",
        }],
    });
    vec![serde_json::from_value(storage).unwrap()]
}

#[test]
fn storage_stands_behind_all_else() {
    let (status, times) = (status(), utc());
    let storages = stored();
    let view = View {
        storages: &storages,
        ..view(&status, &times, StatusFormat::Tabular)
    };
    let expected = "
Storage Unit  Storage ID  Type        Pool  Mountpoint  Size    Status    Message
site/0        data/0      filesystem  loop  /srv/data   1.0GiB  attached
";
    assert!(view.text(false).ends_with(expected), "{}", view.text(false));
    let document = serde_json::to_value(view.document()).unwrap();
    let attached = &document["storage"]["storage"]["data/0"]["attachments"]["units"];
    assert_eq!(attached["site/0"]["location"], "/srv/data");
}

#[test]
fn relations_are_sorted_and_say_what_kind_they_are() {
    let mut status = status();
    let relation = |key: &str, scope: &str, ends: Value, words: Value| {
        serde_json::from_value(json!({
            "id": 1, "key": key, "interface": "http", "scope": scope, "endpoints": ends, "status": detailed(words),
        }))
        .unwrap()
    };
    let end = |application: &str, role: &str, subordinate: bool| json!({ "application": application, "name": "web", "role": role, "subordinate": subordinate });
    status.relations.extend([
        relation(
            "x",
            "global",
            json!([
                end("site", "provider", false),
                end("log-agent", "requirer", true)
            ]),
            json!(["suspended", "moving"]),
        ),
        relation(
            "x",
            "global",
            json!([end("other", "peer", false)]),
            json!(["joining", ""]),
        ),
    ]);
    let text = view(&status, &utc(), StatusFormat::Tabular).text(false);
    let section = text.split("\n\n").last().unwrap();
    let expected = "\
Integration provider  Requirer        Interface  Type         Message
other:web             other:web       http       peer         joining
site:juju-info        log-agent:site  juju-info  subordinate
site:web              log-agent:web   http       regular      suspended - moving
";
    assert_eq!(section, expected);
}

#[test]
fn machines_alone_are_those_of_the_status() {
    let status = status();
    let text = machines_table(&status).render(false);
    assert_eq!(text.lines().count(), 4);
    let document = serde_json::to_value(machines_document(&status, &utc())).unwrap();
    let whole = serde_json::to_value(view(&status, &utc(), StatusFormat::Json).document()).unwrap();
    assert_eq!(document["machines"], whole["machines"]);
    assert_eq!(document["model"], "demo");
}

#[test]
fn an_empty_model_is_its_header() {
    let mut status = status();
    (status.applications, status.machines, status.relations) = Default::default();
    status.model.sla = String::new();
    status.model.model_status.status = "destroying".to_owned();
    status.model.model_status.info = "2 machines left".to_owned();
    let expected = "\
Model  Controller  Cloud/Region  Version  Timestamp  Notes
demo   local       local         0.1.0    10:38:00Z  destroying: 2 machines left
";
    assert_eq!(
        view(&status, &utc(), StatusFormat::Tabular).text(false),
        expected
    );
}

#[test]
fn one_line_for_each_unit() {
    let expected = "\
- site/0: 127.0.0.1 (agent:idle, workload:active) 80,443/tcp 53/udp
  - log-agent/0: 127.0.0.1 (agent:idle, workload:unknown)
- site/9: 127.0.0.1 (agent:executing, workload:active)
- site/10: 127.0.0.1 (agent:allocating, workload:waiting)
";
    for format in [
        StatusFormat::Oneline,
        StatusFormat::Short,
        StatusFormat::Line,
    ] {
        assert_eq!(view(&status(), &utc(), format).text(false), expected);
    }
}

#[test]
fn the_summary_counts() {
    let text = view(&status(), &utc(), StatusFormat::Summary).text(false);
    for line in [
        "      Utilizing ports:  80,443/tcp 53/udp",
        "           # Machines:  (3)",
        "              pending:  1",
        "              # Units:  (4)",
        "               active:  2",
        "                 site  2/3",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "{line:?} is not in\n{text}"
        );
    }
}

#[test]
fn the_summary_sorts_ports_by_number_as_the_table_does() {
    let mut status = status();
    let application = status.applications.get_mut("site").unwrap();
    let units = application.units.as_mut().unwrap();
    let ports = ["5000-5010/udp", "53/udp", "8081/tcp", "8080/tcp"];
    units.get_mut("site/0").unwrap().opened_ports = ports.map(str::to_owned).into();
    let text = view(&status, &utc(), StatusFormat::Summary).text(false);
    let line = "      Utilizing ports:  8080-8081/tcp 53,5000-5010/udp";
    assert!(
        text.lines().any(|found| found == line),
        "{line:?} is not in\n{text}"
    );
}

#[test]
fn the_document_has_jujus_keys_and_nesting() {
    let (status, times) = (status(), utc());
    let document =
        serde_json::to_value(view(&status, &times, StatusFormat::Json).document()).unwrap();
    let since = "21 Nov 2026 10:30:00Z";
    assert_eq!(
        document["model"],
        json!({
            "name": "demo", "type": "iaas", "controller": "local", "cloud": "local", "version": "0.1.0",
            "model-status": { "current": "available", "since": since }, "sla": "unsupported",
        })
    );
    assert_eq!(
        document["machines"]["0"],
        json!({
            "juju-status": { "current": "started", "since": since }, "hostname": "here", "dns-name": "127.0.0.1",
            "ip-addresses": ["127.0.0.1"], "instance-id": "local-x-0",
            "machine-status": { "current": "running", "message": "running", "since": since },
            "modification-status": { "current": "idle", "since": since },
            "base": { "name": "ubuntu", "channel": "24.04/stable" }, "hardware": "arch=amd64 availability-zone=here",
        })
    );
    let site = &document["applications"]["site"];
    assert_eq!(
        (&site["charm"], &site["charm-origin"]),
        (&json!("local:site-12"), &json!("local"))
    );
    assert_eq!(
        (&site["charm-name"], &site["charm-rev"]),
        (&json!("site"), &json!(12))
    );
    assert_eq!(
        (&site["exposed"], &site["version"]),
        (&json!(false), &json!("1.28.0-beta.1+build7"))
    );
    assert_eq!(
        site["application-status"],
        json!({ "current": "active", "message": "fine", "since": since })
    );
    assert_eq!(
        site["relations"],
        json!({ "juju-info": [{ "related-application": "log-agent", "interface": "juju-info", "scope": "container" }] })
    );
    assert_eq!(
        site["units"]["site/0"],
        json!({
            "workload-status": { "current": "active", "message": "serving", "since": since },
            "juju-status": { "current": "idle", "since": since }, "leader": true, "machine": "0",
            "open-ports": ["80/tcp", "443/tcp", "53/udp"], "public-address": "127.0.0.1",
            "subordinates": { "log-agent/0": {
                "workload-status": { "current": "unknown", "since": since },
                "juju-status": { "current": "idle", "since": since }, "leader": true, "public-address": "127.0.0.1",
            } },
        })
    );
    assert!(document["applications"]["log-agent"].get("units").is_none());
    assert_eq!(document["storage"], json!({}));
    assert_eq!(document["controller"], json!({ "timestamp": "10:38:00Z" }));
    assert!(!document.to_string().contains("null"));
}

/// jubilant, the Python client of Juju's command line, reads these without a default.
#[test]
fn what_clients_read_without_a_default_is_there() {
    let (status, times) = (status(), utc());
    let storages = stored();
    let view = View {
        storages: &storages,
        ..view(&status, &times, StatusFormat::Json)
    };
    let document = serde_json::to_value(view.document()).unwrap();
    for (place, keys) in [
        ("", &["model", "machines", "applications"][..]),
        (
            "/model",
            &["name", "type", "controller", "cloud", "version"],
        ),
        (
            "/applications/site",
            &[
                "charm",
                "charm-origin",
                "charm-name",
                "charm-rev",
                "exposed",
            ],
        ),
        ("/applications/site/base", &["name", "channel"]),
        ("/machines/0/base", &["name", "channel"]),
        (
            "/storage/storage/data~10",
            &["kind", "status", "persistent"],
        ),
        ("/storage/storage/data~10/attachments", &["units"]),
        ("/storage/filesystems/0", &["size"]),
        (
            "/storage/filesystems/0/attachments/machines/0",
            &["mount-point", "read-only"],
        ),
    ] {
        let found = document.pointer(place).unwrap_or(&Value::Null);
        for key in keys {
            assert!(found.get(key).is_some(), "{place} has no {key}: {found}");
        }
    }
    assert!(document["applications"]["site"]["charm-rev"].is_u64());
    assert!(document["applications"]["site"]["exposed"].is_boolean());
    assert!(document["storage"]["filesystems"]["0"]["size"].is_u64());
}

#[test]
fn yaml_says_the_same_and_keeps_numbers_as_text() {
    let (status, times) = (status(), utc());
    let document = view(&status, &times, StatusFormat::Yaml).document();
    let yaml = serde_saphyr::to_string(&document).unwrap();
    let back: Value = serde_saphyr::from_str(&yaml).unwrap();
    assert_eq!(back, serde_json::to_value(&document).unwrap());
    let order: Vec<_> = ["site/0", "site/9", "site/10"]
        .iter()
        .map(|name| yaml.find(&format!("{name}:")))
        .collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn charm_urls_are_taken_apart() {
    assert_eq!(charm_parts("local:site-12"), ("site", Some(12)));
    assert_eq!(charm_parts("ch:amd64/log-agent-5"), ("log-agent", Some(5)));
    assert_eq!(charm_parts("site"), ("site", None));
    assert_eq!(charm_parts("local:log-agent"), ("log-agent", None));
}

#[test]
fn ports_are_in_their_order_and_neighbours_are_one_range() {
    let ports = |ranges: &[&str]| {
        let ranges: Vec<String> = ranges.iter().map(|text| (*text).to_owned()).collect();
        super::tabular::ports(&ranges)
    };
    assert_eq!(
        ports(&["8081/tcp", "53/udp", "8080/tcp"]),
        "8080-8081/tcp 53/udp"
    );
    assert_eq!(ports(&["5000-5010/udp", "53/udp"]), "53,5000-5010/udp");
    assert_eq!(ports(&["icmp", "9/tcp", "80/tcp"]), "9,80/tcp icmp");
    assert_eq!(ports(&[]), "");
}

#[test]
fn ports_name_those_that_stand_for_them() {
    let unit = |listening: Value| {
        let mut status = status();
        let application = status.applications.get_mut("site").unwrap();
        let mut units = application.units.take().unwrap();
        let mut unit = units.remove("site/0").unwrap();
        unit.listening = serde_json::from_value(listening).unwrap();
        unit.opened_ports = vec!["80/tcp".to_owned(), "8080/tcp".to_owned()];
        super::tabular::ports_of(&unit)
    };
    let way = |port: &str, address: &str| json!({ "port": port, "address": address });
    let as_they_are = json!([way("80/tcp", "127.77.0.1:80")]);
    assert_eq!(unit(as_they_are), "80,8080/tcp");
    let both = json!([
        way("80/tcp", "127.77.0.1:10080"),
        way("8080/tcp", "127.77.0.1:8080")
    ]);
    assert_eq!(unit(both), "80,8080/tcp (10080)");
}

#[test]
fn a_channel_and_a_newer_revision_show() {
    let (mut status, times) = (status(), utc());
    let site = status.applications.get_mut("site").unwrap();
    site.charm_channel = "edge".to_owned();
    site.can_upgrade_to = "repository:site-13".to_owned();
    let document =
        serde_json::to_value(view(&status, &times, StatusFormat::Json).document()).unwrap();
    let shown = |application: &str| {
        let application = &document["applications"][application];
        (
            application["charm-channel"].clone(),
            application["can-upgrade-to"].clone(),
        )
    };
    assert_eq!(shown("site"), (json!("edge"), json!("repository:site-13")));
    assert_eq!(shown("log-agent"), (Value::Null, Value::Null));
}
