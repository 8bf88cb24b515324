//! A machine with an agents' directory: what the provider and the agents do, done by hand.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use periapt_model::reach::published::{Answer, Published, Request};
use periapt_model::reach::{Cidr, End, Endpoints, Network, Relation, Unit};
use periapt_model::workload::desired::{Component, Container, Desired, Observed, Stored};
use periapt_model::workload::plan::Plan;
use periapt_model::workload::traffic::Counted;
use periapt_model::{ModelUuid, UnitName};
use periapt_sandbox::Artifact;
use periapt_serving::ServingEngine;
use serde::de::DeserializeOwned;

/// The server of the charm `site`, compiled; none where nobody built it.
pub fn component() -> Option<&'static Artifact> {
    static COMPILED: LazyLock<Option<Artifact>> = LazyLock::new(|| {
        let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/charms");
        let charms = std::env::var("PERIAPT_TEST_CHARMS").unwrap_or_else(|_| beside.to_owned());
        let charm = fs::File::open(PathBuf::from(charms).join("site.charm")).ok()?;
        let mut charm = zip::ZipArchive::new(charm).unwrap();
        let mut component = Vec::new();
        charm
            .by_name("server.wasm")
            .unwrap()
            .read_to_end(&mut component)
            .unwrap();
        let engine = ServingEngine::new(periapt_sandbox::Settings::default()).unwrap();
        Some(engine.compile(&component).unwrap())
    });
    COMPILED.as_ref()
}

/// Where the artifact of the site is, in the directory of its model.
pub const SERVER: &str = "compiled/server.cwasm";

pub const SITE: &str = "
services:
  site: {override: replace, kind: http, component: server.wasm, port: 80, startup: enabled}
";

pub struct Machine {
    pub home: tempfile::TempDir,
    settings: String,
    pub supervisor: Option<Child>,
    control: Option<BufReader<UnixStream>>,
    number: u64,
    pub ingress: SocketAddr,
}

/// A model, before it is published.
#[derive(Clone)]
pub struct Model {
    pub uuid: ModelUuid,
    pub document: Published,
    pub directory: PathBuf,
}

/// The whole answer to a request.
#[derive(Debug)]
pub struct Page {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Machine {
    pub fn new() -> Self {
        Self::with("{}")
    }

    pub fn with(settings: &str) -> Self {
        let mut machine = Self {
            home: tempfile::tempdir().unwrap(),
            settings: settings.to_owned(),
            supervisor: None,
            control: None,
            number: 0,
            ingress: SocketAddr::from(([127, 0, 0, 1], 0)),
        };
        machine.start();
        machine
    }

    pub fn directory(&self) -> PathBuf {
        self.home.path().join("workloads")
    }

    pub fn start(&mut self) {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["workloads", "run"])
            .arg(self.directory())
            .arg(&self.settings)
            .stdin(Stdio::null())
            .stderr(
                fs::OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(self.home.path().join("log"))
                    .unwrap(),
            )
            .spawn()
            .unwrap();
        self.supervisor = Some(child);
        let socket = self.directory().join("control.sock");
        let control = until("the control socket", || UnixStream::connect(&socket).ok());
        self.control = Some(BufReader::new(control));
    }

    pub fn model(&self, name: &str, number: u8) -> Model {
        let uuid = format!("00000000-0000-4000-8000-0000000000{number:02}");
        let directory = self.home.path().join(&uuid);
        for folder in ["units", "compiled", "workloads/desired"] {
            fs::create_dir_all(directory.join(folder)).unwrap();
        }
        let artifact = component().unwrap().as_bytes();
        fs::write(directory.join(SERVER), artifact).unwrap();
        Model {
            uuid: uuid.parse().unwrap(),
            document: Published {
                name: name.parse().unwrap(),
                directory: directory.clone(),
                ingress: self.ingress,
                network: Network::default(),
                addresses: Default::default(),
                traces: false,
            },
            directory,
        }
    }

    /// Says how a model is to be reachable, and returns once it is so.
    pub fn publish(&mut self, model: &Model) -> Answer {
        let mut document = model.document.clone();
        document.ingress = self.ingress;
        let answer = self.say(model, Some(document));
        if let Some(ingress) = answer.ingress {
            self.ingress = ingress;
        }
        answer
    }

