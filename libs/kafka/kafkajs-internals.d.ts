/** The one inner module of kafkajs 2.2.4 that is touched, see request-queue-polling.ts. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  interface RequestQueue {
    pending: unknown[];
    scheduleCheckPendingRequests(): void;
  }
  const requestQueue: { prototype: RequestQueue };
  export default requestQueue;
}
