//! Flags of Juju's that the program's verbs do not have.
//!
//! One that means nothing here is taken, since scripts pass it, and told in one line. One that a script relies on,
//! since without it something else happens, is never ignored: it is refused before anything is done.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::failure::{Failure, Outcome};

/// A flag of Juju's that no verb here has.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// The verbs that take it; none for all of them.
    pub verbs: &'static [&'static str],
    pub long: &'static str,
    short: Option<char>,
    /// What its value is called, if it has one.
    pub value: Option<&'static str>,
    /// Why it means nothing, or cannot be done.
    pub why: &'static str,
    /// None for one that is taken without effect.
    pub refused: Option<Refused>,
}

/// A flag that is not ignored, since something else would happen than was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    pub instead: &'static str,
    /// A value with which it means nothing and is taken.
    pub but_for: Option<&'static str>,
}

const fn switch(verbs: &'static [&'static str], long: &'static str, why: &'static str) -> Flag {
    Flag {
        verbs,
        long,
        short: None,
        value: None,
        why,
        refused: None,
    }
}

const fn valued(
    verbs: &'static [&'static str],
    long: &'static str,
    value: &'static str,
    why: &'static str,
) -> Flag {
    Flag {
        verbs,
        long,
        short: None,
        value: Some(value),
        why,
        refused: None,
    }
}

impl Flag {
    const fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    const fn refused(mut self, instead: &'static str) -> Self {
        self.refused = Some(Refused {
            instead,
            but_for: None,
        });
        self
    }

    const fn refused_but_for(mut self, value: &'static str, instead: &'static str) -> Self {
        self.refused = Some(Refused {
            instead,
            but_for: Some(value),
        });
        self
    }

    fn argument(&self) -> Arg {
        let argument = Arg::new(self.long)
            .long(self.long)
            .hide(true)
            .help(self.why);
        let argument = match self.short {
            Some(short) => argument.short(short),
            None => argument,
        };
        match self.value {
            Some(name) => argument
                .value_name(name)
                .action(ArgAction::Append)
                .allow_hyphen_values(true),
            None => argument.action(ArgAction::SetTrue),
        }
    }
}

const SAME_EVERYWHERE: &str = "charms run in a sandbox that is the same on every base";
const ONE_NETWORK: &str = "all units of a model share one network; there are no spaces";
const NOTHING_TO_FORCE: &str = "there is nothing to override";
const NOT_WAITED: &str = "the controller is asked only once";
const NO_CLIENT_LOG: &str =
    "the client keeps no log of its own; periapt debug-log shows the model's";
const NO_DEVICES: &str = "a sandbox has no devices, so the application would run without them";
const KEPT: &str = "a controller that does not start is kept with its log";
const NOTHING_HIDDEN: &str = "the list always has everything that you may see";
const OF_THE_CONTROLLER: &str = "the controller keeps them; the client has none";
const HERE: &str = "the controller is a process on this machine";
const EVERY_KEY: &str = "a key that cannot be set is refused by name";
const NO_STORE: &str = "charms come from files and charm repositories, not from Charmhub";
const KEYS: &str = "machines cannot be reached by SSH";
const STREAMED: &str = "lines are streamed over one connection";

