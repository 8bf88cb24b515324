//! Ranges of addresses.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Refusal;

/// Addresses with a common beginning, `10.0.0.0/8`. It is kept without the bits that do not count,
/// so that equal ranges are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cidr {
    address: IpAddr,
    prefix: u8,
}

/// Text that is no range of addresses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{text}\" is not an address range: {reason}; write 10.0.0.0/8 or fd00::/8")]
pub struct CidrError {
    /// Cut off after 80 characters.
    pub text: String,
    pub reason: &'static str,
}

impl CidrError {
    pub fn refusal(&self) -> Refusal {
        Refusal::CidrInvalid
    }
}

impl Cidr {
    /// Every address of IPv4.
    pub const ALL_V4: Cidr = Cidr {
        address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        prefix: 0,
    };
    /// Every address of IPv6.
    pub const ALL_V6: Cidr = Cidr {
        address: IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        prefix: 0,
    };

    pub fn contains(self, address: IpAddr) -> bool {
        let prefix = self.prefix;
        masked(address, prefix).is_some_and(|address| address == self.address)
    }
}

/// The address without the bits behind the prefix; none if it does not have so many.
fn masked(address: IpAddr, prefix: u8) -> Option<IpAddr> {
    match address {
        IpAddr::V4(address) => {
            let rest = 32_u32.checked_sub(u32::from(prefix))?;
            let mask = u32::MAX.checked_shl(rest).unwrap_or(0);
            Some(Ipv4Addr::from_bits(address.to_bits() & mask).into())
        }
        IpAddr::V6(address) => {
            let rest = 128_u32.checked_sub(u32::from(prefix))?;
            let mask = u128::MAX.checked_shl(rest).unwrap_or(0);
            Some(Ipv6Addr::from_bits(address.to_bits() & mask).into())
        }
    }
}

impl FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Self, CidrError> {
        let wrong = |reason| CidrError {
            text: text.chars().take(80).collect(),
            reason,
        };
        let (address, prefix) = text
            .trim()
            .split_once('/')
            .ok_or(wrong("it has no \"/\""))?;
        let address: IpAddr = address
            .parse()
            .map_err(|_| wrong("it begins with no address"))?;
        let digits = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|_| digits);
        let prefix: u8 = prefix.ok_or(wrong("after the \"/\" stands how many bits count"))?;
        let address = masked(address, prefix).ok_or(wrong("an address has fewer bits"))?;
        Ok(Self { address, prefix })
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl TryFrom<String> for Cidr {
    type Error = CidrError;
    fn try_from(text: String) -> Result<Self, CidrError> {
        text.parse()
    }
}

impl From<Cidr> for String {
    fn from(cidr: Cidr) -> String {
        cidr.to_string()
    }
}
