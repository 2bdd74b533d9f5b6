//! CloudFormation's functions, as far as the template and the given values of its parameters answer
//! them: parameters, conditions, mappings.
//!
//! Invariant: the depth is bounded, so that conditions that name each other end.

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;

const DEPTH_MAX: usize = 50;
/// The longest text that functions may make.
const TEXT_MAX_BYTES: usize = 64 * 1024;
/// The most that all functions of a template may make, the results of functions inside them
/// included.
const MADE_MAX_BYTES: usize = 16 << 20;
/// The account in ARNs of this server.
const ACCOUNT: &str = "314159265358";
/// Beginning of the types of parameters whose values Systems Manager keeps under the given name.
/// Source: CloudFormation's reference of parameters.
const KEPT_ELSEWHERE: &str = "AWS::SSM::Parameter::Value<";

/// Values from which functions are answered.
#[derive(Debug)]
pub struct Scope<'t> {
    /// The template.
    pub template: &'t Map<String, Value>,
    /// Name of the stack.
    pub stack: &'t str,
    /// The region.
    pub region: &'t str,
    /// Values that are given for parameters.
    pub parameters: &'t BTreeMap<String, String>,
    /// Bytes that functions have made.
    pub made_bytes: Cell<usize>,
}

/// Returns a value with all functions answered; none for `AWS::NoValue`.
pub fn resolve(scope: &Scope<'_>, value: &Value, depth: usize) -> anyhow::Result<Option<Value>> {
    if depth > DEPTH_MAX {
        bail!("values and functions are nested more than {DEPTH_MAX} deep");
    }
    match value {
        Value::Array(values) => {
            let resolved = values.iter().map(|value| resolve(scope, value, depth + 1));
            let resolved = resolved.filter_map(Result::transpose).collect::<anyhow::Result<_>>()?;
            Ok(Some(Value::Array(resolved)))
        }
        Value::Object(members) => match single(members) {
            Some((name, argument)) if name == "Ref" || name.starts_with("Fn::") => {
                let made = call(scope, name, argument, depth + 1);
                let made = made.with_context(|| name.to_owned())?;
                count(scope, made.as_ref())?;
                Ok(made)
            }
            Some(_) | None => {
                let mut resolved = Map::new();
                for (name, value) in members {
                    if let Some(value) = resolve(scope, value, depth + 1)? {
                        resolved.insert(name.clone(), value);
                    }
                }
                Ok(Some(Value::Object(resolved)))
            }
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Ok(Some(value.clone()))
        }
    }
}

/// Counts the bytes of a function's result.
fn count(scope: &Scope<'_>, made: Option<&Value>) -> anyhow::Result<()> {
    let made_bytes = scope.made_bytes.get() + made.map_or(0, size_bytes);
    scope.made_bytes.set(made_bytes);
    if made_bytes > MADE_MAX_BYTES {
        bail!("the functions of the template make more than {} MiB", MADE_MAX_BYTES >> 20);
    }
    Ok(())
}

/// Returns the bytes that a value takes, about.
fn size_bytes(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(values) => values.iter().map(size_bytes).sum(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| name.len() + size_bytes(value)).sum()
            }
        }
}

fn single(members: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut members = members.iter();
    let (name, argument) = members.next()?;
    members.next().is_none().then_some((name, argument))
}

fn call(
    scope: &Scope<'_>,
    name: &str,
    argument: &Value,
    depth: usize,
) -> anyhow::Result<Option<Value>> {
    match name {
        "Ref" => reference(scope, argument.as_str().context("a name is missing")?, depth),
        "Fn::Sub" => substitute(scope, argument, depth).map(Some),
        "Fn::Join" => join(&arguments(scope, argument, depth)?).map(Some),
        "Fn::Select" => select(&arguments(scope, argument, depth)?).map(Some),
        "Fn::Split" => split(&arguments(scope, argument, depth)?).map(Some),
        "Fn::FindInMap" => find_in_map(scope, &arguments(scope, argument, depth)?).map(Some),
        "Fn::If" => {
            let [condition, then, otherwise] = argument.as_array().map_or(&[][..], Vec::as_slice)
            else {
                bail!("a condition and two values are needed");
            };
            let condition = condition.as_str().context("the name of a condition is missing")?;
            let chosen = if is_met(scope, condition, depth)? { then } else { otherwise };
            resolve(scope, chosen, depth + 1)
        }
        "Fn::GetAtt" => attribute(scope, argument).map(Some),
        _ => bail!("this function is not known here"),
    }
}

