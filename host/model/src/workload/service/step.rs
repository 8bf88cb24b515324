//! One step of a service.

use std::time::Duration;

use super::history::remember;
use super::{
    Action, Current, Down, End, Event, FLAPPING, FLAPS, Leadership, Notice, Passage, READY_LIMIT,
    State, Then, Timer,
};
use crate::workload::layer::{Fence, OnCheckFailure, OnFailure, OnSuccess, Ready, Service};
use crate::workload::plan::Change;

/// The state under change, and what was found to be done so far.
pub(super) struct Step<'a> {
    state: State,
    service: &'a Service,
    now: Duration,
    actions: Vec<Action>,
}

impl<'a> Step<'a> {
    pub(super) fn new(state: State, service: &'a Service, now: Duration) -> Self {
        Self {
            state,
            service,
            now,
            actions: Vec::new(),
        }
    }

    pub(super) fn done(self) -> (State, Vec<Action>) {
        (self.state, self.actions)
    }

    pub(super) fn take(&mut self, event: Event) {
        match event {
            Event::Wanted(wanted) => self.wanted(wanted),
            Event::Requirements(met) => {
                self.state.requirements = met;
                if met && self.state.current == Current::Waiting {
                    self.begin();
                }
            }
            Event::Start => self.start(),
            Event::Restart => {
                self.start();
                if matches!(self.state.current, Current::Starting | Current::Active)
                    && !self.actions.contains(&Action::Spawn)
                {
                    self.stop(Then::AsWanted);
                }
            }
            Event::Ready => {
                if self.state.current == Current::Starting {
                    self.active();
                }
            }
            Event::Exited { end, jitter } => self.exited(end, jitter),
            Event::Timer(timer) => self.timer(timer),
            Event::Changed(change) => self.changed(change),
            Event::CheckFailed(check) => self.check_failed(check),
            Event::CheckSucceeded(check) => {
                self.state.down.remove(&check);
            }
            Event::Leadership(leadership) => self.leadership(leadership),
        }
    }

    fn fenced(&self) -> bool {
        self.service.fence == Some(Fence::Leader) && !self.state.leads
    }

    fn wanted(&mut self, wanted: bool) {
        self.state.wanted = wanted;
        match (wanted, self.state.current) {
            (true, Current::Inactive) => self.begin(),
            (true, _) | (false, Current::Inactive | Current::Stopping) => {}
            (false, Current::Starting | Current::Active) => self.stop(Then::AsWanted),
            (false, _) => self.rest(),
        }
    }

    fn start(&mut self) {
        self.state.wanted = true;
        use Current::{Backoff, Failed, Finished, Inactive};
        if matches!(self.state.current, Inactive | Backoff | Finished | Failed) {
            self.forget();
            self.begin();
        }
    }

    /// What came before does not count any more.
    fn forget(&mut self) {
        self.state.backoff = None;
        self.state.down.clear();
    }

    /// Nobody wants it, and nothing of it runs.
    fn rest(&mut self) {
        // Until when it may run here holds whether it is wanted or not.
        let fence = |timer: &Timer| matches!(timer, Timer::FenceStop | Timer::FenceCut);
        self.state.timers.retain(|timer, _| fence(timer));
        self.forget();
        self.enter(Current::Inactive);
    }

    /// Starts it, if it may run and has what it requires. No process of it is there.
    fn begin(&mut self) {
        let again = matches!(self.state.current, Current::Backoff | Current::Stopping);
        self.state.timers.remove(&Timer::Backoff);
        if self.fenced() {
            return self.enter_once(Current::Fenced);
        }
        if !self.state.requirements {
            return self.enter_once(Current::Waiting);
        }
        if again {
            self.restarted();
        }
        self.state.then = Then::AsWanted;
        self.actions.push(Action::Spawn);
        self.enter(Current::Starting);
        self.await_ready();
    }

    fn await_ready(&mut self) {
        self.state.timers.remove(&Timer::Okay);
        self.state.timers.remove(&Timer::Ready);
        match self.service.ready() {
            Ready::After(time) => self.arm(Timer::Okay, self.now.saturating_add(time)),
            Ready::Notify | Ready::Check(_) => {
                self.arm(Timer::Ready, self.now.saturating_add(READY_LIMIT));
            }
        }
    }

    fn restarted(&mut self) {
        self.state.restarts = self.state.restarts.saturating_add(1);
        let flaps = &mut self.state.flaps;
        flaps.retain(|at| at.saturating_add(FLAPPING) > self.now);
        flaps.push(self.now);
        if flaps.len() >= FLAPS {
            flaps.clear();
            self.actions.push(Action::Notice(Notice::Flaps));
        }
    }

