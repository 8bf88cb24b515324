//! The world of a charm: what a running hook has, and how its calls come in.
//!
//! Every call is counted and checked against the deadline first. A refused call is an answer
//! (the charm sees a code and a message); only a used-up limit stops the guest. The calls
//! themselves are answered in [`crate::tools`].

use std::time::Instant;

use periapt_contract::{CallError, CallErrorCode, HookTxn};
use periapt_model::bounds::TEXT_BYTES;
use periapt_model::hook::Limits;
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime_wasi::filesystem::WasiFilesystemCtxView;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use self::periapt::charm::types;
use crate::failure::HookFailure;
use crate::files::{self, Mounted};
use crate::journal::{SharedJournal, lock};
use crate::meter::Meter;
use crate::tools::{self, HookContext};

wasmtime::component::bindgen!({
    path: "../../guest-sdk/wit",
    world: "charm",
    imports: { default: trappable },
    exports: { default: async },
});

/// The most that is kept of a charm's own words and of what is said about it, bytes.
pub(crate) const MESSAGE_BYTES: usize = TEXT_BYTES.length();

/// What belongs to one running hook.
pub(crate) struct HookState {
    pub(crate) wasi: WasiCtx,
    pub(crate) table: ResourceTable,
    pub(crate) meter: Meter,
    pub(crate) journal: SharedJournal,
    pub(crate) txn: HookTxn,
    /// The interface that is being called.
    pub(crate) interface: &'static str,
    pub(crate) limits: Limits,
    /// Without what its calls waited for a turn.
    pub(crate) deadline: Instant,
    pub(crate) mounted: Option<Mounted>,
    /// Why the host stopped the guest; said before any trap that follows from it.
    pub(crate) stopped: Option<HookFailure>,
}

impl HookState {
    /// Whether the guest may go on; otherwise remembers why not.
    pub(crate) fn check(&mut self) -> wasmtime::Result<()> {
        let now = Instant::now();
        let (cancelled, deadline) = {
            let context = &lock(&self.journal).context;
            (context.is_cancelled(), self.deadline + context.waited())
        };
        let reason = if self.meter.host_calls > self.limits.host_calls {
            Some(HookFailure::HostCallLimit {
                limit: self.limits.host_calls,
            })
        } else if cancelled {
            Some(HookFailure::Cancelled)
        } else if now >= deadline {
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

    /// A call of an interface of the world comes in.
    pub(crate) fn called(&mut self, interface: &'static str) -> &mut Self {
        self.interface = interface;
        self
    }

    pub(crate) fn enter(&mut self) -> wasmtime::Result<()> {
        self.meter.host_calls += 1;
        self.check()
    }

    pub(crate) fn stop(&mut self, reason: HookFailure) -> wasmtime::Error {
        let error = wasmtime::Error::msg(reason.to_string());
        self.stopped.get_or_insert(reason);
        error
    }

    /// Calls the context, which may be a restricted one; the borrow of the journal ends with the call.
    pub(crate) fn in_any_context<R>(
        &mut self,
        call: impl FnOnce(&mut dyn HookContext) -> R,
    ) -> wasmtime::Result<R> {
        self.enter()?;
        Ok(call(lock(&self.journal).context.as_mut()))
    }

    /// Calls the context, unless it is a restricted one or the interface is withheld.
    pub(crate) fn context<R>(
        &mut self,
        call: impl FnOnce(&mut dyn HookContext) -> Result<R, types::Error>,
    ) -> Answer<R> {
        let interface = self.interface;
        self.in_any_context(|context| {
            allowed(context, interface)?;
            call(context)
        })
    }

    /// Makes a change that takes effect at once, of which a hook has a number.
    pub(crate) fn at_once(
        &mut self,
        change: impl FnOnce(&mut dyn HookContext) -> Result<(), CallError>,
    ) -> Answer<()> {
        self.transaction(|txn, context| {
            txn.at_once()?;
            change(context)
        })
    }

    /// Makes a call that the transaction answers.
    pub(crate) fn transaction<R>(
        &mut self,
        call: impl FnOnce(&mut HookTxn, &mut dyn HookContext) -> Result<R, CallError>,
    ) -> wasmtime::Result<Result<R, types::Error>> {
        self.enter()?;
        let mut journal = lock(&self.journal);
        let context = journal.context.as_mut();
        let answer = allowed(context, self.interface).and_then(|()| call(&mut self.txn, context));
        Ok(answer.map_err(types::Error::from))
    }
}

/// Refuses what a restricted context does not allow, and what the unit's application was not granted.
fn allowed(context: &dyn HookContext, interface: &str) -> Result<(), CallError> {
    match (context.restricted_to(), context.withheld(interface)) {
        (Some(hook), _) => Err(CallError::restricted(hook)),
        (None, Some(why)) => Err(CallError::denied(why)),
        (None, None) => Ok(()),
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
    types::add_to_linker::<_, HasSelf<HookState>>(linker, |state| state)?;
    tools::link(linker)
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

pub(crate) type Answer<T> = wasmtime::Result<Result<T, types::Error>>;

impl types::Host for HookState {}
