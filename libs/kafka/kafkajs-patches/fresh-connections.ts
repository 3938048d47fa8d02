/**
 * Five defects of kafkajs's Connection, each with its patch:
 *
 * - A reconnect keeps the unread bytes of the old connection in front of the new one's. Answers are then framed wrongly: one too short to have a
 *   correlation id ends the process, any other may be taken for another request's. Patched: each connection starts with an empty buffer.
 * - Bytes that can't be parsed throw out of the socket's listener. Patched: they end that connection alone.
 * - Concurrent callers without a connection open one each; kafkajs keeps the last and takes the end of any for the end of that. Patched: they
 *   share one.
 * - After a request has timed out, the connection is used on, although the broker behind it may be gone for good. Patched: it ends.
 * - A connection that is being closed still takes requests, which nothing may end. Patched: it refuses them, and the next connect waits for
 *   the close.
 */
import { KafkaJSConnectionError } from 'kafkajs/src/errors.js';
import Connection from 'kafkajs/src/network/connection.js';

/** An answer starts with its length. */
const lengthBytes = 4;

export function keepConnectionsFresh(): void {
  const { connect, disconnect, failIfNotConnected, processData } = Connection.prototype;
  const connecting = new WeakMap<object, Promise<boolean>>();
  const ending = new WeakMap<object, Promise<boolean>>();
  Connection.prototype.connect = function () {
    const end = ending.get(this);
    if (end !== undefined) return end.then(() => this.connect());
    if (this.isConnected()) return connect.call(this);
    const begun = connecting.get(this);
    if (begun !== undefined) return begun;
    this.chunks = [];
    this.bytesBuffered = 0;
    this.bytesNeeded = lengthBytes;
    const opened = connect.call(this).finally(() => connecting.delete(this));
    this.requestQueue.onTimedOut = () => this.socket.destroy(new Error('a request was not answered in time'));
    connecting.set(this, opened);
    return opened;
  };
  Connection.prototype.disconnect = function () {
    const begun = ending.get(this);
    if (begun !== undefined) return begun;
    const end = disconnect.call(this).finally(() => ending.delete(this));
    ending.set(this, end);
    return end;
  };
  Connection.prototype.failIfNotConnected = function () {
    if (ending.has(this)) throw new KafkaJSConnectionError('Not connected', { broker: this.broker });
    failIfNotConnected.call(this);
  };
  Connection.prototype.processData = function (bytes) {
    try {
      processData.call(this, bytes);
    } catch (error) {
      this.socket.destroy(error as Error);
    }
  };
}
