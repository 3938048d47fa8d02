/** The largest payload of a webhook or a published event. The sizes of records, fetches and buffers derive from it. */
export const maxPayloadBytes = 1024 * 1024;

/** The same for people. */
export const maxPayloadText = `${maxPayloadBytes / 1024 ** 2} MiB`;
