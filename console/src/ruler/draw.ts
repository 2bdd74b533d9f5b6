// The ruler on a canvas: fills, labels, band, hatches, marks. One pass, bounded calls: neighbours of one fill are one path.

import type { Band, Label, Segment } from './layout';

export interface Colours {
  ground: string;
  segment: string;
  segmentOther: string;
  unsure: string;
  edge: string;
  ink: string;
  inkSoft: string;
  read: string;
  thrown: string;
  mark: string;
  focus: string;
}

/** Heights of the lanes of a ruler, in pixels of CSS. */
export const LANES = { marks: 14, bar: 34, band: 12, axis: 16 } as const;
export const RULER_HEIGHT = LANES.marks + LANES.bar + LANES.band + LANES.axis;

export interface Tick {
  x: number;
  text: string;
  align: 'left' | 'center' | 'right';
}

export interface Picture {
  width: number;
  segments: readonly Segment[];
  labels: readonly Label[];
  /** Colour of a segment's entity type, and its letter. */
  entities: readonly ({ colour: string; letter: string } | undefined)[];
  band: Band | undefined;
  /** Part of the band that a filter threw away, from 0 to 1. */
  thrown: number | undefined;
  /** Places of findings. */
  marks: readonly number[];
  active: number;
  hovered: number;
  ticks: readonly Tick[];
}

/** Draws, and returns how many calls that took. */
export function draw(context: CanvasRenderingContext2D, picture: Picture, colours: Colours, ratio: number, font: string): number {
  const pen = new Pen(context, ratio);
  pen.clear(picture.width);
  bars(pen, picture, colours);
  labelsOf(pen, picture, colours, font);
  if (picture.band) band(pen, picture, picture.band, colours);
  marks(pen, picture.marks, colours);
  active(pen, picture, colours);
  ticks(pen, picture.ticks, colours, font);
  return pen.calls;
}

class Pen {
  calls = 0;
  constructor(
    readonly context: CanvasRenderingContext2D,
    readonly ratio: number,
  ) {}

  clear(width: number): void {
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, width, RULER_HEIGHT);
    this.calls++;
  }

  /** Fills rectangles as one path. */
  fill(colour: string, rectangles: Iterable<readonly [number, number, number, number]>, alpha = 1): void {
    this.context.beginPath();
    let any = false;
    for (const [x, y, width, height] of rectangles) {
      this.context.rect(x, y, width, height);
      any = true;
    }
    if (!any) return;
    this.context.globalAlpha = alpha;
    this.context.fillStyle = colour;
    this.context.fill();
    this.context.globalAlpha = 1;
    this.calls++;
  }

  /** Lines at an angle inside a rectangle, as one path. */
  hatch(colour: string, [x, y, width, height]: readonly [number, number, number, number], step: number, line: number, alpha = 1): void {
    if (width <= 0) return;
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.beginPath();
    for (let at = x - height - ((x - height) % step); at < x + width; at += step) {
      context.moveTo(at, y + height);
      context.lineTo(at + height, y);
    }
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.stroke();
    context.restore();
    this.calls += 2;
  }

  text(colour: string, font: string, text: string, x: number, y: number, align: CanvasTextAlign): void {
    this.context.font = font;
    this.context.textAlign = align;
    this.context.textBaseline = 'middle';
    this.context.fillStyle = colour;
    this.context.fillText(text, x, y);
    this.calls++;
  }
}

const BAR_TOP = LANES.marks;

function rectangle({ x, width }: Segment): readonly [number, number, number, number] {
  // A gap of one pixel parts the segments, unless they are too narrow for it.
  return [x, BAR_TOP, width > 4 ? width - 1 : width, LANES.bar];
}

function bars(pen: Pen, picture: Picture, colours: Colours): void {
  const byColour = new Map<string, Segment[]>();
  const unsure: Segment[] = [];
  for (const [nth, segment] of picture.segments.entries()) {
    const colour = !segment.isExact ? colours.unsure : nth % 2 === 0 ? colours.segment : colours.segmentOther;
    byColour.set(colour, [...(byColour.get(colour) ?? []), segment]);
    if (!segment.isExact) unsure.push(segment);
  }
  for (const [colour, segments] of byColour) pen.fill(colour, segments.map(rectangle));
  for (const [from, to] of runs(unsure)) pen.hatch(colours.edge, [from, BAR_TOP, to - from, LANES.bar], 7, 1, 0.55);
  entities(pen, picture);
}

