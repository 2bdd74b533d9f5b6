// The ruler: a line of sort keys in order, as segments of a width that their items give them.
//
//   <Ruler
//     source={{ table, index, partition: ['pk'], sort: ['sk'], partitionKey: { pk: { S: 'US' } }, prefix: 'TEXAS#' }}
//     onSource={(source) => ...}    a folder was opened, or left; without it the ruler keeps its place itself
//     range={{ operator: 'begins_with', values: [{ S: 'FLORIDA#' }] }}   the band of a key condition, or null
//     onRange={(range) => ...}      an end was dragged, or segments were; null: all of the line. Without it there is no dragging
//     ends={...}                    the band by its two ends, where no condition stands for it
//     thrown={0.98}                 part of the band that a filter throws away: hatched
//     marks={[{ id, key, words }]}  findings, each at a key; onMark tells which was chosen
//     onItem={(key) => ...}         an item was opened; onSegment tells the keys of the one that is looked at
//     colourOf={(bin) => ...}       the entity type of a bin, from colours.ts
//     onLine={(line, isDone) => ...} what was read, each time that more is known
//     line={...}                    a line that is not read, such as that of an index that does not exist
//     isCompact isOwnOnly           above a form; and only where the endpoint has the operation
//     title="..."                   what the line is, for its heading and for screen readers
//   />
//
// It reads its line by the operation Ruler (or, where an endpoint lacks that, by pages of keys), counts on while it is on
// screen, and shows the same in a table. Keys: arrows move, Enter opens, Backspace and Escape go up, Home and End jump,
// Shift with an arrow takes segments into the range.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { isDark, tokenValue } from '../base/theme';
import { bytes, count, counted, percent, readUnits } from '../data/sizes';
import { Button } from '../parts/Button';
import { ErrorBox } from '../parts/ErrorBox';
import { LeftOut } from '../parts/EmptyState';
import { useId } from '../parts/ids';
import { useLate } from '../parts/Spinner';
import { features, leftOut } from '../base/features';
import { isHandful, type Bin, type Line } from './bins';
import type { EntityColour } from './colours';
import { rangeOfMove, rangeOfSpan } from './drag';
import { draw, LANES, RULER_HEIGHT, type Colours, type Tick } from './draw';
import { part, type Key, type KeyValue } from './keys';
import { bandOf, labels, layout, placeOf, segmentAt, type Band, type Scale, type Segment } from './layout';
import { endsOf, rangeText, type Ends, type KeyRange } from './range';
import { crumbs, opened, useLine, type LineState, type RulerSource } from './source';
import { RulerTable } from './RulerTable';
import { told, toldKey, toldName, toldText } from './told';

export interface RulerMark {
  id: string;
  key: KeyValue;
  words: string;
}

export interface RulerProps {
  source: RulerSource;
  onSource?: (source: RulerSource) => void;
  range?: KeyRange | null | undefined;
  onRange?: (range: KeyRange | null) => void;
  ends?: Ends | undefined;
  thrown?: number | undefined;
  marks?: RulerMark[];
  onMark?: (mark: RulerMark) => void;
  onItem?: (key: Key) => void;
  onSegment?: (from: Bin, to: Bin) => void;
  colourOf?: (bin: Bin) => (EntityColour & { name: string }) | undefined;
  line?: Line;
  /** Tells what was read, and whether no more is read unasked. */
  onLine?: (line: Line, isDone: boolean) => void;
  /** Leaves it out where the endpoint lacks the operation, instead of reading pages. */
  isOwnOnly?: boolean;
  /** In one line less, for a place above a form. */
  isCompact?: boolean;
  title?: string;
  /** More in the line of buttons. */
  children?: ComponentChildren;
}

