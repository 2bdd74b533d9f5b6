import type { Address } from '../base/address';

export function Screen(_props: { address: Address }) {
  return <h1>Server</h1>;
}
