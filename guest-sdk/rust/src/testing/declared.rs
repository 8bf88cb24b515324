//! What the charm's files declare, as a unit under test has it from the beginning. A charm without
//! `#[charm]` has none, and its tests declare by hand what they need.

use periapt_contract::metrics::Kind as Metric;
use periapt_declared::{Declared, Kind, Opt, suggestion};

use super::host::{Declaration, TestContainer};
use super::{Harness, files, must};
use crate::{Charm, Network, Value};

impl<C: Charm> Harness<C> {
    /// What the charm's files say, if it has any.
    pub(super) fn declaration() -> Option<Declared> {
        let manifest = C::MANIFEST?;
        Some(must(
            Declared::read(manifest.files),
            "the charm's files cannot be read",
        ))
    }

    /// Gives the unit what the charm's files say.
    pub(super) fn take_declaration(&mut self) {
        let Some(declared) = Self::declaration() else {
            return;
        };
        let host = self.host.get_mut();
        for (name, option) in &declared.options {
            if let Some(value) = default_of(option) {
                host.config.insert(name.clone(), value);
            }
        }
        let endpoints = declared.endpoints.keys();
        for endpoint in endpoints.chain(&["juju-info".to_owned()]) {
            if !host.endpoints.contains(endpoint) {
                host.endpoints.push(endpoint.clone());
            }
        }
        for binding in &declared.bindings {
            let network = Network {
                bind_addresses: vec![host.address.clone()],
                ingress_addresses: vec![host.address.clone()],
                egress_subnets: vec![format!("{}/32", host.address)],
            };
            host.networks.insert(binding.clone(), network);
        }
        for (name, storage) in &declared.storage {
            let declaration = Declaration {
                most: storage.most,
                shared: storage.shared,
                read_only: storage.read_only,
            };
            host.declared_storage.insert(name.clone(), declaration);
        }
        let components = C::MANIFEST.map_or(&[][..], |manifest| manifest.components);
        for (name, ports) in &declared.containers {
            let ports = ports.iter().map(|port| port.parse());
            let container = TestContainer {
                ports: must(
                    ports.collect::<Result<Vec<_>, _>>(),
                    "a port of the charm's capabilities is none",
                ),
                components: components.iter().map(|one| (*one).to_owned()).collect(),
                ..TestContainer::default()
            };
            host.containers.insert(name.clone(), container);
        }
        host.payload_classes.extend(declared.payloads.clone());
        for (name, kind) in &declared.metrics {
            let mut kinds = Metric::ALL.into_iter();
            if let Some(kind) = kinds.find(|known| known.as_str() == kind) {
                host.metrics.insert(name.clone(), kind);
            }
        }
        host.declared = Some(declared);
        if let Some(declared) = &self.host.get_mut().declared {
            for name in &declared.shared {
                files::make(&self.dirs.shared.join(name));
            }
        }
    }

    /// The value as the option has it.
    ///
    /// # Panics
    /// Where the charm's files declare no such option, or one of another type.
    pub(super) fn option_value(&self, key: &str, value: Value) -> Value {
        let host = self.host.borrow();
        let Some(declared) = &host.declared else {
            return value;
        };
        known("option", key, declared.options.keys());
        let option = declared.options.get(key);
        match option.map_or(Ok(value.clone()), |option| fitted(option, value)) {
            Ok(value) => value,
            Err(why) => wrong(&format!("the option \"{key}\" {why}")),
        }
    }

    /// The default of an option, if it has one.
    pub(super) fn default_of(&self, key: &str) -> Option<Value> {
        let host = self.host.borrow();
        let declared = host.declared.as_ref()?;
        known("option", key, declared.options.keys());
        declared.options.get(key).and_then(default_of)
    }

    /// # Panics
    /// Where the charm has files that declare no such endpoint, and the code does not list it either.
    pub(super) fn require_endpoint(&self, name: &str) {
        let host = self.host.borrow();
        if host.declared.is_some() {
            known("endpoint", name, &host.endpoints);
        }
    }

    /// # Panics
    /// Where the charm's files declare no such resource.
    pub(super) fn require_resource(&self, name: &str) {
        if let Some(declared) = &self.host.borrow().declared {
            known("resource", name, &declared.resources);
        }
    }

    /// # Panics
    /// Where the charm's files share no such directory.
    pub(super) fn require_shared(&self, name: &str) {
        if let Some(declared) = &self.host.borrow().declared {
            known("shared directory", name, &declared.shared);
        }
    }
}

/// # Panics
/// Where `name` is not among `names`.
fn known<'a>(what: &str, name: &str, names: impl IntoIterator<Item = &'a String>) {
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    if !names.contains(&name) {
        let meant = suggestion(name, names.iter().copied());
        wrong(&format!("the charm declares no {what} \"{name}\"{meant}"));
    }
}

/// A test that asks for what the charm does not declare cannot go on.
#[allow(clippy::panic)]
pub(super) fn wrong(why: &str) -> ! {
    panic!("{why}")
}

fn default_of(option: &Opt) -> Option<Value> {
    let default = option.default.as_ref()?;
    Some(match option.kind {
        Kind::Int => Value::Integer(default.as_i64()?),
        Kind::Float => Value::Number(default.as_f64()?),
        Kind::Boolean => Value::Boolean(default.as_bool()?),
        Kind::String | Kind::Secret => Value::Text(match default.as_str() {
            Some(text) => text.to_owned(),
            None => default.to_string(),
        }),
    })
}

fn fitted(option: &Opt, value: Value) -> Result<Value, String> {
    Ok(match (option.kind, value) {
        (Kind::Float, Value::Integer(number)) => Value::Number(number as f64),
        (Kind::String | Kind::Secret, value @ Value::Text(_))
        | (Kind::Int, value @ Value::Integer(_))
        | (Kind::Float, value @ Value::Number(_))
        | (Kind::Boolean, value @ Value::Boolean(_)) => value,
        (kind, value) => return Err(format!("is of type {}, not {value:?}", kind.as_str())),
    })
}
