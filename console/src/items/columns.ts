// The columns of a page: keys first, then the attributes that most items have.

import { at } from '../data/record';
import { brief, type Item, type TypeName, typeOf } from '../data/values';

export interface ColumnInfo {
  name: string;
  /** The type that most of its values have. */
  usual: TypeName;
  /** In how many items of the page it is. */
  count: number;
  width: number;
}

const signWidth = 7.3;
const widest = 340;
const sampled = 60;

/** Returns all attributes of the items, keys first, the others by how many have them, then as they come. */
export function columnsOf(items: Item[], keys: string[]): ColumnInfo[] {
  const counts = new Map<string, Map<TypeName, number>>();
  for (const name of keys) counts.set(name, new Map());
  for (const item of items) {
    for (const name of Object.keys(item)) {
      const types = counts.get(name) ?? new Map<TypeName, number>();
      const value = item[name];
      if (value !== undefined) types.set(typeOf(value), (types.get(typeOf(value)) ?? 0) + 1);
      counts.set(name, types);
    }
  }
  const all = [...counts].map(([name, types]) => {
    const [usual, count] = [...types].reduce<[TypeName, number]>((most, one) => (one[1] > most[1] ? one : most), ['S', 0]);
    const inAll = [...types.values()].reduce((sum, one) => sum + one, 0);
    return { name, usual: count === 0 ? 'S' : usual, count: inAll, width: 0 } satisfies ColumnInfo;
  });
  const of = new Set(keys);
  const others = all.filter((one) => !of.has(one.name)).sort((one, other) => other.count - one.count);
  return [...all.filter((one) => of.has(one.name)), ...others].map((one) => ({
    ...one,
    width: widthOf(one.name, items) + (of.has(one.name) ? 22 : 0),
  }));
}

/** Returns a width that fits the title and what the first items have. */
export function widthOf(name: string, items: Item[]): number {
  let signs = Math.min(name.length, 40) + 5;
  for (const item of items.slice(0, sampled)) {
    const value = at(item, name);
    if (value === undefined) continue;
    const isTagged = !('S' in value || 'N' in value);
    signs = Math.max(signs, Math.min(60, brief(value, 60).length) + (isTagged ? 4 : 0));
  }
  return Math.round(Math.min(widest, Math.max(64, signs * signWidth + 22)));
}
