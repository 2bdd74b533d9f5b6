// Query or Scan in words, and what it will cost, before it runs.

import { useEffect, useState } from 'preact/hooks';
import { explainLink } from '../base/address';
import { useAsk } from '../base/ask';
import { features, leftOut } from '../base/features';
import { accessWords, bytesBetween, type Explained, explain, itemsBetween, priceOfMillion, type ReadStep, readUnitsBetween } from '../data/explained';
import { counted, percent, writeUnits } from '../data/sizes';
import { Bar } from '../parts/Bar';
import { LeftOut } from '../parts/EmptyState';
import { Icon } from '../parts/Icon';

/** Returns a value that follows after a pause. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

function Kept({ step }: { step: ReadStep }) {
  const { Sample: sample } = step;
  if (!step.Filter || !sample || sample.Items === 0) return null;
  const kept = sample.Matching / sample.Items;
  return (
    <div class="verdict-kept">
      <dt>filter</dt>
      <dd>
        keeps {sample.Matching} of {counted(sample.Items, 'item')}
        {!sample.IsAll && ' of a sample'}
        {kept < 1 && <span class="thrown"> · {percent(1 - kept)} paid for, thrown away</span>}
        <Bar examined={sample.Items} returned={sample.Matching} isWide />
      </dd>
    </div>
  );
}

function Read({ step, prediction }: { step: ReadStep; prediction: Explained }) {
  const estimate = step.Estimate;
  const price = prediction.Explanation.Price?.Million;
  return (
    <dl class="verdict-figures">
      {step.Ranges?.slice(0, 3).map((range, nth) => (
        <div key={nth}>
          <dt>{range.Sort ? 'range' : 'of'}</dt>
          <dd class="mono">{[range.Partition, range.Sort].filter(Boolean).join(' AND ') || (step.Index ?? step.Table)}</dd>
        </div>
      ))}
      {estimate && (
        <div>
          <dt>examines</dt>
          <dd>
            {itemsBetween(estimate.Items)}, {bytesBetween(estimate.Bytes)}
          </dd>
        </div>
      )}
      <Kept step={step} />
      {estimate && (
        <div>
          <dt>costs</dt>
          <dd>
            <b>{readUnitsBetween(estimate.Units)}</b>
            {price && ` · ${priceOfMillion(price)}`}
          </dd>
        </div>
      )}
    </dl>
  );
}

function Predicted({ prediction, link }: { prediction: Explained; link: string }) {
  const { Steps: steps, Advice: advice = [], Price: price } = prediction.Explanation;
  return (
    <>
      {steps.slice(0, 4).map((step, nth) =>
        step.Read ? (
          <Read key={nth} step={step.Read} prediction={prediction} />
        ) : step.Write ? (
          <dl key={nth} class="verdict-figures">
            <div>
              <dt>writes</dt>
              <dd class="mono">
                {step.Write.Action} {step.Write.Key}
              </dd>
            </div>
            <div>
              <dt>costs</dt>
              <dd>
                <b>{writeUnits((step.Write.Units ?? []).reduce((sum, one) => sum + one.Units, 0))}</b>
                {price && ` · ${priceOfMillion(price.Million)}`}
              </dd>
            </div>
          </dl>
        ) : null,
      )}
      {advice.slice(0, 3).map((one, nth) => (
        <p key={one.Finding} class="verdict-advice">
          <Icon name="info" />
          <span>
            {one.Finding}
            {one.Remedy && <span class="hint">{one.Remedy}</span>}
            {nth === 0 && (
              <a class="verdict-more" href={link}>
                See it on the ruler
              </a>
            )}
          </span>
        </p>
      ))}
    </>
  );
}

const verbs: Record<string, string> = {
  Query: 'Query',
  Scan: 'Scan',
  SELECT: 'SELECT',
  INSERT: 'INSERT',
  UPDATE: 'UPDATE',
  DELETE: 'DELETE',
};

export interface VerdictProps {
  operation: string;
  request: Record<string, unknown>;
  /** What the page itself knows, where the endpoint cannot tell more. */
  words: string;
}

export function Verdict({ operation, request, words }: VerdictProps) {
  const text = JSON.stringify({ operation, request });
  const settled = useSettled(text, 350);
  const isKnown = features.has('Explain') !== false;
  const {
    answer: told,
    fault,
    isWaiting,
  } = useAsk(isKnown ? settled : null, (signal) => explain(operation, request, signal), { keeps: true });
  const answer = fault ? null : told;
  const isOld = settled !== text || isWaiting;
  const step = answer?.Explanation.Steps.find((one) => one.Read)?.Read;
  const isScan = step ? /^Whole|Segment/.test(step.Access) : operation === 'Scan';
  const verb = verbs[answer?.Explanation.Operation ?? ''] ?? (operation === 'ExecuteStatement' ? 'Statement' : operation);
  return (
    <div class={`verdict${isOld ? ' old' : ''}`} role="status" aria-live="polite">
      <p class="verdict-head">
        <span class={`verb ${isScan ? 'scan' : ''}`}>{verb}</span>
        <span>{step ? `reads ${accessWords(step)}` : words}</span>
      </p>
      {answer && <Predicted prediction={answer} link={explainLink(operation, request)} />}
      {fault && fault.kind !== 'unknownOperation' && <p class="hint">{fault.message}</p>}
      {!isKnown && <LeftOut>{leftOut('What it will cost', 'Explain')}</LeftOut>}
    </div>
  );
}