    pub fn say(&mut self, model: &Model, document: Option<Published>) -> Answer {
        self.number += 1;
        let request = Request {
            number: self.number,
            model: model.uuid.clone(),
            document: document.map(Box::new),
        };
        let control = self.control.as_mut().unwrap();
        let mut line = serde_json::to_vec(&request).unwrap();
        line.push(b'\n');
        control.get_mut().write_all(&line).unwrap();
        loop {
            let answer = self.hear();
            // One that nobody asked for says that what failed holds by now.
            if answer.number > 0 {
                assert_eq!(answer.number, self.number);
                return answer;
            }
        }
    }

    pub fn hear(&mut self) -> Answer {
        let mut line = String::new();
        let control = self.control.as_mut().unwrap();
        control.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub fn connect(&self) -> TcpStream {
        connect(self.ingress)
    }

    pub fn get(&self, host: &str, path: &str) -> Page {
        self.try_get(host, path).unwrap()
    }

    pub fn try_get(&self, host: &str, path: &str) -> std::io::Result<Page> {
        let stream = TcpStream::connect(self.ingress)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        ask(stream, &get(host, path))
    }

    /// Waits for a page of a status.
    pub fn until(&self, host: &str, status: u16) -> Page {
        until(&format!("{status} of {host}"), || {
            self.try_get(host, "/")
                .ok()
                .filter(|page| page.status == status)
        })
    }

    /// The children of the supervisor in a role.
    pub fn children(&self, role: &str) -> Vec<u32> {
        let supervisor = self.supervisor.as_ref().unwrap().id();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else {
                continue;
            };
            let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
            let line = read("cmdline");
            let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
            let status = String::from_utf8_lossy(&read("status")).into_owned();
            let child = status.contains(&format!("\nPPid:\t{supervisor}\n"));
            let zombie = status.contains("State:\tZ");
            if child && !zombie && words.get(2) == Some(&role.as_bytes()) {
                found.push(pid);
            }
        }
        found
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    pub fn kill_supervisor(&mut self) {
        let mut supervisor = self.supervisor.take().unwrap();
        supervisor.kill().unwrap();
        supervisor.wait().unwrap();
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(mut supervisor) = self.supervisor.take() {
            let _ = supervisor.kill();
            let _ = supervisor.wait();
        }
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
    }
}

impl Model {
    /// A unit that has port 80 open, with a page that says its generation.
    pub fn unit(&mut self, name: &str) -> &mut Self {
        let mut unit = Unit::default();
        unit.openings
            .open("80/tcp".parse().unwrap(), Endpoints::All)
            .unwrap();
        self.document
            .network
            .units
            .insert(name.parse().unwrap(), unit);
        self.commit(name, 1, SITE);
        self
    }

    pub fn expose(&mut self, application: &str, to: &[&str]) -> &mut Self {
        let cidrs: Vec<Cidr> = to.iter().map(|cidr| cidr.parse().unwrap()).collect();
        let application = application.parse().unwrap();
        let network = &mut self.document.network;
        network
            .exposures
            .expose(&application, &Endpoints::All, cidrs);
        self
    }

    pub fn unexpose(&mut self, application: &str) -> &mut Self {
        let application = application.parse().unwrap();
        let exposures = &mut self.document.network.exposures;
        exposures.unexpose(&application, &Endpoints::All).unwrap();
        self
    }

    pub fn address(&mut self, unit: &str, address: [u8; 4]) -> &mut Self {
        let unit: UnitName = unit.parse().unwrap();
        self.document
            .addresses
            .insert(unit, Ipv4Addr::from(address));
        self
    }

    pub fn relate(&mut self, one: &str, other: &str) -> &mut Self {
        let end = |name: &str| End {
            application: name.parse().unwrap(),
            endpoint: "website".to_owned(),
        };
        self.document.network.relations.push(Relation {
            ends: vec![end(one), end(other)],
            suspended: false,
            container: false,
        });
        self
    }

    pub fn generation(&self, unit: &str, number: u64) -> PathBuf {
        let unit = unit.replace('/', "-");
        self.directory.join(format!("units/{unit}/state/{number}"))
    }

