//! `LifeFlag`: whether an entity is alive, dying, dead or gone.

use periapt_model::{ModelUuid, Tag};
use periapt_store::{Interest, namespace};
use periapt_wire::agent::life_flag::{GetLife, WatchLife};

use super::watch;
use crate::rpc::RpcError;

handlers! { for periapt_wire::agent::life_flag:
    GetLife: |session, call| Ok(session.store().get_life(session.model()?, &call.entity).await?);
    WatchLife: |session, call| {
        let source = watch::notify(session, interest(session.model()?, &call.entity)?);
        session.watch(source, Vec::new())
    };
}

fn interest(model: &ModelUuid, entity: &Tag) -> Result<Interest, RpcError> {
    let interest = Interest::model(model);
    Ok(match entity {
        Tag::Model(uuid) => interest.key(namespace::MODEL, uuid),
        Tag::Application(name) => interest.key(namespace::APPLICATION, name),
        Tag::Unit(name) => interest.key(namespace::UNIT, name),
        Tag::Machine(id) => interest.key(namespace::MACHINE, id),
        Tag::Controller(_) | Tag::User(_) | Tag::Agent(..) => {
            return Err(RpcError::bad_request(format!(
                "{entity} has no life to watch"
            )));
        }
    })
}
