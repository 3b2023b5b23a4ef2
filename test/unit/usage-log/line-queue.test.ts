import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineQueue, wholeLines } from '../../../src/usage-log/line-queue.ts';

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

describe('the queue of lines', () => {
  it('gives lines back in order, whole, whatever the batch size and however many were written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })),
        fc.integer({ min: 1, max: 64 }),
        fc.infiniteStream(fc.nat(3)),
        (lines, maxBytes, releases) => {
          const queue = new LineQueue(Number.POSITIVE_INFINITY);
          for (const line of lines) queue.push(`${line}\n`);
          let seen = '';
          while (queue.length > 0) {
            const batch = queue.peek(maxBytes);
            expect(batch).not.toBeNull();
            const lineCount = Math.min(batch?.ends.length ?? 0, releases.next().value ?? 1);
            seen += text(batch?.bytes.subarray(0, lineCount === 0 ? 0 : batch.ends[lineCount - 1]));
            queue.release(lineCount);
          }
          expect(seen).toBe(lines.map((line) => `${line}\n`).join(''));
        },
      ),
    );
  });

  it('refuses a line that would make it larger than its bound, and takes it once there is room', () => {
    const queue = new LineQueue(10);
    expect(queue.push('123456\n')).toBe(true);
    expect(queue.push('ééé\n')).toBe(false);
    queue.release(1);
    expect(queue.push('ééé\n')).toBe(true);
    expect(queue.firstBytes).toBe(7);
  });

  it('makes a batch of one line when even that is larger than the batch may be', () => {
    const queue = new LineQueue(100);
    queue.push('a long line\n');
    queue.push('b\n');
    expect(text(queue.peek(1)?.bytes)).toBe('a long line\n');
  });

  it('does not copy its backlog at every release', () => {
    const queue = new LineQueue(Number.POSITIVE_INFINITY);
    for (let index = 0; index < 5_000; index += 1) queue.push(`${index}\n`);
    queue.release(3_000);
    expect(queue.length).toBe(2_000);
    expect(text(queue.peek(1)?.bytes)).toBe('3000\n');
    expect(queue.clear()).toBe(2_000);
    expect(queue.peek(1)).toBeNull();
  });
});

describe('a batch cut short', () => {
  it('counts only the lines that are whole', () => {
    const batch = { bytes: new Uint8Array(9), ends: [3, 6, 9] };
    expect([0, 2, 3, 5, 6, 8, 9].map((written) => wholeLines(batch, written))).toEqual([0, 0, 1, 1, 2, 2, 3]);
  });
});
