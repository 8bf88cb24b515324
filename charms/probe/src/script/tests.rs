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
    assert_eq!(of(Hook::Install), [Action::Fail(Some(2)), Action::Log(3)]);
    assert_eq!(
        of(Hook::Start),
        [
            Action::Log(3),
            Action::OpenPort(PortRange {
                start: 5000,
                end: 5010,
                protocol: Protocol::Udp
            }),
            Action::Status(StatusKind::Blocked, "no key: none".to_owned()),
        ]
    );
    assert_eq!(of(Hook::Stop), [Action::Log(3)]);
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
    ] {
        let error = parse(bad).expect_err(bad);
        assert!(error.contains(bad), "{error}");
    }
}
