//! Values of parameters of CloudFormation templates as people write them: `Stage=dev`.

use std::fmt;
use std::str::FromStr;

/// A parameter of a template and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the parameter.
    pub name: String,
    /// Its value, as CloudFormation takes it: of a list with commas.
    pub value: String,
}

/// A text gives no parameter a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadParameter(String);

impl fmt::Display for BadParameter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is not NAME=VALUE; write for example Stage=dev", self.0)
    }
}

impl std::error::Error for BadParameter {}

impl FromStr for Parameter {
    type Err = BadParameter;

    fn from_str(text: &str) -> Result<Self, BadParameter> {
        let split = text.split_once('=').filter(|(name, _)| !name.is_empty());
        let (name, value) = split.ok_or_else(|| BadParameter(text.to_owned()))?;
        Ok(Self { name: name.to_owned(), value: value.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_a_name_and_a_value() {
        for (text, name, value) in [("A=b", "A", "b"), ("A=", "A", ""), ("A=b=c,d", "A", "b=c,d")] {
            let expected = Parameter { name: name.to_owned(), value: value.to_owned() };
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in ["", "A", "=b"] {
            let refused = text.parse::<Parameter>().unwrap_err().to_string();
            assert!(refused.contains("is not NAME=VALUE"), "{refused}");
        }
    }
}