    /// What an agent does at a commit: another generation, and the file that says so.
    pub fn commit(&self, unit: &str, number: u64, plan: &str) {
        let site = self.generation(unit, number).join("site");
        fs::create_dir_all(site.join("bad/index.html")).unwrap();
        let page = format!("<h1>{number}</h1>").repeat(if number > 1 { 2000 } else { 1 });
        fs::write(site.join("index.html"), page).unwrap();
        self.desire(unit, number, plan, SERVER, component().unwrap());
    }

    /// `file` has the artifact that the plan calls `server.wasm`.
    pub fn desire(&self, unit: &str, number: u64, plan: &str, file: &str, artifact: &Artifact) {
        let container = Container {
            plan: Plan::parse(plan).unwrap(),
            files: [("site".to_owned(), "/site".to_owned())].into(),
            ..Container::default()
        };
        self.want(unit, number, container, file, artifact);
    }

    /// The site has its pages in a storage, where the unit has one.
    pub fn store(&self, unit: &str, number: u64, storage: Option<&str>) {
        let stored = |name: &str| {
            let directory = PathBuf::from("storage").join(name);
            let read_only = true;
            let stored = Stored {
                directory,
                read_only,
            };
            ("/site".to_owned(), stored)
        };
        let container = Container {
            plan: Plan::parse(SITE).unwrap(),
            storage: storage.map(stored).into_iter().collect(),
            ..Container::default()
        };
        self.want(unit, number, container, SERVER, component().unwrap());
    }

    fn want(&self, unit: &str, number: u64, container: Container, file: &str, artifact: &Artifact) {
        let component = Component {
            file: PathBuf::from(file),
            digest: artifact.digest().to_string(),
            engine_hash: artifact.engine_hash().to_owned(),
        };
        let desired = Desired {
            unit: unit.to_owned(),
            number,
            generation: self
                .generation(unit, number)
                .strip_prefix(&self.directory)
                .unwrap()
                .to_owned(),
            components: [("server.wasm".to_owned(), component)].into(),
            containers: [("web".to_owned(), container)].into(),
        };
        self.write_desired(unit, &serde_json::to_string(&desired).unwrap());
    }

    pub fn write_desired(&self, unit: &str, text: &str) {
        let file = self.desired(unit);
        let aside = file.with_extension("next");
        fs::write(&aside, text).unwrap();
        fs::rename(aside, file).unwrap();
    }

    /// The file in which the agent says what it wants of a unit.
    pub fn desired(&self, unit: &str) -> PathBuf {
        let name = periapt_model::workload::desired::file_name(unit);
        self.directory.join("workloads/desired").join(name)
    }

    pub fn observed(&self, unit: &str) -> Option<Observed> {
        self.read("observed", unit)
    }

    pub fn counted(&self, unit: &str) -> Option<Counted> {
        self.read("counted", unit)
    }

    fn read<T: DeserializeOwned>(&self, folder: &str, unit: &str) -> Option<T> {
        let name = periapt_model::workload::desired::file_name(unit);
        let path = self.directory.join("workloads").join(folder).join(name);
        Some(serde_json::from_slice(&fs::read(path).ok()?).unwrap())
    }
}

pub fn until<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = ready() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn connect(to: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(to).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

/// From an address of this machine.
pub fn connect_from(from: [u8; 4], to: SocketAddr) -> TcpStream {
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &SocketAddr::from((from, 0))).unwrap();
    connect(&socket, &to).unwrap();
    let stream = TcpStream::from(socket);
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

pub fn get(host: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
}

/// Sends a request whose connection ends with its answer, which is taken apart.
pub fn ask(mut stream: TcpStream, request: &str) -> std::io::Result<Page> {
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    page(&String::from_utf8_lossy(&bytes)).ok_or_else(|| std::io::ErrorKind::UnexpectedEof.into())
}

/// None unless it is whole.
pub fn page(text: &str) -> Option<Page> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.parse::<usize>().ok())?
    });
    let whole = length.is_none_or(|length| length == body.len());
    whole.then(|| Page {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

/// Reads until the other side closes; how long that took. Whatever comes is dropped.
pub fn until_closed(mut stream: TcpStream) -> Duration {
    let begun = Instant::now();
    let mut bytes = [0; 4096];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return begun.elapsed(),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("it is still open")
            }
            Err(_) => return begun.elapsed(),
        }
    }
}
