// Objects whose members have the names of hostile items: `__proto__` and `constructor` are names like any other.

export type Record_<T> = { [name: string]: T };

/** Returns an object without a prototype, safe to assign any name to. */
export const record = <T>(members: Iterable<[string, T]> = []): Record_<T> => {
  const made = Object.create(null) as Record_<T>;
  for (const [name, value] of members) made[name] = value;
  return made;
};

/** Returns an object's own member. */
export const at = <T>(object: Record_<T> | null | undefined, name: string): T | undefined =>
  object && Object.hasOwn(object, name) ? object[name] : undefined;

export const entries = <T>(object: Record_<T> | null | undefined): [string, T][] => (object ? Object.entries(object) : []);
