//! A controller of two processes, its database a schema of its own.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use periapt_client::rest::RestClient;
use periapt_client::websocket::{ApiInfo, dial};
use periapt_tests::browser::account;
use periapt_tests::{Home, PATIENCE, agent_password, charm, lasting_port};
use periapt_wire::ApiConnection;
use serde_json::Value;
use sqlx::{Connection, Executor};

use crate::Holders;

pub struct Pair {
    // Dropped first: it stops the processes before their schema goes.
    pub home: Home,
    pub first: PathBuf,
    pub second: PathBuf,
    schema: Schema,
}

impl Pair {
    /// Both processes serve, and there is the model `test`.
    pub fn start() -> Result<Self> {
        Self::of(Schema::make()?)
    }

    /// The same on a server of the caller's.
    pub fn on(server: String) -> Result<Self> {
        Self::of(Schema::make_on(server)?)
    }

    fn of(schema: Schema) -> Result<Self> {
        let pair = Self::first_of(schema)?;
        pair.join()?;
        Ok(pair)
    }

    /// The first process serves, and there is the model `test`.
    pub fn first() -> Result<Self> {
        Self::first_of(Schema::make()?)
    }

    fn first_of(schema: Schema) -> Result<Self> {
        let url = schema.url();
        let home = Home::with_environment(&[("PERIAPT_POSTGRES_URL", &url)])?;
        home.bootstrap()?;
        let (first, second) = (home.controller_directory(), home.path().join("second"));
        Ok(Self {
            home,
            first,
            second,
            schema,
        })
    }

    /// The second process serves.
    pub fn join(&self) -> Result<()> {
        let port = lasting_port()?.to_string();
        self.home.ok([
            "controller".as_ref(),
            "join".as_ref(),
            "--from".as_ref(),
            self.first.as_os_str(),
            "--data-dir".as_ref(),
            self.second.as_os_str(),
            "--port".as_ref(),
            port.as_ref(),
        ])?;
        Ok(())
    }

    /// Deploys the application `probe`, which is ready then.
    pub fn deploy_probe(&self) -> Result<()> {
        let file = charm("probe").display().to_string();
        let script = "script=start: status active ready";
        self.home
            .ok(["deploy", &file, "probe", "--config", script])?;
        self.home.until_workload("probe/0", "active")?;
        Ok(())
    }

    /// Changes the configuration of `probe` and waits until its unit has heard of it.
    pub fn change_probe(&self) -> Result<()> {
        self.home.ok([
            "config",
            "probe",
            "script=config-changed: status active two",
        ])?;
        self.home.until("the change to arrive", |model| {
            let unit = &model["applications"]["probe"]["units"]["probe/0"];
            unit["workload-status"]["message"] == "two"
        })?;
        Ok(())
    }

