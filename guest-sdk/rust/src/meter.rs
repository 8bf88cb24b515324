//! The meter status of the unit: what it uses against the quotas of its model.

use crate::{Error, Event, Hook, Result};

/// How a unit fares. The worst is the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MeterColor {
    /// All is well.
    Green,
    /// It is near a quota, or its agent has been without a controller for five minutes.
    Amber,
    /// It is above a quota, or its agent has been without a controller for fifteen minutes.
    Red,
}

impl MeterColor {
    /// As the host writes it, and as `JUJU_METER_STATUS` has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            MeterColor::Green => "GREEN",
            MeterColor::Amber => "AMBER",
            MeterColor::Red => "RED",
        }
    }
}

/// What [`Charm::meter_status_changed`](crate::Charm::meter_status_changed) is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterStatus {
    /// How it fares.
    pub color: MeterColor,
    /// Why, for a person; empty for green.
    pub info: String,
}

impl MeterStatus {
    /// The event that tells it, for the harness's `run_event`.
    pub fn event(color: MeterColor, info: &str) -> Event {
        let attributes = [("code", color.as_str()), ("info", info)];
        Event {
            attributes: attributes
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            ..Event::new(Hook::MeterStatusChanged)
        }
    }

    pub(crate) fn of(event: &Event) -> Result<Self> {
        let colors = [MeterColor::Green, MeterColor::Amber, MeterColor::Red];
        let code = event.attribute("code").unwrap_or_default();
        let color = colors.into_iter().find(|color| color.as_str() == code);
        Ok(Self {
            color: color.ok_or_else(|| {
                Error::failed(format!(
                    "this charm's SDK does not know the code \"{code}\""
                ))
            })?,
            info: event.attribute("info").unwrap_or_default().to_owned(),
        })
    }
}
