//! Life of one entity, for the life flag.

use periapt_model::{Life, Tag};

use crate::rpc::Watch;

crate::facade! { "periapt.LifeFlag" 1 for Agents {
    /// None when the entity is gone.
    [Read] Life as GetLife { entity: Tag } -> Option<Life>;
    [Watch] Watch as WatchLife { entity: Tag } -> Watch;
} }
