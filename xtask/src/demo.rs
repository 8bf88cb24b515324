//! The demo: from a bare checkout to a charm that is `active`, by the commands a user types.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::{charms, run};

const CONTROLLER: &str = "demo";
/// Under which name the page of `front` is reached, and those of the sites to which it leads.
const FRONT: &str = "front.demo.localhost";
const SITES: [&str; 2] = ["docs.demo.localhost", "blog.demo.localhost"];
/// The controller's option `ingress-port`, as it is where nobody sets it.
const INGRESS: u16 = 8800;
/// How long an exposed page may take to be there.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn run(once: bool) -> Result<()> {
    let (interrupted, interruption) = mpsc::channel();
    ctrlc::set_handler(move || {
        let _ = interrupted.send(());
    })?;

    let charms = charms::pack_all(charms::Profile::of_caller())?;
    let directory = tempfile::Builder::new().prefix("periapt-demo-").tempdir()?;
    let demo = Demo {
        ingress: free_ingress()?,
        periapt: run::target().join("debug/periapt"),
        directory: directory.path().to_path_buf(),
    };
    let started = Instant::now();
    let settled = demo.deploy(&charms);
    let outcome = match settled {
        Ok(()) => demo.present(started, once, &interruption),
        Err(error) => Err(error.context(demo.evidence())),
    };
    let destroyed = run::step(
        "destroying the controller",
        &mut demo.periapt(&[
            "destroy-controller",
            CONTROLLER,
            "--destroy-all-models",
            "--no-prompt",
        ]),
    );
    outcome.and(destroyed)
}

struct Demo {
    /// Where applications are found by name.
    ingress: u16,
    periapt: PathBuf,
    directory: PathBuf,
}

impl Demo {
    fn periapt(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.periapt);
        command
            .args(arguments)
            .env("PERIAPT_DATA", self.client())
            .current_dir(run::root());
        command
    }

    fn client(&self) -> PathBuf {
        self.directory.join("client")
    }

    fn deploy(&self, charms: &std::path::Path) -> Result<()> {
        let data = self.directory.join("controller");
        let bundle = charms.join(charms::BUNDLE);
        run::step(
            "starting a controller on loopback",
            self.periapt(&["bootstrap", CONTROLLER, "--port", "0", "--data-dir"])
                .arg(&data),
        )?;
        if self.ingress != INGRESS {
            run::step(
                &format!(
                    "having applications found at port {}, since {INGRESS} is taken",
                    self.ingress
                ),
                &mut self.periapt(&[
                    "controller-config",
                    &format!("ingress-port={}", self.ingress),
                ]),
            )?;
        }
        run::step(
            "adding model demo",
            &mut self.periapt(&["add-model", "demo"]),
        )?;
        run::step(
            "deploying the bundle: two sites, a front page over both, a log shipper in each",
            self.periapt(&["deploy"]).arg(&bundle),
        )?;
        for application in ["docs", "blog", "log-shipper", "front"] {
            run::step(
                &format!("waiting until {application} is settled"),
                &mut self.periapt(&["wait-for", "application", application, "--timeout", "5m"]),
            )?;
        }
        Ok(())
    }

    /// The page under a name, as whoever browses gets it. It is there a moment after the applications have
    /// settled.
    fn page(&self, host: &str) -> Result<String> {
        let begun = Instant::now();
        loop {
            match self.get(host) {
                Ok(page) => return Ok(page),
                Err(error) if begun.elapsed() > PATIENCE => {
                    return Err(error.context(format!("{} does not answer", self.address(host))));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    fn present(
        &self,
        started: Instant,
        once: bool,
        interruption: &mpsc::Receiver<()>,
    ) -> Result<()> {
        let status = run::output(&mut self.periapt(&["status", "--relations"]))?;
        let accounts = std::fs::read_to_string(self.client().join("accounts.yaml"))
            .context("the client's accounts.yaml is missing")?;
        let controllers = run::output(&mut self.periapt(&["controllers", "--format", "json"]))?;
        let controllers: serde_json::Value = serde_json::from_str(&controllers)?;
        let endpoint = controllers["controllers"][CONTROLLER]["api-endpoints"][0]
            .as_str()
            .unwrap_or("unknown")
            .to_owned();
        let value_of = |key: &str| {
            accounts
                .lines()
                .find_map(|line| line.trim().strip_prefix(key))
                .unwrap_or("unknown")
                .trim()
                .trim_matches(['"', '\''])
                .to_owned()
        };
        let document = run::output(&mut self.periapt(&["status", "--format", "yaml"]))?;
        println!("\n{document}");
        let index = self.page(FRONT)?;
        for site in SITES {
            self.page(site)?;
            ensure!(
                index.contains(site),
                "front does not lead to {site}: {index}"
            );
        }
        println!("The index that front serves over both sites:\n{index}");
        println!("\n{status}");
        println!("Controller  https://{endpoint}");
        println!("User        {}", value_of("user:"));
        println!("Password    {}", value_of("password:"));
        println!("Settled in  {}", run::elapsed(started));
        println!("Browse      {}", self.address(FRONT));
        for site in SITES {
            println!("            {}", self.address(site));
        }
        println!("\nTo look around in another terminal:");
        println!("  export PERIAPT_DATA={}", self.client().display());
        println!("  {} status --watch", self.periapt.display());
        if !once {
            println!("\nServing until Ctrl-C.");
            let _ = interruption.recv();
            println!();
        }
        Ok(())
    }

    fn address(&self, host: &str) -> String {
        format!("http://{host}:{}/", self.ingress)
    }

    /// The page that is served under a name on this machine.
    fn get(&self, host: &str) -> Result<String> {
        let port = self.ingress;
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        // The older version has no chunks, so what comes after the head is the page.
        write!(stream, "GET / HTTP/1.0\r\nhost: {host}:{port}\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, page) = answer.split_once("\r\n\r\n").context("no answer")?;
        ensure!(
            head.contains(" 200 "),
            "{}",
            head.lines().next().unwrap_or_default()
        );
        Ok(page.to_owned())
    }

    /// What a person would look at when it did not settle.
    fn evidence(&self) -> String {
        let status = self.periapt(&["status"]).output();
        let log = self
            .periapt(&["debug-log", "--replay", "--no-tail", "--limit", "60"])
            .output();
        let text = |output: std::io::Result<std::process::Output>| {
            output.map_or_else(
                |error| error.to_string(),
                |output| {
                    format!(
                        "{}{}",
                        String::from_utf8_lossy(&output.stdout),
                        String::from_utf8_lossy(&output.stderr)
                    )
                },
            )
        };
        format!("the demo did not settle\n\n{}\n{}", text(status), text(log))
    }
}

/// The port that is meant for it, or one that nobody has.
fn free_ingress() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, INGRESS))
        .or_else(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
    Ok(listener.local_addr()?.port())
}