fn arguments(scope: &Scope<'_>, argument: &Value, depth: usize) -> anyhow::Result<Vec<Value>> {
    match resolve(scope, argument, depth + 1)? {
        Some(Value::Array(arguments)) => Ok(arguments),
        _ => bail!("a list is needed"),
    }
}

fn reference(scope: &Scope<'_>, name: &str, depth: usize) -> anyhow::Result<Option<Value>> {
    Ok(Some(json!(match name {
        "AWS::NoValue" => return Ok(None),
        "AWS::Region" => scope.region,
        "AWS::StackName" => scope.stack,
        "AWS::AccountId" => ACCOUNT,
        "AWS::Partition" => "aws",
        "AWS::URLSuffix" => "amazonaws.com",
        _ => {
            if let Some(parameter) = member(scope, "Parameters", name) {
                return value_of(scope, name, parameter).map(Some);
            }
            let Some(resource) = member(scope, "Resources", name) else {
                bail!("there is neither a parameter nor a resource {name}");
            };
            // `Ref` of a table is its name.
            if let Some(given) = resource["Properties"].get("TableName") {
                return resolve(scope, given, depth + 1);
            }
            name
        }
    })))
}

/// Returns the value that is given for a parameter, else its default.
fn value_of(scope: &Scope<'_>, name: &str, parameter: &Value) -> anyhow::Result<Value> {
    let kind = parameter["Type"].as_str().unwrap_or_default();
    let value = match scope.parameters.get(name) {
        Some(given) => {
            check_allowed(name, given, parameter)?;
            json!(given)
        }
        None if kind.starts_with(KEPT_ELSEWHERE) => bail!(
            "the parameter {name} is of the type {kind}, whose value Systems Manager has, which \
             is not asked: --parameter {name}=VALUE gives it"
        ),
        None => parameter.get("Default").cloned().with_context(|| {
            format!("the parameter {name} has no default: --parameter {name}=VALUE gives its value")
        })?,
    };
    let inner = kind.strip_prefix(KEPT_ELSEWHERE).unwrap_or(kind);
    let is_list = inner.starts_with("List<") || inner.starts_with("CommaDelimitedList");
    Ok(match value {
        Value::String(text) if is_list => {
            text.split(',').map(|part| json!(part.trim())).collect::<Value>()
        }
        value => value,
    })
}

fn check_allowed(name: &str, given: &str, parameter: &Value) -> anyhow::Result<()> {
    let Some(allowed) = parameter["AllowedValues"].as_array() else { return Ok(()) };
    let allowed = allowed.iter().map(text_of).collect::<anyhow::Result<Vec<_>>>()?;
    if !allowed.iter().any(|one| one == given) {
        bail!("--parameter {name}={given}: the template allows {}", allowed.join(", "));
    }
    Ok(())
}

fn member<'t>(scope: &Scope<'t>, section: &str, name: &str) -> Option<&'t Value> {
    scope.template.get(section)?.get(name)
}

/// Returns the attribute of a resource: for an unknown value a text that names it.
fn attribute(scope: &Scope<'_>, argument: &Value) -> anyhow::Result<Value> {
    let (resource, attribute) = match argument {
        Value::String(path) => path.split_once('.').map(|(one, other)| (json!(one), json!(other))),
        Value::Array(path) => match path.as_slice() {
            [resource, attribute] => Some((resource.clone(), attribute.clone())),
            _ => None,
        },
        _ => None,
    }
    .context("RESOURCE.ATTRIBUTE is needed")?;
    let (Some(resource), Some(attribute)) = (resource.as_str(), attribute.as_str()) else {
        bail!("RESOURCE.ATTRIBUTE is needed");
    };
    if member(scope, "Resources", resource).is_none() {
        bail!("there is no resource {resource}");
    }
    Ok(json!(format!("{resource}.{attribute}")))
}

