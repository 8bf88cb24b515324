//! Actions that do not end, or not well.

use std::hint::black_box;

use periapt_charm::{Context, ErrorCode, Result};
use serde_json::{Value, json};

use crate::{Config, Unruly};

/// What is changed before it traps, of which nobody sees anything.
const STATE_KEY: &str = "trapped";

impl Unruly {
    pub(crate) fn compute(&mut self, context: &Context<Config>, _: ()) -> Result<()> {
        context.task().log("it begins")?;
        let mut count = 0_u64;
        loop {
            count = black_box(count.wrapping_add(1));
        }
    }

    pub(crate) fn trap(&mut self, context: &Context<Config>, _: ()) -> Result<()> {
        context.task().log("it is about to trap")?;
        context.task().set(&json!({"half": "done"}))?;
        context.state().set(STATE_KEY, &true)?;
        std::process::abort()
    }

    pub(crate) fn flood(&mut self, context: &Context<Config>, _: ()) -> Result<Value> {
        let mut lines = 0_u64;
        loop {
            match context.task().log(&format!("line {lines}")) {
                Ok(()) => lines += 1,
                Err(error) if error.host_code() == Some(ErrorCode::Limit) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(json!({"lines": lines}))
    }
}
