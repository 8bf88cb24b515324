use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;
use crate::testing::{Harness, Outcome, actions_yaml, check_actions_yaml, json};
use crate::{ErrorCode, Event, Hook, PortRange, hook_names};

/// Does what it is told, and ends as it is told.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Work {
    /// How many steps.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 9))]
    steps: u16,
    #[serde(default)]
    ends: Ends,
}

fn one() -> u16 {
    1
}

#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Ends {
    #[default]
    Well,
    SaysItFailed,
    Fails,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Done {
    steps: Steps,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Steps {
    in_all: u16,
}

#[derive(Default)]
struct Worker;

impl Worker {
    fn work(&mut self, context: &Context<()>, work: Work) -> Result<Done> {
        let task = context.task();
        assert_eq!(task.name()?, "work");
        for step in 1..=work.steps {
            task.log(&format!("step {step}"))?;
        }
        fs::write(context.state_dir().join("steps"), work.steps.to_string())?;
        context.state().set("steps", &work.steps)?;
        context.open_ports(PortRange::tcp(8000 + work.steps))?;
        task.set(&json!({"steps": {"of": task.id()?}}))?;
        match work.ends {
            Ends::Well => {}
            Ends::SaysItFailed => task.fail("half of it")?,
            Ends::Fails => return Err("all of it".into()),
        }
        Ok(Done {
            steps: Steps { in_all: work.steps },
        })
    }

    fn rest(&mut self, context: &Context<()>, _: ()) -> Result<()> {
        context.state().set("rested", &true)
    }

    fn number(&mut self, _: &Context<()>, _: ()) -> Result<u8> {
        Ok(1)
    }

    fn shout(&mut self, _: &Context<()>, _: ()) -> Result<Value> {
        Ok(json!({"LOUD": true}))
    }

    fn end(&mut self, context: &Context<()>, arguments: &[String]) -> Result<u8> {
        let [code] = arguments else {
            return Err("usage: end CODE".into());
        };
        context.state().set("ended", code)?;
        fs::write(context.state_dir().join("ended"), code)?;
        code.parse().map_err(|_| "no number".into())
    }

    fn nothing(&mut self, context: &Context<()>, _: &[String]) -> Result<()> {
        let arguments = context.task().arguments()?;
        context.state().set("words", &arguments)
    }
}

impl Charm for Worker {
    type Config = ();
    const HOOKS: &'static [Hook] = &[Hook::Start];
    const ACTIONS: &'static [Action<Self>] = &[
        Action::new("work", "Works.", &Self::work).execution_group("work"),
        Action::new("rest", "", &Self::rest).parallel(),
        Action::new("number", "Returns what is no object.", &Self::number),
        Action::new("shout", "Has a key that no result may have.", &Self::shout),
    ];
    const COMMANDS: &'static [Command<Self>] = &[
        Command::new("end", &Self::end),
        Command::new("nothing", &Self::nothing),
    ];

    fn start(&mut self, context: &Context<()>) -> Result<()> {
        let task = context.task();
        let denied = [
            task.id().map(|_| ()),
            task.parameters::<Work>().map(|_| ()),
            task.log("on"),
            task.set(&json!({})),
            task.fail("no"),
        ];
        for answer in denied {
            match answer {
                Err(error) if error.host_code() == Some(ErrorCode::Denied) => {}
                other => return Err(Error::failed(format!("{other:?}"))),
            }
        }
        Ok(())
    }
}

#[test]
fn what_a_charm_has_is_named_and_dispatched() {
    assert_eq!(
        hook_names::<Worker>(),
        [
            "start",
            "actions/work",
            "actions/rest",
            "actions/number",
            "actions/shout",
            "commands/end",
            "commands/nothing"
        ]
    );
    let mut harness = Harness::<Worker>::new();
    let event = Event::read("actions/rest", Vec::new()).expect("reads");
    assert_eq!(harness.run_event(&event).expect("rests"), Outcome::Ran);
    assert_eq!(harness.state("rested"), Some(true));
    let unknown = harness.run_action("wrok", json!({})).unwrap_err();
    assert!(unknown.to_string().contains("\"wrok\""), "{unknown}");
    let unknown = harness.run_command("ned", &[]).unwrap_err();
    assert!(unknown.to_string().contains("\"ned\""), "{unknown}");
}

#[test]
fn an_action_answers_and_what_it_changed_is_kept() {
    let mut harness = Harness::<Worker>::new();
    let answer = harness
        .run_action("work", json!({"steps": 2}))
        .expect("works");
    assert_eq!(answer.results, json!({"steps": {"of": "1", "in-all": 2}}));
    assert_eq!((answer.failure, answer.return_code), (None, 0));
    assert_eq!(answer.log, ["step 1", "step 2"]);
    assert_eq!(harness.state("steps"), Some(2));
    assert_eq!(harness.ports(), [PortRange::tcp(8002)]);
    assert!(harness.state_dir().join("steps").exists());
    let answer = harness.run_action("work", json!(null)).expect("works");
    assert_eq!(answer.results, json!({"steps": {"of": "2", "in-all": 1}}));
    let answer = harness.run_action("rest", json!({})).expect("rests");
    assert_eq!((answer.results, answer.log), (json!({}), Vec::new()));
}

