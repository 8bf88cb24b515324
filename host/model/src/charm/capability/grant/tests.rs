use proptest::prelude::*;

use super::*;

fn capability(text: &str) -> Capability {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn declared(texts: &[&str]) -> Declaration {
    let each = texts.iter().map(|text| Declared {
        capability: capability(text),
        why: Some("needs it".to_owned()),
    });
    each.collect::<Vec<_>>().into()
}

fn patterns(texts: &[&str]) -> Vec<Pattern> {
    let each = texts.iter().map(|text| text.parse().expect(text));
    each.collect()
}

fn choices(grant: &[&str], deny: &[&str]) -> Choices {
    Choices {
        grant: patterns(grant),
        grant_all: false,
        deny: patterns(deny),
    }
}

fn rules(bound: &str, default: &str) -> Rules {
    Rules {
        bound: bound.parse().expect(bound),
        default: default.parse().expect(default),
    }
}

fn vault() -> ApplicationName {
    "vault".parse().expect("a name")
}

fn all_of(declared: &Declaration) -> Vec<Declared> {
    declared.iter().collect()
}

#[test]
fn a_pattern_means_a_capability_all_that_it_covers_or_those_that_fit() {
    for (pattern, capability_text, means) in [
        ("*", "tools/reboot", true),
        ("tools/*", "tools/reboot", true),
        ("tools/*", "port/80/tcp", false),
        ("tools/secret", "tools/secret", true),
        ("port/1-1024/tcp", "port/80/tcp", true),
        ("port/80/tcp", "port/1-1024/tcp", false),
        ("shared/*:read-only", "shared/logs:read-only", true),
        ("shared/*:read-only", "shared/logs:read-write", false),
        ("shared/*:read-write", "shared/logs:read-only", true),
        (
            "egress/*:443/https",
            "egress/api.example.com:443/https",
            true,
        ),
        (
            "egress/*:443/https",
            "egress/api.example.com:80/http",
            false,
        ),
        ("memory/256MiB", "memory/128MiB", true),
    ] {
        let pattern: Pattern = pattern.parse().expect(pattern);
        let found = pattern.matches(&capability(capability_text));
        assert_eq!(found, means, "{pattern} and {capability_text}");
        assert_eq!(pattern.to_string().parse(), Ok(pattern));
    }
    for wrong in ["toolz/*", "tools", "**", "s*", ""] {
        assert!(wrong.parse::<Pattern>().is_err(), "{wrong}");
    }
}

#[test]
fn a_policy_is_a_list_in_one_spelling() {
    let policy: Policy = " tools/secret,  storage/* ".parse().expect("a policy");
    assert_eq!(policy.to_string(), "tools/secret,storage/*");
    for nothing in ["", "none", " , "] {
        let policy: Policy = nothing.parse().expect("a policy");
        assert_eq!(policy.to_string(), "none");
        assert!(!policy.allows(&capability("tools/secret")));
    }
    assert!("tools/nothing".parse::<Policy>().is_err());
}

#[test]
fn the_bound_goes_before_a_denial_that_before_a_grant_and_both_before_the_default() {
    let rules = rules("tools/*,storage/*", "tools/secret,port/*");
    let mut decided = Decided::new();
    let standing = |text: &str, decided: &Decided| rules.standing(&capability(text), decided);
    assert_eq!(standing("tools/secret", &decided), Standing::Default);
    assert_eq!(standing("tools/reboot", &decided), Standing::Undecided);
    assert_eq!(standing("port/80/tcp", &decided), Standing::BeyondPolicy);
    decided.insert(capability("port/80/tcp"), Decision::Granted);
    assert_eq!(standing("port/80/tcp", &decided), Standing::BeyondPolicy);
    decided.insert(capability("tools/reboot"), Decision::Granted);
    assert_eq!(standing("tools/reboot", &decided), Standing::Granted);
    decided.insert(capability("tools/secret"), Decision::Denied);
    assert_eq!(standing("tools/secret", &decided), Standing::Denied);
    decided.insert(capability("storage/pages:read-only"), Decision::Denied);
    let wide = standing("storage/pages:read-write", &decided);
    assert_eq!(wide, Standing::Denied, "it allows what was denied");
}

#[test]
fn all_that_is_asked_for_has_to_be_decided() {
    let rules = rules("*", "tools/secret");
    let charm = declared(&["tools/secret", "tools/reboot", "tools/credential"]);
    let none = Decided::new();
    let decide =
        |choices: &Choices| rules.decide(&vault(), &charm, &all_of(&charm), &none, choices);
    let left = decide(&choices(&["tools/reboot"], &[])).expect_err("one is left");
    assert_eq!(left.refusal(), Refusal::CapabilityUndecided);
    let text = left.to_string();
    assert!(
        text.contains("tools/credential (may read the credential") && text.contains("needs it"),
        "{text}"
    );
    let after = decide(&choices(&["tools/reboot"], &["tools/credential"])).expect("decided");
    assert_eq!(
        rules.withheld(&charm, &after),
        [capability("tools/credential")]
    );
    let all = Choices {
        grant_all: true,
        ..choices(&[], &["tools/reboot"])
    };
    let after = decide(&all).expect("decided");
    assert_eq!(rules.withheld(&charm, &after), [capability("tools/reboot")]);
    assert!(
        !after.contains_key(&capability("tools/secret")),
        "what is granted by default needs no decision"
    );
}

#[test]
fn what_is_not_declared_or_beyond_the_policy_cannot_be_granted() {
    let rules = rules("tools/secret", "none");
    let charm = declared(&["tools/secret", "tools/reboot"]);
    let none = Decided::new();
    let decide = |asked: &[Declared], choices: &Choices| {
        rules.decide(&vault(), &charm, asked, &none, choices)
    };
    for (choice, code) in [
        (
            choices(&["tools/credential"], &[]),
            Refusal::CapabilityNotDeclared,
        ),
        (
            choices(&[], &["port/80/tcp"]),
            Refusal::CapabilityNotDeclared,
        ),
        (
            choices(&["tools/reboot"], &[]),
            Refusal::CapabilityBeyondPolicy,
        ),
        (choices(&["tools/*"], &[]), Refusal::CapabilityBeyondPolicy),
    ] {
        let refused = decide(&[], &choice).expect_err("refused");
        assert_eq!(refused.refusal(), code, "{choice:?}");
    }
    let all = Choices {
        grant_all: true,
        ..Choices::default()
    };
    let refused = decide(&all_of(&charm), &all).expect_err("refused");
    assert_eq!(refused.refusal(), Refusal::CapabilityBeyondPolicy);
    let denied = Choices {
        deny: patterns(&["tools/reboot"]),
        ..all
    };
    assert!(decide(&all_of(&charm), &denied).is_ok());
}

#[test]
fn a_grant_ends_the_denials_that_stand_against_it() {
    let rules = rules("*", "none");
    let charm = declared(&["port/1-1024/tcp"]);
    let known = Decided::from([(capability("port/80/tcp"), Decision::Denied)]);
    assert_eq!(rules.withheld(&charm, &known).len(), 1);
    let grant = choices(&["port/1-1024/tcp"], &[]);
    let after = rules.decide(&vault(), &charm, &[], &known, &grant);
    let after = after.expect("decided");
    assert_eq!(rules.withheld(&charm, &after), []);
    assert_eq!(after.len(), 1);
}

#[test]
fn what_a_revision_waits_for_is_said_with_what_to_run() {
    let awaits = AwaitsApproval {
        application: &vault(),
        revision: 4,
        capabilities: &all_of(&declared(&["tools/credential"])),
    };
    assert_eq!(
        awaits.to_string(),
        "waiting for approval of revision 4: tools/credential (because: needs it); run: periapt grant-capability vault tools/credential"
    );
}

fn texts() -> impl Strategy<Value = Vec<&'static str>> {
    let all = vec![
        "shared/logs:read-only",
        "shared/logs:read-write",
        "storage/pages:read-write",
        "workload/web",
        "port/80/tcp",
        "port/1-1024/tcp",
        "tools/credential",
        "tools/reboot",
        "tools/secret",
        "memory/128MiB",
    ];
    proptest::sample::subsequence(all, 0..=10)
}

