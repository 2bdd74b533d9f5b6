// CSV and TSV by RFC 4180, and JSON Lines.

/** Reads rows of cells. A quote inside a quoted cell is written twice; a cell may have line ends. */
export function readCsv(text: string, delimiter = ','): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const end = text.length;
  const until = new RegExp(`[${delimiter === '\t' ? '\\t' : delimiter}\\r\\n]`, 'g');
  while (at < end) {
    let cell: string;
    if (text[at] === '"') {
      [cell, at] = readQuoted(text, at);
    } else {
      until.lastIndex = at;
      const to = until.exec(text)?.index ?? end;
      cell = text.slice(at, to);
      at = to;
    }
    row.push(cell);
    if (text[at] === delimiter) {
      at += 1;
      if (at < end) continue;
      row.push('');
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}

/** Reads a quoted cell from its first quote on; what follows the last one up to the delimiter belongs to it. */
function readQuoted(text: string, from: number): [string, number] {
  let cell = '';
  let at = from + 1;
  for (;;) {
    const to = text.indexOf('"', at);
    if (to < 0) return [cell + text.slice(at), text.length];
    cell += text.slice(at, to);
    if (text[to + 1] !== '"') {
      at = to + 1;
      break;
    }
    cell += '"';
    at = to + 2;
  }
  return [cell, at];
}

/** Guesses the delimiter from the first line. */
export function delimiterOf(text: string): string {
  const line = text.slice(0, 20_000).split(/\r?\n/, 1)[0] ?? '';
  const counts = [',', '\t', ';', '|'].map((one): [string, number] => [one, line.split(one).length - 1]);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

const cellOf = (text: string): string => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

/** Writes rows with the line ends of RFC 4180. */
export const writeCsv = (rows: string[][]): string =>
  rows.map((row) => `${row.length === 1 && row[0] === '' ? '""' : row.map(cellOf).join(',')}\r\n`).join('');
