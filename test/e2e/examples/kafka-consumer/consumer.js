// Reads the topic of events: npm install kafkajs @kafkajs/confluent-schema-registry
//
//   KAFKA_BROKERS=127.0.0.1:9092 SCHEMA_REGISTRY_URL=http://127.0.0.1:18080 TOPIC=hookline.events GROUP=billing node consumer.js
//
// An offset is committed after the work for it, so a consumer that dies gets some events again: each has the same `id` then.
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { Kafka, logLevel } from 'kafkajs';

const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, TOPIC = 'hookline.events', GROUP } = process.env;

const registry = new SchemaRegistry({ host: SCHEMA_REGISTRY_URL });
const kafka = new Kafka({ brokers: KAFKA_BROKERS.split(','), clientId: GROUP, logLevel: logLevel.ERROR });
const consumer = kafka.consumer({ groupId: GROUP });

// Your work. `payload` has the bytes as they were received.
async function handle(event) {
  console.log(`handled ${event.id} ${event.type} ${event.payload.length} bytes`);
}

// Let your supervisor start it again.
consumer.on(consumer.events.CRASH, ({ payload }) => {
  if (!payload.restart) process.exit(1);
});

await consumer.connect();
// A new group begins with the oldest event that Kafka has.
await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => handle(await registry.decode(message.value)),
});
console.log('consuming');

// Ends what it has begun, commits, and leaves the group.
process.once('SIGTERM', () => consumer.disconnect());
