//! ARNs in requests: parses them and finds the table or stream of this account that one names.
//!
//! The operation decides with which exception a wrong ARN is answered: control operations that take
//! a table by name or ARN, operations on tags, and operations on policies each have sentences of
//! their own.
//! Source: recorded answers of control operations, October 2026.

use crate::environment::{Environment, table_name_of};
use hashrange_model::Reason;

/// The parts of an ARN of any service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arn<'a> {
    text: &'a str,
    partition: &'a str,
    service: &'a str,
    region: &'a str,
    account: &'a str,
    resource: &'a str,
}

/// Table or stream that an ARN names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamedResource<'a> {
    pub(crate) table: &'a str,
    /// Label of the stream; `None` if the ARN names the table.
    pub(crate) stream: Option<&'a str>,
}

impl<'a> Arn<'a> {
    /// Returns the parts, unless the text has another form.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.splitn(6, ':');
        if parts.next() != Some("arn") {
            return None;
        }
        Some(Self {
            text,
            partition: parts.next()?,
            service: parts.next()?,
            region: parts.next()?,
            account: parts.next()?,
            resource: parts.next()?,
        })
    }

    /// Returns the table or stream of a DynamoDB ARN; `None` for an index, a backup or another
    /// resource of the service.
    fn named(self) -> Option<NamedResource<'a>> {
        let path = self.resource.strip_prefix("table/")?;
        match path.split_once('/') {
            None => Some(NamedResource { table: path, stream: None }),
            Some((table, rest)) => {
                let label = rest.strip_prefix("stream/")?;
                Some(NamedResource { table, stream: Some(label) })
            }
        }
    }

    /// Returns the table's name, or an error if the ARN names another resource.
    fn table(self) -> Result<&'a str, Reason> {
        match self.named().filter(|_| self.service == "dynamodb") {
            Some(NamedResource { table, stream: None }) => Ok(table),
            Some(NamedResource { stream: Some(_), .. }) | None => {
                Err(Reason::ArnResourceType(self.text.to_owned()))
            }
        }
    }

    fn is_index(self) -> bool {
        self.resource.starts_with("table/") && self.resource.contains("/index/")
    }

    /// Returns whether the ARN has the form of a resource below a table, such as `backup`.
    pub(crate) fn is_below_table(self, kind: &str) -> bool {
        let mut path = self.resource.splitn(4, '/');
        self.service == "dynamodb"
            && path.next() == Some("table")
            && path.next().is_some_and(|table| !table.is_empty())
            && path.next() == Some(kind)
            && path.next().is_some_and(|id| !id.is_empty())
    }

    /// Returns the reason for answering that a resource does not exist: another region, another
    /// account, or no such resource.
    pub(crate) fn not_found(
        self,
        environment: &Environment,
        elsewhere: Reason,
        unknown: Reason,
    ) -> Reason {
        if self.is_foreign_region(environment) {
            elsewhere
        } else if self.is_foreign_account(environment) {
            Reason::AccessDenied
        } else {
            unknown
        }
    }

    /// Returns whether the ARN's region is not the region of this database.
    pub(crate) fn is_foreign_region(self, environment: &Environment) -> bool {
        self.region != environment.region
    }

    /// Returns whether the ARN's account is not the account of this database.
    pub(crate) fn is_foreign_account(self, environment: &Environment) -> bool {
        self.account != environment.account
    }
}

/// Returns the name of the table that a control operation names, by name or by ARN.
pub(crate) fn control_table_name<'a>(
    environment: &Environment,
    name_or_arn: &'a str,
) -> Result<&'a str, Reason> {
    let Some(arn) = Arn::parse(name_or_arn) else { return Ok(table_name_of(name_or_arn)) };
    let text = || name_or_arn.to_owned();
    if arn.is_foreign_region(environment) {
        return Err(Reason::ArnRegion(text()));
    }
    if arn.partition != "aws" {
        return Err(Reason::ArnPartition(text()));
    }
    let table = arn.table()?;
    if arn.is_foreign_account(environment) { Err(Reason::AccessDenied) } else { Ok(table) }
}

/// Refuses an ARN of anything but a table as the name of a table in a data operation.
pub(crate) fn check_data_name(name_or_arn: &str) -> Result<(), Reason> {
    if !name_or_arn.starts_with("arn:") {
        return Ok(());
    }
    Arn::parse(name_or_arn).map_or(Ok(()), |arn| arn.table().map(|_| ()))
}

/// Returns the table or stream that an ARN in an operation on tags names.
pub(crate) fn tagged<'a>(
    environment: &Environment,
    text: &'a str,
) -> Result<NamedResource<'a>, Reason> {
    let arn = parse_resource(text)?;
    if arn.is_foreign_region(environment) || arn.partition != "aws" {
        return Err(Reason::InvalidArn(text.to_owned()));
    }
    named_resource(arn, environment, || Reason::AccessDenied)
}

/// Returns the table or stream that an ARN in an operation on policies names.
pub(crate) fn with_policy<'a>(
    environment: &Environment,
    text: &'a str,
) -> Result<NamedResource<'a>, Reason> {
    let arn = parse_resource(text)?;
    if arn.is_foreign_region(environment) || arn.partition != "aws" {
        return Err(Reason::PolicyArn(text.to_owned()));
    }
    named_resource(arn, environment, || Reason::PolicyOfOtherAccount)
}

fn parse_resource(text: &str) -> Result<Arn<'_>, Reason> {
    let not_dynamodb = || Reason::NotDynamoDbArn(text.to_owned());
    if !text.starts_with("arn:") {
        return Err(Reason::NotAnArn(text.to_owned()));
    }
    let arn = Arn::parse(text).ok_or_else(not_dynamodb)?;
    if arn.service == "dynamodb" { Ok(arn) } else { Err(not_dynamodb()) }
}

fn named_resource<'a>(
    arn: Arn<'a>,
    environment: &Environment,
    foreign: impl Fn() -> Reason,
) -> Result<NamedResource<'a>, Reason> {
    if arn.is_foreign_account(environment) {
        return Err(foreign());
    }
    arn.named().ok_or_else(|| {
        let text = arn.text.to_owned();
        if arn.is_index() { Reason::NotTableOrStream(text) } else { Reason::NotDynamoDbArn(text) }
    })
}
