/** For importers whose folders are being moved; everything else reads `#lib/contract`. Goes with the last of them. */
export { topicDefinitions } from '#lib/contract';
