/**
 * kafkajs opens a connection again that was cut, and reads on where it was: what had come of an answer stands before the first bytes of the
 * new connection. From then on answers begin anywhere; one that is too short to have a number ends the process, and any other may be taken
 * for an answer that it is not. Here each connection begins with nothing, and what can't be read ends the connection alone.
 *
 * It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
import Connection from 'kafkajs/src/network/connection.js';

/** Of an answer's length, which is read first. */
const lengthBytes = 4;

let areFresh = false;

export function keepConnectionsFresh(): void {
  if (areFresh) return;
  areFresh = true;
  const { connect, processData } = Connection.prototype;
  Connection.prototype.connect = function () {
    if (!this.isConnected()) {
      this.chunks = [];
      this.bytesBuffered = 0;
      this.bytesNeeded = lengthBytes;
    }
    return connect.call(this);
  };
  Connection.prototype.processData = function (bytes) {
    try {
      processData.call(this, bytes);
    } catch (error) {
      this.socket.destroy(error as Error);
    }
  };
}
