//! The host's side of the contract: the imports of the world, answered from the context and the
//! hook transaction.
//!
//! Every call is counted and checked against the deadline first. A refused call is an answer
//! (the charm sees a code and a message); only a used-up limit stops the guest.

use std::time::Instant;

use periapt_model::bounds::{STATUS_CHANGES, TEXT_BYTES};
use periapt_model::config;
use periapt_model::hook::Limits;
use periapt_model::ports as model_ports;
use periapt_model::status::Workload;
use periapt_model::text;
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime_wasi::filesystem::WasiFilesystemCtxView;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use self::periapt::charm::{log, ports, status, types};
use crate::context::{CallError, CallErrorCode, HookContext, LogLevel};
use crate::failure::HookFailure;
use crate::files::{self, Mounted};
use crate::journal::{SharedJournal, lock};
use crate::meter::Meter;
use crate::txn::HookTxn;

wasmtime::component::bindgen!({
    path: "../../guest-sdk/wit",
    world: "charm",
    imports: { default: trappable },
    exports: { default: async },
});

mod relations;

/// Longest status message, workload version and similar text that is kept, bytes.
pub(crate) const MESSAGE_BYTES: usize = TEXT_BYTES.length();

/// What belongs to one running hook.
pub(crate) struct HookState {
    pub(crate) wasi: WasiCtx,
    pub(crate) table: ResourceTable,
    pub(crate) meter: Meter,
    pub(crate) journal: SharedJournal,
    pub(crate) txn: HookTxn,
    /// Statuses and workload versions set so far.
    pub(crate) status_changes: usize,
    pub(crate) limits: Limits,
    /// Without what its calls waited for a turn.
    pub(crate) deadline: Instant,
    pub(crate) mounted: Option<Mounted>,
    /// Why the host stopped the guest; said before any trap that follows from it.
    pub(crate) stopped: Option<HookFailure>,
}

impl HookState {
    /// When the guest has to have ended.
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline + lock(&self.journal).context.waited()
    }

    /// Whether the guest may go on; otherwise remembers why not.
    pub(crate) fn check(&mut self) -> wasmtime::Result<()> {
        let now = Instant::now();
        let reason = if self.meter.host_calls > self.limits.host_calls {
            Some(HookFailure::HostCallLimit {
                limit: self.limits.host_calls,
            })
        } else if now >= self.deadline() {
            Some(HookFailure::Deadline {
                limit: self.limits.wall_clock(),
            })
        } else {
            self.mounted.as_mut().and_then(|mounted| mounted.watch(now))
        };
        match reason {
            Some(reason) => Err(self.stop(reason)),
            None => Ok(()),
        }
    }

    fn enter(&mut self) -> wasmtime::Result<()> {
        self.meter.host_calls += 1;
        self.check()
    }

    fn stop(&mut self, reason: HookFailure) -> wasmtime::Error {
        let error = wasmtime::Error::msg(reason.to_string());
        self.stopped.get_or_insert(reason);
        error
    }

    /// Calls the context; the borrow of the journal ends with the call.
    fn context<R>(&mut self, call: impl FnOnce(&mut dyn HookContext) -> R) -> wasmtime::Result<R> {
        self.enter()?;
        Ok(call(lock(&self.journal).context.as_mut()))
    }

    /// Makes a change that takes effect at once, of which a hook has a number.
    fn at_once(
        &mut self,
        change: impl FnOnce(&mut dyn HookContext) -> Result<(), CallError>,
    ) -> Answer<()> {
        self.enter()?;
        if STATUS_CHANGES.exceeded_by(self.status_changes + 1) {
            let error = CallError::limit(format!(
                "one hook may set statuses and versions {} times, and this one has",
                STATUS_CHANGES.most
            ));
            return Ok(Err(error.into()));
        }
        self.status_changes += 1;
        let changed = change(lock(&self.journal).context.as_mut());
        Ok(changed.map_err(types::Error::from))
    }

    fn transaction<R>(
        &mut self,
        call: impl FnOnce(&mut HookTxn, &mut dyn HookContext) -> Result<R, CallError>,
    ) -> wasmtime::Result<Result<R, types::Error>> {
        self.enter()?;
        let mut journal = lock(&self.journal);
        Ok(call(&mut self.txn, journal.context.as_mut()).map_err(types::Error::from))
    }
}

