//! What may be done with storage.

use std::collections::{BTreeMap, BTreeSet};

use super::{CountRange, Declared, Kind, PoolKind, StorageId, invalid, mib_of, refused};
use crate::charm::Storage;
use crate::hook::commit::Refused;
use crate::nearest::suggestion;
use crate::refusal::{Refusal, Subject};
use crate::{AgentName, Life, UnitName};

/// What is known of a storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub id: StorageId,
    pub kind: Kind,
    pub life: Life,
    pub provider: PoolKind,
    /// MiB.
    pub size: u64,
    /// It is an application's, and all of its units have it.
    pub shared: bool,
    /// On whose machine its directory is; none while there is none.
    pub agent: Option<AgentName>,
    /// Units that have it.
    pub attached: BTreeSet<UnitName>,
}

/// How a storage goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Also one that units have: they let go of it first.
    pub force: bool,
    /// With what is in it; else its directory stays and can be imported.
    pub destroy: bool,
}

/// What a charm may ask of its storage, where its unit has so many of each by now.
///
/// # Errors
/// A range in the charm's metadata cannot be read.
pub fn declared(
    charm: &BTreeMap<String, Storage>,
    held: impl Fn(&str) -> u32,
) -> Result<BTreeMap<String, Declared>, Refused> {
    let each = charm.iter().map(|(name, storage)| {
        let range = CountRange::of(storage.multiple.as_ref()).map_err(invalid)?;
        let declared = Declared {
            room: range.room(held(name)),
            shared: storage.shared,
        };
        Ok((name.clone(), declared))
    });
    each.collect()
}

/// Whether a unit that has `held` of a storage of its charm is given `count` more.
///
/// # Errors
/// The charm does not declare it, its application's units share it, the unit leaves, or there would be too many.
pub fn may_create(
    unit: &UnitName,
    unit_life: Life,
    charm: &BTreeMap<String, Storage>,
    name: &str,
    (held, count): (u32, u32),
) -> Result<(), Refused> {
    let storage = find(charm, name)?;
    if !unit_life.is_alive() {
        return Err(refused(
            Refusal::leaving(Subject::Unit, unit_life),
            format!("unit \"{unit}\" is {unit_life}"),
        ));
    }
    if storage.shared {
        return Err(invalid(format!(
            "all units of the application share the storage \"{name}\"; a single unit cannot be given its own"
        )));
    }
    if count == 0 {
        return Err(invalid("add at least one storage"));
    }
    let range = CountRange::of(storage.multiple.as_ref()).map_err(invalid)?;
    match range.room(held) {
        Some(room) if count > room => Err(invalid(format!(
            "{unit} has {held} of the storage \"{name}\" and may have {range}; it can be given {room} more"
        ))),
        _ => Ok(()),
    }
}

/// Whether a storage that no unit has is given to a unit that has `held` of its name, on the machine of `agent`.
///
/// # Errors
/// A unit has it already, it is on its way out or on another machine, or the unit's charm has no place for it.
pub fn may_attach(
    storage: &Facts,
    unit: &UnitName,
    unit_life: Life,
    agent: Option<&AgentName>,
    charm: &BTreeMap<String, Storage>,
    held: u32,
) -> Result<(), Refused> {
    let id = &storage.id;
    if !storage.life.is_alive() {
        return Err(refused(
            Refusal::leaving(Subject::Storage, storage.life),
            format!("storage {id} is {}", storage.life),
        ));
    }
    if let Some(other) = storage.attached.iter().next() {
        return Err(refused(
            Refusal::StorageIsAttached,
            format!("storage {id} is attached to {other}"),
        ));
    }
    if let (Some(of), Some(agent)) = (&storage.agent, agent)
        && of != agent
    {
        return Err(refused(
            Refusal::StorageElsewhere,
            format!("storage {id} is with the agent {of}, and {unit} with {agent}"),
        ));
    }
    may_create(unit, unit_life, charm, id.name(), (held, 1))?;
    let declared = find(charm, id.name())?;
    if Kind::from(declared.kind) != storage.kind {
        return Err(invalid(format!(
            "storage {id} is a {}, and the charm of {unit} wants another kind",
            storage.kind
        )));
    }
    let least = declared.minimum_size.as_deref().map(mib_of).transpose();
    match least.map_err(invalid)? {
        Some(least) if storage.size < least => Err(invalid(format!(
            "storage {id} has {} MiB, and the charm of {unit} needs {least}",
            storage.size
        ))),
        _ => Ok(()),
    }
}

