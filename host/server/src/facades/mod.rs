//! The facades: what each call does, one file per facade.
//!
//! A handler translates a call into one call of the store or the lease manager. Who may call it is
//! decided before it runs, by the call's declaration and [`crate::access`]. A facade with a call that no
//! handler runs does not compile.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;
use std::time::Duration;

use futures::future::BoxFuture;
use periapt_model::bounds::LEASE_MILLISECONDS;
use periapt_wire::Call;
use periapt_wire::rpc::Json;

use crate::access::Rule;
use crate::rpc::session::answer;
use crate::rpc::{RpcError, Session};

/// The handlers of one facade, by the module of its declaration, `Call: |session, call| body`. A method
/// that has other shapes in another version has a call for each, and so a handler.
macro_rules! handlers {
    (for $($facade:ident)::+: $( $call:ty: |$session:ident, $request:pat_param| $body:expr; )+) => {
        $(
            impl $crate::facades::Handle for $call {
                async fn handle(self, $session: &$crate::rpc::Session) -> Result<Self::Reply, $crate::rpc::RpcError> {
                    let $request = self;
                    $body
                }
            }
        )+
        pub(super) fn handlers() -> Vec<$crate::facades::Handler> {
            const HANDLED: usize = [$(stringify!($call)),+].len();
            const _: () = assert!(
                HANDLED == $($facade)::+::CALLS,
                "a call of the facade has no handler",
            );
            let mut all = Vec::new();
            $(all.extend($crate::facades::of_call::<$call>());)+
            all
        }
    };
}

mod action_pruner;
mod agent_host;
mod alerts;
mod application_scaler;
mod charm_downloader;
mod charm_revisions;
mod cleaner;
mod credential_validator;
mod deployer;
mod disk_manager;
mod firewaller;
mod instance_poller;
mod leadership;
mod life_flag;
mod log_forwarding;
mod log_sink;
mod machine_actions;
mod machine_undertaker;
mod machiner;
mod metric_pruning;
mod metrics;
mod model_config;
mod model_manager;
mod model_upgrader;
mod pinger;
mod provisioner;
mod proxy_updater;
mod reboot;
mod retry_strategy;
mod secret_backends;
mod secrets;
mod secrets_drain;
mod singular;
mod status_history;
mod storage_provisioner;
#[cfg(test)]
mod tests;
mod undertaker;
mod unit_assigner;
mod uniter;
mod workloads;

/// A call that the server can run.
pub(crate) trait Handle: Call {
    fn handle(
        self,
        session: &Session,
    ) -> impl Future<Output = Result<Self::Reply, RpcError>> + Send;
}

type Run = for<'a> fn(&'a Session, &'a str) -> BoxFuture<'a, Result<Json, RpcError>>;

/// How a call is run.
pub(crate) struct Handler {
    pub rule: Rule,
    pub run: Run,
}

/// For how long a lease is claimed, within its bound.
fn lease_time(milliseconds: u64) -> Result<Duration, RpcError> {
    let most = LEASE_MILLISECONDS.most;
    if milliseconds == 0 || milliseconds > most {
        let why =
            format!("a lease can be claimed for 1 to {most} milliseconds, not {milliseconds}");
        return Err(RpcError::bad_request(why));
    }
    Ok(Duration::from_millis(milliseconds))
}

/// What a watcher makes of a wake-up: the names that changed since it last looked.
pub trait Names: Send {
    /// Must not forget anything when it is dropped before its end.
    fn look<'a>(&'a mut self, session: &'a Session)
    -> BoxFuture<'a, Result<Vec<String>, RpcError>>;
}

