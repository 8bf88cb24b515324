//! The keys of constraints, by Juju's names, and what values each takes.

use std::fmt;

use crate::nearest::nearest;

/// The key of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    AllocatePublicIp,
    Arch,
    Container,
    Cores,
    CpuPower,
    ImageId,
    InstanceRole,
    InstanceType,
    Mem,
    RootDisk,
    RootDiskSource,
    Spaces,
    Tags,
    VirtType,
    Zones,
}

/// What a key takes.
enum Takes {
    Flag,
    Number,
    /// Megabytes, or with a suffix more.
    Size,
    OneOf(&'static [&'static str]),
    Word,
    /// Words with commas between; with `^` before one, whatever is not that.
    List,
}

const ARCHITECTURES: &[&str] = &["amd64", "arm64", "ppc64el", "riscv64", "s390x"];
const CONTAINERS: &[&str] = &["none", "lxd"];

impl Key {
    /// By their names.
    pub const ALL: [Key; 15] = [
        Key::AllocatePublicIp,
        Key::Arch,
        Key::Container,
        Key::Cores,
        Key::CpuPower,
        Key::ImageId,
        Key::InstanceRole,
        Key::InstanceType,
        Key::Mem,
        Key::RootDisk,
        Key::RootDiskSource,
        Key::Spaces,
        Key::Tags,
        Key::VirtType,
        Key::Zones,
    ];

    /// What a type of instance says itself.
    pub(super) const OF_THE_TYPE: [Key; 3] = [Key::Cores, Key::CpuPower, Key::Mem];

    pub fn as_str(self) -> &'static str {
        match self {
            Key::AllocatePublicIp => "allocate-public-ip",
            Key::Arch => "arch",
            Key::Container => "container",
            Key::Cores => "cores",
            Key::CpuPower => "cpu-power",
            Key::ImageId => "image-id",
            Key::InstanceRole => "instance-role",
            Key::InstanceType => "instance-type",
            Key::Mem => "mem",
            Key::RootDisk => "root-disk",
            Key::RootDiskSource => "root-disk-source",
            Key::Spaces => "spaces",
            Key::Tags => "tags",
            Key::VirtType => "virt-type",
            Key::Zones => "zones",
        }
    }

    /// The key of this name, or of the older one that Juju still reads.
    pub(super) fn of(name: &str) -> Option<Key> {
        match name {
            "cpu-cores" => Some(Key::Cores),
            name => Key::ALL.into_iter().find(|key| key.as_str() == name),
        }
    }

    fn takes(self) -> Takes {
        match self {
            Key::AllocatePublicIp => Takes::Flag,
            Key::Arch => Takes::OneOf(ARCHITECTURES),
            Key::Container => Takes::OneOf(CONTAINERS),
            Key::Cores | Key::CpuPower => Takes::Number,
            Key::Mem | Key::RootDisk => Takes::Size,
            Key::ImageId
            | Key::InstanceRole
            | Key::InstanceType
            | Key::RootDiskSource
            | Key::VirtType => Takes::Word,
            Key::Spaces | Key::Tags | Key::Zones => Takes::List,
        }
    }

    /// A value that is not empty in its one spelling, or what the key expects instead.
    pub(super) fn check(self, value: &str) -> Result<String, String> {
        if value.chars().any(char::is_control) {
            return Err("no control characters".to_owned());
        }
        match self.takes() {
            Takes::Flag => match value {
                "true" | "false" => Ok(value.to_owned()),
                _ => Err("true or false".to_owned()),
            },
            Takes::Number => {
                let number: Result<u64, _> = value.parse();
                let number = number.map_err(|_| "a number".to_owned())?;
                Ok(number.to_string())
            }
            Takes::Size => {
                let size = megabytes(value);
                let expected = || "a size in megabytes, or with M, G, T or P behind it".to_owned();
                Ok(format!("{}M", size.ok_or_else(expected)?))
            }
            Takes::OneOf(known) => match known.contains(&value) {
                true => Ok(value.to_owned()),
                false => {
                    let meant = nearest(value, known.iter().copied());
                    let meant = meant.map(|name| format!(" (did you mean \"{name}\"?)"));
                    let known = known.join(", ");
                    Err(format!("one of {known}{}", meant.unwrap_or_default()))
                }
            },
            Takes::Word => Ok(value.to_owned()),
            Takes::List => {
                let words: Vec<&str> = value.split(',').collect();
                let empty = |word: &&str| word.trim_start_matches('^').is_empty();
                match words.iter().any(empty) {
                    true => Err("words with commas between".to_owned()),
                    false => Ok(words.join(",")),
                }
            }
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// More than any machine has, and few enough for every sum.
const MOST: f64 = 1e15;

/// `512`, `512M`, `1.5G`: whole megabytes, rounded up.
fn megabytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "M"),
    };
    let factor = match unit {
        "M" => 1.0,
        "G" => 1024.0,
        "T" => 1024.0 * 1024.0,
        "P" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let plain = number.starts_with(|c: char| c.is_ascii_digit());
    let number: f64 = number.parse().ok().filter(|_| plain)?;
    let size = (number * factor).ceil();
    (size <= MOST).then_some(size as u64)
}
