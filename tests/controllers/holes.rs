//! A process of the controller that is stopped, or whose packets to the database vanish, while it
//! holds a transaction open: the others write within seconds, and it stops claiming to serve.
//!
//! The network is one that the test makes itself: a namespace for the process, a pair of
//! interfaces, and an address of the other end that leads nowhere when the packets are to
//! vanish. That needs root.

use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_client::rest::RestClient;
use periapt_tests::{Answer, kill, program};
use periapt_wire::rest::AddModel;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::Connection;
use xtask::postgres::Server;
use xtask::{packages, run};

use crate::pair::Pair;

/// Stops the process at its next change of a model, before the commit.
const STOPS_IN_TRANSACTION: (&str, &str) = ("PERIAPT_FAILPOINT", "store-before-commit=stop");

/// How long the other process may be held up.
const HELD_UP: Duration = Duration::from_secs(15);

#[test]
fn a_process_stopped_in_a_transaction_does_not_keep_the_other_from_writing() -> Result<()> {
    let pair = Pair::start()?;
    kill(pair.home.controller_pid_in(&pair.first)?);
    let mut process = first_process(&pair, None)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let second = pair.client(&pair.second).await?;
        let first = client_of_first(&pair).await?;
        let writing = tokio::spawn(async move { add_model(&first, "stopped").await });
        let pid = pair.home.controller_pid_in(&pair.first)?;
        until_stopped(pid)?;

        let began = Instant::now();
        add_model(&second, "other").await?;
        let took = began.elapsed();
        ensure!(took < HELD_UP, "the other process wrote after {took:?}");

        // It goes on, finds its transaction ended, and serves.
        kill_process(pid, Signal::CONT)?;
        let refused = writing.await?.err().context("the transaction was ended")?;
        ensure!(refused.to_string().contains("unavailable"), "{refused:#}");
        let first = client_of_first(&pair).await?;
        add_model(&first, "again").await?;
        let models = format!("{:?}", second.models().await?);
        ensure!(
            models.contains("\"again\"") && !models.contains("\"stopped\""),
            "{models}"
        );
        Ok(())
    })?;
    kill(pair.home.controller_pid_in(&pair.first)?);
    process.wait()?;
    Ok(())
}

#[test]
fn a_process_cut_off_in_a_transaction_does_not_keep_the_other_from_writing() -> Result<()> {
    if !may_make_networks() {
        println!("skipped: this user may not make a network whose packets vanish");
        return Ok(());
    }
    let network = Network::make()?;
    let server = Server::start_on(network.here.into())?;
    let pair = Pair::on(server.url())?;
    kill(pair.home.controller_pid_in(&pair.first)?);
    let mut process = first_process(&pair, Some(&network))?;
    let there = |arguments: &[&str]| -> Result<Answer> {
        let mut command = network.command(program());
        let client = pair.home.command::<&str>([]);
        let environment = client
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?)));
        command
            .args(arguments)
            .envs(environment)
            .stdin(Stdio::null());
        Ok(command.output()?.into())
    };
    pair.until("the first process serves in its own network", || {
        Ok(there(&["models"])?.code == 0)
    })?;

    let writing = network
        .command(program())
        .args(["add-model", "cut"])
        .env("PERIAPT_DATA", pair.home.path().join("client"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = pair.home.controller_pid_in(&pair.first)?;
    until_stopped(pid)?;
    network.cut()?;
    kill_process(pid, Signal::CONT)?;
    let began = Instant::now();
    ensure!(
        open_transactions(&server)? > 0,
        "the cut process holds a transaction open"
    );
    // In this network only the second process answers.
    pair.home.ok(["add-model", "other"])?;
    let took = began.elapsed();
    ensure!(took < HELD_UP, "the other process wrote after {took:?}");

    let refused = Answer::from(writing.wait_with_output()?);
    ensure!(
        refused.code != 0,
        "nobody knows what became of it: {refused:?}"
    );
    let refused = there(&["models"])?;
    ensure!(
        refused.code != 0,
        "it serves nobody without its database: {refused:?}"
    );
    pair.until("the other process looks after every model", || {
        let responsible = pair.leases(&pair.second, "singular-controller")?;
        Ok(!responsible.is_empty() && responsible.values().all(|holder| holder == "machine-1"))
    })?;
    let log = std::fs::read_to_string(pair.first.join("controller.log"))?;
    ensure!(
        log.contains("asking the database for a sign of life"),
        "the cut process gave its workers up: {log}"
    );

    network.mend()?;
    let mended = Instant::now();
    pair.until("the first process serves again", || {
        Ok(there(&["models"])?.code == 0)
    })?;
    println!("served {:?} after the network was mended", mended.elapsed());
    kill(pair.home.controller_pid_in(&pair.first)?);
    process.wait()?;
    Ok(())
}

/// Starts the first process of the pair so that it stops in the middle of a transaction.
fn first_process(pair: &Pair, network: Option<&Network>) -> Result<Child> {
    let mut command = match network {
        Some(network) => network.command(program()),
        None => Command::new(program()),
    };
    command
        .args(["controller", "run", "--data-dir"])
        .arg(&pair.first)
        .env(STOPS_IN_TRANSACTION.0, STOPS_IN_TRANSACTION.1)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command.spawn()?)
}

