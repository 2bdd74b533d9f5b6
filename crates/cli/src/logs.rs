//! The log of a server, on standard error: text for people or one JSON object per line.

use crate::config::{LogFormat, LogLevel};
use crate::output::log::Lines;
use std::panic::PanicHookInfo;
use tracing::level_filters::LevelFilter;

/// Starts logging; to be called once.
pub fn start(format: LogFormat, level: LogLevel) {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let colours = format == LogFormat::Text && crate::output::is_watched();
    let subscriber = tracing_subscriber::fmt().with_max_level(level);
    let subscriber = subscriber.with_writer(move || Lines::new(colours));
    match format {
        LogFormat::Text => {
            subscriber.with_ansi(colours).with_target(false).init();
        }
        LogFormat::Json => subscriber.json().flatten_event(true).init(),
    }
    std::panic::set_hook(Box::new(log_panic));
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string).unwrap_or_default();
    let text = panic.payload().downcast_ref::<&str>().copied();
    let message = text.or_else(|| panic.payload().downcast_ref::<String>().map(String::as_str));
    let backtrace = std::backtrace::Backtrace::capture();
    tracing::error!(location, message, %backtrace, "panicked");
}
