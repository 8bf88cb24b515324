//! What the charms of a model could be refreshed to.

crate::facade! { "periapt.CharmRevisionUpdater" 1 for Controller {
    /// Reads the index of the controller's charm repository and writes down what each application could be refreshed
    /// to; without a repository, that there is nothing. Replies with the number of applications that could.
    [Write] UpdateLatestRevisions as UpdateLatestRevisions {} -> u64;
} }
