import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { assertRoom } from '#deploy/local/install/disk-room.ts';

const mebibyte = 1024 * 1024;

describe('room on the disk', () => {
  it('too little is said in one line that names the folder and the numbers', () => {
    expect(() => assertRoom(tmpdir(), 300, () => 299.9 * mebibyte)).toThrow(
      `the disk is full: 299 MiB are free at ${tmpdir()}, and 300 MiB are needed`,
    );
  });

  it('enough is enough, and a folder that is yet to be made is judged by the one that it will be in', () => {
    const asked: string[] = [];
    assertRoom(join(tmpdir(), 'not', 'there', 'yet'), 300, (path) => {
      asked.push(path);
      return 300 * mebibyte;
    });
    expect(asked).toEqual([tmpdir()]);
  });
});
