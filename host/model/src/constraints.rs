//! Constraints: what a machine is to have before units are put on it, in Juju's keys. Owns how they are
//! read, written, merged and held against a machine; never chooses the machine. They are kept as the one
//! line that people write, so that a store and a request carry them as a text.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::nearest::suggestion;

#[cfg(test)]
mod tests;

/// Juju's keys, as they are written out.
const KEYS: [&str; 15] = [
    "allocate-public-ip",
    "arch",
    "container",
    "cores",
    "cpu-power",
    "image-id",
    "instance-role",
    "instance-type",
    "mem",
    "root-disk",
    "root-disk-source",
    "spaces",
    "tags",
    "virt-type",
    "zones",
];

/// What an instance type decides by itself: one of these of a narrower scope and an instance type of a
/// wider one exclude each other, and the other way round.
const DECIDED_BY_TYPE: [&str; 4] = ["cores", "cpu-power", "mem", "root-disk"];

const ARCHITECTURES: [&str; 5] = ["amd64", "arm64", "ppc64el", "riscv64", "s390x"];

/// Why a line of constraints is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConstraintError {
    #[error("\"{0}\" is no constraint; write KEY=VALUE")]
    Malformed(String),
    #[error("there is no constraint \"{key}\"{nearest}")]
    Unknown { key: String, nearest: String },
    #[error("the constraint \"{0}\" is given twice")]
    Twice(String),
    #[error("the constraint \"{key}\" cannot be \"{value}\": it is {wanted}")]
    Value {
        key: String,
        value: String,
        wanted: String,
    },
}

/// Constraints by key, each value as it is written out. An empty value is one that was given as such:
/// it hides the value of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constraints(BTreeMap<&'static str, String>);

/// What there is of a machine, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hardware<'a> {
    pub arch: &'a str,
    pub cores: u64,
    pub memory_mib: u64,
    pub root_disk_mib: Option<u64>,
}

impl Constraints {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key, unless there is none or it was given as empty.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0
            .get(key)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// These over those of the model: key by key, and without what an instance type excludes.
    #[must_use]
    pub fn over(&self, model: &Self) -> Self {
        let typed = self.get("instance-type").is_some();
        let sized = DECIDED_BY_TYPE.iter().any(|key| self.get(key).is_some());
        let mut merged: BTreeMap<&'static str, String> = model
            .0
            .iter()
            .filter(|(key, _)| {
                !((typed && DECIDED_BY_TYPE.contains(key)) || (sized && **key == "instance-type"))
            })
            .map(|(key, value)| (*key, value.clone()))
            .collect();
        merged.extend(self.0.iter().map(|(key, value)| (*key, value.clone())));
        merged.retain(|_, value| !value.is_empty());
        Self(merged)
    }

    /// What a machine lacks, a sentence for each constraint that it does not meet. What is not known of
    /// the machine is not held against it.
    #[must_use]
    pub fn lacking(&self, hardware: &Hardware<'_>) -> Vec<String> {
        let mut lacking = Vec::new();
        if let Some(arch) = self.get("arch").filter(|arch| *arch != hardware.arch) {
            lacking.push(format!("arch is {}, not {arch}", hardware.arch));
        }
        let number = |key: &str| {
            self.get(key)
                .and_then(|value| value.trim_end_matches('M').parse::<u64>().ok())
        };
        for (key, there, unit) in [
            ("cores", Some(hardware.cores), ""),
            ("mem", Some(hardware.memory_mib), "M"),
            ("root-disk", hardware.root_disk_mib, "M"),
        ] {
            if let (Some(wanted), Some(there)) = (number(key), there)
                && wanted > there
            {
                lacking.push(format!("{key} is {there}{unit}, less than {wanted}{unit}"));
            }
        }
        lacking
    }
}

impl FromStr for Constraints {
    type Err = ConstraintError;

    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        let mut read = BTreeMap::new();
        for word in text.split_whitespace() {
            let (written, value) = word
                .split_once('=')
                .ok_or_else(|| ConstraintError::Malformed(word.to_owned()))?;
            let key = known(written)?;
            let value = match value {
                "" => String::new(),
                _ => canonical(key, value).map_err(|wanted| ConstraintError::Value {
                    key: key.to_owned(),
                    value: value.to_owned(),
                    wanted,
                })?,
            };
            if read.insert(key, value).is_some() {
                return Err(ConstraintError::Twice(key.to_owned()));
            }
        }
        Ok(Self(read))
    }
}

impl fmt::Display for Constraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (key, value)) in self.0.iter().enumerate() {
            let blank = if place == 0 { "" } else { " " };
            write!(f, "{blank}{key}={value}")?;
        }
        Ok(())
    }
}

/// A key as it is written out; `cpu-cores` is the name that `cores` had before.
fn known(written: &str) -> Result<&'static str, ConstraintError> {
    let wanted = match written {
        "cpu-cores" => "cores",
        _ => written,
    };
    KEYS.into_iter()
        .find(|key| *key == wanted)
        .ok_or_else(|| ConstraintError::Unknown {
            key: written.to_owned(),
            nearest: suggestion(written, KEYS),
        })
}

/// A value as it is written out, or what it should have been.
fn canonical(key: &str, value: &str) -> Result<String, String> {
    match key {
        "cores" | "cpu-power" => value
            .parse::<u32>()
            .map(|number| number.to_string())
            .map_err(|_| "a whole number".to_owned()),
        "mem" | "root-disk" => mebibytes(value)
            .map(|size| format!("{size}M"))
            .ok_or_else(|| "a size, as 512M, 4G or 1.5T".to_owned()),
        "arch" => match ARCHITECTURES.contains(&value) {
            true => Ok(value.to_owned()),
            false => Err(format!(
                "one of {}{}",
                ARCHITECTURES.join(", "),
                suggestion(value, ARCHITECTURES)
            )),
        },
        "allocate-public-ip" => match value {
            "true" | "false" => Ok(value.to_owned()),
            _ => Err("true or false".to_owned()),
        },
        "spaces" | "tags" | "zones" => match value.split(',').any(str::is_empty) {
            true => Err("names with a comma between them".to_owned()),
            false => Ok(value.to_owned()),
        },
        _ => Ok(value.to_owned()),
    }
}

/// A size in mebibytes, a part of one counted as a whole one. In integers, so that no size is rounded
/// down: thousandths are the finest part that is read.
fn mebibytes(text: &str) -> Option<u64> {
    let (number, factor) = match text.strip_suffix(['M', 'G', 'T', 'P']) {
        None => (text, 1),
        Some(number) if text.ends_with('M') => (number, 1),
        Some(number) if text.ends_with('G') => (number, 1 << 10),
        Some(number) if text.ends_with('T') => (number, 1 << 20),
        Some(number) => (number, 1 << 30),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 3 {
        return None;
    }
    let thousandths = whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1000)?
        .checked_add(format!("{part:0<3}").parse::<u64>().ok()?)?;
    Some(thousandths.checked_mul(factor)?.div_ceil(1000))
}
