//! Order and form in which each operation reports violations.
//!
//! The service is moving from an old framework to a new one, member by member. The old one lists
//! all violations with the values given; the new one reports one, without its value, under the
//! member's own spelling. This file has the state of us-east-1 in October 2026.
//! Source: responses of the service, 2026-05 to 2026-10, compared between regions.

use crate::Operation;

/// Way in which an operation reports violations.
#[derive(Debug)]
pub struct Policy {
    /// Members of the request that come first; the others follow in the order of the model.
    pub first: &'static [&'static str],
    /// Rules for single violations. The first rule that finds its violation decides.
    pub rules: &'static [Rule],
    /// Form of collections.
    pub echo: Echo,
}

/// A rule for violations of one kind.
#[derive(Debug)]
pub struct Rule {
    /// Violations that the rule is about.
    pub matches: Match,
    /// Form of their report.
    pub form: Form,
}

/// Violations that a rule is about; names are those of the request's own members.
#[derive(Debug)]
pub enum Match {
    /// Any violation below or at a member, except that it is missing.
    Value(&'static str),
    /// A text that is empty, at a member.
    Empty(&'static str),
    /// A member that is missing.
    Missing(&'static str),
    /// A value that is none of an enum's, at a member.
    Enum(&'static str),
    /// A value that is none of an enum's, anywhere.
    AnyEnum,
    /// A list that is too short, as the value of a map at a member.
    EmptyMapValue(&'static str),
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All violations are listed in the old form; no later rule applies.
    Joined,
    /// All violations of this rule are listed in the old form, the others are not.
    JoinedOnly,
    /// Reported alone, in the new form.
    NewAlone,
    /// In the new form if there is no other violation.
    NewIfOnly,
    /// An enum, reported alone without naming the member.
    NamelessAlone,
    /// An enum, reported alone without naming the member, and without the count before it.
    BareAlone,
    /// An enum, reported without naming the member if there is no other violation.
    NamelessIfOnly,
    /// The whole message says that a parameter is required.
    ParameterRequired,
    /// An enum, reported in its own words, if there is no other violation; else left out of the
    /// list of the others.
    ValidValuesIfOnly,
}

/// Form of a collection in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// As Java prints it: `[KeySchemaElement(attributeName=pk, keyType=HASH)]`.
    Java,
    /// As JSON.
    Json,
}

const CAPACITY: &str = "ReturnConsumedCapacity";
const COLLECTION_METRICS: &str = "ReturnItemCollectionMetrics";

const fn rule(matches: Match, form: Form) -> Rule {
    Rule { matches, form }
}

/// An empty table name is reported in the new form, one with other characters or too long in the
/// old one.
const EMPTY_TABLE_NAME: Rule = rule(Match::Empty("TableName"), Form::NewAlone);
const TABLE_NAME: Rule = rule(Match::Value("TableName"), Form::JoinedOnly);

/// All violations joined, in the order of the model.
static PLAIN: Policy = Policy { first: &[], rules: &[], echo: Echo::Java };

static PUT_ITEM: Policy = Policy {
    first: &[CAPACITY, "TableName", "ReturnValues", COLLECTION_METRICS, "Item"],
    rules: &[EMPTY_TABLE_NAME, TABLE_NAME],
    echo: Echo::Java,
};

static UPDATE_ITEM: Policy = Policy {
    first: &[
        CAPACITY,
        "TableName",
        "ReturnValues",
        COLLECTION_METRICS,
        "ConditionalOperator",
        "Key",
    ],
    rules: &[
        rule(Match::Missing("Key"), Form::Joined),
        EMPTY_TABLE_NAME,
        TABLE_NAME,
        rule(Match::AnyEnum, Form::NamelessAlone),
    ],
    echo: Echo::Java,
};

static DELETE_ITEM: Policy = Policy {
    first: &[CAPACITY, "TableName", "ReturnValues", COLLECTION_METRICS, "Key"],
    rules: &[EMPTY_TABLE_NAME, TABLE_NAME, rule(Match::Enum("ReturnValues"), Form::NamelessIfOnly)],
    echo: Echo::Java,
};

static GET_ITEM: Policy =
    Policy { first: &[CAPACITY, "TableName", "Key"], rules: &[], echo: Echo::Java };

static QUERY: Policy = Policy {
    first: &[CAPACITY, "TableName"],
    rules: &[
        rule(Match::Enum("ConditionalOperator"), Form::BareAlone),
        rule(Match::Value("Limit"), Form::NewIfOnly),
    ],
    echo: Echo::Java,
};

static SCAN: Policy = Policy { first: &[CAPACITY, "TableName"], rules: &[], echo: Echo::Java };

static BATCH_GET_ITEM: Policy = Policy {
    first: &["RequestItems", CAPACITY],
    rules: &[rule(Match::Value("RequestItems"), Form::NewIfOnly)],
    echo: Echo::Json,
};

static BATCH_WRITE_ITEM: Policy = Policy {
    first: &[CAPACITY, COLLECTION_METRICS],
    rules: &[
        rule(Match::AnyEnum, Form::JoinedOnly),
        rule(Match::EmptyMapValue("RequestItems"), Form::Joined),
        rule(Match::Value("RequestItems"), Form::NewIfOnly),
    ],
    echo: Echo::Java,
};

static TRANSACT: Policy = Policy {
    first: &["ClientRequestToken", CAPACITY, COLLECTION_METRICS],
    rules: &[],
    echo: Echo::Java,
};

static CREATE_TABLE: Policy = Policy {
    first: &["AttributeDefinitions", "TableName", "KeySchema", "GlobalSecondaryIndexes"],
    rules: &[
        rule(Match::Missing("TableName"), Form::ParameterRequired),
        rule(Match::Enum("TableClass"), Form::ValidValuesIfOnly),
    ],
    echo: Echo::Java,
};

static UPDATE_TABLE: Policy = Policy {
    first: &[],
    rules: &[rule(Match::Enum("TableClass"), Form::ValidValuesIfOnly)],
    echo: Echo::Java,
};

/// Returns the policy of an operation.
pub fn of(operation: Operation) -> &'static Policy {
    match operation {
        Operation::PutItem => &PUT_ITEM,
        Operation::UpdateItem => &UPDATE_ITEM,
        Operation::DeleteItem => &DELETE_ITEM,
        Operation::GetItem => &GET_ITEM,
        Operation::Query => &QUERY,
        Operation::Scan => &SCAN,
        Operation::BatchGetItem => &BATCH_GET_ITEM,
        Operation::BatchWriteItem => &BATCH_WRITE_ITEM,
        Operation::TransactWriteItems | Operation::TransactGetItems => &TRANSACT,
        Operation::CreateTable => &CREATE_TABLE,
        Operation::UpdateTable => &UPDATE_TABLE,
        _ => &PLAIN,
    }
}

/// Returns the values of an enum in the order in which messages list them.
/// Source: responses of the service; where none is known, the order of the model.
pub fn listed_values(shape: &str, values: &'static [&'static str]) -> &'static [&'static str] {
    match shape {
        "ReturnConsumedCapacity" => &["INDEXES", "TOTAL", "NONE"],
        "ReturnItemCollectionMetrics" => &["SIZE", "NONE"],
        "ReturnValue" => &["ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"],
        "Select" => &["SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"],
        "ConditionalOperator" => &["OR", "AND"],
        "KeyType" => &["HASH", "RANGE"],
        "ScalarAttributeType" => &["B", "N", "S"],
        "BillingMode" => &["PROVISIONED", "PAY_PER_REQUEST"],
        "ProjectionType" => &["ALL", "INCLUDE", "KEYS_ONLY"],
        "StreamViewType" => &["OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE"],
        "ContributorInsightsMode" => &["THROTTLED_KEYS", "ACCESSED_AND_THROTTLED_KEYS"],
        "InputCompressionType" => &["ZSTD", "NONE", "GZIP"],
        "ComparisonOperator" => &[
            "IN",
            "NULL",
            "BETWEEN",
            "LT",
            "NOT_CONTAINS",
            "EQ",
            "GT",
            "NOT_NULL",
            "NE",
            "LE",
            "BEGINS_WITH",
            "GE",
            "CONTAINS",
        ],
        _ => values,
    }
}

/// Returns the values in the order of the new framework's list, its slips included.
pub fn nameless_values(shape: &str, values: &'static [&'static str]) -> &'static [&'static str] {
    match shape {
        "ReturnValue" => &["ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATE_NEW", "NONE"],
        "ConditionalOperator" => &["ALL", "OR"],
        _ => listed_values(shape, values),
    }
}
