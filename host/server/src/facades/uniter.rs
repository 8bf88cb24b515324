//! `Uniter`: one unit's hooks.

use periapt_store::{Committed, HookBegin, HookCommit, Interest, namespace};
use periapt_wire::agent::uniter::{
    BeginHook, BeginTask, CommitHook, EndTask, EnsureUnitDead, FailHook, GetApplicationStatus,
    GetCharm, GetCloudAccess, GetDeclaredStorage, GetGoalState, GetLeaderSettings,
    GetRelationSettings, GetRemoteState, GetResource, GetState, GetTaskStatus, HookCommitted,
    LogTask, RequestReboot, SetApplicationStatus, SetState, SetUnitAgentStatus, SetUnitResource,
    SetUnitStatus, SetWorkloadVersion, WatchTasks, WatchUnit,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::uniter:
    WatchUnit: |session, call| {
        let application = call.unit.application();
        let place = session.store().unit_place(session.model()?, &call.unit).await?;
        let container = place.principal.as_ref().unwrap_or(&call.unit);
        let mut interest = Interest::model(session.model()?)
            .key(namespace::UNIT, &call.unit)
            .key(namespace::RESOLVED, &call.unit)
            .key(namespace::METER, &call.unit)
            .key(namespace::TASK, &call.unit)
            .key(namespace::APPLICATION, &application)
            .key(namespace::APPLICATION_CONFIG, &application)
            .key(namespace::APPLICATION_RELATIONS, &application)
            .key(namespace::LEADER_SETTINGS, &application)
            .key(namespace::RELATION_UNITS, &application)
            .key(namespace::RELATION_UNITS, container)
            .key(namespace::SECRET_HOOKS, &call.unit)
            .key(namespace::SECRET_HOOKS, &application)
            .key(namespace::STORAGE_HOOKS, &call.unit)
            .all(namespace::CHARM);
        if let Some(machine) = &place.machine {
            interest = interest
                .key(namespace::MACHINE, machine)
                .key(namespace::REBOOT, machine);
        }
        session.watch(watch::notify(session, interest), Vec::new())
    };
    GetRemoteState: |session, call| {
        let told = session.store().unit_told(session.model()?, &call.unit, &call.known.config).await?;
        Ok(told.map(|told| told.beyond(&call.known)))
    };
    GetState: |session, call| Ok(session.store().get_state(session.model()?, &call.unit).await?);
    SetState: |session, call| {
        session.store().set_state(session.model()?, &call.unit, call.from, &call.operation, call.takes_answer).await?;
        Ok(Empty {})
    };
    BeginHook: |session, call| {
        let begin = HookBegin {
            from: call.from,
            operation: call.operation,
            answer: call.answer,
            agent: call.agent,
            workload: call.workload,
        };
        session.store().begin_hook(session.model()?, &call.unit, begin).await?;
        Ok(Empty {})
    };
    CommitHook: |session, mut call| {
        let secrets = session.state().secrets();
        let sealed = secrets.take(session.model()?, &mut call.effects).await?;
        let commit = HookCommit {
            from: call.from,
            effects: call.effects,
            sealed,
            operation: call.operation,
            workload: call.workload,
            hook: call.hook,
            absent: call.absent,
            run: call.run,
            task: call.task,
            records: call.records,
            rests: call.rests,
            known: call.known.clone(),
        };
        let run = commit.run.clone();
        let Committed { told, idle } = session.store().commit_hook_run(session.model()?, &call.unit, commit).await?;
        if let Some(run) = run {
            session.state().observation().hook(session.model()?, &call.unit, &run);
        }
        Ok(HookCommitted { news: told.beyond(&call.known), idle })
    };
    FailHook: |session, call| {
        let run = call.run.clone();
        session.store().fail_hook(session.model()?, &call.unit, call.from, &call.operation, call.agent, call.run).await?;
        session.state().observation().hook(session.model()?, &call.unit, &run);
        Ok(Empty {})
    };
    RequestReboot: |session, call| {
        session.store().request_reboot(session.model()?, &call.unit, call.from, &call.operation, call.agent).await?;
        Ok(Empty {})
    };
    BeginTask: |session, call| {
        Ok(session.store().begin_task(session.model()?, &call.unit, call.task, call.agent).await?)
    };
    EndTask: |session, call| {
        let run = call.run.clone();
        session.store().end_task(session.model()?, &call.unit, call.end, call.run).await?;
        if let Some(run) = run {
            session.state().observation().hook(session.model()?, &call.unit, &run);
        }
        Ok(Empty {})
    };
    LogTask: |session, call| {
        session.store().log_task(session.model()?, &call.unit, call.task, &call.message).await?;
        Ok(Empty {})
    };
    WatchTasks: |session, call| {
        let interest = Interest::model(session.model()?).key(namespace::TASK, &call.unit);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    GetTaskStatus: |session, call| {
        Ok(session.store().task_status(session.model()?, &call.unit, call.task).await?)
    };
    GetApplicationStatus: |session, call| {
        Ok(session.store().get_application_status(session.model()?, &call.unit).await?)
    };
    SetUnitAgentStatus: |session, call| {
        session.store().set_agent_status(session.model()?, &call.unit, call.status).await?;
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
    GetRelationSettings: |session, call| {
        let store = session.store();
        Ok(store.relation_settings(session.model()?, &call.unit, call.relation, &call.of).await?)
    };
    GetLeaderSettings: |session, call| Ok(session.store().leader_settings(session.model()?, &call.unit).await?);
    GetGoalState: |session, call| Ok(session.store().goal_state(session.model()?, &call.unit).await?);
    GetResource: |session, call| {
        Ok(session.store().resource_of_unit(session.model()?, &call.unit, &call.name).await?)
    };
    GetCloudAccess: |session, call| {
        Ok(session.store().cloud_access(session.model()?, &call.unit).await?)
    };
    GetDeclaredStorage: |session, call| {
        Ok(session.store().declared_storage(session.model()?, &call.unit).await?)
    };
    SetUnitResource: |session, call| {
        session.store().set_unit_resource(session.model()?, &call.unit, &call.name, call.revision).await?;
        Ok(Empty {})
    };
    EnsureUnitDead: |session, call| {
        session.store().ensure_unit_dead(session.model()?, &call.unit).await?;
        Ok(Empty {})
    };
    GetCharm: |session, call| Ok(session.store().get_charm(session.model()?, &call.url).await?);
}
