//! Names and tags. A value of one of these types is valid by construction; the grammar is the
//! one Juju's clients check (wire tags, application and unit names).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bounds::NAME_BYTES;
use crate::refusal::{Name, Refusal};

#[cfg(test)]
mod tests;

/// A name that does not follow its grammar.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("\"{value}\" is not a valid {kind}: {rule}")]
pub struct NameError {
    pub kind: Name,
    pub value: String,
    pub rule: &'static str,
}

impl NameError {
    pub fn refusal(&self) -> Refusal {
        Refusal::NameInvalid(self.kind)
    }
}

macro_rules! text_name {
    ($(#[$doc:meta])* $type:ident, $kind:ident, $rule:literal, $check:expr, $pattern:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = NameError;
            fn from_str(text: &str) -> Result<Self, NameError> {
                let check: fn(&str) -> bool = $check;
                if check(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(NameError { kind: Name::$kind, value: shortened(text), rule: $rule })
                }
            }
        }

        impl TryFrom<String> for $type {
            type Error = NameError;
            fn try_from(text: String) -> Result<Self, NameError> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> String {
                name.0
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        $crate::schema::text_schema!($type, stringify!($type), $rule, $pattern, $example);
    };
}

text_name!(
    /// An application: lower-case words joined by dashes, each with a letter in it.
    ApplicationName,
    Application,
    "use at most 128 lower-case letters, digits and dashes, starting with a letter, and no part made of digits only",
    application_grammar,
    r"^[a-z][a-z0-9]*(-[a-z0-9]*[a-z][a-z0-9]*)*$",
    "site"
);
text_name!(
    /// A model's name within its controller.
    ModelName,
    Model,
    "use at most 128 lower-case letters, digits and dashes, starting with a letter or digit",
    model_grammar,
    r"^[a-z0-9][a-z0-9-]*$",
    "default"
);
text_name!(
    /// A model's identity: a hyphenated lower-case UUID.
    ModelUuid,
    ModelUuid,
    "use the hyphenated form, 8-4-4-4-12 hexadecimal digits",
    uuid_grammar,
    r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "6f1c4d2e-0b1a-4c57-9f0e-2d3c4b5a6978"
);
text_name!(
    /// A user of the controller.
    UserName,
    User,
    "use 2 to 128 letters or digits; `.`, `+` and `-` may stand inside",
    user_grammar,
    r"^[A-Za-z0-9]([A-Za-z0-9.+-]*[A-Za-z0-9])$",
    "admin"
);
text_name!(
    /// A machine: its number, or `host/kind/number` for a container on it.
    MachineId,
    Machine,
    "use a number such as 0, or a container such as 0/lxd/1",
    machine_grammar,
    r"^(0|[1-9][0-9]{0,8})(/[a-z]+/(0|[1-9][0-9]{0,8}))*$",
    "0"
);
text_name!(
    /// A unit, `application/number`.
    UnitName,
    Unit,
    "use APPLICATION/NUMBER, as in site/0",
    unit_grammar,
    r"^[a-z][a-z0-9]*(-[a-z0-9]*[a-z][a-z0-9]*)*/(0|[1-9][0-9]{0,8})$",
    "site/0"
);

impl UnitName {
    /// The unit of `application` with this number.
    pub fn new(application: &ApplicationName, number: u64) -> Self {
        UnitName(format!("{application}/{number}"))
    }

    pub fn application(&self) -> ApplicationName {
        let application = self
            .0
            .rsplit_once('/')
            .map_or("", |(application, _)| application);
        ApplicationName(application.to_owned())
    }

    pub fn number(&self) -> u64 {
        self.0
            .rsplit_once('/')
            .and_then(|(_, number)| number.parse().ok())
            .unwrap_or_default()
    }
}

/// An agent of a model: a process that hosts machines of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AgentName {
    /// `host`: all machines, where the provider has one agent for all.
    #[default]
    Host,
    /// `machine-0`: this machine alone.
    Machine(MachineId),
}

impl AgentName {
    /// What follows the model in the agent's tag.
    fn after(text: &str) -> Result<Self, NameError> {
        match text.strip_prefix('-') {
            Some(agent) => agent.parse(),
            None if text.is_empty() => Ok(AgentName::Host),
            None => Err(unknown_agent(text)),
        }
    }
}

impl FromStr for AgentName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if text == "host" {
            return Ok(AgentName::Host);
        }
        let machine = text.strip_prefix("machine-");
        let machine = machine.ok_or_else(|| unknown_agent(text))?;
        Ok(AgentName::Machine(machine_of(machine)?))
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentName::Host => f.write_str("host"),
            AgentName::Machine(id) => Tag::Machine(id.clone()).fmt(f),
        }
    }
}

