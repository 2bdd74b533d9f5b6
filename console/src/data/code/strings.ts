// Texts as literals of each language. Signs that cannot be seen, or that turn the direction of what follows, are
// escaped, so that code reads as it runs.

const unseen =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const hex4 = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A literal of JSON, JavaScript and Python. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&').replace(unseen, (sign) => short[sign] ?? hex4(sign))}"`;

/** A literal of Rust. */
export const rustQuoted = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(unseen, (sign) => short[sign] ?? `\\u{${sign.charCodeAt(0).toString(16)}}`)}"`;

const hex2 = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`;

/** A word of a shell: in single quotes; with signs that cannot be seen in those of bash and zsh, byte by byte. */
export function shellQuoted(text: string): string {
  if (/^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$/.test(text)) return text;
  unseen.lastIndex = 0;
  if (!unseen.test(text.replace(/\n/g, ''))) return `'${text.replace(/'/g, "'\\''")}'`;
  const bytes = (sign: string): string => Array.from(new TextEncoder().encode(sign), hex2).join('');
  // A hex digit that follows would be read as part of the escape, so it is escaped as well.
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replace(unseen, (sign) => short[sign] ?? bytes(sign))
    .replace(/(\\x[0-9a-f]{2})([0-9a-fA-F])/g, (_, before: string, digit: string) => before + hex2(digit.charCodeAt(0)));
  return `$'${escaped}'`;
}

/** JSON in one line whose hidden signs are escaped. */
export const plainJson = (value: unknown): string => JSON.stringify(value).replace(unseen, hex4);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an object is an attribute value that is binary. */
export const isBinary = (value: unknown): value is { B: string } | { BS: string[] } =>
  isRecord(value) && Object.keys(value).length === 1 && (typeof value['B'] === 'string' || Array.isArray(value['BS']));

/** Whether binary values are anywhere in it. */
export const hasBinary = (value: unknown): boolean =>
  isBinary(value) || (Array.isArray(value) ? value.some(hasBinary) : isRecord(value) && Object.values(value).some(hasBinary));
