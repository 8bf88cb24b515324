//! The tables of the agents and the catalogue.

use std::collections::BTreeSet;

use periapt_catalogue::{AgentKind, nodes};

use crate::{host, machine, model, unit};

#[test]
fn every_node_of_every_agent_is_in_the_catalogue_and_the_other_way_round() {
    for agent in AgentKind::ALL {
        let table = match agent {
            // The same test stands beside its table.
            AgentKind::Controller => continue,
            AgentKind::Model => model::tests::table(),
            AgentKind::Host => host::tests::table(),
            AgentKind::Machine => machine::tests::table(),
            AgentKind::Unit => unit::tests::table(),
        };
        let names: BTreeSet<&str> = table.names().collect();
        assert_eq!(names, nodes(agent), "{agent:?}");
    }
}
