//! `AgentHost`: what the process that hosts a model's machines needs to know of itself.

use periapt_model::Refusal;
use periapt_model::refusal::Subject;
use periapt_store::{Interest, namespace};
use periapt_wire::agent::host::{
    ChangePassword, FileQuestions, GoneUnits, HostModel, HostedMachines, HostedModel, PutFiles,
    PutIntrospection, PutReport, WatchApiAddresses, WatchFileQuestions, WatchHostedMachines,
    WatchIntrospectionRequests, WatchReportRequests,
};
use periapt_wire::rpc::Empty;

use super::watch;
use crate::rpc::watcher::Source;
use crate::rpc::{RpcError, Session};
use crate::unit_files::Host;

handlers! { for periapt_wire::agent::host:
    WatchHostedMachines: |session, _| {
        let model = session.model()?;
        let source = watch::keys(session, Interest::model(model).all(namespace::MACHINE));
        let machines = session.store().hosted_machines(model, session.agent()?).await?;
        session.watch(source, watch::texts(&machines))
    };
    HostedMachines: |session, call| Ok(session.store().hosted_of(session.model()?, session.agent()?, &call.machines).await?);
    GoneUnits: |session, call| Ok(session.store().gone_units(session.model()?, call.units).await?);
    WatchApiAddresses: |session, _| {
        let interest = Interest::any_model().all(namespace::CONTROLLER_NODE);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    HostModel: |session, _| {
        let model = session.model()?;
        let info = session.store().get_model(model).await?;
        let info = info.ok_or_else(|| RpcError::new(Refusal::NotFound(Subject::Model), format!("model {model} not found")))?;
        let state = session.state();
        Ok(HostedModel {
            uuid: info.uuid,
            name: info.name,
            controller_uuid: state.controller().uuid.clone(),
            api_addresses: api_host_ports(session).await?,
            limits: state.limits().clone(),
        })
    };
    WatchReportRequests: |session, _| {
        let questions = session.state().agent_reports().questions(session.model()?);
        session.watch(Source::Counter(questions), Vec::new())
    };
    PutReport: |session, call| {
        session.state().agent_reports().put(session.model()?, session.number(), call.rows);
        Ok(Empty {})
    };
    WatchIntrospectionRequests: |session, _| {
        let questions = session.state().observation().agents.questions(session.model()?);
        session.watch(Source::Counter(questions), Vec::new())
    };
    ChangePassword: |session, call| {
        let (model, agent) = (session.model()?, session.agent()?);
        session.store().change_agent_password(model, agent, &call.present_password, &call.password).await?;
        Ok(Empty {})
    };
    PutIntrospection: |session, call| {
        let model = session.model()?;
        session.state().observation().agents.put(model, session.number(), call.introspection);
        Ok(Empty {})
    };
    WatchFileQuestions: |session, _| {
        let questions = session.state().unit_files().questions(&host(session)?);
        session.watch(Source::Counter(questions), Vec::new())
    };
    FileQuestions: |session, _| Ok(session.state().unit_files().waiting(&host(session)?));
    PutFiles: |session, call| {
        session.state().unit_files().put(&host(session)?, call.number, call.answer);
        Ok(Empty {})
    };
}

/// The agent that calls. It hears and answers what is asked of itself.
fn host(session: &Session) -> Result<Host, RpcError> {
    Ok((session.model()?.clone(), session.agent()?.clone()))
}

/// `HOST:PORT` of all processes of the controller, as agents reach them.
pub(super) async fn api_host_ports(session: &Session) -> Result<Vec<String>, RpcError> {
    Ok(match session.store().agent_addresses().await? {
        none if none.is_empty() => session.state().addresses(),
        all => all,
    })
}
