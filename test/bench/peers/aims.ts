import type { SystemName } from './systems/system.ts';

/** An aim for the median: times the best peer's, or by itself. */
export type PeerAim =
  | { kind: 'ofBestPeer'; bound: 'atMost' | 'atLeast'; value: number }
  | { kind: 'alone'; bound: 'atMost' | 'atLeast'; value: number };

type Ours = Exclude<SystemName, 'outpost' | 'svix'>;

const peers = (bound: PeerAim['bound'], value: number): PeerAim => ({ kind: 'ofBestPeer', bound, value });
const alone = (bound: PeerAim['bound'], value: number): PeerAim => ({ kind: 'alone', bound, value });

/** By layout, for webhooks and events alike. */
const byLayout = (separate: PeerAim, one: PeerAim): Record<Ours, PeerAim> => ({
  'hookline-webhooks': separate,
  'hookline-events': separate,
  'hookline-one-webhooks': one,
  'hookline-one-events': one,
});
const forAll = (aim: PeerAim): Record<Ours, PeerAim> => byLayout(aim, aim);

/** By the figure's name (findings.ts). Set before anything was measured with them: a missed one stays, and is said. */
export const aims: Readonly<Record<string, Readonly<Record<Ours, PeerAim>>>> = {
  'processor time at 100 a second': byLayout(peers('atMost', 1.5), peers('atMost', 1)),
  'processor time, 64 connections': byLayout(peers('atMost', 1), peers('atMost', 0.8)),
  'sustained for a minute': {
    'hookline-webhooks': peers('atLeast', 1),
    'hookline-events': peers('atLeast', 0.9),
    'hookline-one-webhooks': peers('atLeast', 1.2),
    'hookline-one-events': peers('atLeast', 1),
  },
  'acknowledged to arrived at 100 a second, p50': byLayout(alone('atMost', 15), alone('atMost', 8)),
  'acknowledged to arrived at 100 a second, p99': byLayout(alone('atMost', 45), alone('atMost', 40)),
  'arrived meanwhile, of what is acknowledged, 64 connections': forAll(alone('atLeast', 0.6)),
  'at rest, 600 s after load': byLayout(alone('atMost', 5), alone('atMost', 4)),
  'memory (PSS), after load': byLayout(alone('atMost', 1_400), alone('atMost', 900)),
  'lost, killed amid 20,000': forAll(alone('atMost', 0)),
};
