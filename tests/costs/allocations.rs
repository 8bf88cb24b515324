//! How often a hook asks for memory.

use std::alloc::System;

use periapt_tests::allocations::per_hook;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Calls of the allocator, with head room of a quarter.
const MOST: f64 = 830.0;

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_asks_for_memory_a_bounded_number_of_times() -> anyhow::Result<()> {
    let hook = per_hook(|| ALLOCATOR.stats().into()).await?;
    println!("{:.0} times, {:.0} bytes", hook.times, hook.bytes);
    assert!(hook.times <= MOST, "{:.0} times a hook", hook.times);
    assert!(hook.times > 10.0, "the counter counts");
    Ok(())
}