/** A strip at the top of each segment has the colour of its entity type. */
function entities(pen: Pen, picture: Picture): void {
  const byColour = new Map<string, Segment[]>();
  for (const [nth, entity] of picture.entities.entries()) {
    const segment = picture.segments[nth];
    if (entity && segment) byColour.set(entity.colour, [...(byColour.get(entity.colour) ?? []), segment]);
  }
  for (const [colour, segments] of byColour) {
    pen.fill(colour, segments.map((one) => [one.x, BAR_TOP, one.width > 4 ? one.width - 1 : one.width, 4] as const));
  }
}

/** Neighbours as stretches, so that a hundred of them are one hatch. */
function runs(segments: readonly Segment[]): [number, number][] {
  const found: [number, number][] = [];
  for (const { x, width } of segments) {
    const last = found.at(-1);
    if (last && x <= last[1] + 1) last[1] = x + width;
    else found.push([x, x + width]);
  }
  return found.slice(0, 50);
}

function labelsOf(pen: Pen, picture: Picture, colours: Colours, font: string): void {
  for (const label of picture.labels) {
    const segment = picture.segments[label.segment]!;
    const isLow = picture.entities[label.segment] !== undefined;
    pen.text(segment.isExact ? colours.ink : colours.inkSoft, font, label.text, label.x, BAR_TOP + LANES.bar / 2 + (isLow ? 2 : 1), 'left');
  }
}

function band(pen: Pen, picture: Picture, of: Band, colours: Colours): void {
  const width = Math.max(2, of.width);
  const end = Math.min(picture.width, of.x + width);
  const outside = [[0, BAR_TOP, of.x, LANES.bar], [end, BAR_TOP, picture.width - end, LANES.bar]] as const;
  pen.fill(colours.ground, outside, 0.35);
  const top = BAR_TOP + LANES.bar + 2;
  const height = LANES.band - 4;
  const kept = picture.thrown === undefined ? width : Math.max(picture.thrown < 1 ? 2 : 0, width * (1 - picture.thrown));
  const thrownWidth = Math.max(0, width - kept);
  pen.fill(colours.read, [[of.x + thrownWidth, top, kept, height]]);
  if (thrownWidth > 0) {
    pen.fill(colours.thrown, [[of.x, top, thrownWidth, height]], 0.18);
    pen.hatch(colours.thrown, [of.x, top, thrownWidth, height], 5, 2);
    pen.hatch(colours.thrown, [of.x, BAR_TOP, thrownWidth, LANES.bar], 8, 1.5, 0.45);
  }
  const sides = [...(of.goesOnLeft ? [] : [[of.x, BAR_TOP - 2, 2, LANES.bar + LANES.band]] as const), ...(of.goesOnRight ? [] : [[end - 2, BAR_TOP - 2, 2, LANES.bar + LANES.band]] as const)];
  pen.fill(colours.read, sides);
}

/** Findings are diamonds, which no other sign of the ruler is. */
function marks(pen: Pen, places: readonly number[], colours: Colours): void {
  if (places.length === 0) return;
  const { context } = pen;
  context.beginPath();
  for (const x of places.slice(0, 200)) {
    context.moveTo(x, 2);
    context.lineTo(x + 5, 7);
    context.lineTo(x, 12);
    context.lineTo(x - 5, 7);
    context.closePath();
  }
  context.fillStyle = colours.mark;
  context.fill();
  pen.calls++;
}

function active(pen: Pen, picture: Picture, colours: Colours): void {
  const hovered = picture.segments[picture.hovered];
  if (hovered && picture.hovered !== picture.active) pen.fill(colours.ink, [rectangle(hovered)], 0.08);
  const chosen = picture.segments[picture.active];
  if (!chosen) return;
  const { context } = pen;
  context.strokeStyle = colours.focus;
  context.lineWidth = 2;
  context.strokeRect(chosen.x + 1, BAR_TOP + 1, Math.max(1, chosen.width - 3), LANES.bar - 2);
  pen.calls++;
}

function ticks(pen: Pen, all: readonly Tick[], colours: Colours, font: string): void {
  const y = BAR_TOP + LANES.bar + LANES.band + LANES.axis / 2;
  for (const tick of all) pen.text(colours.inkSoft, font, tick.text, tick.x, y, tick.align);
}
