//! The kernel's list of what is mounted where, as `/proc/self/mountinfo` has it.
//!
//! It reads a text and opens no file: who may still open the list, and when, differs between those who look at it.

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mounted {
    /// Major and minor number of the device.
    pub numbers: (u32, u32),
    pub point: String,
    pub filesystem: String,
    /// `/dev/sda1`, for file systems that have numbers of their own.
    pub source: String,
}

/// What is mounted, in the order of the list, in which the last is the uppermost.
#[must_use]
pub fn mounted(list: &str) -> Vec<Mounted> {
    list.lines().filter_map(line).collect()
}

/// Of a line `id parent major:minor root point options [optional...] - filesystem source options`.
fn line(line: &str) -> Option<Mounted> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(2);
    let (major, minor) = before.next()?.split_once(':')?;
    let mut after = after.split(' ');
    Some(Mounted {
        numbers: (major.parse().ok()?, minor.parse().ok()?),
        point: unescaped(before.nth(1)?),
        filesystem: after.next()?.to_owned(),
        source: unescaped(after.next()?),
    })
}

/// A text in which the kernel writes blanks and the like as three octal digits.
fn unescaped(field: &str) -> String {
    let mut parts = field.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part
            .get(..3)
            .and_then(|code| u8::from_str_radix(code, 8).ok());
        match code {
            Some(code) => {
                text.push(char::from(code));
                text.push_str(&part[3..]);
            }
            None => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text
}