#[test]
fn one_that_says_it_failed_keeps_what_it_changed_and_one_that_returns_an_error_does_not() {
    let mut harness = Harness::<Worker>::new();
    let given = json!({"steps": 3, "ends": "fails"});
    let error = harness.run_action("work", given).unwrap_err();
    assert_eq!(error.to_string(), "all of it");
    assert_eq!(harness.progress(), ["step 1", "step 2", "step 3"]);
    assert_eq!(harness.state::<u16>("steps"), None);
    assert!(harness.ports().is_empty());
    assert!(!harness.state_dir().join("steps").exists());

    let given = json!({"ends": "says-it-failed"});
    let answer = harness.run_action("work", given).expect("goes on");
    assert_eq!(answer.failure.as_deref(), Some("half of it"));
    assert_eq!(answer.results["steps"]["in-all"], json!(1));
    assert_eq!(harness.state("steps"), Some(1));
    assert!(harness.state_dir().join("steps").exists());
}

#[test]
fn parameters_that_do_not_fit_fail_the_action_in_plain_words() {
    let mut harness = Harness::<Worker>::new();
    let mut wrong = |given| {
        let error = harness.run_action("work", given).unwrap_err();
        assert!(matches!(error, Error::Parameters(_)), "{error:?}");
        error.to_string()
    };
    assert_eq!(
        wrong(json!({"steps": 0})),
        "the parameters do not fit: steps: 0 does not keep to minimum: 1"
    );
    for (given, said) in [
        (json!({"steps": "two"}), "two"),
        (json!({"setps": 1}), "setps"),
        (json!({"ends": "badly"}), "badly"),
        (json!([1]), "no object"),
    ] {
        let text = wrong(given);
        assert!(text.contains(said), "{text}");
    }
    assert!(harness.progress().is_empty());
}

#[test]
fn results_have_the_rules_of_the_controller() {
    let mut harness = Harness::<Worker>::new();
    for action in ["number", "shout"] {
        let error = harness.run_action(action, json!({})).unwrap_err();
        assert_eq!(error.host_code(), Some(ErrorCode::Invalid), "{action}");
    }
}

#[test]
fn a_command_that_does_not_end_with_0_changes_nothing() {
    let mut harness = Harness::<Worker>::new();
    let ended = harness.run_command("end", &["3"]).expect("ends");
    assert_eq!(ended.return_code, 3);
    assert_eq!(harness.state::<String>("ended"), None);
    assert!(!harness.state_dir().join("ended").exists());
    let error = harness.run_command("end", &[]).unwrap_err();
    assert_eq!(error.to_string(), "usage: end CODE");
    let ended = harness.run_command("end", &["0"]).expect("ends");
    assert_eq!(ended.return_code, 0);
    assert_eq!(harness.state("ended"), Some("0".to_owned()));
    harness
        .run_command("nothing", &["--a", "b c"])
        .expect("ends");
    assert_eq!(
        harness.state("words"),
        Some(vec!["--a".to_owned(), "b c".to_owned()])
    );
}

#[test]
fn in_a_hook_nobody_asked() {
    let mut harness = Harness::<Worker>::new();
    harness.run_action("rest", json!({})).expect("rests");
    harness.run(Hook::Start).expect("denied, as it should be");
}

const YAML: &str = "\
number:
  description: Returns what is no object.
rest:
  parallel: true
shout:
  description: Has a key that no result may have.
work:
  description: Works.
  params:
    ends:
      default: well
      enum:
      - well
      - says-it-failed
      - fails
      type: string
    steps:
      default: 1
      description: How many steps.
      maximum: 9
      minimum: 1
      type: integer
  additionalProperties: false
  execution-group: work
";

#[test]
fn actions_yaml_is_made_of_the_code() {
    assert_eq!(actions_yaml::<Worker>(), YAML);
    let file = std::env::temp_dir().join(format!("actions-{}.yaml", std::process::id()));
    // Comments, order and style are the file's.
    let yaml = YAML.replace("rest:\n  parallel: true\n", "");
    fs::write(
        &file,
        format!("# ours\n{yaml}\"rest\": {{parallel: true}}\n"),
    )
    .expect("writes");
    check_actions_yaml::<Worker>(&file);
    fs::write(&file, YAML.replace("maximum: 9", "maximum: 8")).expect("writes");
    let differs = std::panic::catch_unwind(|| check_actions_yaml::<Worker>(&file));
    fs::remove_file(&file).expect("is there");
    assert!(differs.is_err());
}
