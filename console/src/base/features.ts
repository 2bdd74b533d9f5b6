// Which operations of Hashrange's own an endpoint has. DynamoDB Local and the service have none: their screens say
// what is left out.

import { signal } from '@preact/signals';

const known = signal<ReadonlyMap<string, boolean>>(new Map());

function learn(operation: string, isThere: boolean): void {
  if (known.peek().get(operation) === isThere) return;
  known.value = new Map(known.peek()).set(operation, isThere);
}

export const features = {
  /** Whether the endpoint has the operation; undefined while nobody asked. Reading it in a component subscribes. */
  has: (operation: string): boolean | undefined => known.value.get(operation),
  /** Whether the endpoint has answered any of them. */
  hasAny: (): boolean => [...known.peek().values()].includes(true),
  found: (operation: string): void => learn(operation, true),
  missed: (operation: string): void => learn(operation, false),
};

/** The sentence for a part that this endpoint cannot fill. */
export const leftOut = (what: string, operation: string): string =>
  `${what} is left out: this endpoint does not have the operation ${operation}, which a Hashrange server has.`;
