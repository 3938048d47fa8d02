/** The inner modules of kafkajs 2.2.4 that the patches touch. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  export interface RequestQueue {
    pending: { requestTimeout: number }[];
    push(request: { entry: { apiName: string } }): void;
    scheduleCheckPendingRequests(): void;
    inflight: Map<number, { requestTimeout: number; timeoutRequest(): void }>;
    enforceRequestTimeout: boolean;
    requestTimeout: number;
    scheduleRequestTimeoutCheck(): void;
    isConnected(): boolean;
    destroy(): void;
    /** Ours, called after requests have timed out: fresh-connections.ts sets it, clock-steps.ts calls it. */
    onTimedOut?: () => void;
  }
  const requestQueue: { prototype: RequestQueue };
  export default requestQueue;
}

declare module 'kafkajs/src/network/connection.js' {
  interface Connection {
    socket: { destroy(error: Error): unknown };
    requestQueue: { onTimedOut?: () => void };
    chunks: Buffer[];
    bytesBuffered: number;
    bytesNeeded: number;
    broker: string;
    isConnected(): boolean;
    failIfNotConnected(): void;
    connect(): Promise<boolean>;
    disconnect(): Promise<boolean>;
    processData(bytes: Buffer): void;
  }
  const Connection: { prototype: Connection };
  export default Connection;
}

declare module 'kafkajs/src/broker/index.js' {
  export interface Joined {
    memberId: string;
    generationId: number;
  }
  interface Broker {
    joinGroup(asked: { groupId: string; memberId: string }): Promise<Joined>;
  }
  const broker: { prototype: Broker };
  export default broker;
}

declare module 'kafkajs/src/errors.js' {
  // Node does not find it among what the package exports.
  export { KafkaJSConnectionError, KafkaJSError, KafkaJSRequestTimeoutError } from 'kafkajs';
}

declare module 'kafkajs/src/cluster/index.js' {
  /** One request, and the decoder of its answer. */
  export interface Exchange<T> {
    request: {
      apiKey: number;
      apiVersion: number;
      apiName: string;
      /** The part of an Encoder that is read when it is written into another. */
      encode(): Promise<{ buf: Buffer; buffer: Buffer }>;
    };
    response: {
      decode(bytes: Buffer): Promise<T & { clientSideThrottleTime?: number }>;
      parse(answer: T): Promise<T>;
    };
  }
  export interface Cluster {
    brokerPool: { seedBroker: { connectionPool: { send<T>(exchange: Exchange<T>): Promise<T> } } };
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    isConnected(): boolean;
    findGroupCoordinatorMetadata(asked: { groupId: string }): Promise<unknown>;
    addTargetTopic(topic: string): Promise<void>;
    /** Partitions by the id of the broker that leads them. */
    findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>;
    findBroker(asked: { nodeId: string }): Promise<{
      fetch(
        asked: object,
      ): Promise<{ responses: readonly { partitions: readonly { messages: readonly object[] }[] }[] }>;
    }>;
  }
  const cluster: { prototype: Cluster };
  export default cluster;
}

declare module 'kafkajs/src/consumer/consumerGroup.js' {
  interface ConsumerGroup {
    /** Null after the coordinator has refused it, until the next join. */
    memberId: string | null;
    /** Milliseconds of the wall clock. */
    lastRequest: number;
    heartbeat(options: { interval: number }): Promise<void>;
    memberId: string | null;
    recoverFromOffsetOutOfRange(error: { topic: string; partition: number }): Promise<void>;
  }
  const consumerGroup: { prototype: ConsumerGroup };
  export default consumerGroup;
}

declare module 'kafkajs/src/protocol/requests/fetch/v11/response.js' {
  export interface PartitionResponse {
    partition: number;
    errorCode: number;
    highWatermark: string;
    lastStableOffset: string;
    lastStartOffset: string;
    abortedTransactions: readonly { producerId: string; firstOffset: string }[];
    preferredReadReplica: number;
    messages: readonly object[];
  }
  export interface FetchResponse {
    throttleTime: number;
    clientSideThrottleTime: number;
    errorCode: number;
    sessionId: number;
    responses: readonly { topicName: string; partitions: readonly PartitionResponse[] }[];
  }
  const fetchResponse: { decode(bytes: Buffer): Promise<FetchResponse> };
  export default fetchResponse;
}
