//! Which of what a charm declares an application has: what policies allow and what people decided, held against each
//! other.
//!
//! The model's bound goes before everything; a denial goes before a grant, and both before what is granted without
//! asking. What nobody decided, an application does not have. The rules are values and decide nothing by themselves:
//! who may decide, and where decisions are kept, is the business of others.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Capability, Declaration, Declared, Pattern, Policy};
use crate::Refusal;
use crate::name::ApplicationName;
use crate::ports::PortRange;

/// What a person decided about a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = CapabilityDecision)]
pub enum Decision {
    Granted,
    Denied,
}

impl Decision {
    pub const fn as_str(self) -> &'static str {
        match self {
            Decision::Granted => "granted",
            Decision::Denied => "denied",
        }
    }
}

/// A word that is no decision.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is no decision")]
pub struct NotADecision(String);

impl std::str::FromStr for Decision {
    type Err = NotADecision;

    fn from_str(text: &str) -> Result<Self, NotADecision> {
        match text {
            "granted" => Ok(Decision::Granted),
            "denied" => Ok(Decision::Denied),
            other => Err(NotADecision(other.to_owned())),
        }
    }
}

/// What was decided about an application's capabilities.
pub type Decided = BTreeMap<Capability, Decision>;

/// What holds of a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = CapabilityStanding)]
pub enum Standing {
    /// Granted without asking.
    Default,
    /// Granted by a person.
    Granted,
    /// Denied by a person.
    Denied,
    /// Nobody decided about it.
    Undecided,
    /// The model's policy does not allow it, whoever decided what.
    BeyondPolicy,
    /// It was decided about, and the charm does not declare it any more.
    NotDeclared,
}

impl Standing {
    /// Whether the application has it.
    #[must_use]
    pub const fn holds(self) -> bool {
        matches!(self, Standing::Default | Standing::Granted)
    }
}

/// What a person says about a charm's capabilities, as the charm is deployed or refreshed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
#[schema(as = CapabilityChoices)]
pub struct Choices {
    /// Grants these, `tools/credential` or `egress/*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub grant: Vec<Pattern>,
    /// Grants all that nobody decided about and the model's policy allows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub grant_all: bool,
    /// Denies these; a denial goes before a grant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub deny: Vec<Pattern>,
}

impl Choices {
    /// Whether it gives an application anything.
    #[must_use]
    pub fn grants(&self) -> bool {
        self.grant_all || !self.grant.is_empty()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Why what a person said does not do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unfit {
    #[error("the charm of \"{application}\" declares no {pattern}; it declares {}", texts(.declared))]
    NotDeclared {
        application: ApplicationName,
        pattern: String,
        declared: Vec<Capability>,
    },
    #[error("the model's capability-policy does not allow \"{application}\" {}", listed(.capabilities))]
    BeyondPolicy {
        application: ApplicationName,
        capabilities: Vec<Declared>,
    },
    #[error("nobody has decided whether \"{application}\" gets {}", listed(.capabilities))]
    Undecided {
        application: ApplicationName,
        capabilities: Vec<Declared>,
    },
}

impl Unfit {
    pub const fn refusal(&self) -> Refusal {
        match self {
            Unfit::NotDeclared { .. } => Refusal::CapabilityNotDeclared,
            Unfit::BeyondPolicy { .. } => Refusal::CapabilityBeyondPolicy,
            Unfit::Undecided { .. } => Refusal::CapabilityUndecided,
        }
    }
}

/// `tools/credential (may read …; reason: …)`, each.
fn listed(all: &[Declared]) -> String {
    let each = all
        .iter()
        .map(|one| format!("{} ({})", one.capability, one.words()));
    each.collect::<Vec<_>>().join(", ")
}

fn texts(all: &[Capability]) -> String {
    let each: Vec<String> = all.iter().map(Capability::to_string).collect();
    match each.is_empty() {
        true => "nothing".to_owned(),
        false => each.join(", "),
    }
}

/// What a model's policies say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The most that an application may have.
    pub bound: Policy,
    /// What it has without asking.
    pub default: Policy,
}

impl Rules {
    /// What holds of a capability that a charm declares.
    #[must_use]
    pub fn standing(&self, capability: &Capability, decided: &Decided) -> Standing {
        let denied = |(other, decision): (&Capability, &Decision)| {
            *decision == Decision::Denied && overlaps(other, capability)
        };
        let granted = |(other, decision): (&Capability, &Decision)| {
            *decision == Decision::Granted && other.covers(capability)
        };
        if !self.bound.allows(capability) {
            Standing::BeyondPolicy
        } else if decided.iter().any(denied) {
            Standing::Denied
        } else if decided.iter().any(granted) {
            Standing::Granted
        } else if self.default.allows(capability) {
            Standing::Default
        } else {
            Standing::Undecided
        }
    }

