use super::*;

#[test]
fn application_names_follow_the_tag_grammar() {
    for good in ["site", "a1", "my-site", "k8s-a1b"] {
        assert!(good.parse::<ApplicationName>().is_ok(), "{good}");
    }
    for bad in ["", "Site", "1a", "a-1", "a--b", "-a", "a-", "a_b", "a/0"] {
        assert!(bad.parse::<ApplicationName>().is_err(), "{bad}");
    }
}

#[test]
fn units_split_at_the_last_slash() {
    let unit: UnitName = "my-site/10".parse().expect("valid");
    assert_eq!(unit.application().as_str(), "my-site");
    assert_eq!(unit.number(), 10);
    for bad in ["site", "site/", "site/x", "site/01", "/0", "site/-1"] {
        assert!(bad.parse::<UnitName>().is_err(), "{bad}");
    }
}

#[test]
fn tags_go_to_the_wire_and_back() {
    for text in [
        "unit-my-site-10",
        "machine-0-lxd-1",
        "application-my-site",
        "user-admin",
        "model-00000000-0000-4000-8000-000000000000",
    ] {
        let tag: Tag = text.parse().expect(text);
        assert_eq!(tag.to_string(), text);
    }
    assert_eq!(
        "user-admin@local"
            .parse::<Tag>()
            .expect("local")
            .to_string(),
        "user-admin"
    );
    assert!("thing-1".parse::<Tag>().is_err());
}

#[test]
fn machines_may_be_nested() {
    assert!("0".parse::<MachineId>().is_ok());
    assert!("0/lxd/1".parse::<MachineId>().is_ok());
    for bad in ["", "x", "0/lxd", "0/1/2", "01"] {
        assert!(bad.parse::<MachineId>().is_err(), "{bad}");
    }
}

#[test]
fn an_agent_is_named_with_its_model_and_what_it_hosts() {
    let model = "11111111-2222-4333-8444-555555555555";
    for (text, agent) in [
        (format!("agent-{model}"), "host"),
        (format!("agent-{model}-machine-0"), "machine-0"),
        (format!("agent-{model}-machine-0-lxd-1"), "machine-0-lxd-1"),
    ] {
        let tag: Tag = text.parse().expect("tag");
        assert_eq!(
            tag,
            Tag::Agent(model.parse().expect("model"), agent.parse().expect("agent"))
        );
        assert_eq!(tag.to_string(), text);
    }
    for bad in [
        "",
        "-",
        "-unit-site-0",
        "-machine-",
        "machine-0",
        "-machine-01",
        "x",
    ] {
        let tag = format!("agent-{model}{bad}").parse::<Tag>();
        assert_eq!(tag.is_ok(), bad.is_empty(), "{bad}");
    }
    assert!("agent-\u{e9}".parse::<Tag>().is_err());
    assert!("hosts".parse::<AgentName>().is_err());
}
