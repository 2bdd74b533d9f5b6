//! Conditions and a transaction: the last seat is sold once, whoever comes first.
//! `cargo run -p hashrange --example booking`.

use hashrange::{Blocking, Database, Error, item};

/// What became of a booking.
#[derive(Debug, PartialEq)]
enum Booking {
    Booked,
    SoldOut,
    AlreadyBooked,
}

/// Books a seat: one less is free and the passenger has one, or neither.
fn book(db: &Blocking, flight: &str, passenger: &str) -> Result<Booking, Error> {
    let seat = item! { "flight": flight, "entry": (format!("PASSENGER#{passenger}")) };
    let booked = db
        .transact_write()
        .with(
            db.update("flights", item! { "flight": flight, "entry": "SEATS" })
                .set("free = free - 1")
                .when("free > 0"),
        )
        .with(db.put("flights", seat).when("attribute_not_exists(entry)"))
        .run();
    let error = match booked {
        Ok(()) => return Ok(Booking::Booked),
        Err(error) if error.is_condition_failed() => error,
        Err(error) => return Err(error),
    };
    // Each action of the transaction has its reason, or none.
    let reasons = error.api().and_then(|error| error.cancellation_reasons()).unwrap_or_default();
    let has_seat = reasons.get(1).is_some_and(Option::is_some);
    Ok(if has_seat { Booking::AlreadyBooked } else { Booking::SoldOut })
}

/// Runs the example.
pub fn main() -> hashrange::Result<()> {
    let db = Database::memory().blocking();
    db.create("flights", "flight:S entry:S").run()?;
    db.put("flights", item! { "flight": "KL1", "entry": "SEATS", "free": 2 }).run()?;

    assert_eq!(book(&db, "KL1", "alex")?, Booking::Booked);
    assert_eq!(book(&db, "KL1", "alex")?, Booking::AlreadyBooked);
    assert_eq!(book(&db, "KL1", "kim")?, Booking::Booked);
    assert_eq!(book(&db, "KL1", "sam")?, Booking::SoldOut);

    let passengers =
        db.query("flights").key("flight = 'KL1' and begins_with(entry, 'PASSENGER#')").count()?;
    assert_eq!(passengers, 2);
    Ok(())
}
