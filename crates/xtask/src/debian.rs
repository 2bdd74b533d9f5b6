//! Packages of Debian 12, unpacked under the folder of build results without a change to the system. Other systems
//! leave them out.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{is_present, program, run};
use crate::fetched::{empty_folder, once};

/// The packages that a list names, one a line.
pub struct Packages {
    list: PathBuf,
    names: Vec<String>,
}

impl Packages {
    /// Reads the list.
    pub fn of(list: PathBuf) -> Result<Self, String> {
        let text = fs::read_to_string(&list);
        let text = text.map_err(|error| format!("read {}: {error}", list.display()))?;
        Ok(Self { list, names: text.lines().map(str::to_owned).collect() })
    }

    /// Returns why they are missing here, if so.
    pub fn missing(&self) -> Option<&'static str> {
        let asked: Vec<&str> = ["download", "--print-uris"]
            .into_iter()
            .chain(self.names.iter().map(String::as_str))
            .collect();
        let why = "no apt-get that knows Debian 12's packages (apt-get update fetches its lists)";
        (!is_present("apt-get", &asked)).then_some(why)
    }

    /// Fetches them and unpacks them into the folder `root` of a folder, unless that was done before.
    pub fn unpack(&self, folder: &Path) -> Result<(), String> {
        let (archives, root) = (folder.join("archives"), folder.join("root"));
        once(folder, std::slice::from_ref(&self.list), || {
            empty_folder(&archives)?;
            empty_folder(&root)?;
            let mut download = program("apt-get".as_ref(), &["-qq", "download"]);
            run(download.args(&self.names).current_dir(&archives))?;
            let entries =
                fs::read_dir(&archives).map_err(|error| format!("list the archives: {error}"))?;
            for archive in entries.flatten() {
                run(program("dpkg-deb".as_ref(), &["-x"]).arg(archive.path()).arg(&root))?;
            }
            empty_folder(&archives)
        })
    }
}