    fn active(&mut self) {
        self.state.timers.remove(&Timer::Okay);
        self.state.timers.remove(&Timer::Ready);
        self.enter(Current::Active);
        if self.state.backoff.is_some() {
            let at = self.now.saturating_add(self.service.backoff_limit());
            self.arm(Timer::Reset, at);
        }
        // Checks that were down before it was active have their consequence now.
        let unheeded = self
            .state
            .down
            .iter()
            .find(|(_, down)| **down == Down::Unheeded);
        if let Some(check) = unheeded.map(|(check, _)| check.clone()) {
            self.check_failed(check);
        }
    }

    /// Asks the process to end, and has it killed should it not. It has one and is not asked yet.
    fn stop(&mut self, then: Then) {
        self.state.then = then;
        for timer in [Timer::Okay, Timer::Ready, Timer::Reset] {
            self.state.timers.remove(&timer);
        }
        self.enter(Current::Stopping);
        let signal = self.service.kill_signal();
        self.actions.push(Action::Signal(signal));
        let kill = self.now.saturating_add(self.service.kill_delay());
        self.arm(Timer::Kill, kill);
    }

    fn exited(&mut self, end: End, jitter: f64) {
        if !self.state.current.runs() {
            return;
        }
        for timer in [Timer::Okay, Timer::Ready, Timer::Reset, Timer::Kill] {
            self.state.timers.remove(&timer);
        }
        self.state.down.retain(|_, down| *down == Down::Heeded);
        let stopping = self.state.current == Current::Stopping;
        let then = std::mem::take(&mut self.state.then);
        let success = end.is_success();
        let words = Some(end.to_string());
        self.state.last_end = Some(end);
        if let Some(last) = self.state.history.last_mut() {
            // The passage that its end closes; the next one says where that led.
            last.end = words;
        }
        if !self.state.wanted {
            return self.rest();
        }
        if stopping {
            return match then {
                Then::Fail => self.enter(Current::Failed),
                Then::Backoff if !self.fenced() => self.back_off(jitter),
                Then::AsWanted | Then::Backoff => self.begin(),
            };
        }
        match (
            success,
            self.service.on_success(),
            self.service.on_failure(),
        ) {
            (true, OnSuccess::Restart, _) | (false, _, OnFailure::Restart) => self.back_off(jitter),
            (true, OnSuccess::Ignore, _) => self.enter(Current::Finished),
            (false, _, OnFailure::Ignore) => self.enter(Current::Failed),
            (true, on_success, _) => self.shut_down(on_success == OnSuccess::Shutdown),
            (false, _, on_failure) => self.shut_down(on_failure == OnFailure::SuccessShutdown),
        }
    }

    fn shut_down(&mut self, success: bool) {
        self.enter(Current::Failed);
        self.actions.push(Action::StopContainer { success });
    }

