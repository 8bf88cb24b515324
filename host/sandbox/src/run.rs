//! One hook, from the store made for it to what it leaves.

use std::time::{Duration, Instant};

use periapt_contract::HookTxn;
use periapt_model::hook::{Effects, Limits};
use periapt_model::text;
use wasmtime::component::ResourceTable;
use wasmtime::{Store, Trap, UpdateDeadline};
use wasmtime_wasi::{I32Exit, WasiCtxBuilder};

use crate::charm::LoadedCharm;
use crate::clocks::{MonotonicClock, WallClock};
use crate::engine::SandboxEngine;
use crate::failure::{self, HookFailure, trap_reason};
use crate::files::{Directories, Mounted};
use crate::journal::{GuestStream, Journal, SharedJournal, lock};
use crate::meter::Meter;
use crate::tools::{HookContext, Output};
use crate::world::{Charm, CharmPre, Event, HookState, MESSAGE_BYTES};

use crate::wait::{self, GivenUp, Thread};

/// Random bytes a guest gets with one call.
const RANDOM_BYTES: u64 = 1 << 20;

/// The hook to run, with the attributes that only some hooks have (names as in the contract).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookEvent {
    pub hook: String,
    pub attributes: Vec<(String, String)>,
}

impl HookEvent {
    pub fn new(hook: impl Into<String>) -> Self {
        Self {
            hook: hook.into(),
            attributes: Vec::new(),
        }
    }
}

/// One hook of one unit.
pub struct HookRun<'a> {
    pub charm: &'a LoadedCharm,
    pub event: HookEvent,
    /// The whole environment of the guest; nothing is inherited.
    pub environment: Vec<(String, String)>,
    pub directories: Directories,
    pub limits: Limits,
}

/// How a hook ended.
#[derive(Debug)]
pub struct HookOutcome {
    pub result: Result<(), HookFailure>,
    /// What to commit. Empty when the hook failed.
    pub effects: Effects,
    pub usage: Usage,
}

/// What a hook used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// From the moment there was room for the hook.
    pub duration: Duration,
    /// Waited for room.
    pub waited: Duration,
    /// Linear memory granted at most, bytes.
    pub memory_bytes: u64,
    /// Calls into the host, of the world and of WASI.
    pub host_calls: u64,
    pub output_bytes: u64,
    /// Bytes in the state directory; zero when the hook changed nothing there.
    pub state_directory_bytes: u64,
}

impl SandboxEngine {
    /// Runs one hook in a fresh sandbox. Blocks: call it from a thread for blocking work
    /// (`spawn_blocking`), never from a runtime's own. Returns within the wall-clock limit,
    /// after having waited for room among at most [`crate::Settings::slots`] hooks.
    pub fn run(&self, run: HookRun<'_>, context: Box<dyn HookContext>) -> HookOutcome {
        let asked = Instant::now();
        let _room = self.admit();
        let begun = Instant::now();
        let mut usage = Usage {
            waited: begun - asked,
            ..Usage::default()
        };
        let event = Event {
            hook: run.event.hook,
            attributes: run.event.attributes,
        };
        let mut limits = run.limits;
        limits.memory_bytes = limits.memory_bytes.min(self.settings().memory_bytes);
        let handles = self.settings().handles;
        let state = prepare(
            limits,
            handles,
            &run.environment,
            Some(run.directories),
            begun,
            context,
        );
        let (result, state) = enter(self, &run.charm.pre, state, async |charm, store| {
            charm.call_dispatch(store, &event).await
        });
        usage.memory_bytes = state.meter.memory_peak();
        usage.host_calls = state.meter.host_calls;
        usage.output_bytes = lock(&state.journal).used();
        let result = result.and_then(|answer| answer.map_err(charm_error));
        let measured = state.mounted.as_ref().map_or(Ok(0), Mounted::conclude);
        let result = result.and_then(|()| {
            usage.state_directory_bytes = measured?;
            Ok(())
        });
        let effects = match result {
            Ok(()) => state.txn.into_effects(),
            Err(_) => Effects::default(),
        };
        usage.duration = begun.elapsed();
        HookOutcome {
            result,
            effects,
            usage,
        }
    }
}

fn charm_error(text: String) -> HookFailure {
    match text::clean_at_most(text.trim(), MESSAGE_BYTES) {
        text if text.is_empty() => HookFailure::Charm("the charm gave no reason".to_owned()),
        text => HookFailure::Charm(text),
    }
}

