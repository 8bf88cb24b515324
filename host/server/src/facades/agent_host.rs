//! `AgentHost`: what the process that hosts a model's machines needs to know of itself.

use periapt_model::Refusal;
use periapt_model::refusal::Subject;
use periapt_store::{Interest, namespace};
use periapt_wire::agent::host::{
    AgentQuestions, ChangePassword, GoneUnits, HostModel, HostedMachines, HostedModel, PutAnswer,
    WatchAgentQuestions, WatchApiAddresses, WatchHostedMachines,
};
use periapt_wire::rpc::Empty;

use super::watch;
use crate::questions::Host;
use crate::rpc::watcher::Source;
use crate::rpc::{RpcError, Session};

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
    ChangePassword: |session, call| {
        let (model, agent) = (session.model()?, session.agent()?);
        session.store().change_agent_password(model, agent, &call.present_password, &call.password).await?;
        Ok(Empty {})
    };
    WatchAgentQuestions: |session, _| {
        let questions = session.state().questions().watch(&host(session)?);
        session.watch(Source::Counter(questions), Vec::new())
    };
    AgentQuestions: |session, _| Ok(session.state().questions().waiting(&host(session)?));
    PutAnswer: |session, call| {
        session.state().questions().put(&host(session)?, call.number, call.answer);
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
