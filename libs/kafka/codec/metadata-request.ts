import { type ByteReader, int32, text } from './wire-types.ts';

export interface ClusterMetadata {
  /** `host:port` by the broker's id. */
  addresses: ReadonlyMap<number, string>;
  topics: readonly TopicMetadata[];
}

export interface TopicMetadata {
  name: string;
  /** 0: no error. */
  errorCode: number;
  partitions: readonly {
    id: number;
    /** -1: no leader. */ leader: number;
    replicas: number;
    inSync: number;
  }[];
}

/** Metadata request, version 4: https://kafka.apache.org/protocol#The_Messages_Metadata */
export function metadataBody(topics: readonly string[]): Buffer {
  const withoutCreation = Buffer.from([0]);
  return Buffer.concat([int32(topics.length), ...topics.map(text), withoutCreation]);
}

/** Metadata response, version 4. */
export function readMetadataResponse(reader: ByteReader): ClusterMetadata & { clientSideThrottleTime: number } {
  const clientSideThrottleTime = reader.int32();
  const brokers = reader.list((): [number, string] => {
    const id = reader.int32();
    const address = `${reader.text(reader.int16())}:${reader.int32()}`;
    nullableText(reader); // rack
    return [id, address];
  });
  nullableText(reader); // cluster id
  reader.int32(); // controller id
  const topics = reader.list((): TopicMetadata => {
    const errorCode = reader.int16();
    const name = reader.text(reader.int16());
    reader.int8(); // is internal
    const partitions = reader.list(() => {
      reader.int16(); // error code: no leader, or a replica is away
      const [id, leader] = [reader.int32(), reader.int32()];
      const replicas = reader.list(() => reader.int32()).length;
      const inSync = reader.list(() => reader.int32()).length;
      return { id, leader, replicas, inSync };
    });
    return { name, errorCode, partitions };
  });
  return { addresses: new Map(brokers), topics, clientSideThrottleTime };
}

function nullableText(reader: ByteReader): string | undefined {
  const length = reader.int16();
  return length < 0 ? undefined : reader.text(length);
}
