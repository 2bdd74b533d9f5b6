// What the linter finds in the keys, each with the two keys that show it: a click moves the ruler there.

import { call } from '../../base/client';
import { useAsk } from '../../base/ask';
import { features, leftOut } from '../../base/features';
import { counted } from '../../data/sizes';
import { ErrorBox } from '../../parts/ErrorBox';
import { LeftOut } from '../../parts/EmptyState';
import type { Key } from '../../ruler/keys';
import { toldKey, toldText } from '../../ruler/told';

export interface Finding {
  Rule: string;
  Severity: string;
  Finding: string;
  Evidence: string;
  Remedy: string;
  Index?: string;
  Attribute?: string;
  Keys: Key[];
}

export interface FindingsAnswer {
  SampledItems: number;
  IsAll: boolean;
  Findings: Finding[];
}

export function useFindings(table: string | null) {
  return useAsk(table, (signal) => call<FindingsAnswer>('DescribeFindings', { TableName: table }, { own: true, signal }));
}

const SHOWN = 50;

export function Findings({ asked, show }: { asked: ReturnType<typeof useFindings>; show: (finding: Finding, key: Key) => void }) {
  if (features.has('DescribeFindings') === false) return <LeftOut>{leftOut('What is wrong with keys', 'DescribeFindings')}</LeftOut>;
  if (asked.fault) return <ErrorBox fault={asked.fault} retry={asked.again} />;
  if (!asked.answer) return <p class="hint findings-wait">{asked.isWaiting ? ' ' : ''}</p>;
  const { Findings: all, SampledItems, IsAll } = asked.answer;
  return (
    <>
      <p class="hint">
        {all.length === 0 ? 'Nothing found' : counted(all.length, 'finding')} in {IsAll ? 'all' : 'a sample of'} {counted(SampledItems, 'item')}.
      </p>
      {all.length > 0 && (
        <ul class="findings">
          {all.slice(0, SHOWN).map((finding, nth) => (
            <li key={nth} class={`finding ${finding.Severity}`}>
              <p class="finding-rule">
                <span class="severity">{finding.Severity}</span> <code>{finding.Rule}</code>
                {finding.Index && <span class="hint">index {finding.Index}</span>}
              </p>
              <p class="finding-words">{toldText(finding.Finding, 400)}</p>
              {finding.Keys.length > 0 && (
                <ul class="finding-keys">
                  {finding.Keys.map((key, at) => (
                    <li key={at}>
                      <button type="button" class="crumb mono" onClick={() => show(finding, key)} title="Show on the ruler">
                        {toldKey(key, undefined, 80)}
                      </button>
                    </li>
                  ))}
                </ul>
              )}
              <p class="hint">{toldText(finding.Remedy, 400)}</p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
