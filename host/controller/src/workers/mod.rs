//! The workers of the controller, one file each, and the table of its engine.
//!
//! The engine has two roots: the store, on which leases, the change stream and the API stand, and
//! the API's own connection back into itself, on which everything stands that merely uses the
//! API.

pub mod agent;
pub mod agentconfigupdater;
pub mod alerts;
pub mod apicaller;
pub mod apiconfigwatcher;
pub mod apiserver;
pub mod apiservercertwatcher;
pub mod auditconfigupdater;
pub mod certupdater;
pub mod changestream;
pub mod controllerport;
pub mod dbaccessor;
pub mod httpserver;
pub mod httpserverargs;
pub mod introspection;
pub mod lease;
pub mod leaseexpiry;
pub mod logger;
pub mod modelcache;
pub mod modelworkermanager;
pub mod multiwatcher;
pub mod presence;
pub mod querylogger;
pub mod secretbackendrotate;
pub mod simplesignalhandler;
pub mod syslogger;
pub mod upgradesteps;

use periapt_agents::model::singular;
use periapt_engine::{Housing, Manifolds, gate};
use periapt_model::Tag;

use crate::ControllerContext;

/// The table. Rows are in the order in which the gates open.
pub fn manifolds(controller: &ControllerContext) -> Manifolds {
    let own_tag = Tag::Controller(controller.config.uuid.clone());
    let claimant = controller.config.claimant();

    Manifolds::new()
        .add(agent::NAME, agent::manifold(controller))
        .add(simplesignalhandler::NAME, simplesignalhandler::manifold())
        .add(controllerport::NAME, controllerport::manifold())
        .add(querylogger::NAME, querylogger::manifold())
        .add(dbaccessor::NAME, dbaccessor::manifold())
        .add(upgradesteps::GATE, gate::lent(controller.upgraded.clone()))
        .add(upgradesteps::NAME, upgradesteps::manifold())
        .add(upgradesteps::FLAG, gate::flag(upgradesteps::GATE))
        .add(changestream::NAME, changestream::manifold())
        .add(agentconfigupdater::NAME, agentconfigupdater::manifold())
        .add(lease::NAME, lease::manifold())
        .add(leaseexpiry::NAME, leaseexpiry::manifold())
        .add(introspection::NAME, introspection::manifold())
        .add(presence::NAME, presence::manifold())
        .add(auditconfigupdater::NAME, auditconfigupdater::manifold())
        .add(syslogger::NAME, syslogger::manifold())
        .add(multiwatcher::NAME, multiwatcher::manifold())
        .add(modelcache::NAME, modelcache::manifold())
        .add(httpserverargs::NAME, httpserverargs::manifold())
        .add(apiserver::NAME, apiserver::manifold())
        .add(apiservercertwatcher::NAME, apiservercertwatcher::manifold())
        .add(certupdater::NAME, certupdater::manifold())
        .add(httpserver::NAME, httpserver::manifold())
        .add(apiconfigwatcher::NAME, apiconfigwatcher::manifold())
        .add(apicaller::NAME, apicaller::manifold())
        .add(singular::PRIMARY, singular::manifold(own_tag, claimant))
        .add(logger::NAME, logger::manifold())
        .group(Housing::new().flag(upgradesteps::FLAG), |rows| {
            rows.add(modelworkermanager::NAME, modelworkermanager::manifold())
        })
        .group(
            Housing::new()
                .flag(upgradesteps::FLAG)
                .flag(singular::PRIMARY),
            |rows| {
                rows.add(secretbackendrotate::NAME, secretbackendrotate::manifold())
                    .add(alerts::NAME, alerts::manifold())
            },
        )
}
