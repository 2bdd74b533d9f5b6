// What of the shell is open.

import { signal } from '@preact/signals';

export const isPaletteOpen = signal(false);
export const areKeysOpen = signal(false);
export const isSideOpen = signal(false);
