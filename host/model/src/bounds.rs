//! How much of anything a stranger may hand in: one table, which the documentation prints.
//!
//! A stranger is whoever the receiver need not trust: a charm, a client that has not logged in, a
//! user with access to one model. Every list, text or tree that one of them can make long has its
//! row here, and whoever receives it names the row. A bound never depends on a setting; limits that
//! an operator may change are in the settings of the controller and of the sandbox.

use std::borrow::Cow;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// What is counted, as the documentation names it.
    pub of: &'static str,
    pub most: u64,
    /// What `most` counts, in the plural: `bytes`, `ranges`, `levels`.
    pub unit: &'static str,
    /// What happens beyond it.
    pub beyond: &'static str,
}

impl Bound {
    pub const fn new(
        of: &'static str,
        most: u64,
        unit: &'static str,
        beyond: &'static str,
    ) -> Self {
        Self {
            of,
            most,
            unit,
            beyond,
        }
    }

    /// Whether `count` is more than allowed.
    pub const fn exceeded_by(self, count: usize) -> bool {
        count as u64 > self.most
    }

    /// The part of a text that fits, an ellipsis included, and the whole of one that does.
    pub fn cut(self, text: &str) -> Cow<'_, str> {
        if !self.exceeded_by(text.len()) {
            return Cow::Borrowed(text);
        }
        let end = text.floor_char_boundary(self.length().saturating_sub('…'.len_utf8()));
        Cow::Owned(format!("{}…", &text[..end]))
    }

    /// The bound as a length of things in memory.
    pub const fn length(self) -> usize {
        self.most as usize
    }
}

macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident = $most:expr, $unit:literal of $of:literal, $beyond:literal;)*) => {
        $($(#[$doc])* pub const $name: Bound = Bound::new($of, $most, $unit, $beyond);)*

        /// All rows, in the order of the documentation.
        pub const ALL: &[Bound] = &[$($name),*];
    };
}

bounds! {
    // What a hook asks for.

    /// Juju has no bound. A charm that needs more opens a range instead of single ports.
    PORT_RANGES = 100, "ranges" of "ports that one unit has open", "the call fails with `limit`";
    /// Why a credential is not valid, as a provider or a person says it.
    CREDENTIAL_REASON = 1000, "characters" of "why a model's credential is not valid", "the rest is cut off";
    /// The next three are Juju's.
    STATE_KEY_BYTES = 256, "bytes" of "a key of charm state", "the call fails with `limit`";
    STATE_VALUE_BYTES = 64 << 10, "bytes" of "a value of charm state", "the call fails with `limit`";
    STATE_BYTES = 2 << 20, "bytes" of "all charm state of a unit", "the call fails with `limit`";
    /// So many are written within some tens of milliseconds, during which nobody else writes.
    STATE_KEYS = 10_000, "keys" of "charm state of a unit", "the call fails with `limit`";
    SETTING_KEY_BYTES = 256, "bytes" of "a key of relation or leader settings", "the call fails with `limit`";
    /// Juju has no bound; charms publish dashboards and rules of some hundred KiB.
    SETTING_VALUE_BYTES = 1 << 20, "bytes" of "a value of relation or leader settings", "the call fails with `limit`";
    SETTINGS_KEYS = 10_000, "keys" of "one bag of settings", "the call fails with `limit`";
    /// A bag is read in one message, see the bound of a message.
    SETTINGS_BYTES = 8 << 20, "bytes, as JSON" of "one bag of settings", "the call fails with `limit`";
    /// As much as the memory that a hook has by default.
    SETTINGS_READ_BYTES = 64 << 20, "bytes" of "settings of others that one hook reads", "the call fails with `limit`";
    SETTINGS_SHOWN_BYTES = 16 << 20, "bytes" of "settings in one answer to a person", "the values of the rest are cut to 256 bytes";
    /// The commit of a hook is one message, in which its state, settings and report have room.
    EFFECTS_BYTES = 12 << 20, "bytes, as JSON" of "state and settings that one hook changes", "the call fails with `limit`";
    TEXT_BYTES = 4 << 10, "bytes" of "a status message, a workload version, a reason", "the rest is cut off";
    /// Each is a write of its own, at once. A charm that shows its progress sets one a second.
    STATUS_CHANGES = 1_000, "changes" of "statuses and workload versions that one hook sets", "the call fails with `limit`";
    LOG_LINE_BYTES = 8 << 10, "bytes" of "a line of log", "it is broken into several";
    /// Far deeper than what people make, and shallow enough that every walk is short.
    DIRECTORY_LEVELS = 256, "levels" of "directories in one another that a charm makes", "the hook fails";

    // What a charm is made of.

    ARCHIVE_ENTRIES = 4_096, "entries" of "files in a charm archive", "the charm is refused";
    ARCHIVE_UNPACKED_BYTES = 256 << 20, "bytes" of "all files of a charm archive", "the charm is refused";
    ARCHIVE_NAME_BYTES = 512, "bytes" of "a file's path in a charm archive", "the charm is refused";
    MANIFEST_BYTES = 1 << 20, "bytes" of "each YAML file of a charm", "the charm is refused";
    CONTAINER_DIRECTORIES = 16, "directories" of "what a charm shares within its container", "the charm is refused";
    CHARM_HOOKS = 256, "hooks" of "what a charm says it implements", "the charm is refused";
    HOOK_NAME_BYTES = 64, "bytes" of "a hook's name", "the charm is refused";

    // What the controller keeps of it.

    /// More than any hook sets in earnest, so that a loop costs some hundred KiB and not 100 MiB.
    STATUS_LINES = 100, "lines in a minute" of "status history that one unit or application writes", "the newest line is replaced";
    RUNS_OF_UNIT = 1_000, "runs" of "hooks that are remembered of one unit", "the oldest are forgotten";
    RUN_EFFECTS = 50, "effects" of "what is remembered of one run of a hook", "the rest is counted";
    RUN_EFFECT_CHARACTERS = 120, "characters" of "one effect of a run", "the rest is cut off";
    LOG_LINES = 100_000, "lines" of "one model's log", "the oldest are forgotten";
    AUDIT_ROWS = 500_000, "records" of "the audit log in the database", "the oldest are forgotten";

    // What people name and ask for.

    /// Shorter than a file's name may be: a unit's directory is named after it.
    NAME_BYTES = 128, "bytes" of "the name of a model, application or user", "the request is refused";
    DISPLAY_NAME_CHARACTERS = 128, "characters" of "a user's display name", "the request is refused";
    PASSWORD_BYTES = 1_024, "bytes" of "a password", "the request is refused";
    TOKENS = 200, "tokens" of "one user", "the oldest is revoked";
    TOKEN_NAME_CHARACTERS = 64, "characters" of "a token's name", "the request is refused";
    OPTION_BYTES = 256 << 10, "bytes" of "the value of an option of a model or of the controller", "the request is refused";
    UNITS_AT_ONCE = 10_000, "units" of "what one request adds", "the request is refused";
    MACHINES_AT_ONCE = 1_000, "machines" of "what one request adds", "the request is refused";

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