    /// Waits before the next try, longer with each failure in a row, up to the limit.
    fn back_off(&mut self, jitter: f64) {
        let (delay, limit) = (self.service.backoff_delay(), self.service.backoff_limit());
        let wait = match self.state.backoff {
            None => delay,
            Some(before) => {
                let longer = before.as_secs_f64() * self.service.backoff_factor();
                let longer = Duration::try_from_secs_f64(longer).unwrap_or(limit);
                // Without this a rounding could shorten it.
                longer.max(before)
            }
        }
        .min(limit);
        self.state.backoff = Some(wait);
        // The limit is kept, so the jitter shortens.
        let tenth = wait / 10;
        let jitter = if jitter.is_finite() {
            jitter.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let wait = wait.saturating_sub(tenth.mul_f64(jitter));
        self.enter(Current::Backoff);
        self.arm(Timer::Backoff, self.now.saturating_add(wait));
    }

    fn timer(&mut self, timer: Timer) {
        match self.state.timers.get(&timer) {
            Some(at) if *at <= self.now => self.state.timers.remove(&timer),
            _ => return,
        };
        match (timer, self.state.current) {
            (Timer::Okay, Current::Starting) => self.active(),
            (Timer::Ready, Current::Starting) => self.stop(Then::Backoff),
            (Timer::Backoff, Current::Backoff) => self.begin(),
            (Timer::Reset, Current::Active) => self.state.backoff = None,
            (Timer::Kill, Current::Stopping) => self.actions.push(Action::Kill),
            (Timer::FenceStop, _) => self.fence(),
            (Timer::FenceCut, current) if self.service.fence == Some(Fence::Leader) => {
                self.fence();
                self.actions.push(Action::CutPorts);
                if current.runs() {
                    self.state.timers.remove(&Timer::Kill);
                    self.actions.push(Action::Kill);
                }
            }
            _ => {}
        }
    }

    fn changed(&mut self, change: Change) {
        if change == Change::Removed {
            return self.wanted(false);
        }
        // Whether it is fenced may be what changed.
        if self.fenced() && self.state.wanted {
            return self.fence();
        }
        let anew = matches!(change, Change::Restart | Change::Added);
        match (self.state.current, change) {
            (Current::Active, Change::Reload(signal)) => self.actions.push(Action::Signal(signal)),
            // A process that has not come far enough may not know the signal, and would die of it.
            (Current::Starting, Change::Reload(_)) => self.stop(Then::AsWanted),
            (Current::Starting, Change::InPlace) => self.await_ready(),
            (Current::Starting | Current::Active, _) if anew => self.stop(Then::AsWanted),
            // What it failed at may be what was changed.
            (Current::Backoff | Current::Failed, change) if change != Change::InPlace => {
                self.forget();
                self.begin();
            }
            (Current::Finished, _) if anew => self.begin(),
            (Current::Fenced, _) if self.state.wanted => self.begin(),
            (Current::Stopping, _) if anew => self.state.then = Then::AsWanted,
            _ => {}
        }
    }

    fn check_failed(&mut self, check: String) {
        let reaction = self.service.on_check_failure(&check);
        if reaction == OnCheckFailure::Ignore {
            return;
        }
        if self.state.current != Current::Active {
            if self.state.current == Current::Starting {
                self.state.down.entry(check).or_insert(Down::Unheeded);
            }
            return;
        }
        if self.state.down.insert(check, Down::Heeded) == Some(Down::Heeded) {
            return;
        }
        match reaction {
            OnCheckFailure::Ignore => {}
            OnCheckFailure::Restart => self.stop(Then::AsWanted),
            OnCheckFailure::Shutdown | OnCheckFailure::SuccessShutdown => {
                self.stop(Then::Fail);
                let success = reaction == OnCheckFailure::SuccessShutdown;
                self.actions.push(Action::StopContainer { success });
            }
        }
    }

    fn leadership(&mut self, leadership: Leadership) {
        if self.service.fence != Some(Fence::Leader) {
            // Remembered, for a definition that gets a fence.
            self.state.leads = matches!(leadership, Leadership::Until(at) if at > self.now);
            self.state.timers.remove(&Timer::FenceStop);
            self.state.timers.remove(&Timer::FenceCut);
            if let Leadership::Until(at) = leadership {
                self.arm_fence(at);
            }
            return;
        }
        match leadership {
            Leadership::Until(at) if at > self.now => {
                self.arm_fence(at);
                if self.state.leads {
                    return;
                }
                let stop_at = at.saturating_sub(self.service.kill_delay());
                if stop_at <= self.now {
                    return;
                }
                self.state.leads = true;
                if self.state.current == Current::Fenced {
                    self.enter(Current::Inactive);
                    if self.state.wanted {
                        self.begin();
                    }
                }
            }
            Leadership::Until(at) | Leadership::LostBy(at) => {
                self.arm(Timer::FenceCut, at);
                self.fence();
            }
        }
    }

    fn arm_fence(&mut self, at: Duration) {
        let stop = at.saturating_sub(self.service.kill_delay());
        self.arm(Timer::FenceStop, stop);
        self.arm(Timer::FenceCut, at);
    }

    /// It does not run here from now on.
    fn fence(&mut self) {
        self.state.leads = false;
        self.state.timers.remove(&Timer::FenceStop);
        if self.service.fence != Some(Fence::Leader) {
            return;
        }
        match self.state.current {
            Current::Starting | Current::Active => self.stop(Then::AsWanted),
            Current::Waiting | Current::Backoff => {
                self.state.timers.remove(&Timer::Backoff);
                self.enter(Current::Fenced);
            }
            _ => {}
        }
    }

    /// A timer that is due at once is armed too: whoever carries it out tells of it.
    fn arm(&mut self, timer: Timer, at: Duration) {
        self.state.timers.insert(timer, at);
        self.actions.push(Action::Arm { timer, at });
    }

    fn enter_once(&mut self, current: Current) {
        if self.state.current != current {
            self.enter(current);
        }
    }

    fn enter(&mut self, current: Current) {
        self.state.current = current;
        self.state.since = self.now;
        let passage = Passage {
            at: self.now,
            current,
            end: None,
        };
        remember(&mut self.state.history, passage);
        use Current::{Active, Failed, Fenced, Finished};
        if matches!(current, Active | Finished | Failed | Fenced) {
            self.actions.push(Action::Notice(Notice::Became(current)));
        }
    }
}
