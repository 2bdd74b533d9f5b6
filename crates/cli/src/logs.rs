//! The log of a server, on standard error: text for people or one JSON object per line.

use crate::config::{LogFormat, LogLevel};
use crate::output::terminal::escaped;
use std::borrow::Cow;
use std::io::{self, Write};
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
    let subscriber = subscriber.with_writer(move || Lines { colours });
    match format {
        LogFormat::Text => {
            subscriber.with_ansi(colours).with_target(false).init();
        }
        LogFormat::Json => subscriber.json().flatten_event(true).init(),
    }
    std::panic::set_hook(Box::new(log_panic));
}

/// Standard error, to which each call of `write` has a whole line.
struct Lines {
    colours: bool,
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let shown = shown(&String::from_utf8_lossy(line), self.colours).into_owned();
        io::stderr().write_all(shown.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Returns a line as it may be printed. The subscriber colours it, and has escaped the controls that were said.
fn shown(line: &str, colours: bool) -> Cow<'_, str> {
    if !colours {
        return escaped(line);
    }
    line.split('\x1b').map(escaped).collect::<Vec<_>>().join("\x1b").into()
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string).unwrap_or_default();
    let text = panic.payload().downcast_ref::<&str>().copied();
    let message = text.or_else(|| panic.payload().downcast_ref::<String>().map(String::as_str));
    let backtrace = std::backtrace::Backtrace::capture();
    tracing::error!(location, message, %backtrace, "panicked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_the_writing_round_is_escaped_and_colours_stay() {
        assert_eq!(shown("a\u{202e}b\n", false), "a\\u202eb\n");
        assert_eq!(
            shown("\x1b[32mINFO\x1b[0m a\u{202e}b\n", true),
            "\x1b[32mINFO\x1b[0m a\\u202eb\n"
        );
        assert_eq!(shown("\x1b[32m", false), "\\u001b[32m");
    }
}
