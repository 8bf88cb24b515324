//! One address for several sites: a request comes from outside to the gateway and from there, by relations, to
//! units that nobody outside reaches.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use periapt_tests::{Home, PATIENCE, charm};

use periapt_tests::web::{free_port, get};

/// The answer to a request to the gateway, as soon as it is as wanted.
fn page(port: u16, path: &str, status: u16, text: &str) -> Result<()> {
    let begun = Instant::now();
    loop {
        match get(port, "gateway.test.localhost", path) {
            Ok((code, body)) if code == status && body.contains(text) => return Ok(()),
            other if begun.elapsed() > PATIENCE => bail!("{path}: {other:?}"),
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

#[test]
fn a_gateway_reaches_the_units_that_it_is_related_to_and_no_others() -> Result<()> {
    let home = Home::started()?;
    let port = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={port}")])?;
    let site = charm("site").display().to_string();
    for (name, title) in [("docs", "Documentation"), ("blog", "Blog")] {
        let title = format!("title={title}");
        home.ok(["deploy", &site, name, "-n", "2", "--config", &title])?;
    }
    home.ok(["deploy".as_ref(), charm("gateway").as_os_str()])?;
    for name in ["docs", "blog"] {
        home.ok(["integrate", "gateway", name])?;
    }
    home.ok(["expose", "gateway"])?;
    for unit in ["docs/1", "blog/1", "gateway/0"] {
        home.until_workload(unit, "active")?;
    }
    page(port, "/docs/", 200, "Documentation")?;
    page(port, "/blog/about.html?a=1", 200, "Blog")?;
    for _ in 0..20 {
        let (status, body) = get(port, "gateway.test.localhost", "/docs/")?;
        ensure!(status == 200, "{status}: {body}");
    }
    let (status, body) = get(port, "docs.test.localhost", "/")?;
    ensure!(status == 404, "docs is not exposed: {status} {body}");

    home.ok(["remove-unit", "docs/0", "--no-prompt"])?;
    home.ok(["remove-relation", "gateway", "blog"])?;
    page(port, "/blog/", 404, "Nothing is routed there")?;
    page(port, "/docs/", 200, "Documentation")?;
    home.ok(["config", "gateway", "routes=/=docs"])?;
    page(port, "/", 200, "Documentation")
}
