// Server: which one answers, how it does, what it works on in the background.

import { useMemo, useState } from 'preact/hooks';
import type { Address } from '../base/address';
import { useAsk } from '../base/ask';
import { call } from '../base/client';
import { features, leftOut } from '../base/features';
import { used } from '../base/session';
import { endpoint, setup } from '../base/setup';
import { tableNames } from '../base/tables';
import { LineChart, type Series } from '../charts/LineChart';
import { bytes, count, counted, millis, percent } from '../data/sizes';
import { ErrorBox } from '../parts/ErrorBox';
import { LeftOut } from '../parts/EmptyState';
import { SelectField } from '../parts/Field';
import { Spinner } from '../parts/Spinner';
import { toldText } from '../ruler/told';
import { useServer, type Described, type Point } from './server/state';
import type { Job } from '../base/jobs';
import { Scroll } from '../ruler/Scroll';

export function Screen(_props: { address: Address }) {
  const { described, fault, at, again } = useServer();
  if (features.has('DescribeServer') === false) return <Elsewhere />;
  return (
    <div class="screen server-screen">
      {!described && !fault && <Spinner />}
      {fault && <ErrorBox fault={fault} retry={again}>{described && <p>What stands below is from {new Date(at).toLocaleTimeString()}. This page tries again by itself.</p>}</ErrorBox>}
      {described && <Told described={described} />}
    </div>
  );
}

/** Returns how long ago, or how long, in the largest two units. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days > 0) return `${counted(days, 'day')} ${counted(hours, 'hour')}`;
  if (hours > 0) return `${counted(hours, 'hour')} ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

const STORES: Record<string, string> = { memory: 'in memory: gone when the server ends', embedded: 'in files', postgres: 'on PostgreSQL' };

function Fact({ name, children, isBad }: { name: string; children: string | undefined; isBad?: boolean }) {
  if (children === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isBad ? 'fault' : ''}>{children}</dd>
    </div>
  );
}

function Told({ described }: { described: Described }) {
  const { Server: server, Now: now, Points: points, Jobs: jobs = [], Servers: servers = [] } = described;
  return (
    <>
      <div class="screen-head">
        <h1>{toldText(server.Name, 80)}</h1>
        <span class={server.TakesWrites ? 'health well' : 'health ill'}>{server.TakesWrites ? 'takes reads and writes' : 'takes no writes'}</span>
        <span class="space" />
        <span class="hint">
          version {toldText(server.Version, 60)}, up for {lasting(server.NowMs - server.StartedAtMs)}
        </span>
      </div>
      {server.Banner && <p class="server-banner">{toldText(server.Banner, 200)}</p>}
      {!server.TakesWrites && <p class="refused">{toldText(server.WhyNoWrites ?? 'The server does not say why; its log does.', 600)}</p>}
      <dl class="server-facts">
        <Fact name="memory">{bytes(now.MemoryBytes)}</Fact>
        <Fact name="of it caches">{now.MemoryOfCachesBytes === undefined ? undefined : bytes(now.MemoryOfCachesBytes)}</Fact>
        <Fact name="disk">{now.DiskBytes === undefined ? undefined : bytes(now.DiskBytes)}</Fact>
        <Fact name="disk free" isBad={(now.DiskFreeBytes ?? Infinity) < 1024 ** 3}>
          {now.DiskFreeBytes === undefined ? undefined : bytes(now.DiskFreeBytes)}
        </Fact>
        <Fact name="connections">{count(now.Connections)}</Fact>
        <Fact name="requests waiting">{now.RequestsWaiting === undefined ? undefined : count(now.RequestsWaiting)}</Fact>
        <Fact name="from caches">{now.CacheReads ? percent((now.CacheHits ?? 0) / now.CacheReads) : undefined}</Fact>
        <Fact name="faults of the server" isBad={now.Panics > 0}>
          {count(now.Panics)}
        </Fact>
      </dl>
      <Charts points={points} />
      <Operations points={points} />
      <Jobs jobs={jobs} now={server.NowMs} />
      {servers.length > 0 && <Servers servers={servers} now={server.NowMs} />}
      <section aria-labelledby="setting-title">
        <h2 id="setting-title">How it was started</h2>
        <dl class="conditions">
          <Setting name="endpoint" text={endpoint} />
          <Setting name="data" text={`${STORES[server.Store] ?? server.Store}${server.Folder ? `, ${server.Folder}` : ''}`} />
          <Setting name="region" text={server.Region} />
          <Setting name="profile" text={server.Profile ?? 'default'} />
          <Setting name="credentials" text={server.Credentials === 'any' ? 'any are accepted' : 'signed requests only'} />
          <Setting name="namespaces" text={server.Namespaces ? 'each access key id has tables of its own' : 'none'} />
          <Setting name="since" text={new Date(server.StartedAtMs).toLocaleString()} />
        </dl>
      </section>
    </>
  );
}

function Setting({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{toldText(text, 400)}</dd>
    </div>
  );
}

const ALL = 'the slowest of all';

interface Latency {
  p50: (number | undefined)[];
  p99: (number | undefined)[];
  worst: (number | undefined)[];
}

/** Times of one operation at each point; of all, those of the slowest with requests. */
function latencyOf(points: readonly Point[], operation: string): Latency {
  const of = (point: Point, name: 'P50Ms' | 'P99Ms' | 'WorstMs'): number | undefined => {
    const values = point.Operations.filter((one) => one.Requests > 0 && (operation === ALL || one.Operation === operation)).map((one) => one[name]);
    return values.length > 0 ? Math.max(...values) : undefined;
  };
  return { p50: points.map((point) => of(point, 'P50Ms')), p99: points.map((point) => of(point, 'P99Ms')), worst: points.map((point) => of(point, 'WorstMs')) };
}

