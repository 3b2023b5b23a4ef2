import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { SnapshotEvent } from '../../src/live/stream-type.ts';
import type { ToldEvent } from '../helpers/broadcast.ts';
import { EventStream } from '../helpers/event-stream.ts';
import { chatUpstream } from '../helpers/held-stream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const snapshotOf = ({ event, data }: ToldEvent) => (event === 'snapshot' ? (data as unknown as SnapshotEvent) : null);

/** The first snapshot of which the claim holds. */
async function seen(stream: EventStream, claim: (snapshot: SnapshotEvent) => boolean): Promise<SnapshotEvent> {
  const holds = (event: ToldEvent) => {
    const snapshot = snapshotOf(event);
    return snapshot !== null && claim(snapshot);
  };
  const found = (await stream.heard(1, holds)).find(holds);
  const snapshot = found === undefined ? null : snapshotOf(found);
  if (snapshot === null) throw new Error('the stream ended before that');
  return snapshot;
}

it.each([1, 2])(
  'with %d workers a watcher sees each request run, fail and be waited for, until the end',
  async (workers) => {
    await using folder = await tempDir();
    await using upstream = await chatUpstream();
    const file = folder.file('pitot.yaml');
    const identity = { user: [{ header: 'x-user-id' }] };
    const config = { upstreams: [{ name: 'u', url: upstream.url }], workers, identity, shutdown_grace: '30s' };
    // JSON is YAML.
    await writeFile(file, JSON.stringify(config));
    await using pitot = await PitotProcess.serve(['--config', file]);
    const port = Number(pitot.listen.split(':').at(-1));
    const stream = await EventStream.open(pitot.admin);
    expect((await seen(stream, () => true)).gateway).toMatchObject({ workers, simulation: false });

    const [ada, bob] = [
      await upstream.ask(port, { user: 'ada', model: 'tiny' }),
      await upstream.ask(port, { user: 'bob', model: 'tiny' }),
    ];
    ada.tokens(3);
    const running = await seen(
      stream,
      ({ requests }) => requests.length === 2 && requests.some(({ tokens }) => tokens === 3),
    );
    const byUser = new Map(running.requests.map((request) => [request.user, request]));
    expect(byUser.get('ada')).toMatchObject({ phase: 'decode', model: 'tiny', upstream: 'u', is_estimated: true });
    expect(byUser.get('bob')).toMatchObject({ phase: 'prefill', model: 'tiny', tokens: 0, speed: null });
    expect(running).toMatchObject({ status: 'flowing', in_flight: { prefill: 1, decode: 1 } });

    ada.breakOff();
    const failed = await seen(stream, ({ failures }) => failures.length > 0);
    expect(failed.failures).toMatchObject([{ outcome: 'upstream_reset', user: 'ada', model: 'tiny', upstream: 'u' }]);

    pitot.process.kill('SIGTERM');
    const draining = await seen(stream, ({ status }) => status === 'draining');
    expect(draining.status_text).toBe('The gateway is shutting down: 1 generation may still finish.');
    bob.breakOff();
    await stream.over();
    expect(stream.answer.complete).toBe(true);
    expect(await pitot.ended()).toBe(0);
  },
);
