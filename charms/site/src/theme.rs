//! The operator's own style sheet: the resource `theme`, which may be left out.

use std::fs;

use periapt_charm::{Context, Result};

use crate::Config;

/// The resource.
pub const RESOURCE: &str = "theme";

/// The rules that come after those of the site; none where nothing is attached. The error within is advice
/// for the operator.
pub fn read(context: &Context<Config>) -> Result<Result<Option<String>, String>> {
    let Some(path) = context.optional_resource(RESOURCE)? else {
        return Ok(Ok(None));
    };
    let advice = "attach another theme: this one is no text";
    let rules = String::from_utf8(fs::read(path)?);
    Ok(rules.map(Some).map_err(|_| advice.to_owned()))
}