export function Ruler(props: RulerProps) {
  const [own, setOwn] = useState<{ of: string; source: RulerSource } | undefined>();
  const base = JSON.stringify(props.source);
  const source = !props.onSource && own?.of === base ? own.source : props.source;
  const go = (next: RulerSource): void => (props.onSource ? props.onSource(next) : setOwn({ of: base, source: next }));
  const root = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(root);
  const read = useLine(props.line ? undefined : source, isSeen, props.isOwnOnly);
  const line = props.line ?? read.line;
  const isDone = line?.cursor === undefined || read.hasStopped;
  useEffect(() => {
    if (line) props.onLine?.(line, isDone);
  }, [line, isDone]);
  const [scale, setScale] = useState<Scale>('items');
  const [hasTable, setTable] = useState(false);
  const isLate = useLate(read.isReading && !line);
  const title = props.title ?? `Keys of ${source.index ?? source.table}`;
  if (props.isOwnOnly && features.has('Ruler') === false) return null;
  return (
    <div class={props.isCompact ? 'ruler compact' : 'ruler'} ref={root} role="group" aria-label={title}>
      <div class="ruler-head">
        <Way source={source} line={line} go={go} isFixed={props.line !== undefined} title={props.title} />
        {line && !props.line && <Total line={line} />}
      </div>
      {read.fault && <ErrorBox fault={read.fault} retry={read.again} />}
      {!line && !read.fault && <div class="ruler-wait" role="status">{isLate && 'Reading keys'}</div>}
      {line && line.bins.length === 0 && !line.cursor && <p class="ruler-none">No keys here.</p>}
      {line && isHandful(line) && line.bins.length > 0 && <Handful line={line} source={source} props={props} />}
      {line && !isHandful(line) && line.bins.length > 0 && (
        <RulerLine key={JSON.stringify(source)} line={line} source={source} go={go} scale={scale} props={props} />
      )}
      {line && line.bins.length > 0 && (
        <div class="ruler-foot">
          <Counting state={read} line={line} isFixed={props.line !== undefined} />
          <span class="ruler-tools">
            {props.children}
            {!props.line && !isHandful(line) && <ScaleChoice scale={scale} set={setScale} />}
            <Button kind="quiet" icon="table" pressed={hasTable} onClick={() => setTable(!hasTable)}>
              As table
            </Button>
          </span>
        </div>
      )}
      {line && line.bins.length > 0 && <RulerTable line={line} isShown={hasTable} open={props.line ? undefined : (nth) => openBin(source, line, nth, go, props)} title={title} />}
      {features.has('Ruler') === false && !props.line && (
        <LeftOut>{leftOut('Counting by the server', 'Ruler')} What stands here was read page by page.</LeftOut>
      )}
    </div>
  );
}

function openBin(source: RulerSource, line: Line, nth: number, go: (source: RulerSource) => void, props: RulerProps): void {
  const next = opened(source, line, nth, nth);
  if (next) go(next);
  else props.onItem?.(fullKey(source, line.bins[nth]!.First));
}

/** A key with the partition's values, which the bins leave out. */
function fullKey(source: RulerSource, key: Key): Key {
  return { ...source.partitionKey, ...source.sortKey, ...key };
}

/** Whether an element is on screen, in a page that is looked at. */
function useSeen(root: { current: HTMLElement | null }): boolean {
  const [isSeen, set] = useState(true);
  useEffect(() => {
    if (!root.current) return;
    let isNear = true;
    const tell = (): void => set(isNear && document.visibilityState === 'visible');
    const watching = new IntersectionObserver(([entry]) => {
      isNear = entry?.isIntersecting ?? true;
      tell();
    });
    watching.observe(root.current);
    document.addEventListener('visibilitychange', tell);
    return () => {
      watching.disconnect();
      document.removeEventListener('visibilitychange', tell);
    };
  }, []);
  return isSeen;
}

