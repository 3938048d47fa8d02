import { sendColumns, type SendFields } from '#lib/contract';

const nulls = Object.fromEntries(Object.keys(sendColumns).map((name) => [name, null])) as unknown as SendFields;

/** The fields of a send of which nothing is known: records of tests begin with it, and so have each field that is added. */
export const noSend: SendFields = { ...nulls, outcome: 'delivered', timing: null };
