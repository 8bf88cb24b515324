//! Applications that have fewer units than they should.

use periapt_model::{ApplicationName, UnitName};

use crate::rpc::Watch;

crate::facade! { "periapt.ApplicationScaler" 1 for Controller {
    /// Changes name applications with fewer units than their minimum.
    [Watch] Watch as WatchApplications {} -> Watch;
    /// Adds exactly the units that it lacks, and answers which.
    [Write] Rescale as Rescale { application: ApplicationName } -> Vec<UnitName>;
} }
