//! What time it is. A charm that asks here can be tested at any time.

use std::time::SystemTime;

use crate::Context;
use crate::world::World;

/// What a charm may ask of the host about time.
#[allow(missing_docs)]
pub trait ClockHost {
    fn now(&self) -> SystemTime;
}

impl ClockHost for World {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

impl<C> Context<'_, C> {
    /// The time, by the clock of the unit's machine. In a test it is the harness's, which stands still
    /// until the test moves it on.
    pub fn now(&self) -> SystemTime {
        self.host.now()
    }
}
