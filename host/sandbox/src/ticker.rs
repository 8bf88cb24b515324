//! Advances the epoch of an engine while a guest runs in it, and rests while none does.
//!
//! A process with nothing to do wakes for nothing: without a guest the thread waits for one.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wasmtime::Engine;

/// Time between two epochs; a hook overruns its deadline by at most this.
const TICK: Duration = Duration::from_millis(2);

/// The thread of one engine; it ends with this value.
pub(crate) struct Ticker {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    begun: Condvar,
}

#[derive(Default)]
struct State {
    guests: usize,
    /// The thread waits for one.
    rests: bool,
    over: bool,
    /// Epochs so far.
    ticks: u64,
}

/// A guest that runs, for as long as this lives.
pub struct Ticking<'a> {
    shared: &'a Shared,
}

impl Ticker {
    pub fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let (engine, ticked) = (engine.weak(), shared.clone());
        std::thread::Builder::new()
            .name("sandbox-epoch".to_owned())
            .spawn(move || {
                while ticked.wait_for_guest() {
                    std::thread::sleep(TICK);
                    if let Some(engine) = engine.upgrade() {
                        engine.increment_epoch();
                    }
                }
            })?;
        Ok(Self { shared })
    }

    /// Says that a guest runs from now on.
    pub fn guest(&self) -> Ticking<'_> {
        let mut state = self.shared.lock();
        state.guests += 1;
        // Most guests begin while it ticks, and are over before the next tick.
        if std::mem::take(&mut state.rests) {
            self.shared.begun.notify_one();
        }
        drop(state);
        Ticking {
            shared: &self.shared,
        }
    }

    #[cfg(test)]
    pub fn ticks(&self) -> u64 {
        self.shared.lock().ticks
    }
}

impl Shared {
    /// False once the engine is gone.
    fn wait_for_guest(&self) -> bool {
        let mut state = self.lock();
        while state.guests == 0 && !state.over {
            state.rests = true;
            state = self
                .begun
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.ticks += 1;
        !state.over
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.shared.lock().guests -= 1;
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.begun.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ticks_while_no_guest_runs() {
        let engine = Engine::default();
        let ticker = Ticker::start(&engine).unwrap();
        std::thread::sleep(10 * TICK);
        assert_eq!(ticker.ticks(), 0);
        let guests = [ticker.guest(), ticker.guest()];
        while ticker.ticks() < 3 {
            std::thread::sleep(TICK);
        }
        drop(guests);
        // One may have begun before the guests ended.
        std::thread::sleep(3 * TICK);
        let after = ticker.ticks();
        std::thread::sleep(10 * TICK);
        assert_eq!(ticker.ticks(), after);
    }
}
