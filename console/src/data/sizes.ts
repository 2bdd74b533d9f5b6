// Figures as people read them, with their units.

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** 14,812 */
export const count = (n: number): string => grouped.format(n);

/** "1 item", "14,812 items" */
export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

const steps: [number, string][] = [
  [1024 ** 4, 'TB'],
  [1024 ** 3, 'GB'],
  [1024 ** 2, 'MB'],
  [1024, 'KB'],
];

/** 1.9 MB; steps of 1,024, as the service counts. */
export function bytes(n: number): string {
  for (const [step, unit] of steps) if (n >= step) return `${(n / step).toFixed(1)} ${unit}`;
  return `${count(n)} B`;
}

/** 0.5, 17, 1,234.5: without zeros behind the point. */
export const units = (n: number): string => short.format(n);

/** "0.5 read units" */
export const readUnits = (n: number): string => `${units(n)} read ${n === 1 ? 'unit' : 'units'}`;
export const writeUnits = (n: number): string => `${units(n)} write ${n === 1 ? 'unit' : 'units'}`;

/** 99.7 %; never 100 % where something is left, never 0 % where something is there. */
export function percent(part: number): string {
  if (part <= 0) return '0\u00a0%';
  if (part >= 1) return '100\u00a0%';
  if (part > 0.999) return 'over 99.9\u00a0%';
  if (part < 0.001) return 'under 0.1\u00a0%';
  return `${(part * 100).toFixed(part > 0.1 && part < 0.9 ? 0 : 1).replace(/\.0$/, '')}\u00a0%`;
}

/** $2.13; small prices keep three digits that count. */
export function dollars(n: number): string {
  if (n === 0) return '$0';
  if (n >= 0.1) return `$${n.toFixed(2)}`;
  const digits = Math.min(20, 2 - Math.floor(Math.log10(n)));
  return `$${n.toFixed(digits).replace(/(\.\d*?)0+$/, '$1')}`;
}

/** 12 ms, 1.4 s */
export function millis(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