#[rustfmt::skip]
pub const ALL: &[Flag] = &[
    // All verbs.
    switch(&[], "debug", NO_CLIENT_LOG),
    switch(&[], "show-log", NO_CLIENT_LOG),
    switch(&[], "verbose", NO_CLIENT_LOG).short('v'),
    valued(&[], "logging-config", "CONFIG", NO_CLIENT_LOG),
    switch(&[], "no-browser-login", "there is no browser login").short('B'),

    valued(&["deploy", "refresh", "add-machine", "diff-bundle", "download"], "base", "BASE", SAME_EVERYWHERE),
    valued(&["deploy", "add-machine", "diff-bundle", "download", "bootstrap"], "series", "SERIES", SAME_EVERYWHERE),
    valued(&["deploy", "refresh"], "bind", "ENDPOINT=SPACE", ONE_NETWORK),
    switch(&["deploy", "refresh", "set-application-base", "bootstrap"], "force", NOTHING_TO_FORCE),
    switch(&["refresh"], "force-base", SAME_EVERYWHERE),
    switch(&["refresh"], "force-series", SAME_EVERYWHERE),
    valued(&["deploy"], "device", "NAME=DEVICE", NO_DEVICES).refused("leave out --device if the charm also works without the device"),
    valued(&["deploy", "diff-bundle"], "map-machines", "MAPPING", "a bundle's machines are created, and reused if they already belong to the bundle").refused_but_for("existing", "leave out --map-machines, or deploy the applications one by one with --to MACHINE"),
    valued(&["diff-bundle", "download"], "arch", "ARCH", "charms run on every architecture"),
    valued(&["diff-bundle"], "channel", "CHANNEL", NO_STORE),
    switch(&["diff-bundle"], "annotations", "annotations are always compared"),
    switch(&["download"], "no-progress", "progress is shown only at a terminal"),
    switch(&["download"], "resources", "charm repositories have no resources, and those of applications are not downloaded").refused("leave out --resources, and keep the files that you attach; periapt resources APPLICATION lists them"),
    valued(&["download"], "charmhub-url", "URL", NO_STORE).refused("name a charm repository: --repository DIR|URL"),
    valued(&["find", "info"], "charmhub-url", "URL", NO_STORE),
    valued(&["info"], "arch", "ARCH", "charms run on every architecture"),
    valued(&["info"], "base", "BASE", SAME_EVERYWHERE),
    valued(&["info"], "series", "SERIES", SAME_EVERYWHERE),
    valued(&["info"], "channel", "CHANNEL", "all channels are shown"),
    switch(&["info"], "config", "periapt charm inspect ./FILE.charm shows the options of a charm"),
    valued(&["info"], "unicode", "auto|never|always", "the output is text"),
    valued(&["find"], "category", "CATEGORY", NO_STORE),
    valued(&["find"], "channel", "CHANNEL", NO_STORE),
    valued(&["find"], "columns", "COLUMNS", NO_STORE),
    valued(&["find"], "publisher", "PUBLISHER", NO_STORE),
    valued(&["find"], "type", "charm|bundle", NO_STORE),
    switch(&["export-bundle"], "include-series", SAME_EVERYWHERE),

    valued(&["add-machine"], "disks", "CONSTRAINTS", "machines have the disk of their provider; periapt create-storage-pool makes pools"),
    valued(&["add-machine"], "private-key", "FILE", KEYS),
    valued(&["add-machine"], "public-key", "FILE", KEYS),
    switch(&["remove-machine"], "keep-instance", "the model's provider makes the instance for its machine, and it ends with the machine").refused("leave out --keep-instance if the instance may end; to keep it, keep the machine and remove only its units: periapt remove-unit UNIT"),
    valued(&["integrate"], "via", "CIDR,...", "relations do not cross models"),
    valued(&["trust"], "scope", "cluster", "trust applies to the whole application"),

    valued(&["bootstrap"], "bootstrap-base", "BASE", SAME_EVERYWHERE),
    valued(&["bootstrap"], "bootstrap-series", "SERIES", SAME_EVERYWHERE),
    valued(&["bootstrap"], "bootstrap-constraints", "CONSTRAINTS", HERE),
    valued(&["bootstrap"], "bootstrap-image", "IMAGE", HERE),
    valued(&["bootstrap"], "constraints", "CONSTRAINTS", HERE),
    valued(&["bootstrap"], "credential", "NAME", HERE),
    valued(&["bootstrap"], "to", "PLACEMENT", HERE),
    valued(&["bootstrap"], "storage-pool", "KEY=VALUE", "periapt create-storage-pool makes pools of a model"),
    valued(&["bootstrap"], "metadata-source", "DIR", HERE),
    valued(&["bootstrap"], "agent-version", "VERSION", "a controller runs the program that created it"),
    switch(&["bootstrap"], "auto-upgrade", "a controller runs the program that created it"),
    switch(&["bootstrap"], "build-agent", "a controller runs the program that created it"),
    valued(&["bootstrap"], "controller-charm-path", "PATH", "a controller is not a charm"),
    valued(&["bootstrap"], "controller-charm-channel", "CHANNEL", "a controller is not a charm"),
    valued(&["bootstrap"], "db-snap", "FILE", "a controller includes its database"),
    valued(&["bootstrap"], "db-snap-asserts", "FILE", "a controller includes its database"),
    switch(&["bootstrap"], "keep-broken", KEPT),
    switch(&["bootstrap"], "no-default-model", "no model is created without --add-model"),

    switch(&["import-filesystem"], "force", NOTHING_TO_FORCE),
    switch(&["detach-storage"], "no-wait", "storage is detached in its own time"),

    valued(&["status"], "retry-count", "NUMBER", NOT_WAITED),
    valued(&["status"], "retry-delay", "DURATION", NOT_WAITED),
    switch(&["debug-log"], "retry", STREAMED),
    valued(&["debug-log"], "retry-delay", "DURATION", STREAMED),
    switch(&["debug-log"], "firehose", "a log is of one model, so the lines of all others would be missing").refused("read each model's log: periapt debug-log -m MODEL; periapt models lists the models"),
    switch(&["debug-log"], "location", "lines have a module but no source location"),
    valued(&["debug-log"], "include-label", "LABEL", "lines have no labels"),
    valued(&["debug-log"], "include-labels", "LABEL", "lines have no labels"),
    valued(&["debug-log"], "exclude-label", "LABEL", "lines have no labels"),
    valued(&["debug-log"], "exclude-labels", "LABEL", "lines have no labels"),
    switch(&["show-status-log"], "include-status-updates", "they are always shown"),
    switch(&["wait-for"], "summary", "a summary is printed when it times out"),

    switch(&["model-config", "controller-config", "model-defaults"], "ignore-read-only-fields", EVERY_KEY),
    switch(&["models"], "all", NOTHING_HIDDEN),
    switch(&["show-user"], "exact-time", "times are always exact"),
    switch(&["controllers"], "refresh", "the details are those of the last login"),
    switch(&["controllers"], "managed", "all registered controllers are listed"),
    switch(&["clouds"], "all", NOTHING_HIDDEN),
    switch(&["clouds", "credentials", "show-credential", "update-credential", "show-cloud", "regions"], "client", OF_THE_CONTROLLER),
    switch(&["credentials", "show-credential"], "show-secrets", "credentials are never shown"),
    valued(&["update-credential"], "file", "FILE", "credentials have no content to set"),
    valued(&["update-credential"], "region", "REGION", "credentials are for the whole cloud"),
    switch(&["show-cloud"], "include-config", "clouds have no options; periapt model-defaults shows those of their models"),
    valued(&["dashboard"], "port", "PORT", "the page is where the controller listens"),
    switch(&["login"], "trust", "a controller's certificate authority is known from its registration"),
];

