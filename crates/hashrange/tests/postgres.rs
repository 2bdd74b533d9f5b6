//! Databases on PostgreSQL: the blocking calls, the asynchronous ones on any runtime, two of them on the same
//! data, and what is said when there is none.

#![cfg(feature = "postgres")]

use hashrange::{Database, Error, Options, Sandbox, block_on, item};
use hashrange_scratch::{is_left_out, shared};

#[test]
fn two_databases_on_the_same_data_see_each_others_writes() -> hashrange::Result<()> {
    if is_left_out() {
        return Ok(());
    }
    let url = shared().url();
    let one = Database::connect(&url, &Options::default())?.blocking();
    let two = Database::connect(&url, &Options::default())?;
    one.create("music", "artist:S song:S").run()?;
    let sinnerman = item! { "artist": "Nina Simone", "song": "Sinnerman", "year": 1965 };
    block_on(async {
        two.put("music", sinnerman.clone()).await?;
        let key = item! { "artist": "Nina Simone", "song": "Sinnerman" };
        two.update("music", key).set("year = year + 1").await?;
        Ok::<(), Error>(())
    })?;
    let found = one.query("music").key("artist = 'Nina Simone'").all()?;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].get_as::<u16>("year")?, 1966);
    let again = one.put("music", sinnerman).when("attribute_not_exists(artist)").run();
    assert!(again.unwrap_err().is_condition_failed());
    let refused = Sandbox::of_database(&two, &Options::default()).unwrap_err();
    assert!(refused.to_string().contains("needs a database in memory"), "{refused}");
    one.close().unwrap();
    block_on(two.close()).unwrap();
    Ok(())
}

#[test]
fn a_database_that_is_not_there_is_an_error_without_the_password() {
    for url in ["postgres://u:secret@127.0.0.1:1/x", "postgres://u:secret@h:port/x"] {
        let error = Database::connect(url, &Options::default()).unwrap_err();
        assert!(matches!(error, Error::Store(_)), "{error}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}
