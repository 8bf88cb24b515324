use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;
use crate::charm::{Manifest, ManifestFiles};
use crate::ports::Protocol;

fn capability(text: &str) -> Capability {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn declaration(texts: &[&str]) -> Declaration {
    let all = texts.iter().map(|text| Declared {
        capability: capability(text),
        why: Some("needs it".to_owned()),
    });
    Declaration::from(all.collect::<Vec<_>>())
}

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![Just(Access::ReadOnly), Just(Access::ReadWrite)]
}

fn port() -> impl Strategy<Value = PortRange> {
    let protocol = prop_oneof![
        Just(Protocol::Tcp),
        Just(Protocol::Udp),
        Just(Protocol::Icmp)
    ];
    (protocol, 1_u16..6, 0_u16..4).prop_map(|(protocol, start, more)| {
        PortRange::new(protocol, start, start + more).expect("is one")
    })
}

fn host() -> impl Strategy<Value = Host> {
    let name = "([ab]\\.){0,2}(example|internal)";
    prop_oneof![
        name.prop_map(Host::Name),
        name.prop_map(Host::Below),
        any::<u32>().prop_map(|bits| Host::V4(Ipv4Addr::from(bits))),
        any::<u128>().prop_map(|bits| Host::V6(Ipv6Addr::from(bits))),
    ]
}

fn any_capability() -> impl Strategy<Value = Capability> {
    let via = prop_oneof![Just(Via::Tcp), Just(Via::Http), Just(Via::Https)];
    prop_oneof![
        ("[a-b]", access())
            .prop_map(|(directory, access)| Capability::Shared { directory, access }),
        ("[A-Z][a-z0-9_.-]{0,3}", access())
            .prop_map(|(name, access)| Capability::Storage { name, access }),
        "[a-z][a-z0-9_.-]{0,3}".prop_map(|container| Capability::Workload { container }),
        port().prop_map(Capability::Port),
        (host(), 1_u16..4, via).prop_map(|(host, port, via)| Capability::Egress(Egress {
            host,
            port,
            via
        })),
        proptest::sample::select(Tools::ALL.to_vec()).prop_map(Capability::Tools),
        "[A-Z_][A-Z0-9_]{0,3}".prop_map(|name| Capability::Environment { name }),
        (1..=MOST_MEBIBYTES).prop_map(|mebibytes| Capability::Memory { mebibytes }),
        (1..=MOST_MILLISECONDS).prop_map(|milliseconds| Capability::Time { milliseconds }),
    ]
}

proptest! {
    #[test]
    fn the_text_of_a_capability_reads_back_to_it(one in any_capability()) {
        prop_assert_eq!(capability(&one.to_string()), one.clone());
        let json = serde_json::to_string(&one).unwrap();
        prop_assert_eq!(serde_json::from_str::<Capability>(&json).unwrap(), one);
    }

    #[test]
    fn no_text_panics_the_reader(text in "(shared|port|egress|memory|time|tools)?/?.{0,24}") {
        if let Ok(one) = text.parse::<Capability>() {
            prop_assert_eq!(capability(&one.to_string()), one);
        }
    }

    #[test]
    fn covering_is_an_order(
        all in proptest::collection::vec(any_capability(), 3)
    ) {
        let [a, b, c] = all.as_slice() else { unreachable!() };
        prop_assert!(a.covers(a));
        if a.covers(b) && b.covers(a) {
            prop_assert_eq!(a, b);
        }
        if a.covers(b) && b.covers(c) {
            prop_assert!(a.covers(c), "{} {} {}", a, b, c);
        }
    }

    #[test]
    fn what_is_added_and_removed_leads_from_one_declaration_to_the_other(
        old in proptest::collection::vec(any_capability(), 0..6),
        new in proptest::collection::vec(any_capability(), 0..6),
    ) {
        let of = |all: &[Capability]| {
            let all = all.iter().map(|one| Declared { capability: one.clone(), why: None });
            Declaration::from(all.collect::<Vec<_>>())
        };
        let (old, new) = (of(&old), of(&new));
        let change = old.change_to(&new);
        for one in new.capabilities() {
            let added = change.added.iter().any(|added| added.capability == *one);
            prop_assert_eq!(added, !old.covers(one));
        }
        let back = new.change_to(&old);
        prop_assert_eq!(&back.added, &change.removed);
        prop_assert_eq!(&back.removed, &change.added);
        prop_assert_eq!(old.change_to(&old), Change::default());
        let json = serde_json::to_string(&old).unwrap();
        prop_assert_eq!(serde_json::from_str::<Declaration>(&json).unwrap(), old);
    }
}

