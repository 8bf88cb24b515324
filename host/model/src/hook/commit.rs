//! How the commit of a hook goes on, as far as values tell: in which order, and what it refuses.
//!
//! The store carries it out in a transaction and the tests' controller in memory; neither decides, so
//! that what a test of the uniter sees is what a controller answers. Who leads and what is stored they
//! find out themselves.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use periapt_contract::{payloads, ports, settings, state};

use super::{Effects, Info, Kind, RelationEvent};
use crate::bounds::{
    PAYLOAD_ID_BYTES, PAYLOAD_LABEL_BYTES, PAYLOAD_LABELS, PAYLOADS, STATE_BYTES, STATE_KEY_BYTES,
    STATE_KEYS, STATE_VALUE_BYTES,
};
use crate::refusal::Subject;
use crate::uniter::OperationState;
use crate::{Life, Refusal, UnitName};

#[cfg(test)]
mod tests;

/// Why a commit is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub refusal: Refusal,
    pub why: String,
}

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

fn refused(refusal: Refusal, why: impl Into<String>) -> Refused {
    let why = why.into();
    Refused { refusal, why }
}

/// A part of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The unit enters the scope of a relation, if that is what the hook is about.
    Enter(&'a Info),
    /// All that the charm asked for, what is the leader's only while the unit leads.
    Effects,
    /// The unit leaves the scope of a relation, or lets go of a storage, if that is what the hook is about.
    Leave(&'a Info),
    /// The state that follows, unless it was decided on another one than is there: error code `stale`.
    Operation,
    /// The workload status that goes with it, the report of the run and the lines about the unit.
    Record,
}

/// The parts in their order: a charm may write into the relation that its hook enters, and into the
/// one that it leaves. Hooks that the charm does not have come after the one that ran.
pub fn steps<'a>(
    hook: Option<&'a Info>,
    absent: &'a [Info],
) -> impl Iterator<Item = Step<'a>> + use<'a> {
    let enters = hook.map(Step::Enter).into_iter();
    let leaves = hook.map(Step::Leave).into_iter();
    let absent = absent.iter();
    let absent = absent.flat_map(|hook| [Step::Enter(hook), Step::Leave(hook)]);
    let before = enters.chain([Step::Effects]).chain(leaves).chain(absent);
    before.chain([Step::Operation, Step::Record])
}

/// What a hook of this kind is about; none for any other.
pub fn event(hook: &Info, kind: Kind) -> Option<&RelationEvent> {
    hook.relation.as_ref().filter(|_| hook.kind == kind)
}

/// Whether a unit may change anything. A dead one does not, but its hooks end.
///
/// # Errors
/// It is dead, and its hook asked for something.
pub fn may_change(unit: &UnitName, life: Life, effects: &Effects) -> Result<(), Refused> {
    match life {
        Life::Dead if !effects.is_empty() => Err(refused(
            Refusal::leaving(Subject::Unit, life),
            format!("{} \"{unit}\" is {life}", Subject::Unit),
        )),
        _ => Ok(()),
    }
}

/// Whether a unit that is not in the scope of a relation may enter it.
///
/// # Errors
/// The relation lets nobody in, or the unit is on its way out: error code `try again`.
pub fn may_enter(
    unit: &UnitName,
    life: Life,
    relation: impl Display,
    (relation_life, suspended): (Life, bool),
) -> Result<(), Refused> {
    if suspended {
        return Err(not_yet(unit, relation, "it is suspended"));
    }
    if !relation_life.is_alive() {
        return Err(not_yet(unit, relation, "it is dying"));
    }
    if !life.is_alive() {
        return Err(not_yet(unit, relation, format!("{unit} is {life}")));
    }
    Ok(())
}

/// Whether a hook may be about entering a relation that was taken away by force: one that is recorded
/// as begun may end, nobody begins with one.
///
/// # Errors
/// It was not begun: error code `try again`.
pub fn enters_gone(
    unit: &UnitName,
    relation: u64,
    hook: &Info,
    recorded: Option<&OperationState>,
) -> Result<(), Refused> {
    match recorded.is_some_and(|recorded| recorded.hook.as_ref() == Some(hook)) {
        true => Ok(()),
        false => Err(not_yet(unit, relation, "the relation is gone")),
    }
}

/// The unit has to wait before it enters.
pub fn not_yet(unit: &UnitName, relation: impl Display, why: impl Display) -> Refused {
    let why = format!("{unit} cannot enter the scope of relation {relation} yet: {why}");
    refused(Refusal::TryAgain, why)
}

