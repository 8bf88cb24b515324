//! The small language of `wait-for`: comparisons of an entity's values, joined with `&&`, `||`
//! and `!`, and a few functions. It is the part of Juju's query language that people use.
//!
//! Queries come from strangers. A chain of `&&` or `||` is a list however long it is; only what
//! a query nests is a tree, and its depth, its terms, its text and the steps it takes to ask it
//! are bounded ([`crate::bounds`]).
//!
//! ```text
//! status=="active" && forEach(units, unit => unit.agent-status=="idle")
//! ```

mod evaluate;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

/// A query that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    root: Expression,
}

/// What is wrong with a query, and where (characters from its beginning).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    pub message: String,
    pub place: Option<usize>,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{} (at character {})", self.message, place + 1),
            None => f.write_str(&self.message),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Literal(Value),
    /// `unit.agent-status`
    Path(Vec<String>),
    Not(Box<Expression>),
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// A chain of `&&`, two or more.
    All(Vec<Expression>),
    /// A chain of `||`, two or more.
    Any(Vec<Expression>),
    Call(Function, Vec<Expression>),
    /// `forEach(things, name => condition)`: the condition holds for each.
    ForEach(Box<Expression>, String, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    const ALL: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::LessOrEqual,
        Comparison::GreaterOrEqual,
        Comparison::Less,
        Comparison::Greater,
    ];

    fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Length,
    StartsWith,
    EndsWith,
    Contains,
}

impl Function {
    const ALL: [Function; 4] = [
        Function::Length,
        Function::StartsWith,
        Function::EndsWith,
        Function::Contains,
    ];

    fn name(self) -> &'static str {
        match self {
            Function::Length => "len",
            Function::StartsWith => "startsWith",
            Function::EndsWith => "endsWith",
            Function::Contains => "contains",
        }
    }

    fn arguments(self) -> usize {
        if self == Function::Length { 1 } else { 2 }
    }
}

impl Query {
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::query(text).map(|root| Query { root })
    }

    /// Whether the query holds for an entity, an object of its values.
    pub fn holds(&self, entity: &Value) -> Result<bool, QueryError> {
        evaluate::holds(&self.root, entity)
    }

    /// Whether the query looks at `life` for `"dead"`: then an entity that is gone satisfies it.
    pub fn asks_for_death(&self) -> bool {
        mentions_death(&self.root)
    }
}

fn mentions_death(expression: &Expression) -> bool {
    match expression {
        Expression::Compare(Comparison::Equal, left, right) => {
            let life = |side: &Expression| matches!(side, Expression::Path(path) if path.as_slice() == ["life"]);
            let dead = |side: &Expression| matches!(side, Expression::Literal(Value::String(word)) if word == "dead");
            (life(left) && dead(right)) || (life(right) && dead(left))
        }
        Expression::All(parts) | Expression::Any(parts) => parts.iter().any(mentions_death),
        _ => false,
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Literal(value) => write!(f, "{value}"),
            Expression::Path(path) => f.write_str(&path.join(".")),
            Expression::Not(inner) => write!(f, "!({inner})"),
            Expression::Compare(comparison, left, right) => {
                write!(f, "({left}) {} ({right})", comparison.sign())
            }
            Expression::All(parts) => chain(f, parts, " && "),
            Expression::Any(parts) => chain(f, parts, " || "),
            Expression::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Expression::to_string).collect();
                write!(f, "{}({})", function.name(), arguments.join(", "))
            }
            Expression::ForEach(things, name, condition) => {
                write!(f, "forEach({things}, {name} => {condition})")
            }
        }
    }
}

fn chain(f: &mut fmt::Formatter<'_>, parts: &[Expression], sign: &str) -> fmt::Result {
    for (position, part) in parts.iter().enumerate() {
        let before = if position == 0 { "" } else { sign };
        write!(f, "{before}({part})")?;
    }
    Ok(())
}