    /// A hundred units of an application, `/0` to `/99`, on a machine that nobody has, so that
    /// nobody runs them.
    pub async fn add_rivals(&self, application: &str) -> Result<()> {
        let mut connection = sqlx::PgConnection::connect(&self.schema.url()).await?;
        // No change names the machine, so nothing is started on it; it is the agent's all the same.
        let sql =
            "INSERT INTO machine (model_uuid, id, life, hardware, addresses, for_unit, created_at)
            VALUES ($1, '999', 'alive', '', '[]', 1, 0) ON CONFLICT DO NOTHING";
        let insert = sqlx::query(sql).bind(self.model()?);
        insert.execute(&mut connection).await?;
        let sql = "INSERT INTO unit (model_uuid, name, application, number, life, machine_id,
                resolved, workload_version, opened_ports, forced, created_at)
            SELECT $1, $2 || '/' || number, $2, number, 'alive', '999', 'none', '', '[]', 0, 0
            FROM generate_series(0, 99) AS number";
        let insert = sqlx::query(sql).bind(self.model()?).bind(application);
        insert.execute(&mut connection).await?;
        Ok(())
    }

    /// Where the process of a directory serves.
    pub fn address(&self, directory: &Path) -> Result<String> {
        let config = std::fs::read_to_string(directory.join("controller.json"))?;
        let config: Value = serde_json::from_str(&config)?;
        Ok(format!("127.0.0.1:{}", config["port"]))
    }

    /// UUID of the model `test`: the one with an agent.
    pub fn model(&self) -> Result<String> {
        let config = self.agent_config()?;
        let model = config["model-uuid"].as_str().context("no model")?;
        Ok(model.to_owned())
    }

    /// The configuration of the one agent there is.
    pub fn agent_config(&self) -> Result<Value> {
        let agents = self.first.join("agents");
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            for entry in std::fs::read_dir(&agents).into_iter().flatten().flatten() {
                if let Ok(text) = std::fs::read_to_string(entry.path().join("agent.json")) {
                    return Ok(serde_json::from_str(&text)?);
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        bail!("no agent in {}", agents.display())
    }

    /// A connection of the agent to the process of one directory, with its own password.
    pub async fn connect(&self, agent: &Value, directory: &Path) -> Result<ApiConnection> {
        let own = agent["directory"].as_str().context("no directory")?;
        let password = agent_password(Path::new(own))?;
        self.connect_with(agent, directory, &password).await
    }

    /// The same with another password.
    pub async fn connect_with(
        &self,
        agent: &Value,
        directory: &Path,
        password: &str,
    ) -> Result<ApiConnection> {
        let text = |key: &str| agent[key].as_str().unwrap_or_default().to_owned();
        let connection = dial(ApiInfo {
            addresses: vec![self.address(directory)?],
            ca_pem: text("ca-cert"),
            model: Some(text("model-uuid").parse()?),
            tag: text("tag").parse()?,
            password: password.to_owned(),
        });
        Ok(connection.await?)
    }

    /// A client of the process of one directory alone, logged in as the first user.
    pub async fn client(&self, directory: &Path) -> Result<RestClient> {
        let ca = std::fs::read_to_string(directory.join("pki/ca.crt"))?;
        let client = RestClient::new(&[self.address(directory)?], &ca)?;
        let password = account(&self.home, "password:")?;
        let (client, _) = client.login("admin", &password).await?;
        Ok(client)
    }

    /// A report of the process of a directory, over its socket.
    pub fn introspect(&self, directory: &Path, report: &str) -> Result<Value> {
        let mut socket = UnixStream::connect(directory.join("introspection.sock"))?;
        write!(socket, "GET /{report} HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").context("no body")?;
        Ok(serde_json::from_str(body)?)
    }

    /// The leases of a namespace as the process of a directory sees them.
    pub fn leases(&self, directory: &Path, namespace: &str) -> Result<Holders> {
        let leases = self.introspect(directory, "leases")?;
        let word = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let rows = leases.as_array().context("no rows")?.iter();
        Ok(rows
            .filter(|row| row["namespace"] == namespace)
            .map(|row| (word(row, "name"), word(row, "holder")))
            .collect())
    }

    /// Waits until `holds`; what fails on the way may pass.
    pub fn until(&self, what: &str, holds: impl Fn() -> Result<bool>) -> Result<()> {
        let started = Instant::now();
        let mut last = Ok(false);
        while started.elapsed() < PATIENCE {
            last = holds();
            if matches!(last, Ok(true)) {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        let log = std::fs::read_to_string(self.second.join("controller.log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().rev().take(40).collect();
        let tail: Vec<&str> = lines.into_iter().rev().collect();
        bail!("waited in vain for: {what} ({last:?})\n{}", tail.join("\n"))
    }
}

/// A schema of its own in the database of `PERIAPT_TEST_POSTGRES`.
pub struct Schema {
    server: String,
    name: String,
}

impl Schema {
    pub fn make() -> Result<Self> {
        let server = std::env::var("PERIAPT_TEST_POSTGRES")
            .context("PERIAPT_TEST_POSTGRES names a PostgreSQL server")?;
        Self::make_on(server)
    }

    fn make_on(server: String) -> Result<Self> {
        let name = format!("controllers_{}", uuid::Uuid::new_v4().simple());
        let schema = Self { server, name };
        schema.run(format!("CREATE SCHEMA {}", schema.name))?;
        Ok(schema)
    }

    pub fn url(&self) -> String {
        let mark = if self.server.contains('?') { '&' } else { '?' };
        format!("{}{mark}options=-csearch_path%3D{}", self.server, self.name)
    }

    fn run(&self, sql: String) -> Result<()> {
        tokio::runtime::Runtime::new()?.block_on(async {
            let mut connection = sqlx::PgConnection::connect(&self.server).await?;
            let sql = sqlx::raw_sql(sqlx::AssertSqlSafe(sql));
            connection.execute(sql).await?;
            Ok(())
        })
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let dropped = self.run(format!("DROP SCHEMA {} CASCADE", self.name));
        if let Err(error) = dropped {
            eprintln!("the schema {} is left: {error:#}", self.name);
        }
    }
}
