//! The facades: what each call does, one file per facade.
//!
//! A handler translates a call into one call of the store or the lease manager. Who may call it
//! is decided before it runs, by the table in [`crate::access`]; that each call of the wire has
//! both a row and a handler is tested there.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;

use futures::future::BoxFuture;
use periapt_model::bounds::LEASE_MILLISECONDS;
use periapt_wire::Call;
use serde_json::Value;

use crate::rpc::session::answer;
use crate::rpc::{RpcError, Session};

/// Declares the handlers of one facade: `Call: |session, call| body`, and their table.
macro_rules! handlers {
    ($( $call:ty: |$session:ident, $request:pat_param| $body:expr; )+) => {
        $(
            impl $crate::facades::Handle for $call {
                async fn handle(self, $session: &$crate::rpc::Session) -> Result<Self::Reply, $crate::rpc::RpcError> {
                    let $request = self;
                    $body
                }
            }
        )+
        pub(super) fn handlers() -> Vec<$crate::facades::Handler> {
            vec![$($crate::facades::handler::<$call>()),+]
        }
    };
}

mod agent_host;
mod charm_downloader;
mod cleaner;
mod credential_validator;
mod deployer;
mod leadership;
mod life_flag;
mod log_forwarding;
mod log_sink;
mod machine_undertaker;
mod machiner;
mod model_config;
mod model_manager;
mod model_upgrader;
mod pinger;
mod provisioner;
mod retry_strategy;
mod singular;
mod status_history;
mod undertaker;
mod unit_assigner;
mod uniter;

/// A call that the server can run.
pub(crate) trait Handle: Call {
    fn handle(
        self,
        session: &Session,
    ) -> impl Future<Output = Result<Self::Reply, RpcError>> + Send;
}

type Run = for<'a> fn(&'a Session, Value) -> BoxFuture<'a, Result<Value, RpcError>>;

/// How a method is run.
pub struct Handler {
    pub facade: &'static str,
    pub method: &'static str,
    pub version: u32,
    pub(crate) run: Run,
}

/// For how long a lease is claimed, within its bound.
fn lease_time(milliseconds: u64) -> Result<Duration, RpcError> {
    let most = LEASE_MILLISECONDS.most;
    if milliseconds == 0 || milliseconds > most {
        let why = format!("a lease is claimed for 1 to {most} milliseconds, not {milliseconds}");
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

/// The handler of a method.
pub fn find(facade: &str, method: &str) -> Option<&'static Handler> {
    static TABLE: LazyLock<HashMap<&'static str, HashMap<&'static str, Handler>>> =
        LazyLock::new(|| {
            let mut table: HashMap<&'static str, HashMap<&'static str, Handler>> = HashMap::new();
            for handler in all() {
                table
                    .entry(handler.facade)
                    .or_default()
                    .insert(handler.method, handler);
            }
            table
        });
    TABLE.get(facade)?.get(method)
}

fn all() -> Vec<Handler> {
    [
        agent_host::handlers(),
        charm_downloader::handlers(),
        cleaner::handlers(),
        credential_validator::handlers(),
        deployer::handlers(),
        leadership::handlers(),
        life_flag::handlers(),
        log_forwarding::handlers(),
        log_sink::handlers(),
        machine_undertaker::handlers(),
        machiner::handlers(),
        model_config::handlers(),
        model_manager::handlers(),
        model_upgrader::handlers(),
        pinger::handlers(),
        provisioner::handlers(),
        retry_strategy::handlers(),
        singular::handlers(),
        status_history::handlers(),
        undertaker::handlers(),
        unit_assigner::handlers(),
        uniter::handlers(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn handler<C: Handle>() -> Handler {
    fn run<C: Handle>(session: &Session, params: Value) -> BoxFuture<'_, Result<Value, RpcError>> {
        Box::pin(async move {
            let call: C = serde_json::from_value(params).map_err(RpcError::bad_request)?;
            answer(&call.handle(session).await?)
        })
    }
    Handler {
        facade: C::FACADE,
        method: C::METHOD,
        version: C::VERSION,
        run: run::<C>,
    }
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
