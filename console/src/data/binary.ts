// Binary values: base64 on the wire, and text or hex for people.

export type BinaryForm = 'base64' | 'hex' | 'text';

export const binaryForms: { value: BinaryForm; title: string }[] = [
  { value: 'base64', title: 'base64' },
  { value: 'hex', title: 'hex' },
  { value: 'text', title: 'text' },
];

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += 8192) text += String.fromCharCode(...bytes.subarray(from, from + 8192));
  return btoa(text);
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Returns binary in a form. Text that is no UTF-8 stays hex, and says so by 0x. At most about `most` signs are made. */
export function binaryText(base64: string, form: BinaryForm, most = Infinity): string {
  if (form === 'base64') return base64;
  const part = base64.length > most * 2 ? base64.slice(0, Math.ceil((most * 2) / 4) * 4) : base64;
  let bytes: Uint8Array;
  try {
    bytes = bytesOf(part);
  } catch {
    return base64;
  }
  if (form === 'hex') return hexOf(bytes);
  try {
    return strict.decode(bytes);
  } catch {
    return `0x${hexOf(bytes)}`;
  }
}

/** Reads typed binary into base64, or returns null. */
export function binaryOf(text: string, form: BinaryForm): string | null {
  if (form === 'text') return base64Of(new TextEncoder().encode(text));
  const dense = text.replace(/\s+/g, '').replace(/^0x/, form === 'hex' ? '' : '0x');
  if (form === 'hex') {
    if (dense.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(dense)) return null;
    return base64Of(Uint8Array.from(dense.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
  }
  try {
    return /^[A-Za-z0-9+/]*={0,2}$/.test(dense) && dense.length % 4 === 0 ? btoa(atob(dense)) : null;
  } catch {
    return null;
  }
}

/** Returns how many bytes a base64 text has. */
export const lengthOf = (base64: string): number => (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
