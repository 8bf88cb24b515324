//! Whether a child still does anything: one that says nothing for a while is asked for a sign of life, and given up
//! when none comes.
//!
//! It is asked by a supervisor that runs itself: time in which this process was stopped is held against nobody,
//! since each question has its time to be answered from when it was asked.

use std::time::{Duration, Instant};

/// Questions that a child may leave unanswered.
const QUESTIONS: u32 = 2;

/// What is to be done about a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Nothing,
    Ask,
    GiveUp,
}

pub struct Pulse {
    every: Duration,
    next: Instant,
    unanswered: u32,
}

impl Pulse {
    pub fn begin(every: Duration, now: Instant) -> Self {
        Self {
            every,
            next: now + every,
            unanswered: 0,
        }
    }

    /// It said something, whatever it is.
    pub fn heard(&mut self, now: Instant) {
        *self = Self::begin(self.every, now);
    }

    pub fn due(&self) -> Instant {
        self.next
    }

    pub fn look(&mut self, now: Instant) -> Due {
        if now < self.next {
            return Due::Nothing;
        }
        self.next = now + self.every;
        if self.unanswered >= QUESTIONS {
            return Due::GiveUp;
        }
        self.unanswered += 1;
        Due::Ask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_answers_lives_and_who_is_silent_is_given_up() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut pulse = Pulse::begin(Duration::from_secs(10), begun);
        assert_eq!(pulse.look(at(9)), Due::Nothing);
        assert_eq!(pulse.look(at(10)), Due::Ask);
        pulse.heard(at(11));
        assert_eq!(pulse.due(), at(21));
        assert_eq!(pulse.look(at(20)), Due::Nothing);
        assert_eq!(pulse.look(at(21)), Due::Ask);
        assert_eq!(pulse.look(at(31)), Due::Ask);
        assert_eq!(pulse.look(at(40)), Due::Nothing);
        assert_eq!(pulse.look(at(41)), Due::GiveUp);
    }

    #[test]
    fn a_supervisor_that_was_stopped_gives_nobody_up() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut pulse = Pulse::begin(Duration::from_secs(10), begun);
        assert_eq!(pulse.look(at(10)), Due::Ask);
        // It was stopped in between, and what the child said is yet to be heard.
        assert_eq!(pulse.look(at(3600)), Due::Ask);
        assert_eq!(pulse.look(at(3601)), Due::Nothing);
        pulse.heard(at(3602));
        assert_eq!(pulse.look(at(3611)), Due::Nothing);
    }
}
