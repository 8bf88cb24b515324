//! Reading a query, by recursive descent straight over its characters.

use serde_json::Value;

use super::{Comparison, Expression, Function, QueryError};
use crate::bounds::{QUERY_BYTES, QUERY_LEVELS, QUERY_TERMS};

pub(super) fn query(text: &str) -> Result<Expression, QueryError> {
    if QUERY_BYTES.exceeded_by(text.len()) {
        return Err(QueryError {
            message: format!("the query is longer than {} bytes", QUERY_BYTES.most),
            place: None,
        });
    }
    let mut reader = Reader {
        text: text.chars().collect(),
        at: 0,
        depth: 0,
        terms: 0,
    };
    let root = reader.or()?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(root),
        Some(c) => Err(reader.error(format!("\"{c}\" is not expected here"))),
    }
}

struct Reader {
    text: Vec<char>,
    at: usize,
    depth: usize,
    terms: usize,
}

impl Reader {
    fn or(&mut self) -> Result<Expression, QueryError> {
        self.enter()?;
        let first = self.and()?;
        let whole = self.chain("||", first, Self::and, Expression::Any)?;
        self.depth -= 1;
        Ok(whole)
    }

    fn and(&mut self) -> Result<Expression, QueryError> {
        let first = self.comparison()?;
        self.chain("&&", first, Self::comparison, Expression::All)
    }

    /// `first` alone, or with all that follow it after `sign`.
    fn chain(
        &mut self,
        sign: &str,
        first: Expression,
        part: fn(&mut Self) -> Result<Expression, QueryError>,
        whole: fn(Vec<Expression>) -> Expression,
    ) -> Result<Expression, QueryError> {
        if !self.takes(sign) {
            return Ok(first);
        }
        let mut parts = vec![first, part(self)?];
        while self.takes(sign) {
            parts.push(part(self)?);
        }
        Ok(whole(parts))
    }

    /// Goes one level down.
    fn enter(&mut self) -> Result<(), QueryError> {
        self.depth += 1;
        if QUERY_LEVELS.exceeded_by(self.depth) {
            return Err(self.error("the query is nested too deeply"));
        }
        Ok(())
    }