#[test]
fn a_wider_capability_covers_a_narrower_one() {
    for (wide, narrow) in [
        ("shared/logs:read-write", "shared/logs:read-only"),
        ("storage/data:read-write", "storage/data:read-only"),
        ("port/8000-8100/tcp", "port/8080/tcp"),
        (
            "egress/*.example.com:443/https",
            "egress/a.b.example.com:443/https",
        ),
        (
            "egress/*.example.com:443/https",
            "egress/*.b.example.com:443/https",
        ),
        (
            "egress/db.internal:5432/tcp",
            "egress/db.internal:5432/https",
        ),
        ("memory/1GiB", "memory/128MiB"),
        ("time/5s", "time/1500ms"),
    ] {
        let (wide, narrow) = (capability(wide), capability(narrow));
        assert!(wide.covers(&narrow), "{wide} {narrow}");
        assert!(!narrow.covers(&wide), "{narrow} {wide}");
    }
    for (one, other) in [
        ("shared/logs:read-write", "shared/spool:read-only"),
        ("shared/data:read-write", "storage/data:read-only"),
        ("port/80/tcp", "port/80/udp"),
        (
            "egress/*.example.com:443/https",
            "egress/example.com:443/https",
        ),
        (
            "egress/*.example.com:443/https",
            "egress/badexample.com:443/https",
        ),
        ("egress/example.com:443/tcp", "egress/example.com:80/http"),
        ("tools/secret", "tools/reboot"),
    ] {
        let (one, other) = (capability(one), capability(other));
        assert!(!one.covers(&other) && !other.covers(&one), "{one} {other}");
    }
}

#[test]
fn what_a_newer_revision_adds_and_removes_is_told() {
    let old = declaration(&["shared/logs:read-only", "port/80/tcp", "tools/secret"]);
    let new = declaration(&["shared/logs:read-write", "port/80-90/tcp", "tools/reboot"]);
    let texts = |all: &[Declared]| -> Vec<String> {
        all.iter().map(|one| one.capability.to_string()).collect()
    };
    let change = old.change_to(&new);
    assert_eq!(
        texts(&change.added),
        ["shared/logs:read-write", "port/80-90/tcp", "tools/reboot"]
    );
    assert_eq!(texts(&change.removed), ["tools/secret"]);
}

