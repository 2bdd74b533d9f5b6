//! Puts the table of figures into `docs/performance.md`, between two marks; the rest of the page is
//! written by hand.

use crate::bench::workspace;
use crate::report::{Row, markdown};
use std::process::Command;

const BEGIN: &str = "<!-- measured: begin -->\n";
const END: &str = "<!-- measured: end -->\n";

/// Replaces the table on the page by these rows, with the machine and the command.
pub fn publish(rows: &[Row], arguments: &[&str]) -> Result<(), String> {
    let path = workspace().join("docs/performance.md");
    let page = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let command = ["cargo xtask bench", &arguments.join(" ")].join(" ");
    let measured = format!("`{}` on {}\n\n{}", command.trim(), machine(), markdown(rows));
    let page = replace(&page, &measured).ok_or("the page has no marks for the table")?;
    std::fs::write(&path, page).map_err(|error| error.to_string())
}

fn replace(page: &str, measured: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{measured}{END}{after}"))
}

/// Returns processor, cores, memory and date.
fn machine() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let after_colon = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let processor = after_colon(&read("/proc/cpuinfo"), "model name");
    let memory = after_colon(&read("/proc/meminfo"), "MemTotal");
    let memory_kib = memory.and_then(|text| text.strip_suffix(" kB")?.parse::<u64>().ok());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    format!(
        "{cores} cores of {}, {} GiB, Linux {}, {}",
        processor.as_deref().unwrap_or("an unknown processor"),
        memory_kib.unwrap_or(0).div_ceil(1 << 20),
        kernel.trim(),
        today()
    )
}

fn today() -> String {
    let output = Command::new("date").arg("+%Y-%m-%d").output().map(|output| output.stdout);
    String::from_utf8_lossy(&output.unwrap_or_default()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_between_the_marks_changes() {
        let page = format!("# A\n{BEGIN}old\n{END}tail\n");
        assert_eq!(replace(&page, "new\n").unwrap(), format!("# A\n{BEGIN}new\n{END}tail\n"));
        assert_eq!(replace("# A\n", "new\n"), None);
    }
}
