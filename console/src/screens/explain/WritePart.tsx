// One write of an explanation: the item before and after, each index entry that changes, the units.

import { go } from '../../base/address';
import { useTable } from '../../base/tables';
import { bytes, units } from '../../data/sizes';
import { itemLink } from '../../ruler/query';
import { Ruler } from '../../ruler/Ruler';
import { toldText } from '../../ruler/told';
import { keyedOfStep, placeOfKey } from './explanation';
import { amountOf, type Explanation, type WriteStep } from '../../data/explained';
import { Scroll } from '../../ruler/Scroll';

const sentence = ({ BytesBefore: before, BytesAfter: after, Refused: refused, Action: action }: WriteStep): string => {
  if (refused !== undefined || action === 'Check') return before === undefined ? 'No item is stored; nothing is written.' : `Nothing is written; ${bytes(before)} are stored.`;
  if (after === undefined) return before === undefined ? 'No item is stored, and none is removed.' : `The item of ${bytes(before)} is removed.`;
  return before === undefined ? `No item is stored; ${bytes(after)} are written.` : `The item of ${bytes(before)} becomes one of ${bytes(after)}.`;
};

export function WritePart({ write, explanation, isAnalyzed, isAlone }: { write: WriteStep; explanation: Explanation; isAnalyzed: boolean; isAlone: boolean }) {
  const { table } = useTable(write.Table);
  const keyed = keyedOfStep(table, undefined);
  const place = keyed && placeOfKey(keyed, write.Key);
  const price = amountOf(explanation.Price);
  return (
    <>
      {place && isAlone && (
        <section aria-label="Ruler">
          <Ruler source={place.source} ends={place.ends} onItem={(key) => go(itemLink(place.source, key))} />
        </section>
      )}
      {write.Refused && (
        <p class="refused">
          <b>Refused:</b> {toldText(write.Refused, 1000)}
        </p>
      )}
      <p>{sentence(write)}{!isAnalyzed && !write.Refused && ' This is the plan: nothing was written yet.'}</p>
      <section aria-label="Units">
        <Entries write={write} />
        {price && isAlone && (
          <p>
            <b>{price}</b> a million such requests <span class="hint">on demand, {explanation.Price!.Region}</span>
          </p>
        )}
      </section>
      <Facts write={write} />
    </>
  );
}

/** The item and each index entry that changes, with its units. */
function Entries({ write }: { write: WriteStep }) {
  return (
    <Scroll label="Units and entries">
    <table class="plain-table write-table">
      <thead>
        <tr>
          <th scope="col">on</th>
          <th scope="col">entry that goes</th>
          <th scope="col">entry that comes</th>
          <th scope="col" class="figure">write units</th>
        </tr>
      </thead>
      <tbody>
        {write.Units.map((one) => {
          const changes = (write.Indexes ?? []).filter((entry) => entry.Index === one.Index);
          return (
            <tr key={one.Index ?? ''}>
              <td>{one.Index === undefined ? 'the table' : `index ${one.Index}`}</td>
              <td class="mono">{changes.flatMap((entry) => (entry.Removed ? [toldText(entry.Removed, 300)] : [])).join(', ')}</td>
              <td class="mono">{one.Index === undefined && !write.Refused && write.BytesAfter !== undefined ? toldText(write.Key, 300) : changes.flatMap((entry) => (entry.Written ? [toldText(entry.Written, 300)] : [])).join(', ')}</td>
              <td class="figure">{units(one.Units)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
    </Scroll>
  );
}

function Facts({ write }: { write: WriteStep }) {
  return (
    <dl class="conditions">
      <div>
        <dt>key</dt>
        <dd class="mono">{toldText(write.Key, 4000)}</dd>
      </div>
      {write.Condition && (
        <div>
          <dt>condition</dt>
          <dd class="mono">{toldText(write.Condition, 4000)}</dd>
        </div>
      )}
      {write.Update && (
        <div>
          <dt>update</dt>
          <dd class="mono">{toldText(write.Update, 4000)}</dd>
        </div>
      )}
      <div>
        <dt>bytes</dt>
        <dd class="mono">{write.ByteKey}</dd>
      </div>
    </dl>
  );
}