#[test]
fn what_is_no_capability_is_told_with_what_to_write() {
    for (text, said) in [
        ("logs", "write KIND/WHAT"),
        ("shard/logs:read-only", "did you mean \"shared\"?"),
        ("shared/logs", "NAME:read-only or NAME:read-write"),
        ("shared/../x:read-only", "not a name of a directory"),
        ("port/80", "PORT/tcp"),
        ("egress/example.com:443", "names no protocol"),
        ("egress/example.com/https", "HOST:PORT"),
        ("egress/example.com:0/https", "HOST:PORT"),
        ("egress/127.1:80/http", "is not a host"),
        ("egress/a..b:80/http", "is not a host"),
        ("egress/a b:80/http", "is not a host"),
        ("tools/secrets", "did you mean \"secret\"?"),
        ("tools/config", "every charm has the tools"),
        ("tools/ports", "come with the ports"),
        ("tools/workload", "declares under workload"),
        ("environment/A-B", "not a name of a variable"),
        ("memory/8GiB", "4GiB at most"),
        ("memory/128", "write 128MiB"),
        ("time/2h", "3600s at most"),
        ("time/0s", "write 5s"),
    ] {
        let error = text.parse::<Capability>().unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn hosts_are_kept_in_lower_case_and_one_spelling() {
    for (written, kept) in [
        (
            "egress/API.Example.com:443/https",
            "egress/api.example.com:443/https",
        ),
        ("egress/[::0001]:443/tcp", "egress/[::1]:443/tcp"),
        ("memory/2048MiB", "memory/2GiB"),
        ("time/1.5s", "time/1500ms"),
    ] {
        assert_eq!(capability(written).to_string(), kept);
    }
}

#[test]
fn an_operator_reads_sentences_with_the_reason() {
    let manifest = Manifest::read(ManifestFiles {
        metadata: Some(
            "name: a\nsummary: b\ncontainers: {web: {}}\nstorage:\n  data: {type: filesystem, read-only: true, description: Tables.}\n",
        ),
        capabilities: Some(
            "shared: {logs: {access: read-write, why: keeps its log there}, spool: read-only}\n\
             workload: {web: {ports: [80/tcp], why: serves the pages}}\n\
             egress: [{to: '*.example.com:443', via: https, why: asks for the weather}]\n\
             tools: {secret: {why: keeps a password}}\ntime: {most: 1500ms, why: renders}\n",
        ),
        ..ManifestFiles::default()
    });
    assert_eq!(
        manifest.unwrap().declared.words(),
        [
            "may read and write /shared/logs, a directory of a principal and its subordinates; reason: keeps its log there",
            "may read /shared/spool, a directory of a principal and its subordinates; no reason given",
            "may read the storage data; reason: Tables.",
            "may run its components as services of the container web; reason: serves the pages",
            "may open 80/tcp; reason: serves the pages",
            "may connect to every host below example.com at port 443, over https; reason: asks for the weather",
            "may keep secrets, grant them to others and read those granted to it; reason: keeps a password",
            "may take 1500 ms for a hook; reason: renders",
        ]
    );
}

#[test]
fn a_key_that_is_none_is_refused_with_the_nearest() {
    for (capabilities, said) in [
        ("tool: {secret: {why: x}}", "did you mean \"tools\"?"),
        (
            "storage: {data: {why: x}}",
            "storage is declared in the metadata",
        ),
        (
            "tools: {secret: {because: x}}",
            "\"because\" of \"secret\" is not known; there are why",
        ),
        ("tools: {secret: {wyh: x}}", "did you mean \"why\"?"),
        ("tools: {secert: {why: x}}", "did you mean \"secret\"?"),
        ("tools: {secret: {}}", "\"secret\" has no reason"),
        ("shared: {logs: {why: x}}", "\"logs\" has no access"),
    ] {
        let error = Manifest::read(ManifestFiles {
            metadata: Some("name: a\nsummary: b\n"),
            capabilities: Some(capabilities),
            ..ManifestFiles::default()
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains(said), "{capabilities}: {error}");
    }
}

fn imports(names: &[&str]) -> Vec<String> {
    let names = names.iter();
    names
        .map(|name| match name.contains(':') {
            true => (*name).to_owned(),
            false => format!("periapt:charm/{name}@0.1.0"),
        })
        .collect()
}

#[test]
fn a_component_that_imports_more_than_is_declared_is_refused() {
    let basic = imports(&["config", "relation", "storage", "wasi:sockets/tcp@0.2.3"]);
    assert_eq!(Declaration::default().allows(&basic), Ok(()));

    let wide = imports(&["config", "ports", "secret", "reboot"]);
    let error = Declaration::default().allows(&wide).unwrap_err();
    assert_eq!(error.refusal().code(), "charm-capability-undeclared");
    assert_eq!(
        error.to_string(),
        "the component imports ports, reboot and secret of periapt:charm, which the charm does not declare; add to its \
         capabilities ports: {80/tcp: {why: …}} and tools: {reboot: {why: …}, secret: {why: …}}"
    );
    let most = declaration(&["port/80/tcp", "tools/secret"]);
    let error = most.allows(&wide).unwrap_err().to_string();
    assert!(
        error.ends_with("add to its capabilities tools: {reboot: {why: …}}"),
        "{error}"
    );
    let all = declaration(&["port/80/tcp", "tools/secret", "tools/reboot"]);
    assert_eq!(all.allows(&wide), Ok(()));

    let workload = imports(&["workload", "ports"]);
    let error = Declaration::default().allows(&workload).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("workload: {CONTAINER: {ports: [80/tcp], why: …}}"),
        "{error}"
    );
    let web = declaration(&["workload/web", "port/80/tcp"]);
    assert_eq!(web.allows(&workload), Ok(()));
}

#[test]
fn what_is_declared_and_no_component_could_use_is_told() {
    let declared = declaration(&[
        "shared/logs:read-only",
        "workload/web",
        "port/80/tcp",
        "egress/example.com:443/https",
        "tools/secret",
        "environment/LANG",
        "memory/128MiB",
    ]);
    let told = |charm: &[&str], servers: &[&str]| -> Vec<String> {
        let (charm, servers) = (imports(charm), imports(servers));
        let imports = Imports {
            charm: &charm,
            servers: &servers,
        };
        let all = unused(&declared, imports).into_iter();
        all.map(|one| one.capability.to_string()).collect()
    };
    assert_eq!(
        told(&["config", "wasi:io/poll@0.2.3"], &[]),
        [
            "shared/logs:read-only",
            "workload/web",
            "port/80/tcp",
            "egress/example.com:443/https",
            "tools/secret",
            "environment/LANG",
        ]
    );
    let charm = [
        "workload",
        "secret",
        "wasi:cli/environment@0.2.3",
        "wasi:filesystem/preopens@0.2.3",
    ];
    assert_eq!(told(&charm, &[]), ["egress/example.com:443/https"]);
    assert_eq!(
        told(&charm, &["wasi:http/outgoing-handler@0.2.3"]),
        Vec::<String>::new()
    );
    let secret = declaration(&["tools/secret"]);
    let one = unused(&secret, Imports::default()).remove(0);
    assert_eq!(
        one.words(),
        "the charm declares tools/secret, and no component of it imports secret: take the entry out, or make use of it"
    );
}

#[test]
fn each_interface_is_listed_once_with_its_reason() {
    let names: Vec<&str> = INTERFACES.iter().map(|one| one.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
    assert!(INTERFACES.iter().all(|one| !one.why.is_empty()));
    for tools in Tools::ALL {
        let needed = Some(Needs::Tools(tools));
        assert!(INTERFACES.iter().any(|one| one.needs == needed), "{tools}");
    }
}