impl HookState {
    /// Every call that concerns files begins here, and is counted like the others of WASI.
    pub(crate) fn files(&mut self) -> files::View<'_> {
        self.meter.host_calls += 1;
        files::View {
            wasi: WasiFilesystemCtxView {
                ctx: self.wasi.filesystem(),
                table: &mut self.table,
            },
            mounted: self.mounted.as_mut(),
            stopped: &mut self.stopped,
        }
    }
}

impl WasiView for HookState {
    /// Every WASI call begins here, which is how they are counted. It cannot refuse: the epoch
    /// that follows within a tick does.
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.meter.host_calls += 1;
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// Everything a charm may import: the world and WASI 0.2, with files that wait to be used.
pub(crate) fn link(linker: &mut Linker<HookState>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_async(linker)?;
    files::link(linker)?;
    Charm::add_to_linker::<_, HasSelf<_>>(linker, |state| state)
}

impl From<CallError> for types::Error {
    fn from(error: CallError) -> Self {
        let code = match error.code {
            CallErrorCode::Invalid => types::ErrorCode::Invalid,
            CallErrorCode::NotFound => types::ErrorCode::NotFound,
            CallErrorCode::Denied => types::ErrorCode::Denied,
            CallErrorCode::Limit => types::ErrorCode::Limit,
            CallErrorCode::Unavailable => types::ErrorCode::Unavailable,
        };
        Self {
            code,
            message: error.message,
        }
    }
}

fn value(value: config::Value) -> types::Value {
    match value {
        config::Value::Boolean(truth) => types::Value::Boolean(truth),
        config::Value::Integer(number) => types::Value::Integer(number),
        config::Value::Number(number) => types::Value::Number(number),
        config::Value::Text(text) => types::Value::Text(text),
    }
}

type Answer<T> = wasmtime::Result<Result<T, types::Error>>;

impl types::Host for HookState {}

impl periapt::charm::config::Host for HookState {
    fn get(&mut self, key: String) -> Answer<Option<types::Value>> {
        self.context(|context| match context.config().get(&key) {
            Some(found) => Ok(Some(value(found.clone()))),
            None if context.knows_option(&key) => Ok(None),
            None => {
                let key = text::clean_line_at_most(&key, 100);
                Err(CallError::not_found(format!("the charm has no option \"{key}\"")).into())
            }
        })
    }

    fn all(&mut self) -> Answer<Vec<(String, types::Value)>> {
        self.context(|context| {
            let values = context.config().iter();
            Ok(values
                .map(|(name, found)| (name.clone(), value(found.clone())))
                .collect())
        })
    }
}

/// The words a charm may set; the others are the agent's to say.
fn settable(kind: status::Kind) -> Result<Workload, CallError> {
    Ok(match kind {
        status::Kind::Maintenance => Workload::Maintenance,
        status::Kind::Blocked => Workload::Blocked,
        status::Kind::Waiting => Workload::Waiting,
        status::Kind::Active => Workload::Active,
        status::Kind::Unknown | status::Kind::Error | status::Kind::Terminated => {
            return Err(CallError::invalid(
                "a charm can set one of: maintenance, blocked, waiting, active",
            ));
        }
    })
}

fn status_info(
    status: periapt_model::status::Status<Workload>,
) -> Result<status::Info, types::Error> {
    let kind = match status.status {
        Workload::Error => status::Kind::Error,
        Workload::Blocked => status::Kind::Blocked,
        Workload::Maintenance => status::Kind::Maintenance,
        Workload::Waiting => status::Kind::Waiting,
        Workload::Active => status::Kind::Active,
        Workload::Terminated => status::Kind::Terminated,
        Workload::Unknown | Workload::Unset => status::Kind::Unknown,
    };
    Ok(status::Info {
        kind,
        message: status.message,
    })
}

fn leader_only(context: &mut dyn HookContext) -> Result<(), CallError> {
    match context.is_leader()? {
        true => Ok(()),
        false => Err(CallError::denied(
            "only the leader has the status of the application",
        )),
    }
}

impl status::Host for HookState {
    fn unit_get(&mut self) -> Answer<status::Info> {
        self.context(|context| status_info(context.unit_status()?))
    }

