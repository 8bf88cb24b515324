//! The meter of one guest, a hook or a request: memory and tables granted to the guest, and its calls into the host.
//!
//! Memory is counted over all memories of all core instances of the component, tables likewise,
//! because a limit for each alone could be multiplied by having many.

use wasmtime::ResourceLimiter;

/// Grants and remembers. A refusal is remembered because the guest hears only "no": its
/// allocator then aborts, and the trap that follows says nothing of memory.
#[derive(Debug)]
pub struct Meter {
    memory: Gauge,
    table: Gauge,
    pub host_calls: u64,
}

#[derive(Debug)]
struct Gauge {
    limit: u64,
    granted: u64,
    peak: u64,
    last: u64,
    refused: bool,
}

impl Gauge {
    fn new(limit: u64) -> Self {
        Self {
            limit,
            granted: 0,
            peak: 0,
            last: 0,
            refused: false,
        }
    }

    fn grow(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> bool {
        let more = desired.saturating_sub(current) as u64;
        let total = self.granted.saturating_add(more);
        if total > self.limit || maximum.is_some_and(|maximum| desired > maximum) {
            self.refused = true;
            return false;
        }
        self.last = more;
        self.granted = total;
        self.peak = self.peak.max(total);
        true
    }

    fn failed(&mut self) {
        self.granted -= self.last.min(self.granted);
        self.last = 0;
        self.refused = true;
    }
}

impl Meter {
    pub fn new(memory_bytes: u64, table_elements: u64) -> Self {
        Self {
            memory: Gauge::new(memory_bytes),
            table: Gauge::new(table_elements),
            host_calls: 0,
        }
    }

    /// Bytes granted at most at the same time.
    pub fn memory_peak(&self) -> u64 {
        self.memory.peak
    }

    pub fn memory_refused(&self) -> bool {
        self.memory.refused
    }

    pub fn table_refused(&self) -> bool {
        self.table.refused
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.memory.grow(current, desired, maximum))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.memory.failed();
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.table.grow(current, desired, maximum))
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.table.failed();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_share_one_limit() {
        let mut meter = Meter::new(100, 10);
        assert!(meter.memory_growing(0, 60, None).unwrap());
        assert!(!meter.memory_growing(0, 60, None).unwrap());
        assert!(meter.memory_refused());
        assert!(meter.memory_growing(0, 40, None).unwrap());
        assert_eq!(meter.memory_peak(), 100);
    }

    #[test]
    fn a_growth_that_failed_is_given_back() {
        let mut meter = Meter::new(100, 10);
        assert!(meter.memory_growing(0, 100, None).unwrap());
        meter
            .memory_grow_failed(wasmtime::Error::msg("no pages"))
            .unwrap();
        assert!(meter.memory_growing(0, 100, None).unwrap());
        assert!(!meter.table_growing(0, 5, Some(4)).unwrap());
        assert!(meter.table_refused());
    }
}
