//! Requests and answers.

use crate::{Body, Headers};

/// What is asked to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Delete,
    Patch,
    Options,
    Other(String),
}

/// A request, as it came in or as it is to be sent.
#[derive(Debug)]
pub struct Request {
    pub(crate) method: Method,
    /// `http` or `https`.
    pub(crate) scheme: String,
    pub(crate) authority: String,
    pub(crate) target: String,
    pub(crate) headers: Headers,
    pub(crate) body: Body,
}

impl Request {
    /// A request for `target`: a path, with what follows a `?` if there is such.
    pub fn new(method: Method, target: &str) -> Self {
        Self {
            method,
            scheme: "http".to_owned(),
            authority: "localhost".to_owned(),
            target: target.to_owned(),
            headers: Headers::new(),
            body: Body::default(),
        }
    }

    pub fn get(target: &str) -> Self {
        Self::new(Method::Get, target)
    }

    pub fn post(target: &str, body: impl Into<Body>) -> Self {
        Self::new(Method::Post, target).body(body)
    }

    /// Where it goes, such as `api.example.com:8443`, and by which scheme, `http` or `https`.
    pub fn to(mut self, scheme: &str, authority: &str) -> Self {
        self.scheme = scheme.to_owned();
        self.authority = authority.to_owned();
        self
    }

    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.append(name, value);
        self
    }

    pub fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Path and query.
    pub fn target(&self) -> &str {
        &self.target
    }

    pub fn path(&self) -> &str {
        match self.target.split_once('?') {
            Some((path, _)) => path,
            None => &self.target,
        }
    }

    pub fn query(&self) -> Option<&str> {
        self.target.split_once('?').map(|(_, query)| query)
    }

    /// Whom the client asked, with the port if it said one. The client's word: a name to make links
    /// with, and nothing to decide by.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    pub fn into_body(self) -> Body {
        self.body
    }
}

/// An answer, to be given or as it came in.
#[derive(Debug)]
pub struct Response {
    pub(crate) code: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Body,
}

impl Response {
    /// An answer with this status and nothing else.
    pub fn status(code: u16) -> Self {
        Self {
            code,
            headers: Headers::new(),
            body: Body::default(),
        }
    }

    /// 200 with this body.
    pub fn ok(content_type: &str, body: impl Into<Body>) -> Self {
        Self::status(200)
            .header("content-type", content_type)
            .body(body)
    }

    /// 200 with plain text.
    pub fn text(text: impl Into<Body>) -> Self {
        Self::ok("text/plain; charset=utf-8", text)
    }

    /// 200 with a page.
    pub fn html(page: impl Into<Body>) -> Self {
        Self::ok("text/html; charset=utf-8", page)
    }

    /// Takes the place of what this name had.
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.set(name, value);
        self
    }

    pub fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    pub fn code(&self) -> u16 {
        self.code
    }

    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    pub fn headers_mut(&mut self) -> &mut Headers {
        &mut self.headers
    }

    pub fn into_body(self) -> Body {
        self.body
    }
}
