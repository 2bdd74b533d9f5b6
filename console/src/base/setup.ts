// What the server tells the page in the shell's meta tag, and the token of `hashrange console`.

export interface Setup {
  Version: string;
  /** The endpoint that the page's server passes on to, of `hashrange console`. */
  Endpoint?: string;
  /** Whether the page's server signs requests by itself. */
  Signs: boolean;
  /** Whether requests must be signed by keys that are typed in. */
  NeedsKeys: boolean;
  Region: string;
  Banner?: string;
  Namespaces: boolean;
}

const usual: Setup = { Version: '', Signs: false, NeedsKeys: false, Region: 'us-east-1', Namespaces: false };

/** Returns what the meta tag says; members that it lacks have their usual values. */
export function readSetup(content: string | null): Setup {
  if (!content) return usual;
  try {
    const read: unknown = JSON.parse(content);
    return typeof read === 'object' && read !== null ? { ...usual, ...read } : usual;
  } catch {
    return usual;
  }
}

const page = typeof document === 'undefined' ? null : document;

export const setup: Setup = readSetup(page?.querySelector('meta[name="hashrange"]')?.getAttribute('content') ?? null);

/** The nonce of this page's script, for styles that an editor adds. */
export const nonce: string = page?.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';

/** The endpoint that an SDK should be pointed at. */
export const endpoint: string = setup.Endpoint ?? (typeof location === 'undefined' ? '' : location.origin);

const tokenKey = 'hashrange-token';

/** Takes the token out of the address at the first load, so that no bookmark and no screenshot has it. */
function takeToken(): string | null {
  if (typeof location === 'undefined') return null;
  const found = /(?:^#|&)token=([^&]*)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(tokenKey, decodeURIComponent(found[1] ?? ''));
    const rest = location.hash.replace(/(^#|&)token=[^&]*/, '$1').replace(/^#&/, '#');
    history.replaceState(null, '', location.pathname + location.search + (rest === '#' ? '' : rest));
  }
  return sessionStorage.getItem(tokenKey);
}

export const token: string | null = takeToken();
