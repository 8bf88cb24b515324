//! What each action of a script does.

use std::borrow::Borrow;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use periapt_charm::{Context, Error, Level, Result, Status, StatusKind, info};

use crate::Config;
use crate::script::Action;
use crate::{escape, reach, relations};

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
        Action::Reboot => context.reboot(),
        Action::RebootNow => reboot_now(context),
        Action::OpenPort(range, endpoint) => {
            context.open_ports_for(*range, &Vec::from_iter(endpoint.as_deref()))
        }
        Action::ClosePort(range, endpoint) => {
            context.close_ports_for(*range, &Vec::from_iter(endpoint.as_deref()))
        }
        Action::Status(kind, message) => context.set_status(Status::new(*kind, message.as_str())),
        Action::Version(text) => context.set_workload_version(text),
        Action::Environment(name) => {
            let value = std::env::var(name).unwrap_or_else(|_| "nothing".to_owned());
            context.set_status(Status::new(StatusKind::Active, format!("{name}={value}")))
        }
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
        Action::Escape => report(context, "escape", &escape::try_everything(context)),
        Action::RelationSet {
            bag,
            key,
            value,
            endpoint,
        } => relations::set(context, endpoint.as_deref(), *bag, key, value.as_deref()),
        Action::RelationGet { member, endpoint } => {
            relations::get(context, endpoint.as_deref(), member.as_deref())
        }
        Action::LeaderSet(key, value) => {
            context.set_leader_settings(&[(key.as_str(), value.as_deref())])
        }
        Action::LeaderGet => {
            relations::show(context, "leader-settings", &context.leader_settings()?)
        }
        Action::IsLeader => relations::show(context, "is-leader", &context.is_leader()?),
        Action::GoalState => relations::show(context, "goal-state", &context.goal_state()?),
        Action::NetworkGet(binding) => {
            let event = context.event().relation();
            let binding = binding
                .as_deref()
                .or(event.map(|event| event.endpoint.as_str()))
                .ok_or("network-get: name a binding in a hook that is not of a relation")?;
            relations::show(context, "network", &context.network(binding)?)
        }
        Action::SharedWrite { name, file, text } => {
            let path = context.shared(name)?.join(file);
            Ok(fs::write(path, format!("{text}\n"))?)
        }
        Action::SharedRead { name, file } => {
            let text = fs::read_to_string(context.shared(name)?.join(file))?;
            relations::show(context, "shared", text.trim_end())
        }
        Action::SharedEscape(name) => {
            let reached = escape::try_shared(context, name)?;
            report(context, "shared-escape", &reached)
        }
        Action::Reach(extent, paths) => {
            let reached = reach::attempt(context, *extent, paths);
            report(context, extent.word(), &reached)
        }
        Action::Plant { name, targets } => reach::plant(context, name, targets),
    }
}

/// Asks for a reboot at once, the first time: the hook is run again, and the unit's status is what stays of
/// a hook of which nothing is committed.
fn reboot_now(context: &Context<Config>) -> Result<()> {
    const ASKED: &str = "rebooting at once";
    if context.status()?.message == ASKED {
        return context.set_status(Status::active("rebooted at once"));
    }
    context.set_status(Status::maintenance(ASKED))?;
    context.reboot_now()
}

/// Says in the status what was reached; nothing should be.
fn report<T: Borrow<str>>(context: &Context<Config>, action: &str, reached: &[T]) -> Result<()> {
    context.set_status(match reached {
        [] => Status::active(format!("{action}: nothing reached")),
        reached => Status::blocked(format!("{action}: reached {}", reached.join(", "))),
    })
}

/// A failed hook's state is rolled back, so attempts are counted in the unit's status, which is
/// set at once.
fn fail(times: Option<u64>, context: &Context<Config>) -> Result<()> {
    let hook = context.event().name();
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