    /// What is declared and an application does not have.
    #[must_use]
    pub fn withheld(&self, declared: &Declaration, decided: &Decided) -> Vec<Capability> {
        let all = declared.capabilities();
        let withheld = all.filter(|one| !self.standing(one, decided).holds());
        withheld.cloned().collect()
    }

    /// What is decided after a person spoke of a charm's capabilities, of which those in `asked` have to be decided
    /// then. A capability that was denied before stays so unless it is named.
    ///
    /// # Errors
    /// [`Unfit`], if something named is not declared or beyond the policy, or something asked for is undecided.
    pub fn decide(
        &self,
        application: &ApplicationName,
        declared: &Declaration,
        asked: &[Declared],
        decided: &Decided,
        choices: &Choices,
    ) -> Result<Decided, Unfit> {
        let mut after = decided.clone();
        for pattern in choices.grant.iter().chain(&choices.deny) {
            if !declared.capabilities().any(|one| pattern.matches(one)) {
                return Err(Unfit::NotDeclared {
                    application: application.clone(),
                    pattern: pattern.to_string(),
                    declared: declared.capabilities().cloned().collect(),
                });
            }
        }
        let named =
            |patterns: &[Pattern], one: &Capability| patterns.iter().any(|own| own.matches(one));
        let mut forbidden = Vec::new();
        for one in declared.iter() {
            let capability = &one.capability;
            if named(&choices.deny, capability) {
                after.insert(capability.clone(), Decision::Denied);
            } else if named(&choices.grant, capability) {
                match self.bound.allows(capability) {
                    true => grant(&mut after, capability),
                    false => forbidden.push(one),
                }
            }
        }
        let mut undecided = Vec::new();
        for one in asked {
            let denied = after.get(&one.capability) == Some(&Decision::Denied);
            match self.standing(&one.capability, &after) {
                Standing::Undecided if choices.grant_all => grant(&mut after, &one.capability),
                Standing::Undecided => undecided.push(one.clone()),
                Standing::BeyondPolicy if !denied && !forbidden.contains(one) => {
                    forbidden.push(one.clone());
                }
                _ => {}
            }
        }
        let application = application.clone();
        if !forbidden.is_empty() {
            return Err(Unfit::BeyondPolicy {
                application,
                capabilities: forbidden,
            });
        }
        match undecided.is_empty() {
            true => Ok(after),
            false => Err(Unfit::Undecided {
                application,
                capabilities: undecided,
            }),
        }
    }
}

/// A grant ends the denials that stand against it.
fn grant(decided: &mut Decided, capability: &Capability) {
    decided
        .retain(|other, decision| *decision == Decision::Granted || !overlaps(other, capability));
    decided.insert(capability.clone(), Decision::Granted);
}

/// Whether one of them allows what the other does.
#[must_use]
pub fn overlaps(one: &Capability, other: &Capability) -> bool {
    one.covers(other) || other.covers(one)
}

/// What keeps a range of ports from being open: it is withheld, and nothing else that is declared covers it.
#[must_use]
pub fn withheld_port<'a>(
    declared: &[PortRange],
    withheld: &'a [Capability],
    wanted: PortRange,
) -> Option<&'a Capability> {
    let wanted = Capability::Port(wanted);
    let mut declared = declared.iter().map(|range| Capability::Port(*range));
    if declared.any(|own| own.covers(&wanted) && !withheld.contains(&own)) {
        return None;
    }
    withheld.iter().find(|one| one.covers(&wanted))
}

/// What is said to a charm that uses what its application does not have, with what to do.
#[must_use]
pub fn not_granted(application: &ApplicationName, capability: &Capability) -> String {
    format!(
        "{capability} is not granted to {application}: periapt grant-capability {application} {capability}"
    )
}

/// What an application waits for that is to get another revision of its charm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitsApproval<'a> {
    pub application: &'a ApplicationName,
    pub revision: u64,
    pub capabilities: &'a [Declared],
}

impl fmt::Display for AwaitsApproval<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.capabilities.iter().map(|one| match &one.why {
            Some(why) => format!("{} (because: {why})", one.capability),
            None => one.capability.to_string(),
        });
        let each: Vec<String> = each.collect();
        let names: Vec<String> = self
            .capabilities
            .iter()
            .map(|one| one.capability.to_string())
            .collect();
        write!(
            f,
            "waiting for approval of revision {}: {}; run: periapt grant-capability {} {}",
            self.revision,
            each.join(", "),
            self.application,
            names.join(" ")
        )
    }
}

#[cfg(test)]
mod tests;
