// Attributes that were seen in items of each table, with the type that most values had: for completion, and so that a
// filter on a number begins as one.

import type { TypeName } from '../data/values';
import type { TableDescription } from '../base/tables';

const mostNames = 2000;
const seen = new Map<string, Map<string, TypeName>>();

export function see(table: string, attributes: Iterable<{ name: string; usual: TypeName }>): void {
  const known = seen.get(table) ?? new Map<string, TypeName>();
  for (const { name, usual } of attributes) if (known.size < mostNames || known.has(name)) known.set(name, usual);
  seen.set(table, known);
}

/** Returns the attributes that are known of a table, with their types: those of its keys, and those that were seen. */
export function attributesOf(table: TableDescription | null): Map<string, TypeName> {
  if (table === null) return new Map();
  const keys = table.AttributeDefinitions.map((one): [string, TypeName] => [one.AttributeName, one.AttributeType]);
  return new Map([...keys, ...(seen.get(table.TableName) ?? [])]);
}
