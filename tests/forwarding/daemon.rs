//! A real rsyslog in the foreground, with a configuration, a port and files of its own.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
};

/// What it writes of each line: severity, host, program, then the message.
const TEMPLATE: &str = r#"template(name="line" type="string" string="%syslogseverity-text%|%hostname%|%app-name%|%msg%\n")"#;

/// PEM texts of an authority, and of a server and a client that it vouches for.
pub struct Certificates {
    pub authority: String,
    pub client: (String, String),
    server: (String, String),
}

impl Certificates {
    pub fn make() -> Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(DnType::CommonName, "syslog test authority");
        let key = KeyPair::generate()?;
        let authority = params.self_signed(&key)?.pem();
        let issuer = Issuer::new(params, key);
        let sign = |name: &str, usage| -> Result<(String, String)> {
            let mut params = CertificateParams::new(vec![name.to_owned(), "127.0.0.1".to_owned()])?;
            params.distinguished_name.push(DnType::CommonName, name);
            params.extended_key_usages = vec![usage];
            let key = KeyPair::generate()?;
            Ok((params.signed_by(&key, &issuer)?.pem(), key.serialize_pem()))
        };
        Ok(Self {
            client: sign("periapt", ExtendedKeyUsagePurpose::ClientAuth)?,
            server: sign("localhost", ExtendedKeyUsagePurpose::ServerAuth)?,
            authority,
        })
    }
}

pub struct Daemon {
    home: PathBuf,
    pub port: u16,
    process: Option<Child>,
}

impl Daemon {
    /// Not running yet. With certificates it speaks TLS only, to clients that prove themselves.
    pub fn new(home: &Path, certificates: Option<&Certificates>) -> Result<Self> {
        std::fs::create_dir_all(home)?;
        // Free now; nobody else on this machine is about to take it.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let at = home.display();
        let (global, driver) = match certificates {
            None => (String::new(), String::new()),
            Some(certificates) => {
                std::fs::write(home.join("ca.pem"), &certificates.authority)?;
                std::fs::write(home.join("cert.pem"), &certificates.server.0)?;
                std::fs::write(home.join("key.pem"), &certificates.server.1)?;
                (
                    format!(
                        "DefaultNetstreamDriver=\"gtls\" DefaultNetstreamDriverCAFile=\"{at}/ca.pem\" DefaultNetstreamDriverCertFile=\"{at}/cert.pem\" DefaultNetstreamDriverKeyFile=\"{at}/key.pem\""
                    ),
                    "StreamDriver.Name=\"gtls\" StreamDriver.Mode=\"1\" StreamDriver.AuthMode=\"x509/certvalid\"".to_owned(),
                )
            }
        };
        let configuration = format!(
            "global(workDirectory=\"{at}\" maxMessageSize=\"64k\" {global})\n\
             module(load=\"imtcp\" {driver})\n\
             module(load=\"imuxsock\" SysSock.Use=\"off\")\n\
             input(type=\"imuxsock\" Socket=\"{at}/log\" CreatePath=\"on\")\n\
             input(type=\"imtcp\" address=\"127.0.0.1\" port=\"{port}\")\n\
             {TEMPLATE}\n\
             action(type=\"omfile\" file=\"{at}/received\" template=\"line\")\n"
        );
        std::fs::write(home.join("rsyslog.conf"), configuration)?;
        Ok(Self {
            home: home.to_owned(),
            port,
            process: None,
        })
    }

    pub fn socket(&self) -> PathBuf {
        self.home.join("log")
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns once the port takes connections.
    pub fn start(&mut self) -> Result<()> {
        let errors = std::fs::File::create(self.home.join("errors"))?;
        let process = Command::new("rsyslogd")
            .arg("-n")
            .arg("-f")
            .arg(self.home.join("rsyslog.conf"))
            .arg("-i")
            .arg(self.home.join("pid"))
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .context("rsyslogd does not start; the Debian package is rsyslog")?;
        self.process = Some(process);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            if std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let errors = std::fs::read_to_string(self.home.join("errors"))?;
        bail!("rsyslogd does not listen: {errors}")
    }

    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // Its children and files are all in its own folder; it has nothing to finish.
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// What has arrived.
    pub fn received(&self) -> Vec<String> {
        let text = std::fs::read(self.home.join("received")).unwrap_or_default();
        String::from_utf8_lossy(&text)
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop();
    }
}
