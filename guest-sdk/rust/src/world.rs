//! The host of a real sandbox: every call crosses the world `periapt:charm`.

use crate::host::Changes;
use crate::{
    Bag, Charm, Dirs, ErrorCode, Event, Goal, GoalState, Host, HostError, Level, Network,
    PortRange, Protocol, Status, StatusKind, Value, dispatch,
};

/// What `wit-bindgen` makes of the contract.
#[allow(clippy::all, missing_docs)]
pub mod bindings {
    wit_bindgen::generate!({
        world: "charm",
        path: "../wit",
        pub_export_macro: true,
        export_macro_name: "export_world",
        default_bindings_module: "periapt_charm::bindings",
    });
}

use bindings::periapt::charm::{
    config, goal_state, leadership, log, network, ports, relation, state, status, types, unit,
};

/// The host behind the imports of this component.
pub struct World;

impl World {
    /// Runs one hook of `C`; the error text is for the operator.
    pub fn run<C: Charm>(event: bindings::Event) -> Result<(), String> {
        let event = Event::read(&event.hook, event.attributes)?;
        dispatch::<C>(&World, &Dirs::default(), &event).map_err(|error| error.to_string())
    }
}

impl From<types::Error> for HostError {
    fn from(error: types::Error) -> Self {
        let code = match error.code {
            types::ErrorCode::Invalid => ErrorCode::Invalid,
            types::ErrorCode::NotFound => ErrorCode::NotFound,
            types::ErrorCode::Denied => ErrorCode::Denied,
            types::ErrorCode::Limit => ErrorCode::Limit,
            types::ErrorCode::Unavailable => ErrorCode::Unavailable,
        };
        HostError {
            code,
            message: error.message,
        }
    }
}

impl From<types::Value> for Value {
    fn from(value: types::Value) -> Self {
        match value {
            types::Value::Text(text) => Value::Text(text),
            types::Value::Integer(number) => Value::Integer(number),
            types::Value::Number(number) => Value::Number(number),
            types::Value::Boolean(truth) => Value::Boolean(truth),
        }
    }
}

impl From<status::Info> for Status {
    fn from(info: status::Info) -> Self {
        let kind = match info.kind {
            status::Kind::Maintenance => StatusKind::Maintenance,
            status::Kind::Blocked => StatusKind::Blocked,
            status::Kind::Waiting => StatusKind::Waiting,
            status::Kind::Active => StatusKind::Active,
            status::Kind::Unknown => StatusKind::Unknown,
            status::Kind::Error => StatusKind::Error,
            status::Kind::Terminated => StatusKind::Terminated,
        };
        Status {
            kind,
            message: info.message,
        }
    }
}

impl From<StatusKind> for status::Kind {
    fn from(kind: StatusKind) -> Self {
        match kind {
            StatusKind::Maintenance => status::Kind::Maintenance,
            StatusKind::Blocked => status::Kind::Blocked,
            StatusKind::Waiting => status::Kind::Waiting,
            StatusKind::Active => status::Kind::Active,
            StatusKind::Unknown => status::Kind::Unknown,
            StatusKind::Error => status::Kind::Error,
            StatusKind::Terminated => status::Kind::Terminated,
        }
    }
}

impl From<PortRange> for ports::PortRange {
    fn from(range: PortRange) -> Self {
        let protocol = match range.protocol {
            Protocol::Tcp => ports::Protocol::Tcp,
            Protocol::Udp => ports::Protocol::Udp,
            Protocol::Icmp => ports::Protocol::Icmp,
        };
        ports::PortRange {
            start: range.start,
            end: range.end,
            protocol,
        }
    }
}

impl From<ports::PortRange> for PortRange {
    fn from(range: ports::PortRange) -> Self {
        let protocol = match range.protocol {
            ports::Protocol::Tcp => Protocol::Tcp,
            ports::Protocol::Udp => Protocol::Udp,
            ports::Protocol::Icmp => Protocol::Icmp,
        };
        PortRange {
            start: range.start,
            end: range.end,
            protocol,
        }
    }
}

impl From<Bag> for relation::Bag {
    fn from(bag: Bag) -> Self {
        match bag {
            Bag::Unit => relation::Bag::Unit,
            Bag::Application => relation::Bag::Application,
        }
    }
}

impl From<goal_state::Goal> for Goal {
    fn from(goal: goal_state::Goal) -> Self {
        Goal {
            name: goal.name,
            status: goal.status,
            since: goal.since,
        }
    }
}

