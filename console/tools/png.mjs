// Pictures of pages with a palette: a screenshot has some thousand colours, most of them greys of letters; the most
// frequent ones stand for all. Reads and writes PNG without interlace, of eight bits a channel.

import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

function chunksOf(png) {
  const chunks = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

const predictor = (left, up, corner) => {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
};

/** Returns the width, the height, and the pixels as 0xRRGGBB. */
function pixelsOf(png) {
  const chunks = chunksOf(png);
  const head = chunks.find((one) => one.type === 'IHDR').data;
  const [width, height, channels] = [head.readUInt32BE(0), head.readUInt32BE(4), head[9] === 6 ? 4 : 3];
  const raw = inflateSync(Buffer.concat(chunks.filter((one) => one.type === 'IDAT').map((one) => one.data)));
  const stride = width * channels;
  const lines = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x >= channels ? lines[at - channels] : 0;
      const up = y > 0 ? lines[at - stride] : 0;
      const corner = x >= channels && y > 0 ? lines[at - stride - channels] : 0;
      const added = [0, left, up, (left + up) >> 1, predictor(left, up, corner)][filter];
      lines[at] = raw[y * (stride + 1) + 1 + x] + added;
    }
  }
  const pixels = new Uint32Array(width * height);
  for (let nth = 0; nth < pixels.length; nth += 1) pixels[nth] = (lines[nth * channels] << 16) | (lines[nth * channels + 1] << 8) | lines[nth * channels + 2];
  return { width, height, pixels };
}

const distance = (one, other) => {
  const [r, g, b] = [(one >> 16) - (other >> 16), ((one >> 8) & 255) - ((other >> 8) & 255), (one & 255) - (other & 255)];
  return 2 * r * r + 4 * g * g + 3 * b * b;
};

/** Returns at most so many colours: frequent ones first, none that is near to one that was taken. */
function paletteOf(pixels, most) {
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const all = [...counts].sort((one, other) => other[1] - one[1]).map(([colour]) => colour);
  for (let near = 48; ; near *= 1.6) {
    const taken = [];
    for (const colour of all) {
      if (taken.every((one) => distance(one, colour) > near)) taken.push(colour);
      if (taken.length > most) break;
    }
    if (taken.length <= most) return taken;
  }
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns the same picture with a palette of at most so many colours, 256 at most. */
export function withPalette(png, most = 200) {
  const { width, height, pixels } = pixelsOf(png);
  const palette = paletteOf(pixels, most);
  const known = new Map();
  const nearest = (colour) => {
    let [best, least] = [0, Infinity];
    for (const [nth, one] of palette.entries()) {
      const far = distance(one, colour);
      if (far < least) [best, least] = [nth, far];
    }
    known.set(colour, best);
    return best;
  };
  const lines = Buffer.alloc((width + 1) * height);
  for (let nth = 0; nth < pixels.length; nth += 1) lines[Math.floor(nth / width) * (width + 1) + 1 + (nth % width)] = known.get(pixels[nth]) ?? nearest(pixels[nth]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
  return Buffer.concat([signature, chunk('IHDR', head), chunk('PLTE', colours), chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
