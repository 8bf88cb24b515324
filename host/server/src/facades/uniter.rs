//! `Uniter`: one unit's hooks.

use periapt_model::status::Agent;
use periapt_model::uniter::{OperationKind, OperationStep};
use periapt_store::{Interest, namespace};
use periapt_wire::agent::uniter::{
    ClearResolved, CommitHook, EnsureUnitDead, GetCharm, GetHookSnapshot, GetRemoteState, GetState,
    SetApplicationStatus, SetCharmUrl, SetState, SetUnitAgentStatus, SetUnitStatus,
    SetWorkloadVersion, WatchUnit,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! {
    WatchUnit: |session, call| {
        let application = call.unit.application();
        let interest = Interest::model(session.model()?)
            .key(namespace::UNIT, &call.unit)
            .key(namespace::RESOLVED, &call.unit)
            .key(namespace::APPLICATION, &application)
            .key(namespace::APPLICATION_CONFIG, &application)
            .all(namespace::CHARM);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    GetRemoteState: |session, call| Ok(session.store().get_remote_state(session.model()?, &call.unit).await?);
    GetState: |session, call| Ok(session.store().get_state(session.model()?, &call.unit).await?);
    SetState: |session, call| {
        let model = session.model()?;
        session.store().set_state(model, &call.unit, &call.operation).await?;
        let operation = &call.operation;
        if let (OperationKind::RunHook, OperationStep::Pending, Some(hook)) = (operation.kind, operation.step, &operation.hook) {
            session.state().observation().hook_begins(model, &call.unit, hook.kind.as_str().to_owned());
        }
        Ok(Empty {})
    };
    GetHookSnapshot: |session, call| {
        Ok(session.store().get_hook_snapshot(session.model()?, &call.unit, session.state().limits()).await?)
    };
    CommitHook: |session, call| {
        let model = session.model()?;
        session.store().commit_hook(model, &call.unit, call.effects, &call.operation).await?;
        session.state().observation().hook_ends(model, &call.unit, None);
        Ok(Empty {})
    };
    SetUnitAgentStatus: |session, call| {
        let model = session.model()?;
        let failure = (call.status.status == Agent::Error).then(|| call.status.message.clone());
        session.store().set_unit_agent_status(model, &call.unit, call.status).await?;
        if let Some(failure) = failure {
            session.state().observation().hook_ends(model, &call.unit, Some(&failure));
        }
        Ok(Empty {})
    };
    SetUnitStatus: |session, call| {
        session.store().set_unit_status(session.model()?, &call.unit, call.status).await?;
        Ok(Empty {})
    };
    SetApplicationStatus: |session, call| {
        session.store().set_application_status(session.model()?, &call.unit, call.status).await?;
        Ok(Empty {})
    };
    SetWorkloadVersion: |session, call| {
        session.store().set_workload_version(session.model()?, &call.unit, &call.version).await?;
        Ok(Empty {})
    };
    SetCharmUrl: |session, call| {
        session.store().set_charm_url(session.model()?, &call.unit, &call.charm_url).await?;
        Ok(Empty {})
    };
    ClearResolved: |session, call| {
        session.store().clear_resolved(session.model()?, &call.unit).await?;
        Ok(Empty {})
    };
    EnsureUnitDead: |session, call| {
        session.store().ensure_unit_dead(session.model()?, &call.unit).await?;
        Ok(Empty {})
    };
    GetCharm: |session, call| Ok(session.store().get_charm(session.model()?, &call.url).await?);
}