impl From<goal_state::Goals> for GoalState {
    fn from(goals: goal_state::Goals) -> Self {
        let own = |goals: Vec<goal_state::Goal>| goals.into_iter().map(Goal::from).collect();
        GoalState {
            units: own(goals.units),
            relations: goals
                .relations
                .into_iter()
                .map(|one| (one.endpoint, own(one.goals)))
                .collect(),
        }
    }
}

impl From<network::Info> for Network {
    fn from(info: network::Info) -> Self {
        Network {
            bind_addresses: info.bind_addresses,
            ingress_addresses: info.ingress_addresses,
            egress_subnets: info.egress_subnets,
        }
    }
}

impl Host for World {
    fn config_get(&self, key: &str) -> Result<Option<Value>, HostError> {
        Ok(config::get(key)?.map(Value::from))
    }

    fn config_all(&self) -> Result<Vec<(String, Value)>, HostError> {
        Ok(config::all()?
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect())
    }

    fn unit_status(&self) -> Result<Status, HostError> {
        Ok(status::unit_get()?.into())
    }

    fn set_unit_status(&self, status: &Status) -> Result<(), HostError> {
        Ok(status::unit_set(status.kind.into(), &status.message)?)
    }

    fn application_status(&self) -> Result<Status, HostError> {
        Ok(status::application_get()?.into())
    }

    fn set_application_status(&self, status: &Status) -> Result<(), HostError> {
        Ok(status::application_set(
            status.kind.into(),
            &status.message,
        )?)
    }

    fn state_get(&self, key: &str) -> Result<Option<String>, HostError> {
        Ok(state::get(key)?)
    }

    fn state_set(&self, key: &str, value: &str) -> Result<(), HostError> {
        Ok(state::set(key, value)?)
    }

    fn state_delete(&self, key: &str) -> Result<(), HostError> {
        Ok(state::delete(key)?)
    }

    fn state_all(&self) -> Result<Vec<(String, String)>, HostError> {
        Ok(state::all()?)
    }

    fn open_ports(&self, range: PortRange) -> Result<(), HostError> {
        Ok(ports::open(range.into())?)
    }

    fn close_ports(&self, range: PortRange) -> Result<(), HostError> {
        Ok(ports::close(range.into())?)
    }

    fn opened_ports(&self) -> Result<Vec<PortRange>, HostError> {
        Ok(ports::opened()?.into_iter().map(PortRange::from).collect())
    }

    fn is_leader(&self) -> Result<bool, HostError> {
        Ok(leadership::is_leader()?)
    }

    fn leader_settings(&self) -> Result<Vec<(String, String)>, HostError> {
        Ok(leadership::settings()?)
    }

    fn set_leader_settings(&self, changes: &Changes) -> Result<(), HostError> {
        Ok(leadership::set(changes)?)
    }

    fn relation_ids(&self, endpoint: &str) -> Result<Vec<String>, HostError> {
        Ok(relation::ids(endpoint)?)
    }

    fn relation_units(&self, relation: &str) -> Result<Vec<String>, HostError> {
        Ok(relation::units(relation)?)
    }

    fn relation_application(&self, relation: &str) -> Result<String, HostError> {
        Ok(relation::application(relation)?)
    }

    fn relation_get(
        &self,
        relation: &str,
        member: &str,
    ) -> Result<Vec<(String, String)>, HostError> {
        Ok(relation::get(relation, member)?)
    }

    fn relation_set(&self, relation: &str, bag: Bag, changes: &Changes) -> Result<(), HostError> {
        Ok(relation::set(relation, bag.into(), changes)?)
    }

    fn relation_model_uuid(&self, relation: &str) -> Result<String, HostError> {
        Ok(relation::model_uuid(relation)?)
    }

    fn goal_state(&self) -> Result<GoalState, HostError> {
        Ok(goal_state::get()?.into())
    }

    fn network(&self, binding: &str) -> Result<Network, HostError> {
        Ok(network::get(binding)?.into())
    }

    fn unit_name(&self) -> String {
        unit::name()
    }

    fn model_name(&self) -> String {
        unit::model_name()
    }

    fn private_address(&self) -> Result<String, HostError> {
        Ok(unit::private_address()?)
    }

    fn public_address(&self) -> Result<String, HostError> {
        Ok(unit::public_address()?)
    }

    fn set_workload_version(&self, version: &str) -> Result<(), HostError> {
        Ok(unit::workload_version_set(version)?)
    }

    fn log(&self, level: Level, message: &str) {
        let level = match level {
            Level::Trace => log::Level::Trace,
            Level::Debug => log::Level::Debug,
            Level::Info => log::Level::Info,
            Level::Warning => log::Level::Warning,
            Level::Error => log::Level::Error,
        };
        log::write(level, message);
    }
}
