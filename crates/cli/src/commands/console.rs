//! `hashrange console`: a page on this machine for any endpoint. The command signs the page's requests and passes them
//! on.

mod passing;

use crate::arguments::Console as Arguments;
use crate::client::{Endpoint, wait_on};
use crate::exit::Usage;
use crate::output;
use crate::served::Console;
use crate::surroundings::random;
use anyhow::Context;
use hashrange::{Operation, Reason};
use hashrange_console::Setup;
use hashrange_server::{Api, Bound, Config, Running};
use passing::Passing;
use std::future::ready;
use std::sync::Arc;

/// Serves the page until Ctrl-C.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.connection.data_dir.is_some() {
        let why =
            "--data-dir: hashrange serve --data-dir serves a folder, with a console of its own";
        return Err(Usage(why.to_owned()).into());
    }
    let endpoint = Endpoint::of(&arguments.connection)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    wait_on(&runtime.context("start the runtime")?, serve(arguments.port, endpoint))
}

async fn serve(port: u16, endpoint: Endpoint) -> anyhow::Result<()> {
    const HOST: &str = "127.0.0.1";
    let token = format!("{:016x}{:016x}", random(), random());
    let setup = Setup {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        endpoint: Some(endpoint.url),
        signs: true,
        region: endpoint.region,
        ..Setup::default()
    };
    let listens = || format!("listen on {HOST}:{port}");
    let bound = Bound::new(HOST, port).await.with_context(listens)?;
    let address = bound.local_addr().with_context(listens)?;
    let listener = bound.listen().with_context(listens)?;
    output::line(format_args!("console  {}#token={token}", Console::url(address)))?;
    let config = Config {
        pages: Some(Arc::new(Console::new(setup))),
        passage: Some(Arc::new(Passing::new(endpoint.server, token))),
        metrics: false,
        ..Config::default()
    };
    let interrupted = async {
        // Without a watch for it, Ctrl-C ends the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    Ok(hashrange_server::run(listener, config, Arc::new(Nothing), interrupted).await?)
}

/// No database: all requests are passed on.
struct Nothing;

impl Api for Nothing {
    fn call(self: Arc<Self>, _operation: Operation, _body: bytes::Bytes) -> Running<'static> {
        Box::pin(ready(Err(Reason::UnknownOperation.into())))
    }

    fn check_writable(&self) -> Result<(), String> {
        Ok(())
    }
}
