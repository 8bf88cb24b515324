//! The schema, as it came about.

/// Migrations in order; version N is the N-th. A published one is never edited.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_initial.sql"),
    include_str!("migrations/0002_control_room.sql"),
    include_str!("migrations/0003_relations.sql"),
    include_str!("migrations/0004_controller_nodes.sql"),
    include_str!("migrations/0005_store.sql"),
    include_str!("migrations/0006_uniter.sql"),
    include_str!("migrations/0007_workers.sql"),
    include_str!("migrations/0008_status.sql"),
    include_str!("migrations/0009_rows_by_number.sql"),
    include_str!("migrations/0010_clouds.sql"),
    include_str!("migrations/0011_agents.sql"),
    include_str!("migrations/0012_sequence.sql"),
    include_str!("migrations/0013_hook_usage.sql"),
    include_str!("migrations/0014_reach.sql"),
    include_str!("migrations/0015_containers.sql"),
    include_str!("migrations/0016_usage.sql"),
    include_str!("migrations/0017_metrics.sql"),
    include_str!("migrations/0018_traffic.sql"),
    include_str!("migrations/0019_meters.sql"),
    include_str!("migrations/0020_operations.sql"),
    include_str!("migrations/0021_resources.sql"),
    include_str!("migrations/0022_blocks.sql"),
    include_str!("migrations/0023_secrets.sql"),
    include_str!("migrations/0029_storage.sql"),
];
