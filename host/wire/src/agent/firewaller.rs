//! Who reaches a model's units, for whoever carries it out.

use periapt_model::reach::published::{Answer, Published};

use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.Firewaller" 1 for Controller {
    /// Fires for anything that a document is made of.
    [Watch] WatchReach as WatchReach {} -> Watch;
    /// The document of the model, but for the directory of its agent; none where nothing is to be reached.
    [Read] Reach as GetReach {} -> Option<Published>;
    /// What its provider says of it.
    [Write] SetReached as SetReached { answer: Answer } -> Empty;
} }
