//! A total that follows the changes of a table and goes on after a restart where it was.
//! `cargo run -p hashrange --example changes`.

use hashrange::{Blocking, Database, Error, StreamViewType, item};

/// Adds up what has changed since a position; returns the sum and the new position.
fn total_since(db: &Blocking, position: &str) -> Result<(i64, String), Error> {
    let mut changes = db.stream_records("accounts").from(position.parse()?).until_caught_up();
    let mut total = 0;
    for change in changes.by_ref() {
        let change = change?;
        for (image, sign) in [(&change.new, 1), (&change.old, -1)] {
            if let Some(account) = image {
                total += sign * account.get_as::<i64>("balance")?;
            }
        }
    }
    // Kept beside the total, in one write, it makes each change count exactly once.
    Ok((total, changes.position().to_string()))
}

/// Runs the example.
pub fn main() -> hashrange::Result<()> {
    let db = Database::memory().blocking();
    db.create("accounts", "id:S").stream(StreamViewType::NewAndOldImages).run()?;
    db.put("accounts", item! { "id": "a", "balance": 100 }).run()?;
    db.put("accounts", item! { "id": "b", "balance": 50 }).run()?;

    // The empty text is the position before the first change.
    let (total, position) = total_since(&db, "")?;
    assert_eq!(total, 150);

    db.update("accounts", item! { "id": "a" }).set("balance = balance - 30").run()?;
    db.delete("accounts", item! { "id": "b" }).run()?;
    let (difference, position) = total_since(&db, &position)?;
    assert_eq!(total + difference, 70);
    assert_eq!(total_since(&db, &position)?.0, 0);
    Ok(())
}
