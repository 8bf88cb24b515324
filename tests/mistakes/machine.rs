//! What the machine refuses: ports, folders, disk space.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use periapt_tests::{Answer, Home, assert_three_lines, charm};

#[test]
fn a_taken_port_is_named() -> anyhow::Result<()> {
    let home = Home::new()?;
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port().to_string();
    let data = home.controller_directory().display().to_string();
    let answer = home.periapt(["bootstrap", "tester", "--port", &port, "--data-dir", &data])?;
    assert_three_lines(&answer, 4, &[&port]);
    drop(taken);
    home.bootstrap()?;
    Ok(())
}

#[test]
fn a_second_controller_on_one_folder_is_refused() -> anyhow::Result<()> {
    let home = Home::started()?;
    let data = home.controller_directory().display().to_string();
    let pid = home.controller_pid()?.as_raw_nonzero().to_string();
    let second: Answer = home
        .command(["controller", "run", "--data-dir", &data])
        .stdout(Stdio::piped())
        .output()?
        .into();
    assert_three_lines(&second, 1, &[&pid]);
    let again = home.periapt(["bootstrap", "second", "--port", "0", "--data-dir", &data])?;
    assert_eq!(again.code, 4, "{again:?}");
    home.ok(["status"])?;
    Ok(())
}

/// A small file system of our own, so that it can be full.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(path: std::path::PathBuf) -> anyhow::Result<Self> {
        std::fs::create_dir_all(&path)?;
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"])
            .arg(&path)
            .status()?;
        anyhow::ensure!(
            status.success(),
            "this test mounts a tmpfs and needs to be root"
        );
        Ok(Self(path))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_refuses_writes_and_loses_nothing() -> anyhow::Result<()> {
    let home = Home::new()?;
    let disk = SmallDisk::mount(home.controller_directory())?;
    home.bootstrap()?;
    home.ok([
        "deploy",
        &charm("site").display().to_string(),
        "--config",
        "title=Before",
    ])?;
    home.until_workload("site/0", "active")?;
    let filler = disk.0.join("filler");
    let _ = std::fs::write(&filler, vec![1_u8; 64 << 20]);
    let mut refused = None;
    for number in 0..2000 {
        let answer = home.periapt([
            "config",
            "site",
            &format!("title={}", "x".repeat(4000 + number)),
        ])?;
        if answer.code != 0 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.ok_or_else(|| anyhow::anyhow!("the disk was never full"))?;
    assert_three_lines(&refused, 1, &["disk"]);
    home.status()?;
    std::fs::remove_file(&filler)?;
    home.ok(["config", "site", "title=After"])?;
    let config: serde_json::Value =
        serde_json::from_str(&home.ok(["config", "site", "--format", "json"])?)?;
    assert!(config.to_string().contains("After"), "{config}");
    home.until_workload("site/0", "active")?;
    home.ok([
        "destroy-controller",
        "tester",
        "--destroy-all-models",
        "--no-prompt",
    ])?;
    Ok(())
}
