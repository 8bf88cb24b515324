//! One request: where it goes, as what, and what comes back.

use gateway_routes::{Found, Site, Table};
use periapt_http::{Headers, Method, Request, Response, SendError};

/// Of a request's body, which is kept until a unit has answered.
const BODY_BYTES: usize = 8 << 20;
/// Of one connection and no other; the last two are made of the address and of nothing else.
const HOPS: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
    "host",
];

/// Answers a request with what a unit answers, beginning with the one whose `turn` it is.
pub fn answer(
    table: &Table,
    request: Request,
    turn: usize,
    send: impl Fn(Request) -> Result<Response, SendError>,
) -> Response {
    match table.find(request.authority(), request.path()) {
        Found::Site { site, prefix } => pass(site, prefix, request, turn, send),
        Found::Slash => {
            let query = request
                .query()
                .map_or_else(String::new, |query| format!("?{query}"));
            Response::status(308).header("location", format!("{}/{query}", request.path()))
        }
        Found::Nothing => page(404, "Nothing is routed there."),
    }
}

fn pass(
    site: &Site,
    prefix: &str,
    request: Request,
    turn: usize,
    send: impl Fn(Request) -> Result<Response, SendError>,
) -> Response {
    let method = request.method().clone();
    let target = request.target()[prefix.len()..].to_owned();
    let fields = passed_on(request.headers());
    let Ok(body) = request.into_body().into_bytes(BODY_BYTES) else {
        return page(413, "The request is too large for the gateway.");
    };
    let count = site.units.len();
    for number in 0..count {
        let unit = &site.units[(turn % count + number) % count];
        let mut sent = Request::new(method.clone(), &target).to("http", unit);
        for (name, value) in fields.iter() {
            sent = sent.header(name, value);
        }
        if !body.is_empty() {
            sent = sent.body(body.clone());
        }
        match send(sent) {
            Ok(answer) => return given_back(answer, prefix),
            Err(error) => {
                eprintln!("{unit} did not answer: {error}");
                if !error.is_unreached() && !only_reads(&method) {
                    break;
                }
            }
        }
    }
    page(502, &format!("No unit of {} answered.", site.application))
}

/// What a unit answered, as the visitor gets it.
fn given_back(mut answer: Response, prefix: &str) -> Response {
    let mut fields = passed_on(answer.headers());
    let moved = fields
        .get("location")
        .filter(|to| to.starts_with('/') && !to.starts_with("//"));
    if let Some(moved) = moved.map(|to| format!("{prefix}{to}")) {
        fields.set("location", moved);
    }
    *answer.headers_mut() = fields;
    answer
}

/// Fields without those of one connection, and without what it names so itself.
fn passed_on(fields: &Headers) -> Headers {
    let named: Vec<&str> = fields
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("connection"))
        .filter_map(|(_, value)| std::str::from_utf8(value).ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|name| !name.eq_ignore_ascii_case("content-length"))
        .collect();
    let mut kept = Headers::new();
    for (name, value) in fields.iter() {
        let same = |other: &&str| name.eq_ignore_ascii_case(other);
        if !HOPS.iter().any(same) && !named.iter().any(same) {
            kept.append(name, value);
        }
    }
    kept
}

fn only_reads(method: &Method) -> bool {
    matches!(method, Method::Get | Method::Head | Method::Options)
}

/// What the gateway says itself. Its words come from the table, and are no HTML.
pub fn page(code: u16, text: &str) -> Response {
    Response::status(code)
        .header("content-type", "text/html; charset=utf-8")
        .header("cache-control", "no-store")
        .body(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{code}</title>\n</head>\n\
             <body>\n<h1>{code}</h1>\n<p>{text}</p>\n</body>\n</html>\n"
        ))
}
