//! Passes requests on to the units of related sites, by the table that the hook committed.
//!
//! Units have their turn at random: nothing is kept from one request for the next, so there is no count to go
//! by. A request that a unit may have begun to answer goes to no other unless it only reads.

use std::fs;
use std::hash::{BuildHasher, RandomState};

use gateway_routes::{FILE, Table};
use periapt_http::{Handler, Request, Response};

mod pass;
#[cfg(test)]
mod tests;

/// Where the charm's capability puts what the hook wrote.
const GATEWAY: &str = "/gateway";

/// Passes on what comes in.
pub struct Server;

impl Handler for Server {
    fn handle(request: Request) -> Response {
        let table = fs::read(format!("{GATEWAY}/{FILE}")).and_then(|json| Table::from_json(&json));
        match table {
            Ok(table) => pass::answer(&table, request, random(), periapt_http::send),
            Err(error) => {
                eprintln!("the routes cannot be read: {error}");
                pass::page(500, "The gateway cannot read its routes.")
            }
        }
    }
}

periapt_http::export!(Server);

fn random() -> usize {
    RandomState::new().hash_one(0_u8) as usize
}
