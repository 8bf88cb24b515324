//! Examples of bodies, by the name of their schema.

use serde_json::{Value, json};

/// An example; none where the shape says enough.
pub(super) fn of(schema: &str) -> Option<Value> {
    Some(match schema {
        "LoginRequest" => json!({ "user": "admin", "password": "correct horse battery staple" }),
        "AddModel" => json!({ "name": "shop", "config": { "logging-config": "<root>=INFO" } }),
        "Deploy" => json!({
            "application": "site", "charm": "local:site-0", "units": 2,
            "config": { "greeting": "hello" },
        }),
        "DeployBundle" => json!({
            "bundle": "applications:\n  site:\n    charm: local:site-0\n    num_units: 2\n",
            "dry-run": true,
        }),
        "ConfigChange" => json!({ "set": { "greeting": "good evening" }, "reset": ["port"] }),
        "AddUnits" => json!({ "count": 3 }),
        "AddMachines" => json!({ "count": 2 }),
        "ChangeCredential" => {
            json!({ "valid": false, "reason": "the folder moves to another disk" })
        }
        "Integrate" => json!({ "endpoints": ["front:website", "site:website"] }),
        "ChangeRelation" => json!({ "suspended": true, "reason": "moving to another site" }),
        "SetAnnotations" => json!({ "entity": "site/0", "set": { "owner": "web team" } }),
        "SetConstraints" => json!({ "constraints": "arch=amd64 mem=4G" }),
        "SetMeterStatus" => json!({ "color": "AMBER", "message": "the disk is nearly full" }),
        "SetMinUnits" => json!({ "min-units": 2 }),
        "ChangeGrants" => json!({ "capabilities": ["tools/secret"] }),
        "SetTrust" => json!({ "trust": true }),
        "SetBlock" => json!({ "message": "ask the web team first" }),
        "Refresh" => json!({ "charm": "local:site-1", "force-units": false }),
        "ResolveRequest" => json!({ "retry": true }),
        "SilenceIncident" => json!({ "seconds": 3600 }),
        "StopRequest" => json!({ "agents": false }),
        "Problem" => json!({
            "type": "urn:periapt:problem:application-not-found", "status": 404, "code": "application-not-found", "title": "Not found",
            "detail": "application \"site\" not found",
            "advice": "`periapt status` shows what the model holds",
        }),
        "ModelSummary" => json!({
            "uuid": "6f1c4d2e-0b1a-4c57-9f0e-2d3c4b5a6978", "name": "shop", "type": "iaas",
            "cloud": "local", "region": "default", "owner": "admin", "life": "alive", "status": { "status": "available", "message": "", "since": "2026-09-21T14:13:20Z" }, "applications": 1,
            "machines": 2, "units": 2, "created-at": "2026-09-21T14:13:20Z",
        }),
        "Removal" => json!({ "units": ["site/0", "site/1"], "machines": ["0", "1"] }),
        _ => return None,
    })
}
