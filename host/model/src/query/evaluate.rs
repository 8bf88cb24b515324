//! Whether a query holds.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::{Comparison, Expression, Function, QueryError};
use crate::bounds::QUERY_STEPS;
use crate::nearest::suggestion;

/// Characters of a value that an error shows.
const SHOWN: usize = 80;
/// Names that an error lists.
const LISTED: usize = 20;

pub(super) fn holds(expression: &Expression, entity: &Value) -> Result<bool, QueryError> {
    let mut asking = Asking {
        entity,
        scope: Vec::new(),
        steps: 0,
    };
    asking.truth(expression)
}

/// One query asked of one entity.
struct Asking<'a> {
    entity: &'a Value,
    /// Names and what they stand for, the innermost last.
    scope: Vec<(&'a str, &'a Value)>,
    steps: usize,
}

impl<'a> Asking<'a> {
    fn step(&mut self) -> Result<(), QueryError> {
        self.steps += 1;
        if QUERY_STEPS.exceeded_by(self.steps) {
            return Err(error(format!(
                "the query takes more than {} steps; ask about less at once",
                QUERY_STEPS.most
            )));
        }
        Ok(())
    }

    fn truth(&mut self, expression: &'a Expression) -> Result<bool, QueryError> {
        match expression {
            Expression::Not(inner) => Ok(!self.truth(inner)?),
            // All are looked at, so that a misspelt name shows at once.
            Expression::All(parts) => parts
                .iter()
                .try_fold(true, |all, part| Ok(self.truth(part)? && all)),
            Expression::Any(parts) => parts
                .iter()
                .try_fold(false, |any, part| Ok(self.truth(part)? || any)),
            Expression::Compare(comparison, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                compare(*comparison, &left, &right)
            }
            Expression::ForEach(things, name, condition) => match self.borrow(things)? {
                Value::Array(all) => self.each(all.iter(), name, condition),
                Value::Object(all) => self.each(all.values(), name, condition),
                other => Err(error(format!(
                    "forEach needs things to go through, not {}",
                    short(other)
                ))),
            },
            other => match &*self.value(other)? {
                Value::Bool(truth) => Ok(*truth),
                value => Err(error(format!(
                    "{} is {} and neither true nor false",
                    short(other),
                    short(value)
                ))),
            },
        }
    }

    fn each(
        &mut self,
        mut things: impl Iterator<Item = &'a Value>,
        name: &'a str,
        condition: &'a Expression,
    ) -> Result<bool, QueryError> {
        things.try_fold(true, |all, thing| {
            if !all {
                return Ok(false);
            }
            self.scope.push((name, thing));
            let holds = self.truth(condition);
            self.scope.pop();
            holds
        })
    }

    fn value(&mut self, expression: &'a Expression) -> Result<Cow<'a, Value>, QueryError> {
        self.step()?;
        match expression {
            Expression::Literal(value) => Ok(Cow::Borrowed(value)),
            Expression::Path(_) => self.borrow(expression).map(Cow::Borrowed),
            Expression::Call(function, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| self.value(argument))
                    .collect::<Result<Vec<_>, _>>()?;
                let arguments: Vec<&Value> = arguments.iter().map(AsRef::as_ref).collect();
                call(*function, &arguments).map(Cow::Owned)
            }
            other => self.truth(other).map(|truth| Cow::Owned(truth.into())),
        }
    }

    /// The value a name stands for.
    fn borrow(&mut self, expression: &'a Expression) -> Result<&'a Value, QueryError> {
        let Expression::Path(path) = expression else {
            return Err(error(format!("{} is no name", short(expression))));
        };
        let mut names = path.iter();
        let first = names.next().map(String::as_str).unwrap_or_default();
        let bound = self
            .scope
            .iter()
            .rev()
            .find(|(name, _)| *name == first)
            .map(|(_, value)| *value);
        let mut value = match bound {
            Some(value) => value,
            None => member(self.entity, first)?,
        };
        for name in names {
            value = member(value, name)?;
        }
        Ok(value)
    }
}

fn member<'a>(of: &'a Value, name: &str) -> Result<&'a Value, QueryError> {
    let Value::Object(members) = of else {
        return Err(error(format!("there is no \"{name}\" in {}", short(of))));
    };
    members.get(name).ok_or_else(|| {
        let mut known: Vec<&str> = members.keys().map(String::as_str).take(LISTED).collect();
        if members.len() > LISTED {
            known.push("...");
        }
        error(format!(
            "there is no \"{name}\" here{}; there are {} (text needs quotes)",
            suggestion(name, members.keys().map(String::as_str)),
            known.join(", ")
        ))
    })
}

fn call(function: Function, arguments: &[&Value]) -> Result<Value, QueryError> {
    match (function, arguments) {
        (Function::Length, [Value::Array(all)]) => Ok(all.len().into()),
        (Function::Length, [Value::Object(all)]) => Ok(all.len().into()),
        (Function::Length, [Value::String(text)]) => Ok(text.chars().count().into()),
        (Function::StartsWith, [Value::String(text), Value::String(part)]) => {
            Ok(text.starts_with(part).into())
        }
        (Function::EndsWith, [Value::String(text), Value::String(part)]) => {
            Ok(text.ends_with(part).into())
        }
        (Function::Contains, [Value::String(text), Value::String(part)]) => {
            Ok(text.contains(part).into())
        }
        (Function::Contains, [Value::Array(all), part]) => {
            Ok(all.iter().any(|one| one == *part).into())
        }
        _ => Err(error(format!(
            "{} cannot be asked of these values",
            function.name()
        ))),
    }
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Result<bool, QueryError> {
    let order = match (left, right) {
        (Value::Number(a), Value::Number(b)) => a
            .as_f64()
            .zip(b.as_f64())
            .and_then(|(a, b)| a.partial_cmp(&b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    };
    let Some(order) = order else {
        return Err(error(format!(
            "{} and {} cannot be compared",
            short(left),
            short(right)
        )));
    };
    Ok(match comparison {
        Comparison::Equal => order == Ordering::Equal,
        Comparison::NotEqual => order != Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
    })
}

fn error(message: String) -> QueryError {
    QueryError {
        message,
        place: None,
    }
}

/// The beginning of what may be long.
fn short(what: &impl ToString) -> String {
    let text = what.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
