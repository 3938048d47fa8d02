/** A turn of this thread's loop, by the processor time that it took: others that use the machine make the loop late, but no turn longer. */
interface Turns {
  longestMs: number;
  /** The most that the process had in memory beyond what it had at the beginning, in MiB. */
  grownMegabytes: number;
}

const tickMs = 1;
const ticksPerLook = 20;

const spentMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Watches until it is called. Between two ticks of a busy loop there is one turn, so the longest is rather too long than too short. */
export function watchTurns(): () => Turns {
  const rssAtFirst = process.memoryUsage.rss();
  let [longestMs, mostRss, before, ticks] = [0, rssAtFirst, spentMs(), 0];
  const tick = setInterval(() => {
    if ((ticks += 1) % ticksPerLook === 0) mostRss = Math.max(mostRss, process.memoryUsage.rss());
    const now = spentMs();
    longestMs = Math.max(longestMs, now - before);
    before = now;
  }, tickMs);
  return () => {
    clearInterval(tick);
    longestMs = Math.max(longestMs, spentMs() - before);
    return { longestMs, grownMegabytes: (mostRss - rssAtFirst) / 1024 / 1024 };
  };
}
