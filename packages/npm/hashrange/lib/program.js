// Which program is this machine's: each platform has a package of its own, of which npm installs the
// one that fits.
'use strict';

const path = require('node:path');

/** Returns the path of the program. */
function findProgram() {
  const platform = `${process.platform}-${process.arch}`;
  let manifest;
  try {
    manifest = require.resolve(`@hashrange/${platform}/package.json`);
  } catch {
    const offered = Object.keys(require('../package.json').optionalDependencies);
    const platforms = offered.map((name) => name.split('/')[1]);
    throw new Error(
      platforms.includes(platform)
        ? `the package @hashrange/${platform} is not installed: install without --omit=optional`
        : `there is no program for ${platform} in this release, only for ${platforms.join(', ')}: build one with ` +
            `cargo install, and name it as the option "program"`,
    );
  }
  return path.join(path.dirname(manifest), 'bin', process.platform === 'win32' ? 'hashrange.exe' : 'hashrange');
}

module.exports = { findProgram };
