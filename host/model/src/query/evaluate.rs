//! Whether a query holds.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Comparison, Expression, Function, QueryError};

/// Names and what they stand for, the innermost last.
type Scope<'a> = Vec<(&'a str, &'a Value)>;

pub(super) fn holds(expression: &Expression, entity: &Value) -> Result<bool, QueryError> {
    truth(expression, entity, &mut Vec::new())
}

fn truth<'a>(
    expression: &'a Expression,
    entity: &'a Value,
    scope: &mut Scope<'a>,
) -> Result<bool, QueryError> {
    match expression {
        Expression::Not(inner) => Ok(!truth(inner, entity, scope)?),
        // Both sides are looked at, so that a misspelt name shows at once.
        Expression::And(left, right) => {
            let (left, right) = (truth(left, entity, scope)?, truth(right, entity, scope)?);
            Ok(left && right)
        }
        Expression::Or(left, right) => {
            let (left, right) = (truth(left, entity, scope)?, truth(right, entity, scope)?);
            Ok(left || right)
        }
        Expression::Compare(comparison, left, right) => {
            let (left, right) = (value(left, entity, scope)?, value(right, entity, scope)?);
            compare(*comparison, &left, &right)
        }
        Expression::ForEach(things, name, condition) => {
            let things = borrow(things, entity, scope)?;
            let all: Vec<&Value> = match things {
                Value::Array(all) => all.iter().collect(),
                Value::Object(all) => all.values().collect(),
                other => {
                    return Err(error(format!(
                        "forEach needs things to go through, not {other}"
                    )));
                }
            };
            for thing in all {
                scope.push((name, thing));
                let holds = truth(condition, entity, scope);
                scope.pop();
                if !holds? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        other => match value(other, entity, scope)? {
            Value::Bool(truth) => Ok(truth),
            value => Err(error(format!(
                "{other} is {value} and neither true nor false"
            ))),
        },
    }
}

fn value<'a>(
    expression: &'a Expression,
    entity: &'a Value,
    scope: &mut Scope<'a>,
) -> Result<Value, QueryError> {
    match expression {
        Expression::Literal(value) => Ok(value.clone()),
        Expression::Path(_) => borrow(expression, entity, scope).cloned(),
        Expression::Call(function, arguments) => {
            let arguments = arguments
                .iter()
                .map(|argument| value(argument, entity, scope))
                .collect::<Result<Vec<_>, _>>()?;
            call(*function, &arguments)
        }
        other => truth(other, entity, scope).map(Value::Bool),
    }
}

/// The value a name stands for.
fn borrow<'a>(
    expression: &'a Expression,
    entity: &'a Value,
    scope: &Scope<'a>,
) -> Result<&'a Value, QueryError> {
    let Expression::Path(path) = expression else {
        return Err(error(format!("{expression} is no name")));
    };
    let mut names = path.iter();
    let first = names.next().map(String::as_str).unwrap_or_default();
    let bound = scope
        .iter()
        .rev()
        .find(|(name, _)| *name == first)
        .map(|(_, value)| *value);
    let mut value = match bound {
        Some(value) => value,
        None => member(entity, first)?,
    };
    for name in names {
        value = member(value, name)?;
    }
    Ok(value)
}

fn member<'a>(of: &'a Value, name: &str) -> Result<&'a Value, QueryError> {
    let Value::Object(members) = of else {
        return Err(error(format!("there is no \"{name}\" in {of}")));
    };
    members.get(name).ok_or_else(|| {
        let known: Vec<&str> = members.keys().map(String::as_str).collect();
        error(format!(
            "there is no \"{name}\" here; there are {} (text needs quotes)",
            known.join(", ")
        ))
    })
}

fn call(function: Function, arguments: &[Value]) -> Result<Value, QueryError> {
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
        (Function::Contains, [Value::Array(all), part]) => Ok(all.contains(part).into()),
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
        return Err(error(format!("{left} and {right} cannot be compared")));
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
