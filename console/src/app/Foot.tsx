// The line at the foot: what this session has used, and the last request.

import { last, used } from '../base/session';
import { counted, dollars, millis, readUnits, writeUnits } from '../data/sizes';

function Last() {
  const one = last.value;
  if (one === null) return null;
  if (one.fault) return <span class="foot-last fault">{`${one.operation}: ${one.fault.type}`}</span>;
  const { took } = one;
  if (took === undefined) return null;
  const said = [
    took.readUnits > 0 || took.writeUnits === 0 ? readUnits(took.readUnits) : '',
    took.writeUnits > 0 ? writeUnits(took.writeUnits) : '',
    millis(took.ms),
  ].filter(Boolean);
  return <span class="foot-last">{`${one.operation}  ${said.join(' · ')}`}</span>;
}

export function Foot() {
  const all = used.value;
  return (
    <footer class="foot">
      <span title="What this page has used since it was opened">
        This session: {counted(all.requests, 'request')} · {readUnits(all.readUnits)} · {writeUnits(all.writeUnits)}
        {all.isPriced && all.nanodollars > 0 && ` · ${dollars(all.nanodollars / 1e9)} on demand`}
      </span>
      <span class="space" />
      <Last />
    </footer>
  );
}
