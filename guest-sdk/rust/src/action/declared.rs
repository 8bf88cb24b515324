//! Actions and commands as a charm declares them.
//!
//! Each holds a reference to a function whose type only its constructor knows, and beside it the
//! step that knows it again. So charms write `&Self::rebuild`, and lists of such are constants.

use std::any::Any;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::given;
use crate::{Charm, Context, Error, Result};

/// The function of an action whose types are forgotten, with its parameters as text.
type RunAction<C> = fn(&dyn Any, &mut C, &Context<'_, <C as Charm>::Config>, &str) -> Result<Value>;

/// The function of a command, whose type is forgotten.
type RunCommand<C> =
    fn(&dyn Any, &mut C, &Context<'_, <C as Charm>::Config>, &[String]) -> Result<u8>;

/// An action: see [`Charm::ACTIONS`].
pub struct Action<C: Charm> {
    name: &'static str,
    handler: &'static dyn Any,
    run: RunAction<C>,
    #[cfg(not(target_family = "wasm"))]
    pub(crate) declared: Declared,
}

/// What only `actions.yaml` has of an action. A component does without: the controller knows it from
/// there.
#[cfg(not(target_family = "wasm"))]
pub(crate) struct Declared {
    pub description: &'static str,
    pub parallel: bool,
    pub execution_group: &'static str,
    pub schema: fn() -> Value,
}

impl<C: Charm> Action<C> {
    /// An action by the name that operators use (lower-case letters, digits and dashes), with what it
    /// does, and the method that does it. Types of the method:
    ///
    /// - its parameters are a struct, or `()` for none. The schema in `actions.yaml` is made of it;
    ///   `#[serde(rename_all = "kebab-case")]` gives parameters their usual names,
    ///   `#[serde(default)]` makes one optional, `#[serde(deny_unknown_fields)]` on the struct has
    ///   misspelt ones refused, and its fields' comments are their descriptions.
    /// - its results are a struct or map, or `()` for none. Keys are lower-case letters, digits and
    ///   dashes, so a struct has `#[serde(rename_all = "kebab-case")]` here as well.
    ///
    /// What it changed is committed when it returns `Ok`, also after [`Task::fail`](crate::Task::fail);
    /// after an error nothing is, and the operator reads the error.
    #[cfg_attr(target_family = "wasm", allow(unused_variables))]
    pub const fn new<P, R, F>(
        name: &'static str,
        description: &'static str,
        handler: &'static F,
    ) -> Self
    where
        P: DeserializeOwned + JsonSchema,
        R: Serialize,
        F: Fn(&mut C, &Context<'_, C::Config>, P) -> Result<R> + 'static,
    {
        Self {
            name,
            handler,
            run: run_action::<C, P, R, F>,
            #[cfg(not(target_family = "wasm"))]
            declared: Declared {
                description,
                parallel: false,
                execution_group: "",
                schema: crate::testing::schema_of::<P>,
            },
        }
    }

    /// Lets it run beside actions of other units on its machine; otherwise one runs at a time.
    #[cfg_attr(target_family = "wasm", allow(unused_mut))]
    pub const fn parallel(mut self) -> Self {
        #[cfg(not(target_family = "wasm"))]
        {
            self.declared.parallel = true;
        }
        self
    }

    /// Lets it run beside all actions of its machine that are not of this group.
    #[cfg_attr(target_family = "wasm", allow(unused_mut, unused_variables))]
    pub const fn execution_group(mut self, group: &'static str) -> Self {
        #[cfg(not(target_family = "wasm"))]
        {
            self.declared.execution_group = group;
        }
        self
    }

    /// The name that operators use.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        C::ACTIONS.iter().find(|action| action.name == name)
    }

    pub(super) fn run(
        &self,
        charm: &mut C,
        context: &Context<'_, C::Config>,
        parameters: &str,
    ) -> Result<Value> {
        (self.run)(self.handler, charm, context, parameters)
    }
}

fn run_action<C, P, R, F>(
    handler: &dyn Any,
    charm: &mut C,
    context: &Context<'_, C::Config>,
    parameters: &str,
) -> Result<Value>
where
    C: Charm,
    P: DeserializeOwned,
    R: Serialize,
    F: Fn(&mut C, &Context<'_, C::Config>, P) -> Result<R> + 'static,
{
    let results = known::<F>(handler)?(charm, context, given::read(parameters)?)?;
    serde_json::to_value(results)
        .map_err(|error| Error::failed(format!("the results cannot be written as JSON: {error}")))
}

/// A command: see [`Charm::COMMANDS`].
pub struct Command<C: Charm> {
    name: &'static str,
    handler: &'static dyn Any,
    run: RunCommand<C>,
}

impl<C: Charm> Command<C> {
    /// A command by the name that operators use, with the method that it is. It gets the words after
    /// the name, prints with `println!` and `eprintln!`, and returns how it ends: `()`, or a number
    /// that is 0 if all is well. One that ends with another number changes nothing.
    pub const fn new<R, F>(name: &'static str, handler: &'static F) -> Self
    where
        R: ReturnCode,
        F: Fn(&mut C, &Context<'_, C::Config>, &[String]) -> Result<R> + 'static,
    {
        Self {
            name,
            handler,
            run: run_command::<C, R, F>,
        }
    }

    /// The name that operators use.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        C::COMMANDS.iter().find(|command| command.name == name)
    }

    pub(super) fn run(
        &self,
        charm: &mut C,
        context: &Context<'_, C::Config>,
        arguments: &[String],
    ) -> Result<u8> {
        (self.run)(self.handler, charm, context, arguments)
    }
}

fn run_command<C, R, F>(
    handler: &dyn Any,
    charm: &mut C,
    context: &Context<'_, C::Config>,
    arguments: &[String],
) -> Result<u8>
where
    C: Charm,
    R: ReturnCode,
    F: Fn(&mut C, &Context<'_, C::Config>, &[String]) -> Result<R> + 'static,
{
    Ok(known::<F>(handler)?(charm, context, arguments)?.code())
}

/// The function with its type. It is always the one that the constructor took.
fn known<F: 'static>(handler: &dyn Any) -> Result<&F> {
    handler
        .downcast_ref()
        .ok_or_else(|| Error::failed("the function of this name is another one"))
}

/// How a command ends.
pub trait ReturnCode {
    /// 0 if all is well.
    fn code(self) -> u8;
}

impl ReturnCode for () {
    fn code(self) -> u8 {
        0
    }
}

impl ReturnCode for u8 {
    fn code(self) -> u8 {
        self
    }
}