    fn comparison(&mut self) -> Result<Expression, QueryError> {
        let left = self.operand()?;
        for comparison in Comparison::ALL {
            if self.takes(comparison.sign()) {
                let right = self.operand()?;
                return Ok(Expression::Compare(
                    comparison,
                    Box::new(left),
                    Box::new(right),
                ));
            }
        }
        self.skip_space();
        if self.peek() == Some('=') {
            return Err(self.error("write == to compare"));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression, QueryError> {
        self.skip_space();
        match self.peek() {
            None => Err(self.error("the query ends too early")),
            Some('(') => {
                self.at += 1;
                let inner = self.or()?;
                self.expect(")")?;
                Ok(inner)
            }
            Some('!') => {
                self.at += 1;
                self.enter()?;
                let inner = self.operand()?;
                self.depth -= 1;
                Ok(Expression::Not(Box::new(inner)))
            }
            Some(first) => self.term(first),
        }
    }

    /// A name, a value or a function. These are counted; how deep parentheses and negations may
    /// go is counted where one goes down.
    fn term(&mut self, first: char) -> Result<Expression, QueryError> {
        self.terms += 1;
        if QUERY_TERMS.exceeded_by(self.terms) {
            return Err(self.error(format!(
                "the query has more than {} terms",
                QUERY_TERMS.most
            )));
        }
        match first {
            quote @ ('"' | '\'') => self.string(quote),
            c if c.is_ascii_digit() || c == '-' => self.number(),
            c if starts_name(c) => self.name_or_call(),
            c => Err(self.error(format!("\"{c}\" is not expected here"))),
        }
    }

    fn string(&mut self, quote: char) -> Result<Expression, QueryError> {
        let begin = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                c if c == quote => return Ok(Expression::Literal(Value::String(text))),
                '\\' => match self.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('b') => text.push('\u{8}'),
                    Some('f') => text.push('\u{c}'),
                    Some('u') => text.push(self.code_point()?),
                    Some(c @ ('"' | '\'' | '\\' | '/')) => text.push(c),
                    _ => return Err(self.error("this escape is not known")),
                },
                c => text.push(c),
            }
        }
        Err(QueryError {
            message: "the text is not closed".to_owned(),
            place: Some(begin),
        })
    }

    fn code_point(&mut self) -> Result<char, QueryError> {
        let digits: String = (0..4).filter_map(|_| self.next()).collect();
        let code = u32::from_str_radix(&digits, 16)
            .ok()
            .and_then(char::from_u32);
        code.ok_or_else(|| self.error("this escape is not known"))
    }

    fn number(&mut self) -> Result<Expression, QueryError> {
        let begin = self.at;
        self.at += 1;
        while self.peek().is_some_and(|c| c.is_ascii_digit() || c == '.') {
            self.at += 1;
        }
        let digits: String = self
            .text
            .get(begin..self.at)
            .unwrap_or_default()
            .iter()
            .collect();
        let bad = QueryError {
            message: format!("\"{digits}\" is not a number"),
            place: Some(begin),
        };
        match serde_json::from_str::<Value>(&digits) {
            Ok(value) if value.is_number() => Ok(Expression::Literal(value)),
            _ => Err(bad),
        }
    }

    fn name_or_call(&mut self) -> Result<Expression, QueryError> {
        let begin = self.at;
        let mut path = vec![self.name()?];
        match path[0].as_str() {
            "true" => return Ok(Expression::Literal(Value::Bool(true))),
            "false" => return Ok(Expression::Literal(Value::Bool(false))),
            _ => {}
        }
        if self.takes("(") {
            return self.call(&path[0], begin);
        }
        while self.peek() == Some('.') {
            self.at += 1;
            path.push(self.name()?);
        }
        Ok(Expression::Path(path))
    }

    fn call(&mut self, name: &str, begin: usize) -> Result<Expression, QueryError> {
        if name == "forEach" {
            let things = self.or()?;
            self.expect(",")?;
            self.skip_space();
            let element = self.name()?;
            self.expect("=>")?;
            let condition = self.or()?;
            self.expect(")")?;
            return Ok(Expression::ForEach(
                Box::new(things),
                element,
                Box::new(condition),
            ));
        }
        let Some(function) = Function::ALL
            .into_iter()
            .find(|function| function.name() == name)
        else {
            let known: Vec<&str> = Function::ALL
                .iter()
                .map(|function| function.name())
                .collect();
            let message = format!(
                "there is no function \"{name}\"; there are forEach, {}",
                known.join(", ")
            );
            return Err(QueryError {
                message,
                place: Some(begin),
            });
        };
        let mut arguments = vec![self.or()?];
        while self.takes(",") {
            arguments.push(self.or()?);
        }
        self.expect(")")?;
        if arguments.len() != function.arguments() {
            let message = format!(
                "{name} takes {} and got {}",
                function.arguments(),
                arguments.len()
            );
            return Err(QueryError {
                message,
                place: Some(begin),
            });
        }
        Ok(Expression::Call(function, arguments))
    }

    fn name(&mut self) -> Result<String, QueryError> {
        if !self.peek().is_some_and(starts_name) {
            return Err(self.error("a name is expected here"));
        }
        let begin = self.at;
        while self
            .peek()
            .is_some_and(|c| starts_name(c) || c.is_ascii_digit() || c == '-')
        {
            self.at += 1;
        }
        Ok(self
            .text
            .get(begin..self.at)
            .unwrap_or_default()
            .iter()
            .collect())
    }

    fn expect(&mut self, sign: &str) -> Result<(), QueryError> {
        if self.takes(sign) {
            Ok(())
        } else {
            Err(self.error(format!("\"{sign}\" is expected here")))
        }
    }

    /// Goes past `sign` if it stands here.
    fn takes(&mut self, sign: &str) -> bool {
        self.skip_space();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = sign.chars().eq(rest.iter().take(sign.len()).copied());
        if found {
            self.at += sign.len();
        }
        found
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn error(&self, message: impl Into<String>) -> QueryError {
        QueryError {
            message: message.into(),
            place: Some(self.at),
        }
    }
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}