fn substitute(scope: &Scope<'_>, argument: &Value, depth: usize) -> anyhow::Result<Value> {
    let (text, values) = match argument {
        Value::String(text) => (text.as_str(), None),
        Value::Array(arguments) => match arguments.as_slice() {
            [Value::String(text), Value::Object(values)] => (text.as_str(), Some(values)),
            _ => bail!("a text and values are needed"),
        },
        _ => bail!("a text is needed"),
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let (name, after) = after.split_once('}').context("${ without }")?;
        let name = name.trim();
        if let Some(literal) = name.strip_prefix('!') {
            out.extend(["${", literal, "}"]);
        } else {
            let value = match values.and_then(|values| values.get(name)) {
                Some(value) => resolve(scope, value, depth + 1)?,
                None if name.contains('.') => Some(attribute(scope, &json!(name))?),
                None => reference(scope, name, depth + 1)?,
            };
            out.push_str(&text_of(&value.with_context(|| format!("{name} has no value"))?)?);
        }
        check_length(&out)?;
        rest = after;
    }
    out.push_str(rest);
    Ok(json!(out))
}

fn join(arguments: &[Value]) -> anyhow::Result<Value> {
    let [Value::String(between), Value::Array(values)] = arguments else {
        bail!("a text and a list are needed");
    };
    let texts = values.iter().map(text_of).collect::<anyhow::Result<Vec<_>>>()?;
    let joined = texts.join(between);
    check_length(&joined)?;
    Ok(json!(joined))
}

fn check_length(text: &str) -> anyhow::Result<()> {
    if text.len() > TEXT_MAX_BYTES {
        bail!("the text becomes longer than {TEXT_MAX_BYTES} bytes");
    }
    Ok(())
}

fn select(arguments: &[Value]) -> anyhow::Result<Value> {
    let [index, Value::Array(values)] = arguments else {
        bail!("an index and a list are needed");
    };
    let index: usize = text_of(index)?.parse().ok().context("the index is no number")?;
    values.get(index).cloned().with_context(|| format!("the list has no element {index}"))
}

fn split(arguments: &[Value]) -> anyhow::Result<Value> {
    let [Value::String(between), Value::String(text)] = arguments else {
        bail!("two texts are needed");
    };
    if between.is_empty() {
        bail!("the text between the parts is empty");
    }
    Ok(text.split(between.as_str()).map(|part| json!(part)).collect())
}

fn find_in_map(scope: &Scope<'_>, arguments: &[Value]) -> anyhow::Result<Value> {
    let [Value::String(map), first, second] = arguments else {
        bail!("the name of a map and two keys are needed");
    };
    let (first, second) = (text_of(first)?, text_of(second)?);
    let found = member(scope, "Mappings", map).and_then(|map| map.get(&first)?.get(&second));
    found.cloned().with_context(|| format!("the map {map} has nothing at {first}, {second}"))
}

/// Returns whether a condition of the template is met.
pub fn is_met(scope: &Scope<'_>, name: &str, depth: usize) -> anyhow::Result<bool> {
    let condition = member(scope, "Conditions", name);
    let condition = condition.with_context(|| format!("there is no condition {name}"))?;
    holds(scope, condition, depth + 1).with_context(|| format!("the condition {name}"))
}

