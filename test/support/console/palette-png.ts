/** PNGs of pages, a third of their size: pages have few colours, so a palette of the 256 most frequent ones looks the same. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const mostColours = 256;

/** @param png 8-bit RGB without interlacing, as Chromium makes it */
export function toPalettePng(png: Buffer): Buffer {
  const chunks = readChunks(png);
  const header = Buffer.concat(chunks.filter(({ type }) => type === 'IHDR').map(({ data }) => data));
  const [width, height, format] = [header.readUInt32BE(0), header.readUInt32BE(4), header.toString('hex', 8)];
  if (format !== '0802000000') throw new Error(`a PNG of another format: ${format}`);
  const pixels = readPixels(
    inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))),
    { width, height },
  );
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, mostColours)
    .map(([colour]) => colour);
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(colour, palette)]));
  const lines = Buffer.alloc((width + 1) * height);
  pixels.forEach((colour, at) => (lines[at + Math.floor(at / width) + 1] = indexes.get(colour) ?? 0));
  header.writeUInt8(3, 9);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const channels = (colour: number): [number, number, number] => [colour >> 16, (colour >> 8) & 255, colour & 255];

function nearest(colour: number, palette: readonly number[]): number {
  const [red, green, blue] = channels(colour);
  const distances = palette.map((other) => {
    const [r, g, b] = channels(other);
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  });
  return distances.indexOf(Math.min(...distances));
}

function readChunks(png: Buffer): { type: string; data: Buffer }[] {
  const chunks = [];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, crc]);
}

/** Undoes the filters of the lines (PNG specification, 9.2). One number for each pixel. */
function readPixels(filtered: Buffer, { width, height }: { width: number; height: number }): Uint32Array {
  const bytes = 3;
  const lineBytes = width * bytes;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(lineBytes);
  for (let y = 0; y < height; y += 1) {
    const start = y * (lineBytes + 1);
    const filter = filtered[start] ?? 0;
    const line = new Uint8Array(filtered.subarray(start + 1, start + 1 + lineBytes));
    for (let x = 0; x < lineBytes; x += 1) {
      const left = line[x - bytes] ?? 0;
      const up = above[x] ?? 0;
      line[x] = (line[x] ?? 0) + predicted(filter, { left, up, upLeft: above[x - bytes] ?? 0 });
    }
    for (let x = 0; x < width; x += 1)
      pixels[y * width + x] = ((line[x * 3] ?? 0) << 16) | ((line[x * 3 + 1] ?? 0) << 8) | (line[x * 3 + 2] ?? 0);
    above = line;
  }
  return pixels;
}

function predicted(filter: number, { left, up, upLeft }: Record<'left' | 'up' | 'upLeft', number>): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [byLeft, byUp, byBoth] = [Math.abs(up - upLeft), Math.abs(left - upLeft), Math.abs(left + up - 2 * upLeft)];
  return byLeft <= byUp && byLeft <= byBoth ? left : byUp <= byBoth ? up : upLeft;
}