fn written() -> impl Strategy<Value = Policy> {
    let each = vec![
        "*",
        "shared/*",
        "storage/*",
        "port/80/tcp",
        "tools/*",
        "tools/secret",
        "memory/*",
    ];
    proptest::sample::subsequence(each, 0..=7)
        .prop_map(|parts| parts.join(",").parse().expect("a policy"))
}

fn decisions() -> impl Strategy<Value = Decided> {
    (texts(), any::<u16>()).prop_map(|(texts, bits)| {
        let each = texts.into_iter().enumerate().map(|(at, text)| {
            let decision = match (bits >> at) & 1 {
                0 => Decision::Granted,
                _ => Decision::Denied,
            };
            (capability(text), decision)
        });
        each.collect()
    })
}

proptest! {
    #[test]
    fn nothing_beyond_the_bound_is_ever_held_and_a_shrunk_bound_gives_nothing(
        charm in texts(), decided in decisions(), bound in written(), default in written()
    ) {
        let charm = declared(&charm);
        let narrow = Rules { bound: bound.clone(), default: default.clone() };
        let wide = Rules { bound: "*".parse().expect("all"), default };
        for one in charm.capabilities() {
            let held = narrow.standing(one, &decided).holds();
            prop_assert!(!held || bound.allows(one));
            prop_assert!(!held || wide.standing(one, &decided).holds());
            let withheld = narrow.withheld(&charm, &decided).contains(one);
            prop_assert_eq!(withheld, !held);
        }
    }

    #[test]
    fn after_all_is_granted_nothing_is_undecided_and_what_was_denied_stays_so(
        charm in texts(), decided in decisions(), default in written()
    ) {
        let charm = declared(&charm);
        let rules = Rules { bound: "*".parse().expect("all"), default };
        let all = Choices { grant_all: true, ..Choices::default() };
        let asked = all_of(&charm);
        let after = rules.decide(&vault(), &charm, &asked, &decided, &all).expect("decided");
        for one in charm.capabilities() {
            let (before, now) = (rules.standing(one, &decided), rules.standing(one, &after));
            prop_assert!(now != Standing::Undecided);
            if before != Standing::Undecided {
                prop_assert_eq!(before.holds(), now.holds(), "{}", one);
            }
        }
    }
}
