//! How much of anything a stranger may hand in: one table, which the documentation prints.
//!
//! A stranger is whoever the receiver need not trust: a charm, a client that has not logged in, a
//! user with access to one model. Every list, text or tree that one of them can make long has its
//! row here, and whoever receives it names the row. A bound never depends on a setting; limits that
//! an operator may change are in the settings of the controller and of the sandbox.
//!
//! What a hook asks for is bounded by the contract with charms, whose rows are the first.

pub use periapt_contract::bounds::*;

/// All rows, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Bound> {
    periapt_contract::bounds::ALL.iter().chain(OTHERS)
}

periapt_contract::bounds! {
    OTHERS:

    // What a charm is made of.

    ARCHIVE_ENTRIES = 4_096, "entries" of "files in a charm archive", "the charm is refused";
    ARCHIVE_UNPACKED_BYTES = 256 << 20, "bytes" of "all files of a charm archive", "the charm is refused";
    ARCHIVE_NAME_BYTES = 512, "bytes" of "a file's path in a charm archive", "the charm is refused";
    MANIFEST_BYTES = 1 << 20, "bytes" of "each YAML file of a charm", "the charm is refused";
    SHARED_DIRECTORIES = 16, "directories" of "what a principal and its subordinates share", "the charm is refused";
    CHARM_COMPONENTS = 8, "components" of "a charm, beside its own", "the charm is refused";
    CHARM_CONTAINERS = 32, "containers" of "a charm", "the charm is refused";
    CHARM_RESOURCES = 64, "resources" of "a charm", "the charm is refused";
    CHARM_METRICS = 64, "metrics" of "a charm", "the charm is refused";
    CHARM_HOOKS = 256, "hooks" of "what a charm says it implements", "the charm is refused";
    HOOK_NAME_BYTES = 64, "bytes" of "a hook's name", "the charm is refused";

    /// What people read about a charm takes a few pages.
    README_BYTES = 64 << 10, "bytes" of "a charm's README, as it is shown", "the rest is cut off";

    // Resources of applications.

    /// As much as a charm's archive may have: controller and agents hold that much of one at a time.
    RESOURCE_BYTES = 128 << 20, "bytes" of "a resource of an application", "the upload is refused";
    RESOURCE_FILE_NAME_BYTES = 255, "bytes" of "the name of a resource's file", "the charm is refused";
    RESOURCES_WAITING = 64, "resources" of "what was uploaded to a model and is attached to nothing yet", "the oldest are forgotten";

    // What the controller keeps of it.

    /// More than any hook sets in earnest, so that a loop costs some hundred KiB and not 100 MiB.
    STATUS_LINES = 100, "lines in a minute" of "status history that one unit or application writes", "the newest line is replaced";
    RUNS_OF_UNIT = 1_000, "runs" of "hooks that are remembered of one unit", "the oldest are forgotten";
    RUN_EFFECTS = 50, "effects" of "what is remembered of one run of a hook", "the rest is counted";
    RUN_EFFECT_CHARACTERS = 120, "characters" of "one effect of a run", "the rest is cut off";
    LOG_LINES = 100_000, "lines" of "one model's log", "the oldest are forgotten";
    /// As far back as a model's log goes, for whoever changes a setting every minute for a week.
    DIFFERENCES = 10_000, "changes" of "settings and charms of one model, with what they were before", "the oldest are forgotten";
    AUDIT_ROWS = 500_000, "records" of "the audit log in the database", "the oldest are forgotten";

    METRIC_BATCHES = 50, "batches" of "metrics of one unit that wait in its agent for the controller", "the oldest are forgotten";
    METRIC_ROWS = 20_000, "values" of "metrics that are kept of one unit", "the oldest are forgotten";
    METRIC_SERIES = 10_000, "series" of "metrics of charms in `/metrics`", "the rest is left out";

    // What people name and ask for.

    /// Why a credential is not valid, as a provider or a person says it.
    CREDENTIAL_REASON = 1000, "characters" of "why a model's credential is not valid", "the rest is cut off";
    /// Shorter than a file's name may be: a unit's directory is named after it.
    NAME_BYTES = 128, "bytes" of "the name of a model, application or user", "the request is refused";
    DISPLAY_NAME_CHARACTERS = 128, "characters" of "a user's display name", "the request is refused";
    PASSWORD_BYTES = 1_024, "bytes" of "a password", "the request is refused";
    TOKENS = 200, "tokens" of "one user", "the oldest is revoked";
    TOKEN_NAME_CHARACTERS = 64, "characters" of "a token's name", "the request is refused";
    USER_AGENT_BYTES = 256, "bytes" of "what a program calls itself, as a list of tokens keeps it", "the rest is cut off";
    OPTION_BYTES = 256 << 10, "bytes" of "the value of an option of a model or of the controller", "the request is refused";
    CONSTRAINTS_BYTES = 4 << 10, "bytes" of "the constraints of an application, a model or a machine", "the request is refused";
    UNITS_AT_ONCE = 10_000, "units" of "what one request adds", "the request is refused";
    STORAGES_AT_ONCE = 1_000, "storages" of "what one request makes", "the request is refused";
    EXPOSED_CIDRS = 1_000, "ranges" of "addresses to which the endpoints of one application are exposed", "the request is refused";
    MACHINES_AT_ONCE = 1_000, "machines" of "what one request adds", "the request is refused";

    // What people note of a model, and what they disable in it.

    ANNOTATIONS = 64, "annotations" of "what people note of one model, application, unit or machine", "the request is refused";
    ANNOTATION_KEY_BYTES = 128, "bytes" of "the key of an annotation", "the request is refused";
    ANNOTATION_VALUE_BYTES = 4 << 10, "bytes" of "the text of an annotation", "the request is refused";
    BLOCK_MESSAGE_BYTES = 1_024, "bytes" of "the message with which commands of a model are disabled", "the request is refused";

    // Tasks.

    PARAMETERS_BYTES = 256 << 10, "bytes, as JSON" of "the parameters of an action, or the words of a command", "the request is refused";
    TASKS_AT_ONCE = 1_000, "tasks" of "what one request starts", "the request is refused";
    TASKS_WAITING = 100, "tasks" of "what waits to be run on one unit", "the request is refused";
    /// Whoever needs longer leaves the work to a service and asks for its progress.
    TASK_MILLISECONDS = 3_600_000, "milliseconds" of "how long an action may compute where that is asked for", "it is ended then";
    EXECUTION_GROUP_BYTES = 64, "bytes" of "the name of an execution group", "the request is refused";

    // What comes in over the network.

    /// A tenth of what a model's log keeps by default.
    LOG_BURST_LINES = 10_000, "lines" of "log lines that a charm writes at once on one unit", "further ones are counted instead of kept";
    LOG_LINES_A_SECOND = 20, "lines a second" of "log lines that a charm goes on writing on one unit", "further ones are counted instead of kept";
    /// Four times what a hook may write by default.
    LOG_BURST_BYTES = 4 << 20, "bytes" of "text in the log lines that a charm writes at once on one unit", "further lines are counted instead of kept";
    LOG_BYTES_A_SECOND = 16 << 10, "bytes a second" of "text in the log lines that a charm goes on writing on one unit", "further lines are counted instead of kept";
    LOG_WAITING_LINES = 1_000, "lines" of "log lines of one unit that wait in its agent for the controller", "its oldest ones are counted instead of kept";
    LOG_WAITING_BYTES = 1 << 20, "bytes" of "text in the log lines of one unit that wait in its agent for the controller", "its oldest lines are counted instead of kept";
    LOGIN_MESSAGE_BYTES = 64 << 10, "bytes" of "what comes on a websocket before the login", "the connection ends";
    /// People call little over a websocket; what they change they send over HTTP.
    USER_MESSAGE_BYTES = 1 << 20, "bytes" of "a person's message on a websocket", "the connection ends";
    /// Eight times the state of a charm with its envelope.
    AGENT_MESSAGE_BYTES = 16 << 20, "bytes" of "an agent's message on a websocket", "the connection ends";
    /// Each takes far more memory than its text does.
    MESSAGE_VALUES = 262_144, "values" of "the JSON of one message or body", "the request is refused";
    ANONYMOUS_BODY_BYTES = 64 << 10, "bytes" of "the body of a request that needs no login", "the request is refused";
    /// Agents renew after half of it; a longer one outlives its holder.
    LEASE_MILLISECONDS = 300_000, "milliseconds" of "the time for which a lease is claimed", "the claim is refused";
    /// The sandbox cuts what charms say to less.
    AGENT_TEXT_BYTES = 16 << 10, "bytes" of "a text that an agent tells", "the call is refused";
    /// As much as a unit may keep in one setting.
    AGENT_VALUE_BYTES = 1 << 20, "bytes" of "a value in what an agent tells of a hook or of itself", "the call is refused";
    AGENT_LOG_LINES = 5_000, "lines" of "what an agent logs in one call", "the call is refused";
    BODIES_OF_ONE_BYTES = 64 << 20, "bytes" of "JSON bodies of one account that are being read", "the request is refused";
    BODIES_BYTES = 256 << 20, "bytes" of "JSON bodies of all accounts that are being read", "the request is refused";
    STAGED_OF_ONE_BYTES = 512 << 20, "bytes" of "uploads of one account that are coming in", "the upload is refused";
    STAGED_BYTES = 2 << 30, "bytes" of "uploads of all accounts that are coming in", "the upload is refused";
    /// Whoever may look at a model may send one, and it is kept while it waits.
    QUERY_BYTES = 16_384, "bytes" of "the text of a query of `wait-for`", "the request is refused";
    QUERY_TERMS = 500, "terms" of "names, values and functions in a query", "the request is refused";
    /// Reading, asking and dropping a query recurse once for each level.
    QUERY_LEVELS = 32, "levels" of "parentheses, negations and functions in one another in a query", "the request is refused";
    /// `forEach` within `forEach` multiplies; this is five hundred units by four hundred terms.
    QUERY_STEPS = 200_000, "steps" of "asking a query once", "the request is refused";
}

#[cfg(test)]
mod tests;
