//! Each example runs to its end; what it says is asserted in it.

#[path = "../examples/async_pages.rs"]
mod async_pages;
#[path = "../examples/booking.rs"]
mod booking;
#[path = "../examples/changes.rs"]
mod changes;
#[path = "../examples/quickstart.rs"]
mod quickstart;
#[path = "../examples/stepped_clock.rs"]
mod stepped_clock;

/// Defines a test for each example, and the list of their names.
macro_rules! examples {
    ($($example:ident),*) => {
        const NAMES: &[&str] = &[$(stringify!($example)),*];
        mod runs {
            $(
                #[test]
                fn $example() {
                    super::$example::main().expect("the example runs to its end");
                }
            )*
        }
    };
}
examples!(async_pages, booking, changes, quickstart, stepped_clock);

#[test]
fn no_example_is_without_its_test() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let files = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = files
        .map(|file| file.unwrap().file_name().to_string_lossy().trim_end_matches(".rs").to_owned())
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
}