/// What a unit says of itself as it enters. The charm may overwrite it.
pub fn published(address: Option<&str>) -> BTreeMap<String, String> {
    let Some(address) = address else {
        return BTreeMap::new();
    };
    let bits = if address.contains(':') { 128 } else { 32 };
    [
        ("egress-subnets", format!("{address}/{bits}")),
        ("ingress-address", address.to_owned()),
        ("private-address", address.to_owned()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}

/// Where a unit stands to a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is no such relation any more.
    Gone,
    Outside,
    InScope,
}

/// Whether what the hook wrote into a relation is kept. It is dropped where the relation was taken away
/// by force, since nobody is left to read it, and where this very hook left it, as in a repeated commit.
///
/// # Errors
/// The unit is in the relation's scope no more, or not yet.
pub fn writes(
    unit: &UnitName,
    relation: u64,
    standing: Standing,
    hook: Option<&Info>,
) -> Result<bool, Refused> {
    let left = hook.and_then(|hook| event(hook, Kind::RelationBroken));
    match standing {
        Standing::InScope => Ok(true),
        Standing::Gone => Ok(false),
        Standing::Outside if left.is_some_and(|event| event.hook.relation == relation) => Ok(false),
        Standing::Outside => Err(not_in_scope(unit, relation)),
    }
}

/// The unit is not in the scope of a relation that it speaks in.
pub fn not_in_scope(unit: &UnitName, relation: u64) -> Refused {
    let why = format!("unit {unit} is not in the scope of relation {relation}");
    refused(Refusal::NotInScope, why)
}

/// The settings after a hook's changes; none when they change nothing.
///
/// # Errors
/// A key is empty, or there would be too many or too long ones.
pub fn changed(
    before: &settings::Settings,
    changes: &settings::Changes,
) -> Result<Option<settings::Settings>, Refused> {
    if changes.contains_key("") {
        return Err(refused(Refusal::BadRequest, "a setting needs a key"));
    }
    settings::changed(before, changes).map_err(|much| {
        too_much(format!(
            "the settings would have {}, more than the {} allowed",
            much.amount(),
            much.bound.most
        ))
    })
}

/// The ports of a unit after a hook's changes.
///
/// # Errors
/// The unit has opened a range in part, or it is one too many.
pub fn opened(
    unit: &UnitName,
    before: &ports::Openings,
    changes: &ports::Changes,
) -> Result<ports::Openings, Refused> {
    changes.applied(before).map_err(|error| {
        let refusal = match error {
            ports::OpeningError::TooMany { .. } => Refusal::TooManyPorts,
            ports::OpeningError::Overlaps { .. } | ports::OpeningError::Part { .. } => {
                Refusal::PortConflict
            }
        };
        refused(refusal, format!("{unit}: {error}"))
    })
}

/// Whether each key and value of a change of charm state is as long as it may be, and whether they are
/// few enough.
///
/// # Errors
/// One is not.
pub fn state_is_sound(changes: &state::Changes) -> Result<(), Refused> {
    let set = changes.iter();
    let set = set.filter_map(|(key, value)| Some((key, value.as_ref()?)));
    let mut count = 0;
    for (key, value) in set {
        count += 1;
        if key.is_empty() || STATE_KEY_BYTES.exceeded_by(key.len()) {
            return Err(too_much(format!(
                "a state key has 1 to {} bytes, this one {}",
                STATE_KEY_BYTES.most,
                key.len()
            )));
        }
        if STATE_VALUE_BYTES.exceeded_by(value.len()) {
            return Err(too_much(format!(
                "the state value of \"{key}\" has {} bytes, more than the {} allowed",
                value.len(),
                STATE_VALUE_BYTES.most
            )));
        }
    }
    let gone = changes.len() - count;
    state_fits(count.max(gone) as u64, 0)
}

/// Whether a unit may keep so much state.
///
/// # Errors
/// It may not.
pub fn state_fits(keys: u64, bytes: u64) -> Result<(), Refused> {
    for (found, bound, what) in [(keys, STATE_KEYS, "keys"), (bytes, STATE_BYTES, "bytes")] {
        if found > bound.most {
            return Err(too_much(format!(
                "the unit's state would have {found} {what}, more than the {} allowed",
                bound.most
            )));
        }
    }
    Ok(())
}

/// Whether each payload of a change is as long as it may be, and whether they are few enough.
///
/// # Errors
/// One is not.
pub fn payloads_are_sound(changes: &payloads::Changes) -> Result<(), Refused> {
    payloads_fit(changes.put.len().max(changes.gone.len()) as u64)?;
    for payload in &changes.put {
        let labels = &payload.labels;
        let long = |label: &String| PAYLOAD_LABEL_BYTES.exceeded_by(label.len());
        if payload.id.is_empty()
            || PAYLOAD_ID_BYTES.exceeded_by(payload.id.len())
            || PAYLOAD_LABELS.exceeded_by(labels.len())
            || labels.iter().any(long)
        {
            return Err(too_much(format!(
                "payload \"{}\" needs an id of 1 to {} bytes and has {} labels of {} bytes at most",
                payload.class, PAYLOAD_ID_BYTES.most, PAYLOAD_LABELS.most, PAYLOAD_LABEL_BYTES.most
            )));
        }
    }
    Ok(())
}

/// Whether a unit may have so many payloads.
///
/// # Errors
/// It may not.
pub fn payloads_fit(count: u64) -> Result<(), Refused> {
    if count > PAYLOADS.most {
        return Err(too_much(format!(
            "the unit would have {count} payloads, more than the {} allowed",
            PAYLOADS.most
        )));
    }
    Ok(())
}

fn too_much(why: String) -> Refused {
    refused(Refusal::QuotaLimitExceeded, why)
}
