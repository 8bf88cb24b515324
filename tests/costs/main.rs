//! Holds what a hook costs, in counts that no other work of the machine moves much, so that they do not creep
//! up. The figures themselves are in SPECIFICATION.md.

mod allocations;
mod counts;