fn holds(scope: &Scope<'_>, condition: &Value, depth: usize) -> anyhow::Result<bool> {
    if depth > DEPTH_MAX {
        bail!("conditions are nested more than {DEPTH_MAX} deep");
    }
    let (name, argument) =
        condition.as_object().and_then(single).context("a condition is one function")?;
    let parts = argument.as_array().map_or(&[][..], Vec::as_slice);
    match (name, parts) {
        ("Condition", _) => is_met(scope, argument.as_str().context("a name is missing")?, depth),
        ("Fn::Equals", [one, other]) => {
            let [one, other] = [one, other].map(|side| resolve(scope, side, depth + 1));
            let text = |side: Option<Value>| side.as_ref().map(text_of).transpose();
            Ok(text(one?)? == text(other?)?)
        }
        ("Fn::Not", [part]) => holds(scope, part, depth + 1).map(|is| !is),
        ("Fn::And", parts) => {
            let mut parts = parts.iter().map(|part| holds(scope, part, depth + 1));
            parts.try_fold(true, |all, is| Ok(is? && all))
        }
        ("Fn::Or", parts) => {
            let mut parts = parts.iter().map(|part| holds(scope, part, depth + 1));
            parts.try_fold(false, |any, is| Ok(is? || any))
        }
        _ => bail!("{name} with {} parts is no condition that is known here", parts.len()),
    }
}