const aSecond = (n: number): string => (n >= 10 || n === 0 ? count(n) : n.toFixed(1));

function Charts({ points }: { points: Point[] }) {
  const [operation, choose] = useState(ALL);
  const times = useMemo(() => points.map((point) => point.AtMs), [points]);
  const load = useMemo<Series[]>(
    () => [
      { name: 'requests a second', token: '--read', values: points.map((point) => point.Requests / point.Seconds), isArea: true },
      { name: 'failed', token: '--danger', values: points.map((point) => point.Failed / point.Seconds), dash: [5, 3] },
      { name: 'throttled', token: '--thrown', values: points.map((point) => point.Throttled / point.Seconds), dash: [2, 2] },
    ],
    [points],
  );
  const latency = useMemo<Series[]>(() => {
    const { p50, p99, worst } = latencyOf(points, operation);
    return [
      { name: 'p50', token: '--entity-3', values: p50 },
      { name: 'p99', token: '--read', values: p99, dash: [6, 2] },
      { name: 'worst', token: '--thrown', values: worst, dash: [2, 2] },
    ];
  }, [points, operation]);
  const memory = useMemo<Series[]>(() => [{ name: 'memory', token: '--entity-7', values: points.map((point) => point.MemoryBytes), isArea: true }], [points]);
  const disk = useMemo<Series[]>(() => (points.some((point) => point.DiskBytes !== undefined) ? [{ name: 'disk', token: '--entity-5', values: points.map((point) => point.DiskBytes), isArea: true }] : []), [points]);
  const cache = useMemo<Series[]>(() => cacheSeries(points), [points]);
  const operations = useMemo(() => [...new Set(points.flatMap((point) => point.Operations.map((one) => one.Operation)))].sort(), [points]);
  if (points.length === 0) return <p class="hint">Figures over time begin ten seconds after the start.</p>;
  return (
    <section class="charts" aria-label="Over the last hour">
      <LineChart title="Requests" times={times} series={load} words={aSecond} />
      <div class="latency">
        <LineChart title="Latency" times={times} series={latency} words={millis} isLog />
        <SelectField label="Operation" isLabelHidden value={operation} set={choose} choices={[ALL, ...operations].map((one) => ({ value: one, title: one }))} />
      </div>
      <LineChart title="Memory" times={times} series={memory} words={bytes} height={110} isBytes />
      {disk.length > 0 && <LineChart title="Disk" times={times} series={disk} words={bytes} height={110} isBytes />}
      {cache.length > 0 && <LineChart title="Reads answered from caches" times={times} series={cache} words={(share) => `${Math.round(share)} %`} height={110} />}
    </section>
  );
}

/** Hits of each ten seconds against the reads in them: the server counts both from its start, or for each point. */
function cacheSeries(points: readonly Point[]): Series[] {
  const isGrowing = points.every((point, nth) => nth === 0 || (point.CacheReads ?? 0) >= (points[nth - 1]!.CacheReads ?? 0)) && points.length > 2;
  const values = points.map((point, nth) => {
    const before = isGrowing ? points[nth - 1] : undefined;
    if (point.CacheReads === undefined || (isGrowing && !before)) return undefined;
    const reads = point.CacheReads - (before?.CacheReads ?? 0);
    return reads > 0 ? (100 * ((point.CacheHits ?? 0) - (before?.CacheHits ?? 0))) / reads : undefined;
  });
  return values.some((value) => value !== undefined) ? [{ name: 'from memory', token: '--entity-3', values }] : [];
}

