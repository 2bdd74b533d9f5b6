//! The own operations of a sandbox: on its whole state and on its clock.
//!
//! | operation | request | does |
//! |---|---|---|
//! | `Save` | `Name` | names the present state |
//! | `Restore` | `Name` | goes back to a save |
//! | `Reset` | `Empty` | goes back to the start, or empties the database |
//! | `ListSaves`, `DeleteSave` | `Name` | |
//! | `SetClock` | `Now` or `Advance`, `Stopped` | sets or moves the clock, does what is due then |
//! | `DescribeClock` | | |

use super::{Nothing, fault, read};
use crate::served::time;
use hashrange::{ApiResult, Clock, ClockSetting, Reason, Sandbox, StateFault, moment};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// The save that a request without a name means.
const DEFAULT_SAVE: &str = "default";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfSave {
    #[serde(rename = "Name")]
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfReset {
    #[serde(rename = "Empty", default)]
    empty: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfClock {
    now: Option<Value>,
    advance: Option<Value>,
    stopped: Option<bool>,
}

impl OfSave {
    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(DEFAULT_SAVE)
    }
}

/// Runs an operation; none if sandboxes have none of this name.
pub async fn call(sandbox: &Sandbox, operation: &str, body: &[u8]) -> Option<ApiResult<Vec<u8>>> {
    let answer = run(sandbox, operation, body).await.transpose()?;
    Some(answer.map(|answer| answer.to_string().into_bytes()))
}

async fn run(sandbox: &Sandbox, operation: &str, body: &[u8]) -> ApiResult<Option<Value>> {
    let answer = match operation {
        "Save" => save(sandbox, &read(body)?),
        "Restore" => restore(sandbox, &read(body)?),
        "Reset" => reset(sandbox, &read(body)?),
        "ListSaves" => read(body).map(|Nothing {}| list_saves(sandbox)),
        "DeleteSave" => delete_save(sandbox, &read(body)?),
        "SetClock" => set_clock(sandbox, read(body)?).await,
        "DescribeClock" => read(body).map(|Nothing {}| described(sandbox.clock())),
        _ => return Ok(None),
    };
    answer.map(Some)
}

fn save(sandbox: &Sandbox, request: &OfSave) -> ApiResult<Value> {
    let replaced = sandbox.save(request.name())?;
    Ok(json!({ "Name": request.name(), "Replaced": replaced }))
}

fn restore(sandbox: &Sandbox, request: &OfSave) -> ApiResult<Value> {
    sandbox.restore(request.name())?;
    Ok(json!({ "Name": request.name() }))
}

fn reset(sandbox: &Sandbox, request: &OfReset) -> ApiResult<Value> {
    if request.empty {
        sandbox.reset_to_nothing()?;
    } else {
        sandbox.reset()?;
    }
    Ok(json!({}))
}

fn list_saves(sandbox: &Sandbox) -> Value {
    let saves = sandbox.saves();
    let listed = saves
        .iter()
        .map(|save| json!({ "Name": save.name, "SavedAt": time::seconds(save.saved_at_ms) }));
    json!({ "Saves": listed.collect::<Vec<_>>() })
}

fn delete_save(sandbox: &Sandbox, request: &OfSave) -> ApiResult<Value> {
    sandbox.delete_save(request.name())?;
    Ok(json!({ "Name": request.name() }))
}

async fn set_clock(sandbox: &Sandbox, request: OfClock) -> ApiResult<Value> {
    let clock = sandbox.clock();
    let before = clock.setting();
    change_clock(clock, &request).map_err(fault)?;
    if clock.setting() != before {
        // On a thread of its own, however short the work is: other requests go on meanwhile.
        let database = sandbox.database().blocking();
        let catching_up = move || database.catch_up_with_clock();
        tokio::task::spawn_blocking(catching_up).await.map_err(|_| Reason::Internal)?;
    }
    Ok(described(clock))
}

fn change_clock(clock: &Clock, request: &OfClock) -> Result<(), StateFault> {
    match (&request.now, &request.advance) {
        (Some(_), Some(_)) => return Err(StateFault::SetAndAdvance),
        (Some(now), None) if now == "system" => clock.follow_system(),
        (Some(now), None) => clock.set(time::instant_ms(now)?)?,
        (None, Some(step)) => clock.advance(Duration::from_millis(time::step_ms(step)?))?,
        (None, None) => {}
    }
    match request.stopped {
        Some(true) => clock.stop(),
        Some(false) => clock.go_on(),
        None => {}
    }
    Ok(())
}

fn described(clock: &Clock) -> Value {
    let now_ms = clock.now_ms();
    json!({
        "Now": time::seconds(now_ms),
        "Date": moment::extended(now_ms),
        "Stopped": matches!(clock.setting(), ClockSetting::Stopped(_)),
    })
}

#[cfg(test)]
mod tests {
    use crate::served::own_operations::of_sandbox;
    use hashrange::{Options, Sandbox};

    /// Runs operations one after another and returns the answer of each, or its exception and message.
    async fn run(script: &[(&str, &str)]) -> Vec<String> {
        let sandbox = Sandbox::memory(&Options::default());
        let mut answers = Vec::new();
        for (operation, body) in script {
            answers.push(match of_sandbox(&sandbox, operation, body.as_bytes()).await {
                Ok(answer) => String::from_utf8(answer).unwrap(),
                Err(error) => error.to_string(),
            });
        }
        answers
    }

    async fn check(script: &[(&str, &str, &str)]) {
        let requests: Vec<_> = script.iter().map(|(name, body, _)| (*name, *body)).collect();
        for (answer, (name, body, expected)) in run(&requests).await.iter().zip(script) {
            assert_eq!(answer, expected, "{name} {body}");
        }
    }

    #[tokio::test]
    async fn saves_are_named_listed_and_deleted() {
        check(&[
            (
                "SetClock",
                r#"{"Now":1500,"Stopped":true}"#,
                r#"{"Now":1500.0,"Date":"1970-01-01T00:25:00.000Z","Stopped":true}"#,
            ),
            ("Save", "", r#"{"Name":"default","Replaced":false}"#),
            ("Save", r#"{"Name":"a"}"#, r#"{"Name":"a","Replaced":false}"#),
            ("Save", r#"{"Name":"a"}"#, r#"{"Name":"a","Replaced":true}"#),
            (
                "ListSaves",
                "{}",
                r#"{"Saves":[{"Name":"a","SavedAt":1500.0},{"Name":"default","SavedAt":1500.0}]}"#,
            ),
            ("Restore", "{}", r#"{"Name":"default"}"#),
            ("DeleteSave", r#"{"Name":"a"}"#, r#"{"Name":"a"}"#),
            (
                "Restore",
                r#"{"Name":"a"}"#,
                "ResourceNotFoundException: There is no save named a, only default",
            ),
            ("Reset", "{}", "{}"),
            ("Reset", r#"{"Empty":true}"#, "{}"),
            ("ListSaves", "", r#"{"Saves":[{"Name":"default","SavedAt":1500.0}]}"#),
        ])
        .await;
    }

    #[tokio::test]
    async fn requests_in_another_form_are_refused_in_words() {
        check(&[
            ("Save", r#"{"Nam":"a"}"#, "ValidationException: The request cannot be read: unknown field `Nam`, expected `Name` at line 1 column 6"),
            ("Save", r#"{"Name":1}"#, "ValidationException: The request cannot be read: invalid type: integer `1`, expected a string at line 1 column 9"),
            ("Save", "[", "SerializationException"),
            ("Reset", r#"{"Empty":"yes"}"#, "ValidationException: The request cannot be read: invalid type: string \"yes\", expected a boolean at line 1 column 14"),
            ("SetClock", r#"{"Now":1,"Advance":1}"#, "ValidationException: Now sets the clock and Advance moves it: give one of them"),
            ("SetClock", r#"{"Advance":"1 week"}"#, "ValidationException: The clock advances by seconds or by a time such as 500ms, 90s, 10m, 24h or 7d, not by \"1 week\""),
            ("SetClock", r#"{"Now":253402300800}"#, "ValidationException: The clock keeps to the years 1970 to 9999"),
            ("save", "{}", "UnknownOperationException"),
            ("", "", "UnknownOperationException"),
        ])
        .await;
    }

    #[tokio::test]
    async fn a_request_is_bounded() {
        let long = format!(r#"{{"Name":"{}"}}"#, "x".repeat(70_000));
        let answer = run(&[("Save", &long)]).await;
        assert_eq!(
            answer,
            ["ValidationException: The request cannot be read: more than 65536 bytes"]
        );
    }

    #[tokio::test]
    async fn every_operation_that_is_named_is_there() {
        for operation in
            ["Restore", "Reset", "ListSaves", "DeleteSave", "SetClock", "DescribeClock"]
        {
            let answer = run(&[("Save", ""), (operation, "")]).await;
            assert!(answer[1].starts_with('{'), "{operation}: {}", answer[1]);
        }
    }

    #[tokio::test]
    async fn a_clock_that_is_set_goes_on_unless_it_is_stopped() {
        let answers = run(&[
            ("SetClock", r#"{"Now":"2030-01-31T08:00:00.250Z"}"#),
            ("SetClock", r#"{"Stopped":true}"#),
            ("SetClock", r#"{"Advance":"90s"}"#),
            ("DescribeClock", ""),
            ("SetClock", r#"{"Now":"system","Stopped":false}"#),
        ])
        .await;
        assert!(answers[0].contains("\"2030-01-31T08:00:"), "{}", answers[0]);
        assert!(answers[2].contains("\"2030-01-31T08:01:3"), "{}", answers[2]);
        assert_eq!(answers[2], answers[3]);
        assert!(answers[4].ends_with("\"Stopped\":false}"), "{}", answers[4]);
    }
}
