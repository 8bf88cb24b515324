use super::*;

#[test]
fn a_script_says_which_hook_does_what() {
    let script = "# comment\n\ninstall: fail 2\n*: log 3\nstart: port open 5000-5010/udp\nstart: status blocked no key: none\n";
    let lines = parse(script).expect("reads");
    let of = |hook| {
        lines
            .iter()
            .filter(|line| line.applies_to(hook))
            .map(|line| line.action.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("install"), [Action::Fail(Some(2)), Action::Log(3)]);
    assert_eq!(
        of("start"),
        [
            Action::Log(3),
            Action::OpenPort(
                PortRange {
                    start: 5000,
                    end: 5010,
                    protocol: Protocol::Udp
                },
                None
            ),
            Action::Status(StatusKind::Blocked, "no key: none".to_owned()),
        ]
    );
    assert_eq!(of("stop"), [Action::Log(3)]);
}

#[test]
fn a_line_that_makes_no_sense_is_named() {
    for bad in [
        "install",
        "install: dance",
        "party: succeed",
        "start: sleep long",
        "start: port open 80",
        "start: status fine",
        "nowhere-relation-joined: succeed",
        "ring-relation-danced: succeed",
        "disk-storage-attached: succeed",
        "start: relation-set",
        "start: shared-write logs file",
        "start: shared-escape",
        "start: reach",
        "start: plant logs",
    ] {
        let error = parse(bad).expect_err(bad);
        assert!(error.contains(bad), "{error}");
    }
}

#[test]
fn relation_words_take_an_endpoint_at_their_end() {
    let read = |action: &str| {
        let mut lines = parse(&format!("upstream-relation-joined: {action}")).expect(action);
        assert!(lines[0].applies_to("upstream-relation-joined"));
        lines.remove(0).action
    };
    let set = |bag, value: Option<&str>, endpoint: Option<&str>| Action::RelationSet {
        bag,
        key: "key".to_owned(),
        value: value.map(str::to_owned),
        endpoint: endpoint.map(str::to_owned),
    };
    assert_eq!(
        read("relation-set key a text in words"),
        set(Bag::Unit, Some("a text in words"), None)
    );
    assert_eq!(
        read("relation-set-app key text in ring"),
        set(Bag::Application, Some("text"), Some("ring"))
    );
    assert_eq!(read("relation-set key"), set(Bag::Unit, None, None));
    assert_eq!(
        read("relation-get in downstream"),
        Action::RelationGet {
            member: None,
            endpoint: Some("downstream".to_owned())
        }
    );
    assert_eq!(
        read("relation-get other/0"),
        Action::RelationGet {
            member: Some("other/0".to_owned()),
            endpoint: None
        }
    );
    assert_eq!(read("network-get"), Action::NetworkGet(None));
}
