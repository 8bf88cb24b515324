//! The clock of the unit under test, which the test moves.

use std::cell::RefCell;
use std::time::SystemTime;

use super::TestHost;
use crate::clock::ClockHost;

impl ClockHost for RefCell<TestHost> {
    fn now(&self) -> SystemTime {
        self.borrow().now
    }
}
