// Times in words beside numbers and texts that mean a moment.

const hint =
  /(^|[_\-. ])(at|ts|on|time|date|epoch|expires?|expiry|ttl|until|since|created|updated|modified|deleted|last|seen)($|[_\-. ])|time|date|(At|On|Ms|Epoch|Ttl|TTL|Expires|Expiry|Until|Since)$|^(created|updated|modified|expires|expiry)/;

const year2000 = 946_684_800;
const year2200 = 7_258_118_400;
const iso = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Returns the moment that a number means in an attribute of this name, in milliseconds, or null. */
export function momentOfNumber(text: string, name: string, isTtl = false): number | null {
  if (!/^\d{9,13}(\.\d+)?$/.test(text) || !(isTtl || hint.test(name))) return null;
  const n = Number(text);
  if (n >= year2000 && n < year2200) return n * 1000;
  return n >= year2000 * 1000 && n < year2200 * 1000 ? n : null;
}

/** Returns the moment that a text in ISO 8601 means, or null. */
export function momentOfText(text: string): number | null {
  if (text.length > 40 || !iso.test(text)) return null;
  const at = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(at) ? null : at;
}

const two = (n: number): string => String(n).padStart(2, '0');

/** 2026-11-25 07:30:00 UTC */
export function utc(at: number): string {
  const day = new Date(at);
  if (Number.isNaN(day.getTime())) return 'no time';
  return `${day.getUTCFullYear()}-${two(day.getUTCMonth() + 1)}-${two(day.getUTCDate())} ${two(day.getUTCHours())}:${two(day.getUTCMinutes())}:${two(day.getUTCSeconds())} UTC`;
}

const spans: [number, string][] = [
  [365.25 * 86_400, 'year'],
  [30.4375 * 86_400, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** "3 days ago", "in 2 hours", "now" */
export function ago(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const size = Math.abs(seconds);
  for (const [span, word] of spans) {
    const n = Math.floor(size / span);
    if (n >= 1) return seconds < 0 ? `${n} ${word}${n === 1 ? '' : 's'} ago` : `in ${n} ${word}${n === 1 ? '' : 's'}`;
  }
  return 'now';
}

/** Returns a moment in words: 2026-11-25 07:30:00 UTC, 6 days ago. */
export const momentWords = (at: number, now = Date.now()): string => `${utc(at)}, ${ago(at, now)}`;
