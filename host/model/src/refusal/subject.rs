//! What can be missing, taken or on its way out, and what has a name with a grammar. Their codes are
//! made of the word: `application-not-found`, `unit-name-invalid`.

use std::fmt;

/// Each kind: its word in codes, the status and the advice where one is missing, and the advice where
/// its name is taken. One that a request's body names is missing with 400, not with 404: the address
/// was right.
macro_rules! subjects {
    ($($subject:ident $word:literal $status:literal $missing:literal $taken:literal;)+) => {
        /// A kind of thing that people or agents name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Subject {
            $($subject),+
        }

        impl Subject {
            pub const ALL: &[Subject] = &[$(Subject::$subject),+];

            const fn word(self) -> &'static str {
                match self { $(Subject::$subject => $word),+ }
            }

            pub(super) const fn missing(self) -> (&'static str, u16, &'static str) {
                match self { $(Subject::$subject => (concat!($word, "-not-found"), $status, $missing)),+ }
            }

            pub(super) const fn taken(self) -> (&'static str, u16, &'static str) {
                match self { $(Subject::$subject => (concat!($word, "-already-exists"), 409, $taken)),+ }
            }

            pub(super) const fn dying(self) -> (&'static str, u16, &'static str) {
                match self { $(Subject::$subject => (concat!($word, "-dying"), 409, self.leaving())),+ }
            }

            pub(super) const fn dead(self) -> (&'static str, u16, &'static str) {
                match self { $(Subject::$subject => (concat!($word, "-dead"), 409, self.leaving())),+ }
            }
        }
    };
}

#[rustfmt::skip]
subjects! {
    Action "action" 400 "`periapt actions APPLICATION` lists the actions of its charm" "choose another name";
    Alert "alert" 404 "`periapt alerts` lists the recorded alerts" "choose another name";
    AlertReceiver "alert-receiver" 404 "`periapt alert-receivers` lists the receivers" "choose another name";
    AlertRule "alert-rule" 404 "`periapt alert-rules` lists the rules" "choose another name";
    Application "application" 404 "`periapt status` shows what is in the model" "choose another name";
    Backup "backup" 404 "`periapt backups` lists the backups" "choose another name";
    Blob "blob" 404 "upload the charm again: `periapt refresh`" "choose another name";
    Block "block" 404 "`periapt disabled-commands` lists what is disabled" "choose another name";
    Bundle "bundle" 404 "only a model's newest deployments are kept: `GET /v1/models/MODEL/bundles` lists them" "choose another name";
    Charm "charm" 404 "upload the charm first: `periapt deploy ./FILE.charm` does both" "choose another name";
    CharmArchive "charm-archive" 404 "upload the charm again: `periapt refresh`" "choose another name";
    Cloud "cloud" 400 "`periapt clouds --format yaml` lists the clouds with their regions" "choose another name";
    Command "command" 400 "`periapt actions APPLICATION` lists the commands of its charm" "choose another name";
    ControllerNode "controller-node" 404 "`periapt controller nodes` lists the processes" "choose another name";
    Credential "credential" 400 "`periapt credentials` lists yours" "use it with `periapt add-model MODEL --credential NAME`, or give the model another name";
    Database "database" 404 "`periapt status` shows what there is" "choose another name";
    File "file" 404 "`periapt files ls UNIT` lists the unit's files" "choose another name";
    Incident "incident" 404 "`periapt incidents` lists current incidents; it may have been resolved" "choose another name";
    Hook "hook" 404 "`periapt hooks` lists the recorded runs" "choose another name";
    Machine "machine" 404 "`periapt status` shows what is in the model" "choose another name";
    MachineCommand "machine-command" 400 "`periapt exec --machine MACHINE -- COMMAND` takes: df, reboot, report" "choose another name";
    Model "model" 404 "`periapt models` lists the models" "choose another name";
    Operation "operation" 404 "`periapt operations` lists the recorded operations" "choose another name";
    Region "region" 400 "`periapt clouds --format yaml` lists the clouds with their regions" "choose another name";
    Relation "relation" 404 "`periapt status --relations` shows the relations" "they are already related: `periapt status --relations`";
    Resource "resource" 400 "`periapt resources APPLICATION` lists its charm's resources" "choose another name";
    Secret "secret" 404 "`periapt secrets` lists the secrets of the model" "choose another name or label";
    SecretBackend "secret-backend" 404 "`periapt secret-backends` lists the back ends" "choose another name";
    Settings "settings" 404 "`periapt status` shows what is in the model" "choose another name";
    Storage "storage" 404 "`periapt storage` lists the storage of the model" "choose another name";
    StoragePool "storage-pool" 404 "`periapt storage-pools` lists the pools" "choose another name";
    Task "task" 404 "`periapt operations` lists the operations with their tasks" "choose another name";
    Token "token" 404 "`periapt tokens` lists the tokens" "choose another name, or revoke the token with this name";
    Unit "unit" 404 "`periapt status` shows what is in the model" "choose another name";
    Upload "upload" 400 "upload the file again; files not attached within a day are deleted" "upload the file again";
    User "user" 404 "`periapt users` lists the users" "choose another name";
    Watcher "watcher" 404 "start a new watch" "choose another name";
}

impl Subject {
    const fn leaving(self) -> &'static str {
        match self {
            Subject::Machine => "it is being removed; use another machine",
            _ => "it is being removed; wait until it is gone",
        }
    }
}

impl fmt::Display for Subject {
    /// In words for people: `controller node`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word().replace('-', " "))
    }
}

/// Each name with a grammar: what people call it, and its code where a text does not follow the grammar.
macro_rules! names {
    ($($name:ident $words:literal $code:literal;)+) => {
        /// A kind of name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Name {
            $($name),+
        }

        impl Name {
            pub const ALL: &[Name] = &[$(Name::$name),+];

            pub(super) const fn invalid(self) -> (&'static str, u16, &'static str) {
                let code = match self { $(Name::$name => $code),+ };
                (code, 400, "correct the name and send the request again")
            }
        }

        impl fmt::Display for Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Name::$name => $words),+ })
            }
        }
    };
}

names! {
    Agent "agent name" "agent-name-invalid";
    Application "application name" "application-name-invalid";
    Charm "charm name" "charm-name-invalid";
    CharmUrl "charm URL" "charm-url-invalid";
    Endpoint "endpoint" "endpoint-invalid";
    Machine "machine" "machine-invalid";
    Model "model name" "model-name-invalid";
    ModelUuid "model UUID" "model-uuid-invalid";
    Tag "tag" "tag-invalid";
    Unit "unit name" "unit-name-invalid";
    User "user name" "user-name-invalid";
}
