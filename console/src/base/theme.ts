// Light, dark, or as the system has it.

import { effect, signal } from '@preact/signals';
import { kept } from './storage';

export type Theme = 'system' | 'light' | 'dark';

export const theme = kept<Theme>('theme', 'system', (read) => read === 'system' || read === 'light' || read === 'dark');

const dark = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(dark?.matches ?? false);
dark?.addEventListener('change', (event) => (systemIsDark.value = event.matches));

/** Whether the page is dark now. A canvas that draws reads this, to draw again when it changes. */
export const isDark = signal(false);

effect(() => {
  isDark.value = theme.value === 'dark' || (theme.value === 'system' && systemIsDark.value);
  if (typeof document !== 'undefined') document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
});

/** Returns the value of a design token, such as `--read`, for a canvas. */
export const tokenValue = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
