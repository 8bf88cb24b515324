//! Addresses of units: each has one of the machine's own network, 127.77.0.0/16, which any process of
//! the machine may listen at. They are numbered, so that a controller gives none twice.

use std::net::Ipv4Addr;

/// How many there are: all but the first and the last.
pub const UNIT_ADDRESSES: u64 = 65_534;

/// The address with a number from 1 to [`UNIT_ADDRESSES`]; none beyond.
pub fn unit_address(number: u64) -> Option<Ipv4Addr> {
    let number = u16::try_from(number).ok()?;
    let there = number >= 1 && u64::from(number) <= UNIT_ADDRESSES;
    let [high, low] = number.to_be_bytes();
    there.then(|| Ipv4Addr::new(127, 77, high, low))
}
