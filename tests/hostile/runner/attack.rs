//! A file of the corpus: what its head says, and the rest with its repetitions written out.

use anyhow::{Context, Result, bail, ensure};

/// How an attack ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The hook `start` fails, with these words as its reason.
    Fails,
    /// The charm is not deployed, and these words say why.
    Refused,
    /// The unit's status says this, and its hooks end well.
    Shows,
    /// A request is answered, with these words somewhere in its answer; `[cut]` stands for one that is not whole.
    Answered,
}

/// One attack.
#[derive(Clone, Debug)]
pub struct Attack {
    pub name: &'static str,
    pub promise: String,
    pub deed: String,
    pub how: How,
    /// One of these is in what is said at the end.
    words: Vec<String>,
    /// Without the head.
    pub text: String,
}

/// Of the head of a file, in its order.
const PROMISE: &str = "promise";
const DEED: &str = "attack";
const ENDS: [(&str, How); 4] = [
    ("fails", How::Fails),
    ("refused", How::Refused),
    ("shows", How::Shows),
    ("answered", How::Answered),
];

impl Attack {
    /// Reads a file.
    ///
    /// # Errors
    /// A head that does not say all that it has to, and a repetition that is none.
    pub fn read(name: &'static str, text: &str) -> Result<Self> {
        let mut told: Vec<(String, String)> = Vec::new();
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            let Some(line) = line.strip_prefix(";; ").or(line.strip_prefix("# ")) else {
                break;
            };
            rest = after;
            let known = |key: &str| {
                key == PROMISE || key == DEED || ENDS.iter().any(|(word, _)| *word == key)
            };
            if let Some((key, value)) = line.split_once(": ").filter(|(key, _)| known(key)) {
                told.push((key.to_owned(), value.trim().to_owned()));
            } else {
                let (_, before) = told.last_mut().context("the first line says no promise")?;
                before.push(' ');
                before.push_str(line.trim());
            }
        }
        let [(promise_key, promise), (deed_key, deed), (end_key, end)] = told.as_slice() else {
            bail!("{name}: its head is a promise, an attack and an end, not {told:?}");
        };
        ensure!(
            promise_key == PROMISE && deed_key == DEED,
            "{name}: {told:?}"
        );
        let how = ENDS.iter().find(|(word, _)| word == end_key);
        let (_, how) = how.with_context(|| format!("{name}: how does it end?"))?;
        Ok(Self {
            name,
            promise: promise.clone(),
            deed: deed.clone(),
            how: *how,
            words: end
                .split(" | ")
                .map(|words| words.trim().to_owned())
                .collect(),
            text: expanded(rest).with_context(|| name)?,
        })
    }

    /// As applications are named.
    pub fn application(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Whether this is what the file says.
    ///
    /// # Errors
    /// What was said instead.
    pub fn is_told(&self, said: &str) -> Result<(), String> {
        match self.words.iter().any(|words| said.contains(words.as_str())) {
            true => Ok(()),
            false => Err(format!("\"{said}\" instead of {:?}", self.words)),
        }
    }
}

/// `{{1000 times TEXT}}` written out. `{#}` in it is the number, `\n` a new line, `\0` a byte of zero.
fn expanded(text: &str) -> Result<String> {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (inside, after) = after.split_once("}}").context("{{ without an end")?;
        let (count, repeated) = inside
            .split_once(" times ")
            .context("write {{COUNT times TEXT}}")?;
        let count: usize = count.replace(',', "").parse()?;
        let repeated = repeated.replace("\\n", "\n").replace("\\0", "\0");
        whole.push_str(before);
        match repeated.contains("{#}") {
            true => {
                (1..=count).for_each(|n| whole.push_str(&repeated.replace("{#}", &n.to_string())));
            }
            false => whole.push_str(&repeated.repeat(count)),
        }
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

#[test]
fn repetitions_are_written_out() -> Result<()> {
    assert_eq!(
        expanded("a{{1,000 times b}}c")?,
        format!("a{}c", "b".repeat(1000))
    );
    assert_eq!(expanded("{{2 times x{#}\\n}}")?, "x1\nx2\n");
    assert!(expanded("{{many times x}}").is_err());
    assert!(expanded("{{2 times x").is_err());
    Ok(())
}

#[test]
fn a_head_says_promise_attack_and_end() -> Result<()> {
    let text =
        ";; promise: a bound\n;; attack: more\n;;  of it: all\n;; fails: one | two\n(func)\n";
    let attack = Attack::read("more_of_it", text)?;
    assert_eq!((attack.how, attack.text.as_str()), (How::Fails, "(func)\n"));
    assert_eq!(attack.deed, "more of it: all");
    assert_eq!(attack.application(), "more-of-it");
    assert!(attack.is_told("it said two").is_ok() && attack.is_told("it said three").is_err());
    assert!(Attack::read("x", "(func)\n").is_err());
    assert!(Attack::read("x", ";; promise: a\n;; attack: b\n(func)\n").is_err());
    Ok(())
}
