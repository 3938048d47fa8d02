import { createLaneWaits } from '../../../services/dispatcher/waiting/lane-waits.ts';

const [tenant, hourMicros] = ['acme', 3_600_000_000];
const row = (endpointId: string, dueAt = 5) => ({ tenant, endpointId, dueAt });
const lane = (endpointId: string, room: number) => ({ tenant, endpointId, room, early: false });

function begin() {
  const clock = { now: 100 };
  const waits = createLaneWaits(() => clock.now);
  return { clock, ...waits };
}

describe('a row that waits', () => {
  it('is ready when it is due, where its lane has room for all that was found', () => {
    const { readyAt, read } = begin();
    expect(readyAt(row('ep_1'))).toBe(5);
    read({ perLane: 3, tenants: [], lanes: [lane('ep_2', 1)] }, [row('ep_1'), row('ep_1')]);
    expect([readyAt(row('ep_1')), readyAt(row('ep_2'))]).toEqual([5, 5]);
  });

  it('is ready no sooner than at the last reading at which its lane gave all its room, or had none', () => {
    const { clock, readyAt, read } = begin();
    read({ perLane: 2, tenants: [], lanes: [lane('ep_2', 1), lane('ep_3', 0)] }, [
      row('ep_1'),
      row('ep_1'),
      row('ep_2'),
    ]);
    expect(['ep_1', 'ep_2', 'ep_3', 'ep_4'].map((id) => readyAt(row(id)))).toEqual([100, 100, 100, 5]);
    clock.now = 200;
    read({ perLane: 2, tenants: [], lanes: [lane('ep_3', 0)] }, [row('ep_1')]);
    expect(['ep_1', 'ep_2', 'ep_3'].map((id) => readyAt(row(id)))).toEqual([100, 100, 200]);
    expect(readyAt(row('ep_3', 300))).toBe(300);
  });

  it('does not share a lane with another tenant’s of the same name', () => {
    const { readyAt, read } = begin();
    read({ perLane: 2, tenants: [], lanes: [lane('ep_1', 0)] }, []);
    expect(readyAt({ ...row('ep_1'), tenant: 'other' })).toBe(5);
  });

  it('forgets after an hour that a lane was full', () => {
    const { clock, readyAt, read } = begin();
    read({ perLane: 2, tenants: [], lanes: [lane('ep_1', 0)] }, []);
    clock.now += hourMicros;
    read({ perLane: 2, tenants: [], lanes: [] }, []);
    expect(readyAt(row('ep_1'))).toBe(100);
    clock.now += 1;
    read({ perLane: 2, tenants: [], lanes: [] }, []);
    expect(readyAt(row('ep_1'))).toBe(5);
  });
});
