/**
 * kafkajs opens a connection again that was cut, and reads on where it was: what had come of an answer stands before the first bytes of the
 * new connection. From then on answers begin anywhere; one that is too short to have a number ends the process, and any other may be taken
 * for an answer that it is not. Here each connection begins with nothing, and what can't be read ends the connection alone. And kafkajs makes
 * one for each who finds none, forgets all but the last, and takes the end of any for the end of that: here they share one. It
 * asks on where requests have timed out, though the broker at the other end may be gone for good: here the connection ends with the request.
 * It also asks on over a connection that it is ending, where nothing may be left to end the request: here that takes no more, and the next is
 * made once it has ended.
 *
 * It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
import { KafkaJSConnectionError } from 'kafkajs/src/errors.js';
import Connection from 'kafkajs/src/network/connection.js';

/** Of an answer's length, which is read first. */
const lengthBytes = 4;

let areFresh = false;

export function keepConnectionsFresh(): void {
  if (areFresh) return;
  areFresh = true;
  const { connect, disconnect, failIfNotConnected, processData } = Connection.prototype;
  const inTheMaking = new WeakMap<object, Promise<boolean>>();
  const ending = new WeakMap<object, Promise<boolean>>();
  Connection.prototype.connect = function () {
    const end = ending.get(this);
    if (end !== undefined) return end.then(() => this.connect());
    if (this.isConnected()) return connect.call(this);
    const begun = inTheMaking.get(this);
    if (begun !== undefined) return begun;
    this.chunks = [];
    this.bytesBuffered = 0;
    this.bytesNeeded = lengthBytes;
    const made = connect.call(this).finally(() => inTheMaking.delete(this));
    this.requestQueue.onTimedOut = () => this.socket.destroy(new Error('a request was not answered in time'));
    inTheMaking.set(this, made);
    return made;
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
