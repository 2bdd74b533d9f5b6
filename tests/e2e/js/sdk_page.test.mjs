// The snippet of docs/sdks.md for JavaScript, run as it stands there. DOCS_FOLDER says where it is.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const endpoint = process.env.HASHRANGE_ENDPOINT ?? "http://127.0.0.1:8000";

test("the JavaScript snippet of the page about SDKs runs", async () => {
  const page = await readFile(join(process.env.DOCS_FOLDER, "sdks.md"), "utf8");
  const snippets = [...page.matchAll(/^```js\n(.*?)^```/gms)];
  assert.equal(snippets.length, 1);
  const file = join(import.meta.dirname, "sdk_page_snippet.mjs");
  await writeFile(file, snippets[0][1].replace("http://127.0.0.1:8000", endpoint));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    assert.equal(stdout, "1965\n");
  } finally {
    await rm(file);
  }
});