function Way({ source, line, go, isFixed, title }: { source: RulerSource; line: Line | undefined; go: (source: RulerSource) => void; isFixed: boolean; title: string | undefined }) {
  if (isFixed) return <p class="ruler-title">{title}</p>;
  const way = crumbs(source, line?.delimiter, (value) => told(value, 40));
  return (
    <nav class="ruler-way" aria-label="Where the ruler is">
      {way.map((crumb, nth) => (
        <span key={`${nth}${crumb.text}`}>
          {nth > 0 && (
            <span class="ruler-step" aria-hidden="true">
              ›
            </span>
          )}
          {nth === way.length - 1 ? (
            <b class="mono" aria-current="location">
              {crumb.text}
            </b>
          ) : (
            <button type="button" class="crumb mono" onClick={() => go(crumb.source)}>
              {crumb.text}
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}

/** "at least" stands where a count is not exact. */
export function amount(n: number, isExact: boolean, one: string): string {
  return `${isExact ? '' : 'at least '}${counted(n, one)}`;
}

function Total({ line }: { line: Line }) {
  return (
    <p class="ruler-total">
      <span>{amount(line.items, line.isExact, 'item')}</span>
      {line.bytes > 0 && <span>{bytes(line.bytes)}</span>}
    </p>
  );
}

function ScaleChoice({ scale, set }: { scale: Scale; set: (scale: Scale) => void }) {
  return (
    <label class="ruler-scale">
      <span>Width by</span>
      <select value={scale} onChange={(event) => set(event.currentTarget.value as Scale)}>
        <option value="items">items</option>
        <option value="bytes">bytes</option>
        <option value="equal">place</option>
      </select>
    </label>
  );
}

function Counting({ state, line, isFixed }: { state: LineState; line: Line; isFixed: boolean }) {
  const isLate = useLate(state.isReading);
  if (isFixed) return <p class="ruler-counting" />;
  const work = line.keysRead > 0 ? `${counted(line.keysRead, 'key')} read, ${readUnits(line.readUnits)}` : '';
  const unsure = line.bins.filter((bin) => !bin.IsExact).length;
  return (
    <p class="ruler-counting" role="status">
      {state.hasStopped ? (
        <>
          <span>
            {work}; {unsure > 0 ? 'hatched parts are not counted yet' : 'more follows'}.
          </span>
          <Button kind="quiet" onClick={state.countOn}>
            Count on
          </Button>
        </>
      ) : (
        <span>
          {isLate && line.cursor !== undefined ? 'Counting: ' : ''}
          {work}
        </span>
      )}
    </p>
  );
}

/** A dozen items need no line. */
function Handful({ line, source, props }: { line: Line; source: RulerSource; props: RulerProps }) {
  const ends = props.ends ?? (props.range ? endsOf(props.range) : undefined);
  return (
    <ul class="ruler-handful">
      {line.bins.map((bin, nth) => {
        const key = part(bin.First, line.attribute);
        const colour = props.colourOf?.(bin);
        const isIn = key && ends ? isWithin(key, ends, line, nth) : false;
        return (
          <li key={nth} class={isIn ? 'taken' : ''}>
            <button type="button" class="mono" disabled={!props.onItem} onClick={() => props.onItem?.(fullKey(source, bin.First))}>
              {colour && <Letter colour={colour} />}
              {key ? told(key) : toldKey(bin.First)}
              <span class="ruler-of">{bytes(bin.Bytes)}</span>
              {isIn && <span class="ruler-in">read</span>}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function isWithin(key: KeyValue, ends: Ends, line: Line, nth: number): boolean {
  const one: Line = { ...line, bins: [line.bins[nth]!] };
  const band = bandOf(one, [{ x: 0, width: 10, from: 0, to: 0, folders: 0, items: 1, bytes: 0, isExact: true }], ends);
  return !!key && !!band && band.width > 0;
}

/** The letter of an entity type on its colour. */
export function Letter({ colour }: { colour: EntityColour & { name: string } }) {
  return (
    <span class="entity" style={{ '--of': `var(${colour.token})` }} title={colour.name}>
      {colour.letter}
    </span>
  );
}

/** What a segment is, in words. */
function wordsOf(line: Line, segment: Segment): string {
  const [first, last] = [line.bins[segment.from]!, line.bins[segment.to]!];
  if (segment.from === segment.to && first.Name !== undefined) return toldName(first.Name, 80);
  const [low, high] = [part(first.First, line.attribute), part(last.Last, line.attribute)];
  const [firstName, lastName] = [first.FirstName ?? first.Name, last.LastName ?? last.Name];
  const isNamed = (segment.folders > 1 || line.kind === 'Supposed') && firstName !== undefined && lastName !== undefined;
  const ends = isNamed ? `${toldName(firstName, 60)} … ${toldName(lastName, 60)}` : low && high ? `${told(low, 60)} … ${told(high, 60)}` : `${toldKey(first.First, undefined, 60)} … ${toldKey(last.Last, undefined, 60)}`;
  if (segment.folders < 2) return ends;
  return `${segment.isExact ? '' : 'at least '}${counted(segment.folders, line.kind === 'Partitions' ? 'partition' : 'folder')}: ${ends}`;
}

const LABEL_FONT = '12px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';
const AXIS_FONT = '11px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

function coloursOf(): Colours {
  return {
    ground: tokenValue('--page'),
    segment: tokenValue('--ruler-a'),
    segmentOther: tokenValue('--ruler-b'),
    unsure: tokenValue('--ruler-unsure'),
    edge: tokenValue('--ruler-edge'),
    ink: tokenValue('--text'),
    inkSoft: tokenValue('--muted'),
    read: tokenValue('--read'),
    thrown: tokenValue('--thrown'),
    mark: tokenValue('--finding'),
    focus: tokenValue('--focus'),
  };
}

/** Cuts a text to a width; a label of less than three characters says nothing. */
function fitting(context: CanvasRenderingContext2D, font: string): (text: string, width: number) => string | undefined {
  context.font = font;
  const each = context.measureText('0').width || 7;
  return (text, width) => {
    const most = Math.floor(width / each);
    if (most < 3 && most < text.length) return undefined;
    let fitted = text.length <= most ? text : `${[...text].slice(0, most - 1).join('')}…`;
    // Wide letters take more than a place each.
    for (let tries = 0; tries < 8 && context.measureText(fitted).width > width; tries++) fitted = `${[...fitted].slice(0, -3).join('')}…`;
    return context.measureText(fitted).width <= width ? fitted : undefined;
  };
}

function labelOf(line: Line, segment: Segment): string | undefined {
  const first = line.bins[segment.from]!;
  if (segment.from === segment.to && first.Name !== undefined) return toldName(trimmed(first.Name, line.delimiter), 60);
  if (line.kind === 'Supposed' && first.IsExact) return counted(first.Items, 'item');
  if (segment.folders < 2) return undefined;
  const words = `${count(segment.folders)} ${line.kind === 'Partitions' ? 'partitions' : 'folders'}`;
  return segment.width > words.length * 8 + 10 ? words : count(segment.folders);
}

function trimmed(name: string, delimiter: string | undefined): string {
  return delimiter && name.length > delimiter.length && name.endsWith(delimiter) ? name.slice(0, -delimiter.length) : name;
}

function ticksOf(line: Line, segments: readonly Segment[], width: number, fit: (text: string, width: number) => string | undefined): Tick[] {
  const key = (bin: Bin, member: 'First' | 'Last') => part(bin[member], line.attribute);
  const found: Tick[] = [];
  const add = (value: KeyValue | undefined, x: number, align: Tick['align'], most: number): void => {
    const text = value && fit(told(value, 80), most);
    if (text) found.push({ x, text, align });
  };
  const half = width / 2 - 12;
  if (line.kind === 'Partitions') return found;
  if (line.kind === 'Supposed') {
    for (const [text, x, align] of [[line.bins[0]!.FirstName, 0, 'left'], [line.bins.at(-1)!.LastName, width, 'right']] as const) {
      const fitted = fit(toldText(text ?? '', 80), half);
      if (fitted) found.push({ x, text: fitted, align });
    }
    return found;
  }
  add(key(line.bins[0]!, 'First'), 0, 'left', Math.min(half, 260));
  if (line.kind !== 'Folders') {
    let next = 150;
    for (const segment of segments) {
      if (segment.x < next || segment.x > width - 230) continue;
      add(key(line.bins[segment.from]!, 'First'), segment.x, 'left', 120);
      next = segment.x + 140;
    }
  }
  add(key(line.bins.at(-1)!, 'Last'), width, 'right', Math.min(half, 220));
  return found;
}

interface LineProps {
  line: Line;
  source: RulerSource;
  go: (source: RulerSource) => void;
  scale: Scale;
  props: RulerProps;
}

function useWidth(root: { current: HTMLElement | null }): number {
  const [width, set] = useState(0);
  useEffect(() => {
    if (!root.current) return;
    const watching = new ResizeObserver(([entry]) => set(Math.floor(entry?.contentRect.width ?? 0)));
    watching.observe(root.current);
    set(Math.floor(root.current.clientWidth));
    return () => watching.disconnect();
  }, []);
  return width;
}

function RulerLine({ line, source, go, scale, props }: LineProps) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(root);
  const [active, setActive] = useState(-1);
  const [hovered, setHovered] = useState(-1);
  const [span, setSpan] = useState<[number, number] | null>(null);
  const segments = useMemo(() => layout(line.bins, width, scale), [line, width, scale]);
  const limits = { prefix: source.prefix, isStretch: source.from !== undefined || source.to !== undefined };
  const dragged = span && rangeOfSpan(line, segments, span[0], span[1], limits);
  const ends = dragged ? endsOf(dragged) : (props.ends ?? (props.range ? endsOf(props.range) : undefined));
  const band = ends && line.kind !== 'Partitions' ? bandOf(line, segments, ends) : undefined;
  const marks = useMemo(() => (props.marks ?? []).slice(0, 50).map((mark) => ({ mark, x: placeOf(line, segments, mark.key) })), [props.marks, segments]);
  useDrawing(canvas, { line, segments, width, band, active, hovered, marks: marks.map((one) => one.x), props, isDragged: dragged !== null });
  const canRange = props.onRange !== undefined && line.kind !== 'Partitions';
  const open = (nth: number): void => {
    const segment = segments[nth];
    if (!segment || props.line) return;
    const next = opened(source, line, segment.from, segment.to);
    if (next) go(next);
    else if (line.bins[segment.from]!.Folders === 0 && segment.items === 1) props.onItem?.(fullKey(source, line.bins[segment.from]!.First));
  };
  const up = (): void => {
    const above = crumbs(source, line.delimiter, () => '').at(-2);
    if (above) go(above.source);
  };
  const choose = (nth: number): void => {
    const segment = segments[nth];
    setActive(nth);
    if (segment) props.onSegment?.(line.bins[segment.from]!, line.bins[segment.to]!);
  };
  const shown = segments[hovered >= 0 ? hovered : active];
  return (
    <>
      <div class="ruler-line" ref={root} style={{ height: `${RULER_HEIGHT}px` }}>
        <canvas ref={canvas} aria-hidden="true" />
        {width > 0 && (
          <Keys
            line={line}
            segments={segments}
            active={active}
            choose={choose}
            hover={setHovered}
            open={open}
            up={up}
            drag={canRange ? setSpan : undefined}
            dropped={(from, to) => props.onRange?.(rangeOfSpan(line, segments, from, to, limits))}
            label={props.title ?? 'Segments of the ruler'}
          />
        )}
        {canRange && band && ends && !span && (
          <Handles band={band} ends={ends} line={line} segments={segments} width={width} move={(side, to) => props.onRange!(rangeOfMove(line, segments, ends, side, to, limits))} />
        )}
        <Marks marks={marks} onMark={props.onMark} />
      </div>
      <Said line={line} shown={shown} dragged={dragged} hint={props.line ? '' : hintOf(line, canRange)} entity={shown && props.colourOf?.(line.bins[shown.from]!)}>
        {shown && hovered < 0 && canRange && (
          <Button kind="quiet" onClick={() => props.onRange!(rangeOfSpan(line, segments, active, active, limits))}>
            As range
          </Button>
        )}
        {shown && hovered < 0 && !props.line && opened(source, line, shown.from, shown.to) && (
          <Button kind="quiet" onClick={() => open(active)}>
            Open
          </Button>
        )}
      </Said>
    </>
  );
}

function Marks({ marks, onMark }: { marks: { mark: RulerMark; x: number }[]; onMark: RulerProps['onMark'] }) {
  return (
    <>
      {marks.map(({ mark, x }) => (
        <button key={mark.id} type="button" class="ruler-mark" style={{ left: `${x}px` }} aria-label={mark.words} title={mark.words} onClick={() => onMark?.(mark)} />
      ))}
    </>
  );
}

interface Drawn {
  line: Line;
  segments: readonly Segment[];
  width: number;
  band: Band | undefined;
  active: number;
  hovered: number;
  marks: number[];
  props: RulerProps;
  isDragged: boolean;
}

function useDrawing(canvas: { current: HTMLCanvasElement | null }, drawn: Drawn): void {
  const isDarkNow = isDark.value;
  const { line, segments, width, band, active, hovered, marks, props, isDragged } = drawn;
  const place = JSON.stringify(band);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || width === 0) return;
    const ratio = devicePixelRatio || 1;
    const [across, high] = [Math.round(width * ratio), Math.round(RULER_HEIGHT * ratio)];
    if (canvas.current.width !== across || canvas.current.height !== high) {
      canvas.current.width = across;
      canvas.current.height = high;
    }
    const fit = fitting(context, LABEL_FONT);
    const entities = segments.map((segment) => {
      const colour = segment.from === segment.to ? props.colourOf?.(line.bins[segment.from]!) : undefined;
      return colour && { colour: tokenValue(colour.token), letter: colour.letter };
    });
    const picture = {
      width,
      segments,
      labels: labels(segments, (segment) => labelOf(line, segment), fit),
      entities,
      band,
      thrown: isDragged ? undefined : props.thrown,
      marks,
      active,
      hovered,
      ticks: ticksOf(line, segments, width, fitting(context, AXIS_FONT)),
    };
    const colours = coloursOf();
    // Labels and ticks have fonts of their own.
    const calls = draw(context, picture, colours, ratio, LABEL_FONT);
    canvas.current.dataset['calls'] = String(calls);
    canvas.current.dataset['segments'] = String(segments.length);
  }, [line, segments, width, place, active, hovered, marks.join(), props.thrown, props.colourOf, isDarkNow, isDragged]);
}

function Said({ line, shown, dragged, entity, hint, children }: { hint: string; line: Line; shown: Segment | undefined; dragged: KeyRange | null; entity: (EntityColour & { name: string }) | undefined; children: ComponentChildren }) {
  const share = shown && line.items > 0 && line.isExact ? percent(shown.items / line.items) : undefined;
  return (
    <div class="ruler-said">
      {dragged ? (
        <p class="mono">{toldText(rangeText(line.attribute, dragged), 300)}</p>
      ) : shown ? (
        <>
          <p>
            {entity && <Letter colour={entity} />}
            <b class="mono">{wordsOf(line, shown)}</b>
            <span>{amount(shown.items, shown.isExact, 'item')}</span>
            {shown.bytes > 0 && <span>{bytes(shown.bytes)}</span>}
            {share && <span>{share}</span>}
          </p>
          {children}
        </>
      ) : (
        <p class="ruler-hint">{hint}</p>
      )}
    </div>
  );
}

function hintOf(line: Line, canRange: boolean): string {
  if (line.kind === 'Partitions') return 'Partitions in the order of their hashes. Click one to open it.';
  return `Click a part to open it${canRange ? ', drag over parts to take them as a range' : ''}; or arrows, Enter, Backspace.`;
}

interface KeysProps {
  line: Line;
  segments: readonly Segment[];
  active: number;
  choose: (nth: number) => void;
  hover: (nth: number) => void;
  open: (nth: number) => void;
  up: () => void;
  drag: ((span: [number, number] | null) => void) | undefined;
  dropped: (from: number, to: number) => void;
  label: string;
}

/** A press on a segment opens it; a press that moves over several takes them as a range. */
function usePointer({ segments, choose, hover, open, drag, dropped }: KeysProps) {
  const from = useRef<{ nth: number; x: number; hasMoved: boolean } | null>(null);
  const last = segments.length - 1;
  const at = (event: PointerEvent): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const x = Math.min(Math.max(0, event.clientX - box.left), box.width - 1);
    return Math.min(last, Math.max(0, segmentAt(segments, x)));
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    from.current = { nth: at(event), x: event.clientX, hasMoved: false };
    if (drag && event.pointerType !== 'touch') (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    // A finger scrolls the page; it opens segments and moves the ends of a range.
    if (event.pointerType === 'touch') return;
    const nth = at(event);
    hover(nth);
    const begun = from.current;
    if (!begun || !drag) return;
    begun.hasMoved ||= Math.abs(event.clientX - begun.x) > 5;
    if (begun.hasMoved) drag([begun.nth, nth]);
  };
  const up = (event: PointerEvent): void => {
    const begun = from.current;
    from.current = null;
    if (!begun) return;
    const nth = at(event);
    drag?.(null);
    if (begun.hasMoved) return dropped(begun.nth, nth);
    choose(nth);
    open(nth);
  };
  const cancel = (): void => {
    from.current = null;
    drag?.(null);
  };
  return { down, move, up, cancel };
}

/** Arrows move, with Shift they take segments into the range, Enter opens, Backspace and Escape go up. */
function useArrows({ segments, active, choose, open, up, drag, dropped }: KeysProps) {
  const taken = useRef<[number, number] | null>(null);
  return (event: KeyboardEvent): void => {
    const last = segments.length - 1;
    const now = Math.max(0, active);
    const to = { ArrowRight: active < 0 ? 0 : active + 1, ArrowLeft: now - 1, Home: 0, End: last, PageDown: now + 10, PageUp: now - 10 }[event.key];
    if (to !== undefined) {
      const next = Math.min(last, Math.max(0, to));
      taken.current = event.shiftKey && drag ? [taken.current?.[0] ?? now, next] : null;
      if (taken.current) dropped(...taken.current);
      choose(next);
    } else if (event.key === 'Enter' || event.key === ' ') open(active);
    else if (event.key === 'Backspace' || event.key === 'Escape') up();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** What the keyboard, the pointer and screen readers work on, over the canvas. */
function Keys(props: KeysProps) {
  const { line, segments, active, choose, hover } = props;
  const id = useId('ruler');
  const press = useArrows(props);
  const pointer = usePointer(props);
  const segment = segments[active];
  const words = segment
    ? `${wordsOf(line, segment)}, ${amount(segment.items, segment.isExact, 'item')}${segment.bytes > 0 ? `, ${bytes(segment.bytes)}` : ''}`
    : `${counted(segments.length, 'segment')}; arrows move`;
  return (
    <div
      class="ruler-keys"
      tabIndex={0}
      role="listbox"
      aria-label={props.label}
      aria-activedescendant={segment ? `${id}-at` : undefined}
      onKeyDown={press}
      onFocus={(event) => active < 0 && event.currentTarget.matches(':focus-visible') && choose(0)}
      onPointerDown={pointer.down}
      onPointerMove={pointer.move}
      onPointerUp={pointer.up}
      onPointerCancel={pointer.cancel}
      onPointerLeave={() => hover(-1)}
    >
      <div
        id={`${id}-at`}
        role="option"
        class="ruler-option"
        aria-selected={segment !== undefined}
        aria-posinset={Math.max(1, active + 1)}
        aria-setsize={segments.length}
        style={{ left: `${segment?.x ?? 0}px`, width: `${segment?.width ?? 0}px` }}
      >
        <span class="hidden">{words}</span>
      </div>
    </div>
  );
}

interface HandlesProps {
  band: Band;
  ends: Ends;
  line: Line;
  segments: readonly Segment[];
  width: number;
  move: (side: 'lower' | 'upper', segment: number) => void;
}

function Handles({ move, ...rest }: HandlesProps) {
  return (
    <>
      <Handle {...rest} side="lower" move={(to) => move('lower', to)} />
      <Handle {...rest} side="upper" move={(to) => move('upper', to)} />
    </>
  );
}

interface HandleProps extends Omit<HandlesProps, 'move'> {
  side: 'lower' | 'upper';
  move: (segment: number) => void;
}

const HANDLE = 24;

/** Handles stand outside of their band and beside each other, and reach over the ends of the ruler by half at most. */
function handleLeft({ x, width: across }: Band, width: number): Record<'lower' | 'upper', number> {
  const over = HANDLE / 2;
  const upper = Math.min(x + across, width - over);
  const lower = Math.max(Math.min(x, upper) - HANDLE, -over);
  return { lower, upper: Math.max(upper, lower + HANDLE) };
}

/** An end of the range: a mouse, a finger or arrows move it from segment to segment. */
function Handle({ side, band, ends, line, segments, width, move }: HandleProps) {
  const isHeld = useRef(false);
  const x = side === 'lower' ? band.x : band.x + band.width;
  const left = handleLeft(band, width)[side];
  const bound = ends[side];
  const words = bound ? told(bound.key, 80) : side === 'lower' ? 'open: from the first key' : 'open: to the last key';
  const edge = (segment: Segment) => (side === 'lower' ? segment.x : segment.x + segment.width);
  const near = (place: number): number => {
    let best = 0;
    for (const [nth, one] of segments.entries()) if (Math.abs(edge(one) - place) < Math.abs(edge(segments[best]!) - place)) best = nth;
    return best;
  };
  const press = (event: KeyboardEvent): void => {
    const now = near(x);
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: segments.length - 1, PageUp: now + 10, PageDown: now - 10 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move(Math.min(segments.length - 1, Math.max(0, to)));
  };
  return (
    <button
      type="button"
      class={`ruler-handle ${side}`}
      style={{ left: `${left}px`, top: `${LANES.marks}px`, height: `${LANES.bar + LANES.band}px` }}
      role="slider"
      aria-label={side === 'lower' ? 'Lower end of the range' : 'Upper end of the range'}
      aria-valuemin={0}
      aria-valuemax={width}
      aria-valuenow={Math.round(x)}
      aria-valuetext={`${words}, ${line.attribute}`}
      title={words}
      onKeyDown={press}
      onPointerDown={(event) => {
        isHeld.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!isHeld.current) return;
        const box = event.currentTarget.parentElement!.getBoundingClientRect();
        const to = near(event.clientX - box.left);
        if (to !== near(x)) move(to);
      }}
      onPointerUp={() => (isHeld.current = false)}
      onPointerCancel={() => (isHeld.current = false)}
    />
  );
}
