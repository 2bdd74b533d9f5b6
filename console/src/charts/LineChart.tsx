// Lines over time on a canvas, with the values under the pointer, and the same as a table.
//
// An own chart: 300 lines instead of 22 KB of a library, for at most 720 points and five lines.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isDark, tokenValue } from '../base/theme';

export interface Series {
  name: string;
  /** Name of a custom property of CSS. */
  token: string;
  /** Values at the times of the chart; undefined: none was measured. */
  values: (number | undefined)[];
  /** Whether the room below the line is filled. */
  isArea?: boolean;
  /** Lines in dashes can be told apart without colours. */
  dash?: number[];
}

export interface LineChartProps {
  title: string;
  times: number[];
  series: Series[];
  /** Words of a value, with its unit. */
  words: (value: number) => string;
  height?: number;
  /** Whether the axis is logarithmic, for latencies. */
  isLog?: boolean;
  /** Whether values are whole, so that the axis has no steps between. */
  isWhole?: boolean;
  /** Whether values are bytes, so that the axis has round steps of them. */
  isBytes?: boolean;
}

const [LEFT, RIGHT, TOP, BOTTOM] = [58, 8, 8, 20];
const FONT = '11px system-ui, sans-serif';

const two = (n: number): string => String(n).padStart(2, '0');
const clock = (ms: number, withSeconds: boolean): string => {
  const at = new Date(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}${withSeconds ? `:${two(at.getSeconds())}` : ''}`;
};

interface Scale {
  low: number;
  high: number;
  isLog: boolean;
  ticks: number[];
}

/** Returns the axis of the values: from 0, or in powers of ten. */
export function scaleOf(series: readonly Series[], isLog: boolean, isBytes = false, isWhole = false): Scale {
  let [least, most] = [Infinity, 0];
  for (const { values } of series) {
    for (const value of values) {
      if (value === undefined || !Number.isFinite(value)) continue;
      most = Math.max(most, value);
      if (value > 0) least = Math.min(least, value);
    }
  }
  if (isLog && Number.isFinite(least)) {
    const low = 10 ** Math.floor(Math.log10(least));
    const high = 10 ** Math.max(Math.ceil(Math.log10(most) - 1e-9), Math.log10(low) + 1);
    const ticks: number[] = [];
    for (let at = low; at <= high * 1.0001 && ticks.length < 12; at *= 10) ticks.push(at);
    return { low, high, isLog: true, ticks };
  }
  const step = isBytes ? bytesStep(most / 3) : Math.max(isWhole ? 1 : 0, stepOf(most / 3));
  const high = Math.max(step, Math.ceil(most / step) * step);
  const ticks: number[] = [];
  for (let at = 0; at <= high * 1.0001 && ticks.length < 12; at += step) ticks.push(at);
  return { low: 0, high, isLog: false, ticks };
}

/** 1, 2 or 5, times a power of ten. */
function stepOf(rough: number): number {
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const first = rough / power;
  return power * (first <= 1 ? 1 : first <= 2 ? 2 : first <= 5 ? 5 : 10);
}

/** The same of the largest unit of 1,024 that is below it. */
function bytesStep(rough: number): number {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(1, rough)) / 10));
  return unit * Math.max(1, stepOf(rough / unit));
}

function placeIn(scale: Scale, value: number): number {
  if (!scale.isLog) return (value - scale.low) / (scale.high - scale.low);
  return Math.max(0, (Math.log10(Math.max(value, scale.low)) - Math.log10(scale.low)) / (Math.log10(scale.high) - Math.log10(scale.low)));
}

export function LineChart({ title, times, series, words, height = 150, isLog = false, isBytes = false, isWhole = false }: LineChartProps) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [at, setAt] = useState<number | null>(null);
  const [hasTable, setTable] = useState(false);
  const scale = useMemo(() => scaleOf(series, isLog, isBytes, isWhole), [series, isLog, isBytes, isWhole]);
  const dark = isDark.value;
  useEffect(() => {
    if (!root.current) return;
    const watching = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    watching.observe(root.current);
    return () => watching.disconnect();
  }, []);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || width === 0) return;
    const ratio = devicePixelRatio || 1;
    canvas.current.width = Math.round(width * ratio);
    canvas.current.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawChart(context, { width, height, times, series, scale, words, at });
  }, [times, series, scale, width, height, dark, at]);
  const find = (event: PointerEvent): void => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / Math.max(1, width - LEFT - RIGHT);
    setAt(times.length === 0 ? null : Math.min(times.length - 1, Math.max(0, Math.round(share * (times.length - 1)))));
  };
  const press = (event: KeyboardEvent): void => {
    const now = at ?? times.length - 1;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: times.length - 1, PageUp: now - 30, PageDown: now + 30 }[event.key];
    if (to === undefined || times.length === 0) return;
    event.preventDefault();
    setAt(Math.min(times.length - 1, Math.max(0, to)));
  };
  const shown = at ?? times.length - 1;
  const told = series.map((one) => ({ ...one, value: one.values[shown] }));
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <Legend series={series} at={shown} time={times[shown]} words={words} />
        <button type="button" class="button quiet" aria-expanded={hasTable} onClick={() => setTable(!hasTable)}>
          As table
        </button>
      </figcaption>
      <div
        ref={root}
        class="chart-box"
        style={{ height: `${height}px` }}
        tabIndex={0}
        role="slider"
        aria-label={`${title}: time`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={times[shown] === undefined ? 'nothing yet' : `${clock(times[shown]!, true)}: ${told.map((one) => `${one.name} ${one.value === undefined ? 'none' : words(one.value)}`).join(', ')}`}
        onKeyDown={press}
        onPointerMove={find}
        onPointerLeave={() => setAt(null)}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      {hasTable && <ChartTable title={title} times={times} series={series} words={words} />}
    </figure>
  );
}

function Legend({ series, at, time, words }: { series: Series[]; at: number; time: number | undefined; words: (value: number) => string }) {
  return (
    <span class="chart-legend">
      {series.map(({ name, token, dash, values }) => (
        <span key={name}>
          <span class={`chart-key${dash ? ' dashed' : ''}`} style={{ '--of': `var(${token})` }} aria-hidden="true" />
          {name} <b>{values[at] === undefined ? '' : words(values[at])}</b>
        </span>
      ))}
      <span class="hint">{time === undefined ? '' : clock(time, true)}</span>
    </span>
  );
}

const ROWS_MAX = 400;

function ChartTable({ title, times, series, words }: Pick<LineChartProps, 'title' | 'times' | 'series' | 'words'>) {
  const rows = times.map((time, nth) => ({ time, nth })).slice(-ROWS_MAX).reverse();
  return (
    <div class="chart-table" tabIndex={0} role="region" aria-label={`${title} as a table`}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">time</th>
            {series.map((one) => (
              <th key={one.name} scope="col" class="figure">
                {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, nth }) => (
            <tr key={time}>
              <td>{clock(time, true)}</td>
              {series.map((one) => (
                <td key={one.name} class="figure">
                  {one.values[nth] === undefined ? '' : words(one.values[nth])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Drawn {
  width: number;
  height: number;
  times: number[];
  series: Series[];
  scale: Scale;
  words: (value: number) => string;
  at: number | null;
}

function drawChart(context: CanvasRenderingContext2D, drawn: Drawn): void {
  const { width, height, times, series, scale, words, at } = drawn;
  context.clearRect(0, 0, width, height);
  const [right, bottom] = [width - RIGHT, height - BOTTOM];
  const x = (nth: number) => LEFT + (times.length < 2 ? 0 : (nth / (times.length - 1)) * (right - LEFT));
  const y = (value: number) => bottom - placeIn(scale, value) * (bottom - TOP);
  context.font = FONT;
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  context.strokeStyle = tokenValue('--line');
  context.fillStyle = tokenValue('--muted');
  context.textAlign = 'right';
  context.beginPath();
  let told = '';
  for (const tick of scale.ticks) {
    const place = Math.round(y(tick)) + 0.5;
    context.moveTo(LEFT, place);
    context.lineTo(right, place);
    // Small counts have steps below one: what reads alike is told once.
    if (words(tick) !== told) context.fillText(words(tick), LEFT - 6, place);
    told = words(tick);
  }
  context.stroke();
  timesOf(context, times, x, bottom);
  for (const one of series) lineOf(context, one, x, y, bottom);
  if (at !== null && times.length > 0) {
    context.strokeStyle = tokenValue('--muted');
    context.beginPath();
    context.moveTo(Math.round(x(at)) + 0.5, TOP);
    context.lineTo(Math.round(x(at)) + 0.5, bottom);
    context.stroke();
  }
}

function timesOf(context: CanvasRenderingContext2D, times: number[], x: (nth: number) => number, bottom: number): void {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return;
  const minutes = (last - first) / 60_000;
  const each = minutes > 40 ? 600_000 : minutes > 8 ? 120_000 : 15_000;
  let free = 0;
  context.textAlign = 'center';
  for (const [nth, time] of times.entries()) {
    const before = times[nth - 1];
    const isRound = before !== undefined && Math.floor(time / each) !== Math.floor(before / each);
    if (!isRound || x(nth) < free || x(nth) > x(times.length - 1) - 20) continue;
    context.fillText(clock(time, each < 60_000), x(nth), bottom + 11);
    free = x(nth) + 70;
  }
}

function lineOf(context: CanvasRenderingContext2D, of: Series, x: (nth: number) => number, y: (value: number) => number, bottom: number): void {
  const colour = tokenValue(of.token);
  const line = new Path2D();
  let isDown = false;
  let start = 0;
  let last = 0;
  for (const [nth, value] of of.values.entries()) {
    if (value === undefined) {
      isDown = false;
      continue;
    }
    if (isDown) line.lineTo(x(nth), y(value));
    else if (of.values[nth - 1] === undefined && of.values[nth + 1] === undefined) {
      // A value alone would be a line without length.
      line.rect(x(nth) - 1, y(value) - 1, 2, 2);
      continue;
    } else {
      line.moveTo(x(nth), y(value));
      start = nth;
    }
    isDown = true;
    last = nth;
  }
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(of.dash ?? []);
  context.stroke(line);
  context.setLineDash([]);
  if (!of.isArea) return;
  const area = new Path2D(line);
  area.lineTo(x(last), bottom);
  area.lineTo(x(start), bottom);
  context.globalAlpha = 0.12;
  context.fillStyle = colour;
  context.fill(area);
  context.globalAlpha = 1;
}
