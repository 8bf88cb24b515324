//! Sizes as people write them: `512M`, `1.5G`, `2TiB`; a number alone is MiB.

const UNITS: &[(char, u64)] = &[
    ('M', 1),
    ('G', 1 << 10),
    ('T', 1 << 20),
    ('P', 1 << 30),
    ('E', 1 << 40),
];

/// MiB, rounded up.
///
/// # Errors
/// A sentence: it is no size, or too large to be one.
pub fn mib_of(text: &str) -> Result<u64, String> {
    let wrong = || format!("\"{text}\" is not a size: write a number with M, G, T or P, as in 10G");
    let plain = text.strip_suffix("iB").or_else(|| text.strip_suffix('B'));
    let rest = plain.unwrap_or(text);
    let unit = |(letter, factor): &(char, u64)| Some((rest.strip_suffix(*letter)?, *factor));
    let (digits, factor) = match UNITS.iter().find_map(unit) {
        Some(found) => found,
        None if plain.is_some() => return Err(wrong()),
        None => (rest, 1),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 9 {
        return Err(wrong());
    }
    let whole: u128 = whole.parse().map_err(|_| wrong())?;
    let scale = 10_u128.pow(u32::try_from(part.len()).unwrap_or_default());
    let part: u128 = part.parse().map_err(|_| wrong())?;
    let factor = u128::from(factor);
    let mib = whole
        .checked_mul(factor)
        .and_then(|mib| mib.checked_add((part * factor).div_ceil(scale)));
    // Its bytes are to be a number, too.
    mib.and_then(|mib| u64::try_from(mib).ok())
        .filter(|mib| *mib <= u64::MAX >> 20)
        .ok_or_else(|| format!("\"{text}\" is larger than storage can be"))
}

/// `512MiB`, `1.0GiB`, as Juju's tables have it.
#[must_use]
pub fn shown(mib: u64) -> String {
    let unit = UNITS.iter().rev().find(|(_, factor)| mib >= *factor);
    match unit {
        Some((letter, factor)) if *factor > 1 => {
            let tenths = u128::from(mib) * 10 / u128::from(*factor);
            format!("{}.{}{letter}iB", tenths / 10, tenths % 10)
        }
        _ => format!("{mib}MiB"),
    }
}