    fn unit_set(&mut self, kind: status::Kind, message: String) -> Answer<()> {
        self.at_once(|context| {
            let message = text::clean_line_at_most(&message, MESSAGE_BYTES);
            context.set_unit_status(settable(kind)?, &message)
        })
    }

    fn application_get(&mut self) -> Answer<status::Info> {
        self.context(|context| {
            leader_only(context)?;
            status_info(context.application_status()?)
        })
    }

    fn application_set(&mut self, kind: status::Kind, message: String) -> Answer<()> {
        self.at_once(|context| {
            let status = settable(kind)?;
            leader_only(context)?;
            let message = text::clean_line_at_most(&message, MESSAGE_BYTES);
            context.set_application_status(status, &message)
        })
    }
}

impl periapt::charm::state::Host for HookState {
    fn get(&mut self, key: String) -> Answer<Option<String>> {
        self.transaction(|txn, context| txn.state_get(context, &key))
    }

    fn set(&mut self, key: String, value: String) -> Answer<()> {
        self.transaction(|txn, context| txn.state_set(context, key, value))
    }

    fn delete(&mut self, key: String) -> Answer<()> {
        self.transaction(|txn, context| txn.state_delete(context, key))
    }

    fn all(&mut self) -> Answer<Vec<(String, String)>> {
        self.transaction(|txn, context| txn.state_all(context))
    }
}

fn port_range(range: ports::PortRange) -> Result<model_ports::PortRange, CallError> {
    let protocol = match range.protocol {
        ports::Protocol::Tcp => model_ports::Protocol::Tcp,
        ports::Protocol::Udp => model_ports::Protocol::Udp,
        ports::Protocol::Icmp => model_ports::Protocol::Icmp,
    };
    model_ports::PortRange::new(protocol, range.start, range.end).map_err(CallError::invalid)
}

impl ports::Host for HookState {
    fn open(&mut self, range: ports::PortRange) -> Answer<()> {
        self.transaction(|txn, context| txn.open_port(context, port_range(range)?))
    }

    fn close(&mut self, range: ports::PortRange) -> Answer<()> {
        self.transaction(|txn, context| txn.close_port(context, port_range(range)?))
    }

    fn opened(&mut self) -> Answer<Vec<ports::PortRange>> {
        self.transaction(|txn, context| {
            let opened = txn.opened_ports(context)?.into_iter();
            Ok(opened
                .map(|range| ports::PortRange {
                    start: range.start,
                    end: range.end,
                    protocol: match range.protocol {
                        model_ports::Protocol::Tcp => ports::Protocol::Tcp,
                        model_ports::Protocol::Udp => ports::Protocol::Udp,
                        model_ports::Protocol::Icmp => ports::Protocol::Icmp,
                    },
                })
                .collect())
        })
    }
}

impl periapt::charm::unit::Host for HookState {
    fn name(&mut self) -> wasmtime::Result<String> {
        self.context(|context| context.unit_name())
    }

    fn model_name(&mut self) -> wasmtime::Result<String> {
        self.context(|context| context.model_name())
    }

    fn private_address(&mut self) -> Answer<String> {
        self.context(|context| Ok(context.private_address()?))
    }

    fn public_address(&mut self) -> Answer<String> {
        self.context(|context| Ok(context.public_address()?))
    }

    fn workload_version_set(&mut self, version: String) -> Answer<()> {
        self.at_once(|context| {
            context.set_workload_version(&text::clean_line_at_most(&version, MESSAGE_BYTES))
        })
    }
}

impl log::Host for HookState {
    fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        self.enter()?;
        let level = match level {
            log::Level::Trace => LogLevel::Trace,
            log::Level::Debug => LogLevel::Debug,
            log::Level::Info => LogLevel::Info,
            log::Level::Warning => LogLevel::Warning,
            log::Level::Error => LogLevel::Error,
        };
        let logged = lock(&self.journal).log(level, &message);
        logged.map_err(|_| {
            self.stop(HookFailure::OutputLimit {
                limit: self.limits.output_bytes,
            })
        })
    }
}
