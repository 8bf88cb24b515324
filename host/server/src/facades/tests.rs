//! A facade of Juju's in two versions, as a client would ask for it.

use periapt_wire::access::Visitor;
use periapt_wire::rest::ModelPermission;

use super::*;

mod charms {
    use periapt_wire::rpc::Empty;

    periapt_wire::facade! { "Charms" [6, 7] for Model(Read) {
        [Read] List as ListCharms { names: Vec<String> } -> Vec<String>;
        [Read] ResolveCharms in 6 as ResolveCharms6 for Superuser {} -> Vec<String>;
        [Read] ResolveCharms in 7 as ResolveCharms {} -> Empty;
        [Read] IsMetered in 6 as IsMetered {} -> bool;
        [Write] AddCharm in 7 as AddCharm for Model(Write) { url: String } -> Empty;
    } }
}

mod handlers {
    use periapt_wire::rpc::Empty;

    use super::charms::{AddCharm, IsMetered, ListCharms, ResolveCharms, ResolveCharms6};

    handlers! { for super::charms:
        ListCharms: |_session, call| Ok(call.names);
        ResolveCharms6: |_session, _| Ok(Vec::new());
        ResolveCharms: |_session, _| Ok(Empty {});
        IsMetered: |_session, _| Ok(false);
        AddCharm: |_session, _| Ok(Empty {});
    }
}

fn charms() -> Facades {
    Facades::of(handlers::handlers().leak().iter())
}

#[test]
fn each_version_finds_its_methods_and_none_of_another() {
    let charms = charms();
    let has = |version: u32| {
        ["List", "ResolveCharms", "IsMetered", "AddCharm"]
            .map(|method| charms.find("Charms", version, method).is_some())
    };
    assert_eq!(has(6), [true, true, true, false]);
    assert_eq!(has(7), [true, true, false, true]);
    assert_eq!(has(0), has(7), "the newest");
    assert_eq!(has(5), [false; 4]);
    assert_eq!(has(8), [false; 4]);
    assert!(charms.find("Charm", 6, "List").is_none());
}

#[test]
fn a_method_with_another_shape_in_another_version_is_another_call() {
    let charms = charms();
    let rule = |version| {
        charms
            .find("Charms", version, "ResolveCharms")
            .unwrap()
            .rule
    };
    assert_eq!((rule(6).version, rule(7).version), (6, 7));
    assert_eq!(rule(6).visitor, Visitor::Superuser);
    assert_eq!(rule(7).visitor, Visitor::Model(ModelPermission::Read));
    // One call in two versions has a rule for each.
    let list = |version| charms.find("Charms", version, "List").unwrap().rule;
    assert_eq!((list(6).version, list(7).version), (6, 7));
}
