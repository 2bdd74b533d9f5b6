//! `hashrange requests`: the requests of a server as they come, or their patterns by the second.

use crate::arguments::{Format, Requests, RequestsBy};
use crate::bulk::grouped_count;
use crate::client::{Client, Unanswered};
use crate::exit::Usage;
use crate::output::{self, printer::Printer, screen::Style};
use crate::surroundings::{pause, stopwatch};
use hashrange::cost::{dollars, grouped, units};
use hashrange::moment;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest wait of one request for lines, in seconds.
const WAIT_SECONDS: u64 = 10;
/// Time to watch unless the user says otherwise.
const USUAL_TIME: Duration = Duration::from_secs(10);
/// Pause before another try, while the server does not answer.
const PAUSE: Duration = Duration::from_secs(1);

/// Prints requests until the time is over.
pub fn run(client: &mut Client, arguments: &Requests) -> anyhow::Result<()> {
    if matches!(client, Client::Local(_)) {
        let why = "a folder gets no requests: hashrange serve does, and --endpoint names it";
        return Err(Usage(why.to_owned()).into());
    }
    client.leave_unrecorded();
    let printer = Printer::of(&arguments.connection)?;
    let mut request = request(arguments);
    let began = stopwatch();
    let time = arguments.time.map_or(USUAL_TIME, |time| time.0);
    let mut is_lost = false;
    loop {
        let left = time.saturating_sub(began.elapsed());
        if !arguments.follow && left.is_zero() {
            break;
        }
        let wait = if arguments.follow { WAIT_SECONDS } else { left.as_secs().min(WAIT_SECONDS) };
        request["WaitSeconds"] = json!(wait);
        if wait == 0 && !arguments.follow {
            // The rest of a second: what came in it is asked for at its end.
            pause(left);
        }
        match client.call_own("WatchRequests", &request) {
            Ok(answer) => {
                is_lost = false;
                request["Cursor"] = answer["Cursor"].clone();
                Told { answer: &answer, printer: &printer, by: arguments.by }.print()?;
            }
            Err(error) if arguments.follow && error.is::<Unanswered>() => {
                if !std::mem::replace(&mut is_lost, true) {
                    output::complain(format_args!("{error:#}: trying again"));
                }
                pause(PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
    let stop = json!({ "Cursor": request["Cursor"] });
    client.call_own("StopWatchingRequests", &stop).map(|_| ())
}

fn request(arguments: &Requests) -> Value {
    let mut filter = json!({});
    let texts = [
        ("Operation", &arguments.operation),
        ("Table", &arguments.table),
        ("Index", &arguments.index),
        ("Caller", &arguments.caller),
        ("Text", &arguments.text),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            filter[name] = json!(text);
        }
    }
    if arguments.failed {
        filter["Failed"] = json!(true);
    }
    if let Some(time) = arguments.slower_than {
        filter["SlowerThanMs"] = json!(time.0.as_secs_f64() * 1e3);
    }
    if let Some(items) = arguments.examines_over {
        filter["ExaminesOver"] = json!(items);
    }
    let mut request = json!({ "Filter": filter });
    if let Some(one_in) = arguments.one_in {
        request["OneIn"] = json!(one_in);
    }
    request
}

/// An answer to print.
struct Told<'a> {
    answer: &'a Value,
    printer: &'a Printer,
    by: RequestsBy,
}

impl Told<'_> {
    fn print(&self) -> anyhow::Result<()> {
        let lines = |name: &str| self.answer[name].as_array().cloned().unwrap_or_default();
        let told = match self.by {
            RequestsBy::Request => lines("Requests"),
            RequestsBy::Pattern => lines("Seconds"),
        };
        for one in &told {
            match (self.printer.format, self.by) {
                (Format::Table, RequestsBy::Request) => output::line(self.request(one))?,
                (Format::Table, RequestsBy::Pattern) => self.second(one)?,
                (..) => output::line(one)?,
            }
        }
        self.tell_missing();
        Ok(())
    }

    /// Tells what is missing, to people.
    fn tell_missing(&self) {
        let count = |name: &str| self.answer[name].as_u64().unwrap_or_default();
        if let Some(why) = self.answer["Because"].as_str() {
            let why = match why {
                "OtherServer" => "another server answers, or this one has started anew",
                _ => "the watch had ended",
            };
            self.printer.note(&format!("{why}: requests between are not shown"));
        }
        if self.by == RequestsBy::Request && count("Lost") > 0 {
            self.printer.note(&format!("{} lost: too many to keep", grouped(count("Lost"))));
        }
        if self.by == RequestsBy::Request && count("LeftOut") > 0 {
            let (left_out, one_in) = (grouped(count("LeftOut")), grouped(count("OneIn")));
            self.printer.note(&format!("{left_out} left out: one in {one_in} is shown"));
        }
    }

    fn request(&self, one: &Value) -> String {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        let outcome = match (one["Error"].as_str(), one["Status"].as_u64()) {
            (Some(error), _) => self.printer.screen.styled(Style::Fault, error),
            (None, Some(200)) => String::new(),
            (None, Some(status)) => self.printer.screen.styled(Style::Fault, &status.to_string()),
            (None, None) => self.printer.screen.styled(Style::Fault, "client gone"),
        };
        let price = one["MillionCosts"]
            .as_f64()
            .map_or_else(String::new, |price| format!("{} a million", dollars(price)));
        let parts = [
            format!("{} {:>9}", time_of(one), ms(&one["TookMs"])),
            format!("{:<18} {}", text("Operation"), place(one)),
            text("Pattern").to_owned(),
            amounts(one),
            price,
            outcome,
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }

    fn second(&self, second: &Value) -> anyhow::Result<()> {
        let count = |one: &Value, name: &str| grouped(one[name].as_u64().unwrap_or_default());
        let of_all = format!(
            "{}  {} requests, {} failed, {}",
            time_of(second),
            count(second, "Requests"),
            count(second, "Failed"),
            units_of(second),
        );
        output::line(self.printer.screen.styled(Style::Heading, &of_all))?;
        for one in second["Patterns"].as_array().into_iter().flatten() {
            let text = |name: &str| one[name].as_str().unwrap_or_default();
            output::line(format_args!(
                "  {:>7}  p99 {:>9}  worst {:>9}  {} {} {}  {}",
                count(one, "Requests"),
                ms(&one["P99Ms"]),
                ms(&one["WorstMs"]),
                text("Operation"),
                place(one),
                text("Pattern"),
                amounts(one),
            ))?;
        }
        Ok(())
    }
}

/// Returns the time of day of a line or second, in UTC.
fn time_of(one: &Value) -> String {
    let at_ms = one["AtMs"].as_u64().unwrap_or_default();
    let whole = moment::extended(at_ms);
    whole.split_once('T').map_or_else(|| whole.clone(), |(_, time)| time.to_owned())
}

fn place(one: &Value) -> String {
    let table = one["Table"].as_str().unwrap_or("-");
    match one["Index"].as_str() {
        Some(index) => format!("{table}/{index}"),
        None => table.to_owned(),
    }
}

fn ms(figure: &Value) -> String {
    format!("{:.2} ms", figure.as_f64().unwrap_or_default())
}

fn units_of(one: &Value) -> String {
    let (read, write) = (one["ReadUnits"].as_f64(), one["WriteUnits"].as_f64());
    let named = [(read, "read unit"), (write, "write unit")];
    let told = named.into_iter().filter_map(|(amount, name)| {
        let amount = amount.filter(|amount| *amount > 0.0)?;
        let plural = if units(amount) == "1" { "" } else { "s" };
        Some(format!("{} {name}{plural}", units(amount)))
    });
    told.collect::<Vec<_>>().join(", ")
}

/// Returns items examined and returned, or written, and units; nothing of a request without them.
fn amounts(one: &Value) -> String {
    let count = |name: &str| one[name].as_u64().unwrap_or_default();
    let (examined, returned) = (count("Examined"), count("Returned"));
    let is_write = one["WriteUnits"].as_f64().is_some_and(|units| units > 0.0);
    let items = match examined {
        0 => String::new(),
        examined if is_write => grouped_count(examined, "item"),
        examined => format!("{} of {}", grouped(returned), grouped_count(examined, "item")),
    };
    [items, units_of(one)]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}
