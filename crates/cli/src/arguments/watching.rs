//! The arguments of commands that look at requests as they come: `requests` and `console`.

use super::Connection;
use crate::config::Interval;
use clap::{Args, ValueEnum};

/// Arguments of `requests`.
#[derive(Debug, Args)]
#[command(
    after_help = "The server keeps requests while somebody watches, errors and the slowest always, of the \
    others as many as can be read. For example:\n  \
    hashrange requests --follow\n  \
    hashrange requests --table orders --examines-over 100\n  \
    hashrange requests --failed --follow -o json\n  \
    hashrange requests --by pattern --time 30s"
)]
pub struct Requests {
    /// Watch until Ctrl-C
    #[arg(long, short, conflicts_with = "time")]
    pub follow: bool,
    /// Watch so long, such as 500ms or 1m [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub time: Option<Interval>,
    /// Subject of a line
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = RequestsBy::Request)]
    pub by: RequestsBy,
    /// Only this operation
    #[arg(long, value_name = "NAME")]
    pub operation: Option<String>,
    /// Only requests that name or use this table
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    /// Only requests that read this index, or write its entries
    #[arg(long, value_name = "INDEX")]
    pub index: Option<String>,
    /// Only those of this access key id
    #[arg(long, value_name = "KEY")]
    pub caller: Option<String>,
    /// Only those with this text in their operation, table, index, pattern or error
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// Only those that failed
    #[arg(long)]
    pub failed: bool,
    /// Only those that took so long at least, such as 20ms
    #[arg(long, value_name = "TIME")]
    pub slower_than: Option<Interval>,
    /// Only those that examined so many items more than they returned, at least
    #[arg(long, value_name = "ITEMS")]
    pub examines_over: Option<u64>,
    /// Keep one in so many at most of those that neither failed nor are slow
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub one_in: Option<u64>,
    /// Server to watch.
    #[command(flatten)]
    pub connection: Connection,
}

/// Meanings of a line of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RequestsBy {
    /// A request
    Request,
    /// A pattern in a second: an operation on a table or index, with its conditions and without their values
    Pattern,
}

/// Arguments of `console`.
#[derive(Debug, Args)]
#[command(
    after_help = "The page is served on this machine only. This command signs its requests and passes them on \
    to the endpoint, so that keys never reach the page. For example:\n  \
    hashrange console\n  \
    hashrange console --endpoint https://dynamodb.eu-central-1.amazonaws.com --region eu-central-1 --profile work"
)]
pub struct Console {
    /// Port of the page [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Endpoint to look at, and how to sign for it.
    #[command(flatten)]
    pub connection: Connection,
}