static HANDLERS: LazyLock<Vec<Handler>> = LazyLock::new(|| {
    [
        action_pruner::handlers(),
        agent_host::handlers(),
        alerts::handlers(),
        application_scaler::handlers(),
        charm_downloader::handlers(),
        charm_revisions::handlers(),
        cleaner::handlers(),
        credential_validator::handlers(),
        deployer::handlers(),
        disk_manager::handlers(),
        firewaller::handlers(),
        instance_poller::handlers(),
        leadership::handlers(),
        life_flag::handlers(),
        log_forwarding::handlers(),
        log_sink::handlers(),
        machine_actions::handlers(),
        machine_undertaker::handlers(),
        machiner::handlers(),
        metric_pruning::handlers(),
        metrics::handlers(),
        model_config::handlers(),
        model_manager::handlers(),
        model_upgrader::handlers(),
        pinger::handlers(),
        provisioner::handlers(),
        proxy_updater::handlers(),
        reboot::handlers(),
        retry_strategy::handlers(),
        secret_backends::handlers(),
        secrets::handlers(),
        secrets_drain::handlers(),
        singular::handlers(),
        status_history::handlers(),
        storage_provisioner::handlers(),
        undertaker::handlers(),
        unit_assigner::handlers(),
        uniter::handlers(),
        workloads::handlers(),
    ]
    .into_iter()
    .flatten()
    .collect()
});

type Methods = HashMap<&'static str, &'static Handler>;

/// The same by facade and version.
#[derive(Default)]
struct Facades(HashMap<&'static str, BTreeMap<u32, Methods>>);

static FACADES: LazyLock<Facades> = LazyLock::new(|| Facades::of(all()));

impl Facades {
    fn of(handlers: impl Iterator<Item = &'static Handler>) -> Self {
        let mut facades = Self::default();
        for handler in handlers {
            let Rule {
                facade,
                version,
                method,
                ..
            } = handler.rule;
            let versions = facades.0.entry(facade).or_default();
            versions.entry(version).or_default().insert(method, handler);
        }
        facades
    }

    fn find(&self, facade: &str, version: u32, method: &str) -> Option<&'static Handler> {
        let versions = self.0.get(facade)?;
        let methods = match version {
            0 => versions.values().next_back(),
            version => versions.get(&version),
        };
        methods?.get(method).copied()
    }
}

/// The handler of a method; in the newest version of the facade for version 0.
pub(crate) fn find(facade: &str, version: u32, method: &str) -> Option<&'static Handler> {
    FACADES.find(facade, version, method)
}

/// The handlers of all calls, facade by facade.
pub(crate) fn all() -> std::slice::Iter<'static, Handler> {
    HANDLERS.iter()
}

/// The handlers of a call: one for each version that it is in.
fn of_call<C: Handle>() -> impl Iterator<Item = Handler> {
    fn run<'a, C: Handle>(
        session: &'a Session,
        params: &'a str,
    ) -> BoxFuture<'a, Result<Json, RpcError>> {
        Box::pin(async move {
            let call: C = serde_json::from_str(params).map_err(RpcError::bad_request)?;
            answer(&call.handle(session).await?)
        })
    }
    Rule::in_all_versions::<C>().map(|rule| Handler {
        rule,
        run: run::<C>,
    })
}

/// The sources that most watchers are made of. Each subscribes before anybody reads, so that no
/// change falls in between.
mod watch {
    use periapt_store::Interest;

    use crate::facades::Names;
    use crate::rpc::Session;
    use crate::rpc::watcher::Source;

    pub(super) fn notify(session: &Session, interest: Interest) -> Source {
        Source::Notify(Box::new(session.store().changes().subscribe(interest)))
    }

    pub(super) fn keys(session: &Session, interest: Interest) -> Source {
        Source::Keys(Box::new(session.store().changes().subscribe(interest)))
    }

    pub(super) fn named(
        session: &Session,
        interest: Interest,
        names: impl Names + 'static,
    ) -> Source {
        Source::Named(
            Box::new(session.store().changes().subscribe(interest)),
            Box::new(names),
        )
    }

    /// Names as a watcher's first event carries them.
    pub(super) fn texts<T: ToString>(names: &[T]) -> Vec<String> {
        names.iter().map(T::to_string).collect()
    }
}
