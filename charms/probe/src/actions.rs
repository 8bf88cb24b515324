//! What each action of a script does.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use periapt_charm::{Context, Error, Level, Result, Status, StatusKind, info};

use crate::Config;
use crate::escape;
use crate::script::Action;

pub fn perform(action: &Action, context: &Context<Config>) -> Result<()> {
    match action {
        Action::Succeed => Ok(()),
        Action::Fail(times) => fail(*times, context),
        Action::Trap => std::process::abort(),
        Action::Loop => loop {
            black_box(());
        },
        Action::Sleep(milliseconds) => {
            std::thread::sleep(Duration::from_millis(*milliseconds));
            Ok(())
        }
        Action::Allocate(bytes) => {
            allocate(*bytes);
            Ok(())
        }
        Action::Write(bytes) => write(*bytes, context),
        Action::Append(text) => {
            let path = context.state_dir().join("journal");
            let mut file = fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)?;
            Ok(writeln!(file, "{text}")?)
        }
        Action::StateSize(bytes) => {
            const VALUE_BYTES: u64 = 60_000;
            (0..bytes.div_ceil(VALUE_BYTES)).try_for_each(|index| {
                let length = VALUE_BYTES.min(bytes - index * VALUE_BYTES) as usize;
                context
                    .state()
                    .set(&format!("fill-{index}"), &"x".repeat(length))
            })
        }
        Action::StateValue(bytes) => context.state().set("fill", &"x".repeat(*bytes as usize)),
        Action::Log(lines) => {
            (1..=*lines)
                .for_each(|line| context.log(Level::Info, &format!("line {line} of {lines}")));
            Ok(())
        }
        Action::Flood => loop {
            let line = "x".repeat(4096);
            context.log(Level::Info, &line);
            println!("{line}");
            eprintln!("{line}");
        },
        Action::HostCalls(calls) => {
            (0..*calls).try_for_each(|_| context.config_value("script").map(|_| ()))
        }
        Action::OpenPort(range) => context.open_ports(*range),
        Action::ClosePort(range) => context.close_ports(*range),
        Action::Status(kind, message) => context.set_status(Status::new(*kind, message.as_str())),
        Action::Version(text) => context.set_workload_version(text),
        Action::Clock => {
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            info!(context, "clock {}", now.as_nanos());
            Ok(())
        }
        Action::Random => {
            info!(context, "random {}", RandomState::new().hash_one(0));
            Ok(())
        }
        Action::Escape => {
            let reached = escape::try_everything(context);
            context.set_status(match reached.as_slice() {
                [] => Status::active("escape: nothing reached"),
                reached => Status::blocked(format!("escape: reached {}", reached.join(", "))),
            })
        }
    }
}

/// A failed hook's state is rolled back, so attempts are counted in the unit's status, which is
/// set at once.
fn fail(times: Option<u64>, context: &Context<Config>) -> Result<()> {
    let hook = context.event().hook;
    let prefix = format!("{hook}: attempt ");
    let before = context
        .status()?
        .message
        .strip_prefix(&prefix)
        .and_then(|count| count.parse().ok())
        .unwrap_or(0_u64);
    let attempt = before + 1;
    context.set_status(Status::new(
        StatusKind::Maintenance,
        format!("{prefix}{attempt}"),
    ))?;
    match times {
        Some(times) if attempt > times => Ok(()),
        Some(times) => Err(Error::failed(format!(
            "told to fail: attempt {attempt} of {times}"
        ))),
        None => Err(Error::failed(format!("told to fail: attempt {attempt}"))),
    }
}

fn allocate(bytes: Option<u64>) {
    const BLOCK: u64 = 1 << 20;
    let mut left = bytes.unwrap_or(u64::MAX);
    let mut blocks = Vec::new();
    while left > 0 {
        let size = BLOCK.min(left);
        // Ones, not zeros: zeroed memory may be promised without being taken.
        blocks.push(black_box(vec![1_u8; size as usize]));
        left -= size;
    }
}

fn write(bytes: u64, context: &Context<Config>) -> Result<()> {
    let block = vec![b'x'; 64 << 10];
    let mut file = fs::File::create(context.state_dir().join("filled"))?;
    let mut left = bytes;
    while left > 0 {
        let size = left.min(block.len() as u64) as usize;
        file.write_all(&block[..size])?;
        left -= size as u64;
    }
    Ok(())
}
