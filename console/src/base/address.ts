// Everything on the screen is in the address: #/screen/part/part?name=value. It stands in the fragment, so that no log
// has keys. Back works, and a link can be sent.

import { signal } from '@preact/signals';

export interface Address {
  screen: string;
  /** The parts of the path, decoded. */
  path: string[];
  /** The query, decoded. */
  query: ReadonlyMap<string, string>;
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Encodes what would end a part; keys stay readable. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/%(3A|40|24|2C|20)/g, (all, code: string) => (code === '20' ? all : decode(`%${code}`)));

export function parse(hash: string): Address {
  const [route = '', search = ''] = splitOnce(hash.replace(/^#?\/?/, ''), '?');
  const [screen = '', ...path] = route.split('/').map(decode);
  const query = new Map<string, string>();
  for (const pair of search === '' ? [] : search.split('&')) {
    const [name = '', value = ''] = splitOnce(pair, '=');
    query.set(decode(name), decode(value));
  }
  return { screen: screen || 'start', path: path.filter((part, nth) => part !== '' || nth < path.length - 1), query };
}

function splitOnce(text: string, at: string): string[] {
  const found = text.indexOf(at);
  return found < 0 ? [text] : [text.slice(0, found), text.slice(found + at.length)];
}

export type Query = Record<string, string | undefined | null>;

/** Returns the address of a screen, for `href`. Members that are absent or empty are left out. */
export function link(screen: string, path: string[] = [], query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const search = pairs.map(([name, value]) => `${encode(name)}=${encode(value ?? '')}`).join('&');
  return `#/${[screen, ...path].map(encode).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** The address of the Explain screen for a request. */
export const explainLink = (operation: string, request: unknown): string => link('explain', [JSON.stringify({ operation, request })]);

const now = (): Address => parse(typeof location === 'undefined' ? '' : location.hash);

/** The address that is shown. */
export const address = signal<Address>(now());

if (typeof addEventListener !== 'undefined') {
  addEventListener('hashchange', () => {
    address.value = now();
  });
}

/** Goes to an address. With `replace` the one before is not returned to: for what changes while it is typed. */
export function go(target: string, how: { replace?: boolean } = {}): void {
  if (target === location.hash) return;
  if (how.replace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  address.value = now();
}