async fn client_of_first(pair: &Pair) -> Result<RestClient> {
    let began = Instant::now();
    loop {
        match pair.client(&pair.first).await {
            Ok(client) => return Ok(client),
            Err(error) if began.elapsed() > periapt_tests::PATIENCE => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn add_model(client: &RestClient, name: &str) -> Result<()> {
    let request = AddModel::new(name.parse()?);
    client.add_model(&request).await?;
    Ok(())
}

fn until_stopped(pid: Pid) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < periapt_tests::PATIENCE {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))?;
        if stat.contains(") T ") {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    anyhow::bail!("the process did not stop in its transaction")
}

/// Transactions whose client is silent, as the server sees them.
fn open_transactions(server: &Server) -> Result<i64> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let mut connection = sqlx::PgConnection::connect(&server.url()).await?;
        let sql = "SELECT COUNT(*) FROM pg_stat_activity
            WHERE application_name = 'periapt' AND state = 'idle in transaction'";
        Ok(sqlx::query_scalar(sql).fetch_one(&mut connection).await?)
    })
}

/// Not even every root may, in a container.
fn may_make_networks() -> bool {
    let made = Command::new("unshare").args(["--net", "true"]).status();
    made.is_ok_and(|status| status.success())
}

/// A network of two ends, one of them in a namespace of its own.
struct Network {
    name: String,
    here: Ipv4Addr,
    there: Ipv4Addr,
}

impl Network {
    fn make() -> Result<Self> {
        packages::ensure(packages::NETWORK)?;
        let pid = std::process::id();
        let [high, low] = [(pid >> 8) as u8, pid as u8];
        let network = Self {
            name: format!("pt{pid}"),
            here: Ipv4Addr::new(10, 128 | high, low, 1),
            there: Ipv4Addr::new(10, 128 | high, low, 2),
        };
        let Self { name, here, there } = &network;
        let ip = |line: String| run::output(Command::new("ip").args(line.split(' ')));
        ip(format!("netns add {name}"))?;
        ip(format!(
            "link add {name}a type veth peer name {name}b netns {name}"
        ))?;
        ip(format!("address add {here}/30 dev {name}a"))?;
        ip(format!("link set {name}a up"))?;
        ip(format!("-n {name} address add {there}/30 dev {name}b"))?;
        ip(format!("-n {name} link set {name}b up"))?;
        ip(format!("-n {name} link set lo up"))?;
        Ok(network)
    }

    /// A program within the namespace.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &self.name])
            .arg(program.as_ref());
        command
    }

    /// From now on packets vanish in both directions, and nobody is told: each end believes the
    /// other to be at an address that no interface has.
    fn cut(&self) -> Result<()> {
        self.neighbours("replace", " lladdr 02:00:00:00:00:99 nud permanent")
    }

    fn mend(&self) -> Result<()> {
        self.neighbours("del", "")
    }

    fn neighbours(&self, verb: &str, what: &str) -> Result<()> {
        let Self { name, here, there } = self;
        for line in [
            format!("neigh {verb} {there} dev {name}a{what}"),
            format!("-n {name} neigh {verb} {here} dev {name}b{what}"),
        ] {
            run::output(Command::new("ip").args(line.split(' ')))?;
        }
        Ok(())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // With it go its interface and that one's peer.
        let _ = run::output(Command::new("ip").args(["netns", "del", &self.name]));
    }
}