/// Returns the text of a single value.
fn text_of(value: &Value) -> anyhow::Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(is) => Ok(is.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => bail!("a single value is needed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(value: &Value) -> Result<Option<Value>, String> {
        answer_with(&[], value)
    }

    fn answer_with(given: &[(&str, &str)], value: &Value) -> Result<Option<Value>, String> {
        let template = json!({
            "Parameters": {
                "Stage": {"Type": "String", "Default": "dev"},
                "Units": {"Type": "Number", "Default": 5},
                "Names": {"Type": "CommaDelimitedList", "Default": "a, b"},
                "Given": {"Type": "String"},
                "One": {"Type": "String", "Default": "a", "AllowedValues": ["a", 2]},
                "Kept": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/app/table"},
                "KeptList": {"Type": "AWS::SSM::Parameter::Value<List<String>>", "Default": "/app/list"},
            },
            "Mappings": {"M": {"dev": {"units": 7}}},
            "Conditions": {
                "IsDev": {"Fn::Equals": [{"Ref": "Stage"}, "dev"]},
                "IsNot": {"Fn::Not": [{"Condition": "IsDev"}]},
                "Both": {"Fn::And": [{"Condition": "IsDev"}, {"Condition": "IsNot"}]},
                "Any": {"Fn::Or": [{"Condition": "IsDev"}, {"Condition": "IsNot"}]},
                "Round": {"Fn::Not": [{"Condition": "Round"}]},
            },
            "Resources": {"T": {"Properties": {"TableName": {"Fn::Sub": "t-${Stage}"}}}, "U": {}},
        });
        let Value::Object(template) = template else { panic!("an object") };
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let parameters = given.collect();
        let scope = Scope {
            template: &template,
            stack: "app",
            region: "eu-west-1",
            parameters: &parameters,
            made_bytes: Cell::new(0),
        };
        resolve(&scope, value, 0).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn functions_make_only_so_much() {
        let long = "x".repeat(64 << 10);
        let many: Vec<Value> = (0..1000).map(|_| json!({"Ref": "Given"})).collect();
        let refused =
            answer_with(&[("Given", &long)], &json!({"Fn::Join": ["", many]})).unwrap_err();
        assert!(refused.contains("make more than 16 MiB"), "{refused}");
    }

    #[test]
    fn functions_are_answered_from_the_template() {
        for (value, expected) in [
            (json!({"Ref": "Stage"}), json!("dev")),
            (json!({"Ref": "Units"}), json!(5)),
            (json!({"Ref": "Names"}), json!(["a", "b"])),
            (json!({"Ref": "AWS::Region"}), json!("eu-west-1")),
            (json!({"Ref": "T"}), json!("t-dev")),
            (json!({"Ref": "U"}), json!("U")),
            (json!({"Fn::Sub": "${AWS::StackName}-${Stage}-${!x}"}), json!("app-dev-${x}")),
            (json!({"Fn::Sub": ["${a}.${T.Arn}", {"a": {"Ref": "Units"}}]}), json!("5.T.Arn")),
            (json!({"Fn::Join": ["-", ["a", {"Ref": "Stage"}, 1]]}), json!("a-dev-1")),
            (json!({"Fn::Select": ["1", {"Ref": "Names"}]}), json!("b")),
            (json!({"Fn::Split": ["-", "a-b"]}), json!(["a", "b"])),
            (json!({"Fn::FindInMap": ["M", {"Ref": "Stage"}, "units"]}), json!(7)),
            (json!({"Fn::If": ["IsDev", 1, {"Ref": "Given"}]}), json!(1)),
            (json!({"Fn::If": ["Both", 1, 2]}), json!(2)),
            (json!({"Fn::If": ["Any", 1, 2]}), json!(1)),
            (json!({"Fn::GetAtt": ["T", "StreamArn"]}), json!("T.StreamArn")),
            (json!([{"Ref": "AWS::NoValue"}, 1]), json!([1])),
            (json!({"a": {"Ref": "AWS::NoValue"}, "b": 1}), json!({"b": 1})),
        ] {
            assert_eq!(answer(&value), Ok(Some(expected)), "{value}");
        }
        assert_eq!(answer(&json!({"Fn::If": ["IsNot", 1, {"Ref": "AWS::NoValue"}]})), Ok(None));
    }

    #[test]
    fn what_is_given_for_a_parameter_goes_before_its_default() {
        let given = [
            ("Stage", "prod"),
            ("Given", "x=y"),
            ("Names", "c,d"),
            ("One", "2"),
            ("Kept", "orders"),
        ];
        for (value, expected) in [
            (json!({"Ref": "Stage"}), json!("prod")),
            (json!({"Fn::Sub": "t-${Given}"}), json!("t-x=y")),
            (json!({"Ref": "Names"}), json!(["c", "d"])),
            (json!({"Ref": "One"}), json!("2")),
            (json!({"Ref": "Kept"}), json!("orders")),
            (json!({"Fn::If": ["IsDev", 1, 2]}), json!(2)),
        ] {
            assert_eq!(answer_with(&given, &value), Ok(Some(expected)), "{value}");
        }
        let list = answer_with(&[("KeptList", "a, b")], &json!({"Ref": "KeptList"}));
        assert_eq!(list, Ok(Some(json!(["a", "b"]))));
        assert_eq!(
            answer_with(&[("One", "b")], &json!({"Ref": "One"})),
            Err("Ref: --parameter One=b: the template allows a, 2".to_owned())
        );
    }

    #[test]
    fn what_cannot_be_answered_is_said() {
        for (value, expected) in [
            (
                json!({"Ref": "Given"}),
                "Ref: the parameter Given has no default: --parameter Given=VALUE gives its value",
            ),
            (
                json!({"Ref": "Kept"}),
                "Ref: the parameter Kept is of the type AWS::SSM::Parameter::Value<String>, whose value Systems \
                 Manager has, which is not asked: --parameter Kept=VALUE gives it",
            ),
            (json!({"Ref": "None"}), "Ref: there is neither a parameter nor a resource None"),
            (json!({"Fn::ImportValue": "x"}), "Fn::ImportValue: this function is not known here"),
            (json!({"Fn::If": ["Round", 1, 2]}), "Fn::If: the condition Round"),
            (json!({"Fn::Sub": "${Stage"}), "Fn::Sub: ${ without }"),
            (json!({"Fn::Select": [9, ["a"]]}), "Fn::Select: the list has no element 9"),
            (json!({"Fn::Join": ["", [["a"]]]}), "Fn::Join: a single value is needed"),
        ] {
            let refused = answer(&value).unwrap_err();
            assert!(refused.starts_with(expected), "{refused}");
        }
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert!(answer(&deep).unwrap_err().contains("nested more than 50 deep"));
    }
}
