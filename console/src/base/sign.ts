// Signature Version 4, by WebCrypto. Keys are given for each call and stored nowhere here.

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Unsigned {
  method: string;
  path: string;
  host: string;
  headers: Record<string, string>;
  body: string;
}

export interface Scope {
  region: string;
  service: string;
  /** The moment of the request, as 20261201T043000Z. */
  date: string;
}

const text = new TextEncoder();
const algorithm = 'AWS4-HMAC-SHA256';

export const canSign = (): boolean => typeof crypto !== 'undefined' && crypto.subtle !== undefined;

export const amzDate = (at: Date): string => at.toISOString().replace(/[-:]|\.\d{3}/g, '');

const hex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const sha256 = async (words: string): Promise<string> => hex(await crypto.subtle.digest('SHA-256', text.encode(words)));

async function hmac(key: BufferSource, words: string): Promise<ArrayBuffer> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return crypto.subtle.sign('HMAC', imported, text.encode(words));
}

/** Returns the canonical form of a request, and the names of the headers that it signs. */
export async function canonical(request: Unsigned): Promise<{ words: string; names: string }> {
  const all = new Map<string, string>([['host', request.host]]);
  for (const [name, value] of Object.entries(request.headers)) {
    all.set(name.toLowerCase(), value.trim().replace(/ +/g, ' '));
  }
  const names = [...all.keys()].sort();
  const lines = names.map((name) => `${name}:${all.get(name) ?? ''}\n`).join('');
  const signed = names.join(';');
  return { words: [request.method, request.path, '', lines, signed, await sha256(request.body)].join('\n'), names: signed };
}

/** Returns the value of the header Authorization. */
export async function authorization(request: Unsigned, keys: Credentials, scope: Scope): Promise<string> {
  const { words, names } = await canonical(request);
  const day = scope.date.slice(0, 8);
  const range = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const toSign = [algorithm, scope.date, range, await sha256(words)].join('\n');
  let key: BufferSource = text.encode(`AWS4${keys.secretAccessKey}`);
  for (const part of [day, scope.region, scope.service, 'aws4_request']) key = await hmac(key, part);
  const signature = hex(await hmac(key, toSign));
  return `${algorithm} Credential=${keys.accessKeyId}/${range}, SignedHeaders=${names}, Signature=${signature}`;
}

/** Returns a well-formed Authorization for servers that look at no signature: it names who asks, and where. */
export function unsigned(accessKeyId: string, scope: Scope): string {
  const range = `${scope.date.slice(0, 8)}/${scope.region}/${scope.service}/aws4_request`;
  return `${algorithm} Credential=${accessKeyId}/${range}, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`;
}
