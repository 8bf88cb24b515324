use super::*;

const CHARMCRAFT: &str = "
name: blog
provides: {website: {interface: http}}
requires: {host: {interface: juju-info, scope: container}}
peers: {ring: ring}
subordinate: true
storage:
  data: {type: filesystem}
  more: {type: filesystem, multiple: {range: 0-3}, shared: true}
  any: {type: filesystem, multiple: {range: 1+}, read-only: true}
containers: {web: {}, api: {}}
resources: {theme: {type: file}}
payloads: {monitor: {type: process}}
config:
  options:
    title: {default: My blog}
    port: {type: int}
actions: {rebuild: {}}
capabilities:
  shared: {logs: {access: read-only, why: counts lines}}
  ports: {8080/tcp: {why: answers}}
  workload: {web: {ports: [80/tcp, 443/tcp]}}
";

#[test]
fn one_file_says_everything() {
    let texts = [("charmcraft.yaml", CHARMCRAFT)];
    let declared = Declared::read(&texts).expect("is sound");
    assert_eq!(
        (declared.name.as_str(), declared.subordinate),
        ("blog", true)
    );
    assert_eq!(declared.endpoints["ring"].role, Role::Peers);
    assert_eq!(declared.endpoints["ring"].interface, "ring");
    assert!(declared.endpoints["host"].container && !declared.endpoints["website"].container);
    assert_eq!(declared.options["title"].kind, Kind::String);
    assert_eq!(
        declared.options["title"].default,
        Some(Value::from("My blog"))
    );
    assert_eq!(
        declared.options["port"],
        Opt {
            kind: Kind::Int,
            default: None
        }
    );
    let of = |name: &str| (declared.storage[name].least, declared.storage[name].most);
    assert_eq!(of("data"), (1, Some(1)));
    assert_eq!(of("more"), (0, Some(3)));
    assert_eq!(of("any"), (1, None));
    assert!(declared.storage["more"].shared && declared.storage["any"].read_only);
    assert_eq!(declared.containers["web"], ["80/tcp", "443/tcp"]);
    assert!(declared.containers["api"].is_empty());
    assert!(declared.actions.contains("rebuild") && declared.resources.contains("theme"));
    assert!(declared.shared.contains("logs") && declared.ports.contains("8080/tcp"));
    assert_eq!(declared.payloads["monitor"], "process");
    assert_eq!(Declared::options_file(&texts), "charmcraft.yaml");
}

#[test]
fn separate_files_win() {
    let texts = [
        ("metadata.yaml", "name: a"),
        ("charmcraft.yaml", CHARMCRAFT),
        ("config.yaml", "options: {colour: {type: boolean}}"),
        ("actions.yaml", "# none\n"),
        ("metrics.yaml", "metrics: {pings: {type: absolute}}"),
    ];
    let declared = Declared::read(&texts).expect("is sound");
    assert_eq!(declared.name, "a");
    assert_eq!(declared.options.len(), 1);
    assert_eq!(declared.options["colour"].kind, Kind::Boolean);
    assert!(declared.actions.is_empty());
    assert_eq!(declared.metrics["pings"], "absolute");
    assert_eq!(Declared::options_file(&texts), "config.yaml");
    assert_eq!(Declared::actions_file(&texts), "actions.yaml");
}

#[test]
fn what_cannot_be_read_names_its_file() {
    let missing = Declared::read(&[("config.yaml", "options: {}")]).expect_err("no metadata");
    assert!(missing.contains("charmcraft.yaml"), "{missing}");
    let texts = [("charmcraft.yaml", "name: [")];
    let broken = Declared::read(&texts).expect_err("is no YAML");
    assert!(broken.starts_with("charmcraft.yaml: "), "{broken}");
    let texts = [
        ("metadata.yaml", "name: a"),
        ("config.yaml", "options: {a: {type: text}}"),
    ];
    let broken = Declared::read(&texts).expect_err("no such type");
    assert!(broken.starts_with("config.yaml: "), "{broken}");
}
