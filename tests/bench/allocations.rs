//! What part `m` of the bench counts, in a program of its own: an allocator that counts would slow everything
//! else that the bench measures.

use std::alloc::System;

use anyhow::Result;
use periapt_tests::allocations::per_hook;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Prints how often a hook asks for memory, and for how many bytes.
fn main() -> Result<()> {
    let counted =
        tokio::runtime::Runtime::new()?.block_on(per_hook(|| ALLOCATOR.stats().into()))?;
    println!("{} {}", counted.times, counted.bytes);
    Ok(())
}