impl TryFrom<String> for AgentName {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> String {
        name.to_string()
    }
}

fn unknown_agent(text: &str) -> NameError {
    NameError {
        kind: Name::Agent,
        value: shortened(text),
        rule: "use host or machine-ID, as in machine-0",
    }
}

/// A machine as tags write it, `0-lxd-1`.
fn machine_of(id: &str) -> Result<MachineId, NameError> {
    id.replace('-', "/").parse()
}

/// Characters of a model's UUID.
const UUID_LENGTH: usize = 36;

/// An entity as named on the wire, `kind-id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Tag {
    Controller(ModelUuid),
    Model(ModelUuid),
    User(UserName),
    Application(ApplicationName),
    Unit(UnitName),
    Machine(MachineId),
    /// `agent-UUID` for the agent that hosts all machines of the model, else `agent-UUID-machine-0`.
    Agent(ModelUuid, AgentName),
}

impl FromStr for Tag {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let unknown = || NameError {
            kind: Name::Tag,
            value: text.to_owned(),
            rule: "use KIND-ID with a known kind, as in unit-site-0",
        };
        let (kind, id) = text.split_once('-').ok_or_else(unknown)?;
        Ok(match kind {
            "controller" => Tag::Controller(id.parse()?),
            "model" => Tag::Model(id.parse()?),
            "agent" => match id.split_at_checked(UUID_LENGTH) {
                Some((model, agent)) => Tag::Agent(model.parse()?, AgentName::after(agent)?),
                None => return Err(unknown()),
            },
            "user" => Tag::User(id.strip_suffix("@local").unwrap_or(id).parse()?),
            "application" => Tag::Application(id.parse()?),
            "machine" => Tag::Machine(machine_of(id)?),
            "unit" => {
                let (application, number) = id.rsplit_once('-').ok_or_else(unknown)?;
                Tag::Unit(format!("{application}/{number}").parse()?)
            }
            _ => return Err(unknown()),
        })
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tag::Controller(id) => write!(f, "controller-{id}"),
            Tag::Model(id) => write!(f, "model-{id}"),
            Tag::Agent(id, AgentName::Host) => write!(f, "agent-{id}"),
            Tag::Agent(id, agent) => write!(f, "agent-{id}-{agent}"),
            Tag::User(name) => write!(f, "user-{name}"),
            Tag::Application(name) => write!(f, "application-{name}"),
            Tag::Machine(id) => write!(f, "machine-{}", id.as_str().replace('/', "-")),
            Tag::Unit(name) => write!(f, "unit-{}-{}", name.application(), name.number()),
        }
    }
}

impl TryFrom<String> for Tag {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> String {
        tag.to_string()
    }
}

fn lower_or_digit(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

/// Whether a name is short enough to be a file's name with a number behind it.
fn is_short(text: &str) -> bool {
    !NAME_BYTES.exceeded_by(text.len())
}

/// What an error shows of a name.
fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(NAME_BYTES.length()).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn application_grammar(text: &str) -> bool {
    is_short(text)
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.split('-').all(|part| {
            part.chars().all(lower_or_digit) && part.chars().any(|c| c.is_ascii_lowercase())
        })
}

fn model_grammar(text: &str) -> bool {
    is_short(text)
        && text.starts_with(lower_or_digit)
        && text.chars().all(|c| lower_or_digit(c) || c == '-')
}

fn uuid_grammar(text: &str) -> bool {
    text.len() == 36
        && uuid::Uuid::parse_str(text).is_ok()
        && !text.contains(|c: char| c.is_ascii_uppercase())
}

fn user_grammar(text: &str) -> bool {
    text.len() >= 2
        && is_short(text)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".+-".contains(c))
}

fn number_grammar(text: &str) -> bool {
    text.parse::<u32>()
        .is_ok_and(|number| number.to_string() == text)
}

fn machine_grammar(text: &str) -> bool {
    let parts: Vec<&str> = text.split('/').collect();
    is_short(text)
        && parts.len() % 2 == 1
        && parts.iter().enumerate().all(|(index, part)| {
            if index % 2 == 0 {
                number_grammar(part)
            } else {
                !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase())
            }
        })
}

fn unit_grammar(text: &str) -> bool {
    text.rsplit_once('/').is_some_and(|(application, number)| {
        application_grammar(application) && number_grammar(number)
    })
}
