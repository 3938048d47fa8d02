/** The material for one kind of forged record. */
import { header, type TopicName } from '#lib/contract';
import type { Pools } from '../../pools.ts';
import type { BaseRecords, Codecs } from '../base-records.ts';
import type { Ending, ForgedRecord } from '../forged-record.ts';
import type { Versions } from '../versions.ts';

export interface ForgeOptions extends Codecs {
  base: BaseRecords;
  pools: Pools;
  versions: Versions;
}

export type Forge = (topic: TopicName, options: ForgeOptions) => Partial<ForgedRecord>;

export interface Kind {
  kind: string;
  ending: Ending;
  forge: Forge;
}

export const mebibyte = 1024 * 1024;
export const text = (value: string): Buffer => Buffer.from(value);
export const notUtf8 = Buffer.from([0x61, 0xff, 0xc3, 0x28]);
export const hugeOf = (pools: Pools, length: number): Buffer =>
  Buffer.alloc(length, pools.bytes(60).toString('hex') || 'a');

/** One header of the record is another; where it has none, one that any record may have. */
export const withHeader =
  (change: (before: Buffer, pools: Pools) => Buffer | readonly Buffer[] | undefined): Forge =>
  (topic, { base, pools }) => {
    const record = base.of(topic);
    const name = pools.pick([...Object.keys(record.headers), header.origin, header.tenant]);
    const { [name]: before, ...others } = record.headers;
    const value = change(Buffer.isBuffer(before) ? before : text('a'), pools);
    return { ...record, headers: { ...others, ...(value !== undefined && { [name]: value }) } };
  };

export const adding =
  (more: (pools: Pools) => readonly (readonly [string, Buffer | readonly Buffer[]])[]): Forge =>
  (topic, { base, pools }) => {
    const record = base.of(topic);
    return {
      ...record,
      headers: Object.fromEntries([...Object.entries(record.headers), ...more(pools)]),
    };
  };

export const withKey =
  (keyOf: (pools: Pools) => Buffer | null): Forge =>
  (topic, { base, pools }) => ({ ...base.of(topic), key: keyOf(pools) });

export const withValue =
  (valueOf: (before: Buffer, pools: Pools) => Buffer | null): Forge =>
  (topic, { base, pools }) => {
    const record = base.of(topic);
    return { ...record, value: valueOf(record.value ?? Buffer.alloc(0), pools) };
  };

export function flipped(bytes: Buffer, pools: Pools): Buffer {
  const result = Buffer.from(bytes);
  for (let times = 0; times < 3 && result.length > 0; times += 1) result[pools.below(result.length)] = pools.below(256);
  return result;
}
