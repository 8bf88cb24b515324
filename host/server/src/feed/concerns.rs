//! Which entities a change concerns: a pure function of the change.
//!
//! What is shown of an entity is made of more than its own rows: an application lists its units,
//! a unit says whether it leads, a model counts. Asking for one of those too many costs a read,
//! since what shows no change makes no event.

use periapt_model::Tag;
use periapt_store::EntityKind::{
    Alert, Application, Charm, Hook, Machine, Model, Operation, Relation, Secret, Storage, Unit,
    User,
};
use periapt_store::{Change, Wanted, namespace as ns};

/// What to read after these changes, with the position of the last change of each.
pub(super) fn wanted(changes: &[Change]) -> Wanted {
    let mut all = Wanted::new();
    for change in changes {
        let (key, position) = (change.key.as_str(), change.position);
        let wanted = all.entry(change.model.clone()).or_default();
        match change.namespace {
            ns::MODEL | ns::MODEL_CONFIG => wanted.add(Model, &change.model, position),
            ns::CHARM => wanted.add(Charm, key, position),
            ns::APPLICATION => {
                wanted.add(Application, key, position);
                wanted.add_shown(Model, &change.model, position);
            }
            ns::APPLICATION_CONFIG | ns::APPLICATION_STATUS => {
                wanted.add(Application, key, position);
            }
            ns::UNIT => {
                wanted.add(Unit, key, position);
                wanted.add_shown(Application, application(key), position);
                wanted.add_shown(Model, &change.model, position);
            }
            ns::UNIT_STATUS | ns::CONTAINER | ns::PORT => {
                wanted.add(Unit, key, position);
                wanted.add_shown(Application, application(key), position);
            }
            ns::RESOLVED | ns::METER | ns::UNIT_ASSIGNMENT => wanted.add(Unit, key, position),
            ns::MACHINE => {
                wanted.add(Machine, key, position);
                wanted.add_shown(Model, &change.model, position);
                wanted.units_on.insert(key.to_owned(), position);
            }
            ns::MACHINE_STATUS | ns::MACHINE_REMOVAL => {
                wanted.add(Machine, key, position);
            }
            // A principal lists its subordinates, which are on its machine.
            ns::MACHINE_UNITS => {
                wanted.add(Machine, key, position);
                wanted.units_on.insert(key.to_owned(), position);
            }
            ns::RELATION => wanted.add(Relation, key, position),
            ns::RELATION_STATUS => wanted.add_shown(Relation, key, position),
            ns::APPLICATION_RELATIONS => wanted.add_shown(Application, key, position),
            ns::WAITING => match key.split_once('/') {
                Some(("unit", unit)) => {
                    wanted.add_shown(Unit, unit, position);
                    wanted.add_shown(Application, application(unit), position);
                }
                Some(("machine", id)) => wanted.add_shown(Machine, id, position),
                Some(("relation", id)) => wanted.add_shown(Relation, id, position),
                _ => {}
            },
            ns::LEASE => {
                if let Some(name) = key.strip_prefix(ns::LEADERSHIP) {
                    wanted.units_of.insert(name.to_owned(), position);
                }
            }
            ns::PRESENCE => wanted.agents = Some(position),
            ns::USER => {
                let user = key.split('/').next().unwrap_or_default();
                wanted.add(User, user, position);
            }
            ns::ANNOTATION => match key.parse::<Tag>() {
                Ok(Tag::Application(name)) => wanted.add(Application, name.as_str(), position),
                Ok(Tag::Unit(name)) => wanted.add(Unit, name.as_str(), position),
                Ok(Tag::Machine(id)) => wanted.add(Machine, id.as_str(), position),
                _ => wanted.add(Model, &change.model, position),
            },
            ns::ALERT => wanted.add(Alert, key, position),
            ns::HOOK => wanted.add(Hook, key, position),
            ns::OPERATION => wanted.add(Operation, key, position),
            ns::SECRET => wanted.add(Secret, key, position),
            ns::STORAGE => wanted.add(Storage, key, position),
            // A queued clean-up, settings of the controller and lines of log show in no entity; what
            // concerns the units of a relation is told of the relation too.
            _ => {}
        }
    }
    all.retain(|_, wanted| !wanted.is_empty());
    all
}

fn application(unit: &str) -> &str {
    unit.rsplit_once('/').map_or(unit, |(name, _)| name)
}
