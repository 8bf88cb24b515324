//! Bounds: how much of anything a stranger may hand in. The rows here are of what a hook asks for;
//! those of everything else are in `model/bounds`, which makes one table of both.

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

/// Makes rows of the table, and a list of them in the order of the documentation.
#[macro_export]
macro_rules! bounds {
    ($visible:vis $all:ident: $($(#[$doc:meta])* $name:ident = $most:expr, $unit:literal of $of:literal, $beyond:literal;)*) => {
        $($(#[$doc])* pub const $name: $crate::bounds::Bound = $crate::bounds::Bound::new($of, $most, $unit, $beyond);)*
        $visible const $all: &[$crate::bounds::Bound] = &[$($name),*];
    };
}

bounds! {
    pub ALL:

    /// Juju has no bound. A charm that needs more opens a range instead of single ports.
    PORT_RANGES = 100, "ranges" of "ports that one unit has open", "the call fails with `limit`";
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
    SECRET_BYTES = 1 << 20, "bytes, keys and values" of "one revision of a secret", "the call fails with `limit`";
    SECRET_LABEL_BYTES = 256, "bytes" of "the label of a secret", "the call fails with `invalid`";
    SECRETS_CHANGED = 1_000, "secrets" of "what one hook adds, changes, grants and removes", "the call fails with `limit`";
    SECRETS_READ = 1_000, "reads" of "secrets in one hook", "the call fails with `limit`";
    STORAGES_ADDED = 100, "storages" of "what one hook adds", "the call fails with `limit`";
    LAYER_BYTES = 64 << 10, "bytes" of "a layer of a container", "the call fails with `limit`";
    CONTAINER_BYTES = 128 << 10, "bytes, as JSON" of "all layers of a container", "the call fails with `limit`";
    LAYERS = 32, "layers" of "a container", "the call fails with `limit`";
    REQUESTS = 64, "requests" of "what one hook asks to have done in a container", "the call fails with `limit`";
    /// Juju has no bound on the next four. A charm that runs more by itself says it of the groups of them.
    PAYLOADS = 100, "payloads" of "what one unit has registered", "the call fails with `limit`";
    PAYLOAD_ID_BYTES = 256, "bytes" of "the id of a payload", "the call fails with `limit`";
    PAYLOAD_LABELS = 16, "labels" of "one payload", "the call fails with `limit`";
    PAYLOAD_LABEL_BYTES = 64, "bytes" of "a label of a payload", "the call fails with `limit`";
    RESULT_BYTES = 1 << 20, "bytes, as JSON" of "the results of an action", "the call fails with `limit`";
    RESULT_LEVELS = 16, "levels" of "objects in one another among the results of an action", "the call fails with `limit`";
    /// One a second for a quarter of an hour; each is a write of its own.
    TASK_LINES = 1_000, "lines" of "what one action tells of its progress", "the call fails with `limit`";
    TEXT_BYTES = 4 << 10, "bytes" of "a status message, a workload version, a reason", "the rest is cut off";
    /// Each is a write of its own, at once. A charm that shows its progress sets one a second.
    STATUS_CHANGES = 1_000, "changes" of "statuses and workload versions that one hook sets", "the call fails with `limit`";
    LOG_LINE_BYTES = 8 << 10, "bytes" of "a line of log", "it is broken into several";
    METRIC_NAME_BYTES = 128, "bytes" of "a metric's name", "the charm is refused";
    METRIC_VALUES = 256, "values" of "metrics that one run of collect-metrics adds", "the call fails with `limit`";
    METRIC_LABELS = 8, "labels" of "one value of a metric", "the call fails with `limit`";
    METRIC_LABEL_BYTES = 128, "bytes" of "the name or the value of a metric's label", "the call fails with `limit`";
    /// Far deeper than what people make, and shallow enough that every walk is short.
    DIRECTORY_LEVELS = 256, "levels" of "directories in one another that a charm makes", "the hook fails";
}

#[cfg(test)]
mod tests;