function Operations({ points }: { points: Point[] }) {
  const last = points.findLast((point) => point.Operations.length > 0);
  if (!last) return null;
  const rows = [...last.Operations].sort((a, b) => b.Requests - a.Requests).slice(0, 60);
  return (
    <section aria-labelledby="operations-title">
      <h2 id="operations-title">Operations, {new Date(last.AtMs).toLocaleTimeString()} and the {counted(last.Seconds, 'second')} from there</h2>
      <Scroll label="Operations">
        <table class="plain-table operations-table">
          <thead>
            <tr>
              <th scope="col">operation</th>
              <th scope="col" class="figure">requests a second</th>
              <th scope="col" class="figure">failed</th>
              <th scope="col" class="figure">p50</th>
              <th scope="col" class="figure">p99</th>
              <th scope="col" class="figure">worst</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={one.Operation}>
                <td>{toldText(one.Operation, 60)}</td>
                <td class="figure">{aSecond(one.Requests / last.Seconds)}</td>
                <td class={one.Failed > 0 ? 'figure fault' : 'figure'}>{one.Failed > 0 ? count(one.Failed) : ''}</td>
                <td class="figure">{millis(one.P50Ms)}</td>
                <td class="figure">{millis(one.P99Ms)}</td>
                <td class="figure">{millis(one.WorstMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function jobFigures({ Done, Of, PerSecond, StartedAtMs }: Job, now: number): string {
  const parts = [
    Done === undefined ? '' : `${count(Done)}${Of ? ` of ${count(Of)}` : ''} items`,
    PerSecond ? `${count(PerSecond)} a second` : '',
    PerSecond && Of && Done !== undefined && Of > Done ? `about ${lasting(((Of - Done) / PerSecond) * 1000)} left` : '',
    StartedAtMs ? `since ${lasting(now - StartedAtMs)}` : '',
  ];
  return parts.filter(Boolean).join(', ');
}

function Jobs({ jobs, now }: { jobs: Job[]; now: number }) {
  return (
    <section aria-labelledby="jobs-title">
      <h2 id="jobs-title">In the background</h2>
      {jobs.length === 0 ? (
        <p class="hint">Nothing: no index is filled, nothing is removed or rewritten.</p>
      ) : (
        <ul class="jobs">
          {jobs.slice(0, 100).map((job, nth) => (
            <li key={nth}>
              <span class="job-words">{toldText(job.Words, 300)}</span>
              {job.Of ? <progress value={Math.min(1, (job.Done ?? 0) / job.Of)} max={1} aria-label={toldText(job.Words, 100)} /> : <span />}
              <span class="hint">{jobFigures(job, now)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Servers({ servers, now }: { servers: NonNullable<Described['Servers']>; now: number }) {
  return (
    <section aria-labelledby="servers-title">
      <h2 id="servers-title">Servers of this store</h2>
      <table class="plain-table servers-table">
        <thead>
          <tr>
            <th scope="col">server</th>
            <th scope="col">address</th>
            <th scope="col" class="figure">last beat</th>
            <th scope="col" />
          </tr>
        </thead>
        <tbody>
          {servers.slice(0, 200).map((server) => (
            <tr key={server.Name}>
              <td class="mono">{toldText(server.Name, 80)}</td>
              <td class="mono">{server.Address === undefined ? '' : toldText(server.Address, 80)}</td>
              <td class="figure">{server.BeatAtMs === undefined ? '' : `${lasting(now - server.BeatAtMs)} ago`}</td>
              <td>{server.IsThis && 'answers this page'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface Limits {
  AccountMaxReadCapacityUnits?: number;
  AccountMaxWriteCapacityUnits?: number;
  TableMaxReadCapacityUnits?: number;
  TableMaxWriteCapacityUnits?: number;
}

/** What the service's own operations tell of any endpoint. */
function Elsewhere() {
  const limits = useAsk('limits', (signal) => call<Limits>('DescribeLimits', {}, { unrecorded: true, signal }));
  const so = used.value;
  return (
    <div class="screen server-screen">
      <h1>Server</h1>
      <LeftOut>{leftOut('Health, load and latency over time', 'DescribeServer')} What it answers to anybody stands here.</LeftOut>
      <dl class="conditions">
        <Setting name="endpoint" text={endpoint} />
        <Setting name="region" text={setup.Region} />
        <Setting name="tables" text={tableNames.value === null ? 'not known' : count(tableNames.value.length)} />
        {limits.answer?.AccountMaxReadCapacityUnits !== undefined && <Setting name="limits of the account" text={`${count(limits.answer.AccountMaxReadCapacityUnits)} read and ${count(limits.answer.AccountMaxWriteCapacityUnits ?? 0)} write units a second`} />}
        {limits.answer?.TableMaxReadCapacityUnits !== undefined && <Setting name="limits of a table" text={`${count(limits.answer.TableMaxReadCapacityUnits)} read and ${count(limits.answer.TableMaxWriteCapacityUnits ?? 0)} write units a second`} />}
        <Setting name="asked by this page" text={`${counted(so.requests, 'request')}, ${count(so.failed)} of them failed`} />
      </dl>
      {limits.fault && <p class="hint">DescribeLimits: {limits.fault.message}</p>}
    </div>
  );
}