/// Whether a unit that stays may let go of a storage, of whose name it has `held`.
///
/// # Errors
/// The unit does not have it, all units share it, it would be gone with that, or the charm needs it.
pub fn may_detach(
    storage: &Facts,
    unit: &UnitName,
    charm: &BTreeMap<String, Storage>,
    held: u32,
    force: bool,
) -> Result<(), Refused> {
    let id = &storage.id;
    if !storage.attached.contains(unit) {
        return Err(refused(
            Refusal::NotFound(Subject::Storage),
            format!("storage {id} is not attached to {unit}"),
        ));
    }
    let not = |why: String| Err(refused(Refusal::StorageNotDetachable, why));
    if storage.shared {
        return not(format!("all units of the application share storage {id}"));
    }
    if !storage.provider.is_persistent() {
        return not(format!(
            "storage {id} is of {}, which ends with its unit",
            storage.provider
        ));
    }
    let range = charm.get(id.name()).map(|one| one.multiple.as_ref());
    let range = range.and_then(|multiple| CountRange::of(multiple).ok());
    match range {
        Some(range) if !force && held <= range.least => not(format!(
            "the charm of {unit} needs {range} of the storage \"{}\", and the unit has {held}",
            id.name()
        )),
        _ => Ok(()),
    }
}

/// Whether a storage goes.
///
/// # Errors
/// Units have it, and nobody said that they are to let go of it; or nothing of it can be kept.
pub fn may_remove(storage: &Facts, removal: Removal) -> Result<(), Refused> {
    let id = &storage.id;
    if let Some(unit) = storage.attached.iter().next()
        && !removal.force
    {
        return Err(refused(
            Refusal::StorageIsAttached,
            format!("storage {id} is attached to {unit}"),
        ));
    }
    match removal.destroy || storage.provider.is_persistent() {
        true => Ok(()),
        false => Err(refused(
            Refusal::StorageNotDetachable,
            format!(
                "nothing of storage {id}, which is of {}, can be kept",
                storage.provider
            ),
        )),
    }
}

/// Whether an application, whose units have storage of the names `used`, may change to another charm.
///
/// # Errors
/// What they have would not fit any more.
pub fn compatible(
    before: &BTreeMap<String, Storage>,
    after: &BTreeMap<String, Storage>,
    used: &BTreeSet<String>,
) -> Result<(), Refused> {
    let not = |name: &str, why: String| {
        Err(refused(
            Refusal::StorageIncompatible,
            format!("storage \"{name}\", which units have, {why}"),
        ))
    };
    for (name, old) in before.iter().filter(|(name, _)| used.contains(*name)) {
        let Some(new) = after.get(name) else {
            return not(name, "is not in the new charm".to_owned());
        };
        let changed = [
            ("type", old.kind != new.kind),
            ("shared", old.shared != new.shared),
            ("read-only", old.read_only != new.read_only),
            ("location", old.location != new.location),
            ("single or multiple", is_moved(old, new)),
        ];
        if let Some((what, _)) = changed.iter().find(|(_, changed)| *changed) {
            return not(name, format!("differs in the new charm: {what}"));
        }
        let range = |one: &Storage| CountRange::of(one.multiple.as_ref()).map_err(invalid);
        let (old, new) = (range(old)?, range(new)?);
        let fewer = match (old.most, new.most) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(old), Some(new)) => new < old,
        };
        if fewer || new.least > old.least {
            return not(
                name,
                format!("may be {old} now and {new} with the new charm"),
            );
        }
    }
    Ok(())
}

/// Whether the path of what there is would be another one.
fn is_moved(old: &Storage, new: &Storage) -> bool {
    old.location.is_some() && old.multiple.is_some() != new.multiple.is_some()
}

fn find<'a>(charm: &'a BTreeMap<String, Storage>, name: &str) -> Result<&'a Storage, Refused> {
    charm.get(name).ok_or_else(|| {
        invalid(format!(
            "the charm declares no storage \"{name}\"{}",
            suggestion(name, charm.keys().map(String::as_str))
        ))
    })
}
