// The credentials of this page: typed in, held in memory only, gone with the page. And read-only mode.

import { signal } from '@preact/signals';
import type { Credentials } from './sign';
import { setup } from './setup';
import { kept } from './storage';

export const credentials = signal<Credentials | null>(null);

/** The region that requests are signed for. */
export const region = signal(setup.Region);

/** Whether this page refuses to send writes. Kept in the browser. */
export const readOnly = kept('read-only', false, (read) => read === true);

/** Whether the dialog for credentials is open. */
export const askingForAccess = signal(false);
