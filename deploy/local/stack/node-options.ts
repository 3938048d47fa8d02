/**
 * Memory of the services' processes, here and in the image; a test keeps them equal. Measured: docs/scaling.md.
 *
 * - Room for young objects, three times so many MiB: by default 64, all of which fills before a collection looks at it. What a process
 *   handles lives for milliseconds. With 16 a delivery costs no more than with 64; with 4 it costs a tenth more than with 16.
 */
const youngSpace = '--max-semi-space-size=16';

/**
 * - The heap's limit, above what any service has had in use. Where it may grow to gigabytes, as on a large machine, V8 collects when it is four
 *   times what is in use, else before it is twice that. In a container, the container's limit does the same.
 */
export const nodeOptions = {
  separate: [youngSpace, '--max-old-space-size=512'],
  one: [youngSpace, '--max-old-space-size=768'],
} as const;

/** The image sets no limit of the heap: containers have limits of their own. */
export const imageNodeOptions = youngSpace;

/** Two of glibc's arenas are enough: by default each thread gets one, and what one has freed another can't use. */
export const serviceAllocator = { MALLOC_ARENA_MAX: '2' };
