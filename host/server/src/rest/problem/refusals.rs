//! What the store refuses by a rule: the HTTP status of each code and what to do about it. A test
//! holds the store's sources against this table.

/// One code.
pub(super) struct Refusal {
    pub code: &'static str,
    pub status: u16,
    pub advice: &'static str,
}

const fn row(code: &'static str, status: u16, advice: &'static str) -> Refusal {
    Refusal {
        code,
        status,
        advice,
    }
}

/// The row of a code.
pub(super) fn find(code: &str) -> Option<&'static Refusal> {
    REFUSALS.iter().find(|row| row.code == code)
}

/// By code.
#[rustfmt::skip]
pub(super) static REFUSALS: &[Refusal] = &[
    row("access-login", 400, "`periapt disable-user USER`"),
    row("agent-not-stopped", 409, "`periapt status` shows which machines are stopped; a unit's agent is started with `periapt start-unit`"),
    row("already-resolved", 409, "wait until the unit's agent has taken note of it"),
    row("bad-request", 400, "correct the request; docs/reference/openapi.json describes it"),
    row("charm-breaks-relations", 409, "remove these relations first: `periapt remove-relation ID`, or keep the charm"),
    row("charm-kind-differs", 409, "deploy the charm as another application: `periapt deploy`"),
    row("charm-name-differs", 409, "deploy the charm as another application: `periapt deploy`"),
    row("cidr-invalid", 400, "write ranges of addresses as 10.0.0.0/8 or fd00::/8"),
    row("cloud-not-found", 400, "`periapt clouds --format yaml` lists the clouds with their regions"),
    row("config-unknown-option", 400, "`periapt config APPLICATION` lists the options"),
    row("config-wrong-type", 400, "`periapt config APPLICATION` shows each option's type"),
    row("controller-node-last", 409, "remove the whole controller: `periapt destroy-controller`"),
    row("controller-node-running", 409, "stop it first, or remove it all the same with --force: it then ends by itself"),
    row("controller-option-invalid", 400, "`periapt controller-config` lists the options with their values"),
    row("controller-option-unknown", 400, "`periapt controller-config` lists the options"),
    row("credential-not-found", 400, "`periapt credentials` lists those that you have"),
    row("display-name-invalid", 400, "choose a shorter, plainer name"),
    row("endpoint-is-peer", 400, "nothing needs doing: peers are related by themselves"),
    row("endpoint-not-found", 400, "use one of the endpoints it has"),
    row("endpoint-not-exposed", 409, "`periapt show-application APPLICATION` shows what is exposed; without endpoints everything is unexposed"),
    row("endpoints-ambiguous", 400, "name the endpoints: `periapt integrate` takes each pair as written"),
    row("endpoints-do-not-fit", 400, "relate a provider of an interface with a requirer of the same interface"),
    row("last-superuser", 409, "first give another user superuser: `periapt grant USER superuser`"),
    row("machine-alive", 409, "remove it first: `periapt remove-machine ID`"),
    row("machine-not-dead", 409, "wait until it is gone: `periapt status`; `periapt remove-machine ID --force` does not wait"),
    row("machine-not-in-error", 409, "`periapt machines` shows its state; one that was not given up is tried again by itself"),
    row("machine-provisioned", 409, "wait for its agent, or remove it by force: `periapt remove-machine ID --force`"),
    row("model-alive", 409, "destroy it first: `periapt destroy-model MODEL`"),
    row("model-not-dead", 409, "wait until it is gone: `periapt models`; `periapt destroy-model MODEL --force` does not wait"),
    row("model-option-invalid", 400, "`periapt model-config` lists the options with their values"),
    row("model-option-unknown", 400, "`periapt model-config` lists the options"),
    row("no-spaces", 400, "name ranges of addresses instead: `periapt expose APPLICATION --to-cidrs 10.0.0.0/8`"),
    row("not-in-scope", 409, "the relation is over for this unit: `periapt show-unit UNIT`"),
    row("option-set-and-reset", 400, "leave one of them out"),
    row("owner-access", 409, "the owner's access stays as long as they own the model"),
    row("password-refused", 400, "choose another password; several words are good"),
    row("port-conflict", 409, "open another port, or close the other range first"),
    row("proxy-options-conflict", 400, "reset one set of them: `periapt model-config --reset http-proxy,https-proxy,ftp-proxy`"),
    row("quota-limit-exceeded", 400, "keep less in it; docs/reference/bounds.md lists what there may be"),
    row("region-not-found", 400, "`periapt clouds --format yaml` lists the clouds with their regions"),
    row("registration-invalid", 401, "ask a superuser for a new one: `periapt change-user-password USER --reset`"),
    row("relation-is-peer", 409, "peers stay related as long as their application is there"),
    row("relation-limit-exceeded", 409, "remove one of these relations first: `periapt remove-relation ID`"),
    row("relation-needs-subordinate", 400, "relate it with a subordinate application, or use another endpoint"),
    row("relation-with-itself", 400, "relate two applications"),
    row("syslog-host-not-allowed", 403, "ask a superuser to set it, or to list the host: `periapt controller-config syslog-allowed-hosts=HOST`"),
    row("token-name-invalid", 400, "choose a shorter, plainer name"),
    row("too-many-cidrs", 400, "name larger ranges of addresses"),
    row("too-many-ports", 409, "open a range instead of single ports"),
    row("try-again", 503, "try again in a few seconds"),
    row("unit-alive", 409, "remove it first: `periapt remove-unit UNIT`"),
    row("unit-is-subordinate", 409, "remove the principal unit, or the relation: `periapt remove-relation ID`"),
    row("unit-not-dead", 409, "wait until it is gone: `periapt show-unit UNIT`; `periapt remove-unit UNIT --force` does not wait"),
    row("unit-not-in-error", 409, "only a unit in error can be resolved; `periapt status` shows which are"),
    row("user-oneself", 409, "another superuser can remove you"),
];
