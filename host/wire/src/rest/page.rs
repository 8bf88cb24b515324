//! Lists that are read page by page.

use serde::{Deserialize, Serialize};

/// Items of a page when nothing is said, and at most.
pub const ITEMS: u64 = 100;
pub const MOST_ITEMS: u64 = 1_000;

/// One page, and where the next begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Handed back as `?after=`; none on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Query of lists that have no filters: a unit's history, for one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    /// Where the page before ended: its `next`.
    pub after: Option<String>,
}

/// Query of the lists of a model's resources. Items that fit all filters are in the list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// A name, `*` allowed at its end.
    pub name: Option<String>,
    /// The workload status, or that of the application or machine.
    pub status: Option<String>,
    pub application: Option<String>,
    pub machine: Option<String>,
    /// Members of the items that are wanted, comma separated; all when left out.
    pub fields: Option<String>,
    /// 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}