/// Everything the guest will have.
pub(crate) fn prepare(
    limits: Limits,
    handles: u32,
    environment: &[(String, String)],
    directories: Option<Directories>,
    begun: Instant,
    context: Box<dyn HookContext>,
) -> HookState {
    let journal = Journal::shared(context, limits.output_bytes);
    let mut wasi = WasiCtxBuilder::new();
    wasi.envs(environment)
        .stdout(GuestStream {
            journal: journal.clone(),
            stream: Output::Stdout,
        })
        .stderr(GuestStream {
            journal: journal.clone(),
            stream: Output::Stderr,
        })
        .wall_clock(WallClock)
        .monotonic_clock(MonotonicClock::begin())
        .max_random_size(RANDOM_BYTES)
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false)
        // The thread is one for blocking work; another hop per file operation would only cost.
        .allow_blocking_current_thread(true);
    let limit = limits.state_directory_bytes;
    let mounted = directories.map(|directories| Mounted::new(directories, limit));
    let mut table = ResourceTable::new();
    table.set_max_capacity(handles as usize);
    HookState {
        wasi: wasi.build(),
        table,
        meter: Meter::new(limits.memory_bytes, limits.table_elements),
        journal,
        txn: HookTxn::default(),
        interface: "",
        deadline: begun + limits.wall_clock(),
        limits,
        mounted,
        stopped: None,
    }
}

/// Instantiates the charm, calls it, and tells why it failed if it did.
pub(crate) fn enter<R>(
    engine: &SandboxEngine,
    pre: &CharmPre<HookState>,
    state: HookState,
    call: impl AsyncFnOnce(&Charm, &mut Store<HookState>) -> wasmtime::Result<R>,
) -> (Result<R, HookFailure>, HookState) {
    let (deadline, journal) = (state.deadline, state.journal.clone());
    let mut store = Store::new(engine.wasmtime(), state);
    store.limiter(|state| &mut state.meter);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|mut store| {
        let state = store.data_mut();
        state.check()?;
        lock(&state.journal).context.lets_others_on();
        Ok(UpdateDeadline::Continue(1))
    });
    let mut running = false;
    let ticking = engine.guest();
    let deadline = || deadline + lock(&journal).context.waited();
    let cancelled = lock(&journal).context.cancelled();
    let told = |thread| {
        let context = &mut lock(&journal).context;
        match thread {
            Thread::Rests => context.rests(),
            Thread::GoesOn => context.goes_on(),
        }
    };
    let result = wait::until(deadline, cancelled, told, async {
        let charm = pre.instantiate_async(&mut store).await?;
        running = true;
        call(&charm, &mut store).await
    });
    drop(ticking);
    let mut state = store.into_data();
    lock(&state.journal).finish();
    let result = match result {
        // Calls of WASI are counted but cannot refuse: see `HookState::ctx`.
        Ok(Ok(_)) if state.check_calls().is_some() => Err(wasmtime::Error::msg("host calls")),
        Ok(result) => result,
        Err(given_up) => {
            let reason = match given_up {
                GivenUp::Cancelled => HookFailure::Cancelled,
                GivenUp::Late => HookFailure::Deadline {
                    limit: state.limits.wall_clock(),
                },
            };
            let error = wasmtime::Error::msg(reason.to_string());
            state.stopped.get_or_insert(reason);
            Err(error)
        }
    };
    (
        result.map_err(|error| explain(&state, error, running)),
        state,
    )
}

impl HookState {
    fn check_calls(&mut self) -> Option<&HookFailure> {
        if self.meter.host_calls > self.limits.host_calls {
            let limit = self.limits.host_calls;
            self.stopped
                .get_or_insert(HookFailure::HostCallLimit { limit });
        }
        self.stopped.as_ref()
    }
}

fn explain(state: &HookState, error: wasmtime::Error, running: bool) -> HookFailure {
    if let Some(stopped) = &state.stopped {
        return stopped.clone();
    }
    let limits = &state.limits;
    if lock(&state.journal).exceeded() {
        return HookFailure::OutputLimit {
            limit: limits.output_bytes,
        };
    }
    if failure::out_of_descriptors(&error) {
        let reason = text::clean_line_at_most(&error.root_cause().to_string(), MESSAGE_BYTES);
        return HookFailure::Descriptors(reason);
    }
    let memory = || HookFailure::MemoryLimit {
        limit: limits.memory_bytes,
    };
    let table = || HookFailure::TableLimit {
        limit: limits.table_elements,
    };
    let last_output = last_output(&state.journal);
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        return match exit.0 {
            status if status != 0 && state.meter.memory_refused() => memory(),
            status => HookFailure::Exited {
                status,
                last_output,
            },
        };
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        return match trap {
            // What an allocator does that was refused memory.
            Trap::UnreachableCodeReached | Trap::MemoryOutOfBounds
                if state.meter.memory_refused() =>
            {
                memory()
            }
            Trap::UnreachableCodeReached | Trap::TableOutOfBounds | Trap::IndirectCallToNull
                if state.meter.table_refused() =>
            {
                table()
            }
            Trap::Interrupt => HookFailure::Deadline {
                limit: limits.wall_clock(),
            },
            trap => HookFailure::Trap {
                reason: trap_reason(*trap),
                last_output,
            },
        };
    }
    let reason = text::clean_line_at_most(&error.root_cause().to_string(), MESSAGE_BYTES);
    match running {
        false if state.meter.memory_refused() => memory(),
        false if state.meter.table_refused() => table(),
        false => HookFailure::Instantiate(reason),
        true => HookFailure::Unknown(reason),
    }
}

fn last_output(journal: &SharedJournal) -> Option<String> {
    lock(journal).last_error_line()
}
