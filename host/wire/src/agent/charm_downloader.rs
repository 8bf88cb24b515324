//! Charms that are recorded and not ready to run.

use periapt_model::ApplicationName;

use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.CharmDownloader" 1 for Controller {
    /// Changes name applications whose charm is recorded but not ready to run here.
    [Watch] WatchApplicationsWithPendingCharms as WatchPendingCharms {} -> Watch;
    /// Checks and compiles the application's charm for this controller's engine.
    [Write] DownloadApplicationCharm as DownloadCharm { application: ApplicationName } -> Empty;
    [Write] SetApplicationStatus as SetApplicationError { application: ApplicationName, message: String } -> Empty;
} }