/// The program with these flags.
pub fn add(command: Command) -> Command {
    let command = ALL
        .iter()
        .filter(|flag| flag.verbs.is_empty())
        .fold(command, |command, flag| {
            command.arg(flag.argument().global(true))
        });
    command.mut_subcommands(|verb| {
        let own: Vec<&Flag> = ALL
            .iter()
            .filter(|flag| flag.verbs.contains(&verb.get_name()))
            .collect();
        own.into_iter()
            .fold(verb, |verb, flag| verb.arg(flag.argument()))
    })
}

/// A line about each of these flags that a command line has.
///
/// # Errors
/// One of them is refused.
pub fn remarks(matches: &ArgMatches) -> Outcome<Vec<String>> {
    let Some((verb, mut innermost)) = matches.subcommand() else {
        return Ok(Vec::new());
    };
    let of_verb = innermost;
    while let Some((_, within)) = innermost.subcommand() {
        innermost = within;
    }
    let given = ALL.iter().filter(|flag| match flag.verbs {
        [] => is_given(innermost, flag.long),
        verbs => verbs.contains(&verb) && is_given(of_verb, flag.long),
    });
    given
        .map(|flag| match flag.refused {
            Some(refused) if !refused.takes(of_verb, flag.long) => {
                Err(Failure::usage(format!("{verb} --{} is refused", flag.long))
                    .why(flag.why)
                    .advice(refused.instead))
            }
            _ => Ok(format!("--{} is ignored: {}", flag.long, flag.why)),
        })
        .collect()
}

impl Refused {
    /// Whether all values that were given are the one that means nothing.
    fn takes(self, matches: &ArgMatches, id: &str) -> bool {
        self.but_for.is_some_and(|taken| {
            let mut values = matches.get_many::<String>(id).into_iter().flatten();
            values.all(|value| value == taken)
        })
    }
}

fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(ValueSource::CommandLine)
}
