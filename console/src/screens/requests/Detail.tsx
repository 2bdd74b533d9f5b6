// One line of the ledger in full: explained with its values where they are kept, else by its pattern.

import { explainLink, link } from '../../base/address';
import { bytes, count, millis, units } from '../../data/sizes';
import { Bar } from '../../parts/Bar';
import { Button } from '../../parts/Button';
import { CodeBlock } from '../../parts/CodeBlock';
import { toldJson, toldLines, toldText } from '../../ruler/told';
import { money } from '../../data/explained';
import type { Filter, LedgerLine } from './ledger';
import { clock, outcome } from './Lines';

const EXPLAINED = new Set(['Query', 'Scan', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchGetItem', 'BatchWriteItem', 'TransactGetItems', 'TransactWriteItems', 'ExecuteStatement', 'BatchExecuteStatement', 'ExecuteTransaction']);

function bodyOf(line: LedgerLine): Record<string, unknown> | undefined {
  try {
    const read = JSON.parse(line.Body ?? '') as unknown;
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function Fact({ name, text }: { name: string; text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

const stages = (line: LedgerLine): string | undefined => {
  const parts = [
    line.ReadMs === undefined ? '' : `${millis(line.ReadMs)} reading the request`,
    line.WaitedMs === undefined ? '' : `${millis(line.WaitedMs)} waiting`,
    line.RanMs === undefined ? '' : `${millis(line.RanMs)} running`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : undefined;
};

export function Detail({ line, alike, valuesAreKept, close, narrow }: { line: LedgerLine; alike: LedgerLine[]; valuesAreKept: boolean | undefined; close: () => void; narrow: (filter: Filter) => void }) {
  const body = bodyOf(line);
  const canExplain = body !== undefined && EXPLAINED.has(line.Operation);
  return (
    <aside class="ledger-detail" aria-label="The chosen request">
      <div class="screen-head">
        <h2>
          {toldText(line.Operation, 40)} {line.Table && `of ${toldText(line.Table, 60)}`}
        </h2>
        <span class="space" />
        <Button kind="quiet" icon="close" label="Close the request" onClick={close} />
      </div>
      <p class="row">
        {canExplain && (
          <a class="button main" href={explainLink(line.Operation, body)}>
            Explain
          </a>
        )}
        <Button onClick={() => narrow({ Operation: line.Operation, ...(line.Table !== undefined && { Table: line.Table }), ...(line.Index !== undefined && { Index: line.Index }), ...(line.Pattern && { Text: line.Pattern }) })}>Only this kind</Button>
        {line.Caller && <Button onClick={() => narrow({ Caller: line.Caller! })}>Only this caller</Button>}
        {line.Table && (
          <a class="button" href={link('keys', [line.Table], { index: line.Index })}>
            Keys
          </a>
        )}
      </p>
      {line.Error && (
        <p class="refused">
          <b>{outcome(line)}</b> {line.Status}
        </p>
      )}
      {line.Examined > 0 && line.ReadUnits > 0 && <Bar examined={line.Examined} returned={line.Returned} isWide />}
      <Facts line={line} />
      {line.Pattern !== undefined && (
        <>
          <h3>Pattern</h3>
          <p class="mono detail-pattern">{toldText(line.Pattern, 2000)}</p>
        </>
      )}
      {line.Body !== undefined ? (
        <CodeBlock label="The request" text={toldLines(body ? toldJson(body) : line.Body)} />
      ) : (
        <p class="hint">{valuesAreKept === false ? 'This server does not keep the values of requests: it is explained by its pattern.' : 'The values of this request were not kept: it was too large, or held back.'}</p>
      )}
      {line.Body === undefined && alike.length > 1 && (
        <>
          <h3>The last of this pattern</h3>
          <table class="plain-table">
            <tbody>
              {alike.slice(-12).reverse().map((one) => (
                <tr key={one.Number}>
                  <td class="mono">{clock(one.AtMs)}</td>
                  <td class="figure">{one.Examined > 0 ? `${count(one.Examined)} : ${count(one.Returned)}` : ''}</td>
                  <td class="figure">{millis(one.TookMs)}</td>
                  <td>{outcome(one)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </aside>
  );
}

function Facts({ line }: { line: LedgerLine }) {
  return (
    <dl class="detail-facts">
      <Fact name="at" text={clock(line.AtMs)} />
      <Fact name="took" text={`${millis(line.TookMs)}${line.IsSlow ? ', among the slowest' : ''}`} />
      <Fact name="stages" text={stages(line)} />
      <Fact name="examined" text={line.Examined > 0 ? `${count(line.Examined)} items, ${bytes(line.ExaminedBytes)}` : undefined} />
      <Fact name="returned" text={line.Examined > 0 ? `${count(line.Returned)} items` : undefined} />
      <Fact name="read units" text={line.ReadUnits > 0 ? units(line.ReadUnits) : undefined} />
      <Fact name="write units" text={line.WriteUnits > 0 ? units(line.WriteUnits) : undefined} />
      <Fact name="a million" text={line.MillionCosts === undefined ? undefined : money(line.MillionCosts, line.Currency ?? 'USD')} />
      <Fact name="index" text={line.Index && toldText(line.Index, 200)} />
      <Fact name="caller" text={line.Caller && toldText(line.Caller, 200)} />
      <Fact name="from" text={toldText(line.Peer, 100)} />
      <Fact name="agent" text={line.Agent && toldText(line.Agent, 300)} />
      <Fact name="sent" text={`${bytes(line.RequestBytes)}, answered ${bytes(line.ResponseBytes)}`} />
      <Fact name="request id" text={toldText(line.Id, 80)} />
    </dl>
  );
}
