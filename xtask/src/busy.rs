//! How busy the machine's processors were: tells which suites wait and could share the time.

/// Processor time of the whole machine since it started, in the kernel's ticks.
pub struct Processors {
    busy: u64,
    all: u64,
}

impl Processors {
    /// None where the kernel does not tell.
    pub fn now() -> Option<Self> {
        Self::read(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    /// `cpu  user nice system idle iowait irq softirq steal guest guest_nice`
    fn read(stat: &str) -> Option<Self> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line
            .split_whitespace()
            .take(8)
            .filter_map(|ticks| ticks.parse().ok())
            .collect();
        let all = ticks.iter().sum();
        let idle: u64 = ticks.iter().skip(3).take(2).sum();
        Some(Self {
            busy: all - idle,
            all,
        })
    }

    /// Share of the processors that was busy since then, in percent.
    pub fn busy_since(&self, earlier: &Self) -> u64 {
        let all = self.all.saturating_sub(earlier.all).max(1);
        self.busy.saturating_sub(earlier.busy) * 100 / all
    }
}

#[cfg(test)]
mod tests {
    use super::Processors;

    #[test]
    fn waiting_for_the_disk_is_not_being_busy() {
        let earlier = Processors::read("cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2\n");
        let later = Processors::read("cpu  150 0 110 720 120 0 0 0 0 0\n");
        assert_eq!(later.zip(earlier).map(|(b, a)| b.busy_since(&a)), Some(60));
        assert!(Processors::read("intr 5").is_none());
    }
}
