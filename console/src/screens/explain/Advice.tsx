// Advice, each with the button that does it.

import { Button } from '../../parts/Button';
import { toldText } from '../../ruler/told';
import { keyedOf, type TableDescription } from '../../base/tables';
import { explainLink, link } from '../../base/address';
import type { Asked } from './explanation';
import type { Advice, Explained, ReadStep } from '../../data/explained';
import { advised, draftFor, throughKey, type IndexDraft } from './rewrite';

/** Advice on the keys themselves: the screen of keys shows them. */
const OF_KEYS = new Set(['UnpaddedNumber', 'DateForm', 'VersionPointer']);

export function AdviceList({ explained, asked, read, table, sortAttribute, suppose }: { explained: Explained; asked: Asked; read: ReadStep | undefined; table: TableDescription | null; sortAttribute: string | undefined; suppose: ((draft: IndexDraft) => void) | undefined }) {
  const all = explained.Explanation.Advice;
  if (all.length === 0) return read ? <p class="hint no-advice">No advice: nothing here reads more than it has to.</p> : null;
  return (
    <ul class="advice-list">
      {all.map((advice, nth) => (
        <OneAdvice key={nth} advice={advice} explained={explained} asked={asked} read={read} table={table} sortAttribute={sortAttribute} suppose={suppose} />
      ))}
    </ul>
  );
}

function OneAdvice({ advice, explained, asked, read, table, sortAttribute, suppose }: { advice: Advice; explained: Explained; asked: Asked; read: ReadStep | undefined; table: TableDescription | null; sortAttribute: string | undefined; suppose: ((draft: IndexDraft) => void) | undefined }) {
  const wantsIndex = advice.Kind === 'FilterWaste' || advice.Kind === 'WholeRead';
  const wanted = wantsIndex && table && suppose ? draftFor(asked, table, explained.Pattern) : undefined;
  const there = wanted && table && keyedOf(table).find((one) => one.partition.join() === wanted.partition.join() && one.sort.join() === wanted.sort.join());
  const change = advised(asked, advice, table, sortAttribute) ?? (there && throughKey(asked, there));
  const draft = there ? undefined : wanted;
  return (
    <li class="advice">
      <p class="advice-finding">{toldText(advice.Finding, 600)}</p>
      <p class="hint">because {toldText(advice.Evidence, 600)}</p>
      <p>{toldText(advice.Remedy, 1200)}</p>
      <p class="row">
        {change && (
          <a class="button main" href={explainLink(change.asked.operation, change.asked.request)}>
            {change.title}
          </a>
        )}
        {draft && (
          <Button kind={change ? 'plain' : 'main'} icon="index" onClick={() => suppose!(draft)}>
            {change ? 'Compare another index' : `Try an index by ${[...draft.partition, ...draft.sort].join(', ')}`}
          </Button>
        )}
        {OF_KEYS.has(advice.Kind) && read && (
          <a class="button" href={link('keys', [read.Table], { index: read.Index })}>
            Look at the keys
          </a>
        )}
      </p>
    </li>
  );
}
