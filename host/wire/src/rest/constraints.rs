//! Constraints: what machines have to be like, as text (`arch=amd64 cores=2 mem=4096M`).
//!
//! | method and path | answer |
//! |---|---|
//! | `PUT .../applications/{name}/constraints` with [`SetConstraints`] | `ApplicationInfo` |
//! | `GET .../constraints` | [`ModelConstraints`] |
//! | `PUT .../constraints` with [`SetConstraints`] | [`ModelConstraints`] |

use serde::{Deserialize, Serialize};

/// Says what machines have to be like, in the place of what was said before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SetConstraints {
    /// `KEY=VALUE` words; none for no constraints.
    pub constraints: String,
}

/// What machines of a model have to be like, as far as nothing else is said of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ModelConstraints {
    pub constraints: String,
}
