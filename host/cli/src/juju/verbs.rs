//! The commands of Juju 3.6, and what each is here.
//!
//! A row is a command by the name that Juju's reference gives it, or one of its aliases. Rows whose verb has another name here
//! become aliases of it; rows without a verb become hidden commands that take any arguments and answer in words.

/// What one of Juju's commands is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Here {
    /// A verb of the same name.
    Same,
    /// A verb of another name, which this one is an alias of.
    As(&'static str),
    /// There is nothing to do, which is said; the command succeeds, since scripts run it on their way to something else.
    Nothing { why: &'static str },
    /// It is not there.
    Absent {
        why: &'static str,
        instead: &'static str,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub juju: &'static str,
    pub here: Here,
}

impl Row {
    /// A command of its own, without a verb behind it.
    pub fn is_answered(&self) -> bool {
        matches!(self.here, Here::Nothing { .. } | Here::Absent { .. })
    }
}

/// The row of a command that has no verb here.
pub fn answered(name: &str) -> Option<&'static Row> {
    ALL.iter().find(|row| row.juju == name && row.is_answered())
}

const fn same(juju: &'static str) -> Row {
    Row {
        juju,
        here: Here::Same,
    }
}

const fn alias(juju: &'static str, ours: &'static str) -> Row {
    Row {
        juju,
        here: Here::As(ours),
    }
}

const fn nothing(juju: &'static str, why: &'static str) -> Row {
    Row {
        juju,
        here: Here::Nothing { why },
    }
}

const fn absent(juju: &'static str, why: &'static str, instead: &'static str) -> Row {
    Row {
        juju,
        here: Here::Absent { why, instead },
    }
}

const NO_SSH: &str = "units run in a sandbox without a shell, and no machine has an SSH server";
const NO_KEYS: &str = "no machine has an SSH server, so no key is needed or kept";
const NO_SPACES: &str =
    "all units of a model share one network; there are no spaces and no subnets";
const NO_OFFERS: &str = "relations do not cross models";
const NO_CLOUDS: &str = "a controller has the clouds of its providers and no others";
const NO_KUBERNETES: &str = "charms run in the controller's own sandbox, not in Kubernetes";
const NO_STORE: &str = "charms come from files and charm repositories, not from Charmhub";
const ONE_PROGRAM: &str =
    "agents run the program of their controller, so nothing is upgraded separately";
const CREDENTIALS: &str = "credentials are created with their models and stored by the controller";
const LOCAL_CLOUD: &str =
    "controllers and their models are in the cloud `local` unless add-model names another";

const PERIAPT_EXEC: &str =
    "periapt exec --unit UNIT -- COMMAND, periapt run UNIT ACTION, or periapt logs UNIT";
const ONE_MODEL: &str = "deploy both applications into one model and periapt integrate them";

#[rustfmt::skip]
pub const ALL: &[Row] = &[
    same("actions"),
    absent("add-cloud", NO_CLOUDS, "periapt clouds lists the clouds; periapt add-model NAME CLOUD"),
    absent("add-credential", CREDENTIALS, "periapt add-model NAME CLOUD --credential NAME"),
    absent("add-k8s", NO_KUBERNETES, "periapt add-model NAME"),
    same("add-machine"),
    same("add-model"),
    alias("add-relation", "integrate"),
    same("add-secret"),
    same("add-secret-backend"),
    nothing("add-space", NO_SPACES),
    nothing("add-ssh-key", NO_KEYS),
    same("add-storage"),
    same("add-unit"),
    same("add-user"),
    nothing("agree", "charms have no terms to agree to"),
    nothing("agreements", "charms have no terms to agree to"),
    same("attach-resource"),
    same("attach-storage"),
    nothing("autoload-credentials", CREDENTIALS),
    nothing("bind", NO_SPACES),
    same("bootstrap"),
    same("cancel-task"),
    same("change-user-password"),
    absent("charm-resources", NO_STORE, "periapt charm inspect ./FILE.charm shows the resources of a charm"),
    same("clouds"),
    same("config"),
    same("constraints"),
    absent("consume", NO_OFFERS, ONE_MODEL),
    same("controller-config"),
    same("controllers"),
    same("create-backup"),
    same("create-storage-pool"),
    same("credentials"),
    same("dashboard"),
    absent("debug-code", NO_SSH, "periapt debug-log --include UNIT, or periapt hooks UNIT --failed"),
    absent("debug-hook", NO_SSH, "periapt hooks UNIT --failed, periapt debug-log --include UNIT, periapt resolved UNIT"),
    absent("debug-hooks", NO_SSH, "periapt hooks UNIT --failed, periapt debug-log --include UNIT, periapt resolved UNIT"),
    same("debug-log"),
    absent("default-credential", CREDENTIALS, "periapt add-model NAME CLOUD --credential NAME"),
    absent("default-region", LOCAL_CLOUD, "periapt add-model NAME CLOUD/REGION"),
    same("deploy"),
    same("destroy-controller"),
    same("destroy-model"),
    same("detach-storage"),
    same("diff-bundle"),
    same("disable-command"),
    same("disable-user"),
    same("disabled-commands"),
    absent("documentation", "the reference of all commands is docs/reference/commands.md", "periapt help commands, or periapt help COMMAND"),
    same("download"),
    same("download-backup"),
    same("enable-command"),
    same("enable-destroy-controller"),
    absent("enable-ha", "more processes join a controller that keeps its data in PostgreSQL", "periapt controller join --from DIR --data-dir DIR"),
    same("enable-user"),
    same("exec"),
    same("export-bundle"),
    same("expose"),
    same("find"),
    absent("find-offers", NO_OFFERS, ONE_MODEL),
    absent("firewall-rules", "access to a unit is set when it is exposed", "periapt expose APPLICATION --to-cidrs CIDR, or periapt model-config reachability"),
    alias("get-constraints", "constraints"),
    alias("get-model-constraints", "model-constraints"),
    same("grant"),
    absent("grant-cloud", "users who may add models may add them to every cloud of the controller", "periapt grant USER superuser"),
    same("grant-secret"),
    same("help"),
    absent("help-action-commands", "charms use the functions of their SDK; there are no programs to call", "read docs/reference/hook-tools.md"),
    absent("help-hook-commands", "charms use the functions of their SDK; there are no programs to call", "read docs/reference/hook-tools.md"),
    same("import-filesystem"),
    nothing("import-ssh-key", NO_KEYS),
    same("info"),
    same("integrate"),
    same("kill-controller"),
    alias("list-actions", "actions"),
    nothing("list-agreements", "charms have no terms to agree to"),
    absent("list-charm-resources", NO_STORE, "periapt charm inspect ./FILE.charm shows the resources of a charm"),
    alias("list-clouds", "clouds"),
    alias("list-controllers", "controllers"),
    alias("list-credentials", "credentials"),
    alias("list-disabled-commands", "disabled-commands"),
    absent("list-firewall-rules", "access to a unit is set when it is exposed", "periapt expose APPLICATION --to-cidrs CIDR, or periapt model-config reachability"),
    alias("list-machines", "machines"),
    alias("list-models", "models"),
    absent("list-offers", NO_OFFERS, ONE_MODEL),
    alias("list-operations", "operations"),
    alias("list-payloads", "payloads"),
    alias("list-regions", "regions"),
    alias("list-resources", "resources"),
    alias("list-secret-backends", "secret-backends"),
    alias("list-secrets", "secrets"),
    nothing("list-spaces", NO_SPACES),
    nothing("list-ssh-keys", NO_KEYS),
    alias("list-storage", "storage"),
    alias("list-storage-pools", "storage-pools"),
    nothing("list-subnets", NO_SPACES),
    alias("list-users", "users"),
    same("login"),
    same("logout"),
    same("machines"),
    absent("migrate", "a model stays with the controller that created it", "periapt export-bundle --filename FILE --charms DIR, and periapt deploy FILE there"),
    same("model-config"),
    same("model-constraints"),
    same("model-defaults"),
    same("model-secret-backend"),
    same("models"),
    nothing("move-to-space", NO_SPACES),
    absent("offer", NO_OFFERS, ONE_MODEL),
    absent("offers", NO_OFFERS, ONE_MODEL),
    same("operations"),
    same("payloads"),
    same("refresh"),
    same("regions"),
    same("register"),
    same("relate"),
    nothing("reload-spaces", NO_SPACES),
    same("remove-application"),
    absent("remove-cloud", NO_CLOUDS, "periapt clouds lists the clouds"),
    absent("remove-credential", CREDENTIALS, "periapt invalidate-credential REASON, or periapt destroy-model MODEL"),
    absent("remove-k8s", NO_KUBERNETES, "periapt clouds lists the clouds"),
    same("remove-machine"),
    absent("remove-offer", NO_OFFERS, ONE_MODEL),
    same("remove-relation"),
    absent("remove-saas", NO_OFFERS, ONE_MODEL),
    same("remove-secret"),
    same("remove-secret-backend"),
    nothing("remove-space", NO_SPACES),
    nothing("remove-ssh-key", NO_KEYS),
    same("remove-storage"),
    same("remove-storage-pool"),
    same("remove-unit"),
    same("remove-user"),
    nothing("rename-space", NO_SPACES),
    alias("resolve", "resolved"),
    same("resolved"),
    same("resources"),
    same("resume-relation"),
    same("retry-provisioning"),
    same("revoke"),
    absent("revoke-cloud", "users who may add models may add them to every cloud of the controller", "periapt revoke USER superuser"),
    same("revoke-secret"),
    same("run"),
    same("scale-application"),
    absent("scp", NO_SSH, "periapt attach-resource APPLICATION NAME=FILE uploads a file; a service or an action can return one"),
    same("secret-backends"),
    same("secrets"),
    same("set-application-base"),
    same("set-constraints"),
    absent("set-credential", CREDENTIALS, "periapt add-model NAME CLOUD --credential NAME"),
    absent("set-default-credentials", CREDENTIALS, "periapt add-model NAME CLOUD --credential NAME"),
    absent("set-default-region", LOCAL_CLOUD, "periapt add-model NAME CLOUD/REGION"),
    absent("set-firewall-rule", "access to a unit is set when it is exposed", "periapt expose APPLICATION --to-cidrs CIDR"),
    same("set-meter-status"),
    same("set-model-constraints"),
    same("show-action"),
    same("show-application"),
    same("show-cloud"),
    same("show-controller"),
    same("show-credential"),
    alias("show-credentials", "show-credential"),
    same("show-machine"),
    same("show-model"),
    absent("show-offer", NO_OFFERS, ONE_MODEL),
    same("show-operation"),
    same("show-secret"),
    same("show-secret-backend"),
    nothing("show-space", NO_SPACES),
    alias("show-status", "status"),
    same("show-status-log"),
    same("show-storage"),
    same("show-task"),
    same("show-unit"),
    same("show-user"),
    nothing("spaces", NO_SPACES),
    absent("ssh", NO_SSH, PERIAPT_EXEC),
    nothing("ssh-keys", NO_KEYS),
    same("status"),
    same("storage"),
    same("storage-pools"),
    nothing("subnets", NO_SPACES),
    same("suspend-relation"),
    same("switch"),
    nothing("sync-agent-binary", ONE_PROGRAM),
    same("trust"),
    same("unexpose"),
    same("unregister"),
    absent("update-cloud", NO_CLOUDS, "periapt clouds lists the clouds"),
    same("update-credential"),
    alias("update-credentials", "update-credential"),
    absent("update-k8s", NO_KUBERNETES, "periapt clouds lists the clouds"),
    nothing("update-public-clouds", NO_CLOUDS),
    same("update-secret"),
    same("update-secret-backend"),
    absent("update-storage-pool", "pools cannot be changed, because existing storage depends on them", "periapt create-storage-pool NAME PROVIDER KEY=VALUE, and use the new pool"),
    nothing("upgrade-controller", ONE_PROGRAM),
    absent("upgrade-machine", "charms run in the same sandbox everywhere, without an operating system", "periapt refresh APPLICATION gives an application a newer charm"),
    nothing("upgrade-model", ONE_PROGRAM),
    same("users"),
    same("version"),
    same("wait-for"),
    same("whoami"),
];
