import { describe, expect, it } from 'vitest';
import { type DemoGateway, type DemoOptions, runDemo } from '../../src/demo/demo.ts';
import type { DemoConfig } from '../../src/demo/demo-config.ts';
import type { ScreenOutput } from '../../src/demo/screen.ts';
import { EXAMPLE_VIEW } from '../helpers/demo-view.ts';
import { until } from '../helpers/until.ts';

/** Runs the demo with the engine itself in the gateway's place: what is tested is the tying together. */
function demo(options: Partial<DemoOptions> & { output?: ScreenOutput } = {}) {
  const seen: { config: DemoConfig | null; closed: boolean; engineUrl: string } = {
    config: null,
    closed: false,
    engineUrl: '',
  };
  const stopping = new AbortController();
  const ended = runDemo({
    listen: '127.0.0.1:0',
    admin: '127.0.0.1:0',
    forSeconds: null,
    stop: stopping.signal,
    output: { write: () => undefined },
    environment: {},
    startGateway: async (config): Promise<DemoGateway> => {
      seen.config = config;
      seen.engineUrl = config.upstreams[0]?.url ?? '';
      return {
        listen: new URL(seen.engineUrl).host,
        admin: '0.0.0.0:9464',
        snapshot: () => EXAMPLE_VIEW.snapshot,
        close: async () => {
          // The engine outlives the gateway, so that its last answers are not errors.
          expect((await fetch(`${seen.engineUrl}/health`)).status).toBe(200);
          seen.closed = true;
        },
      };
    },
    ...options,
  });
  return { ended, seen, stop: () => stopping.abort() };
}

describe('the demo', () => {
  it('shows frames of a running engine until it is stopped, then closes everything and exits with 0', async () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const { ended, seen, stop } = demo({
      output: { isTTY: true, columns: 80, rows: 40, write },
      environment: { NO_COLOR: '1' },
    });
    await until(() => written.length > 0);
    const truth = await (await fetch(`${seen.engineUrl}/metrics`)).text();
    stop();
    expect(await ended).toBe(0);
    expect(written[0]).toContain('SIMULATION: embedded engine, no real model');
    expect(written[0]).toContain('http://127.0.0.1:9464/metrics');
    expect(written.at(-1)).toContain('[?1049l');
    expect(truth).toMatch(/vllm:generation_tokens_total\{.*\} [1-9]/);
    expect(seen.closed).toBe(true);
    await expect(fetch(`${seen.engineUrl}/health`)).rejects.toThrow();
  });

  it('ends by itself after its seconds', async () => {
    const { ended, seen } = demo({ forSeconds: 0.2 });
    expect(await ended).toBe(0);
    expect(seen.closed).toBe(true);
  });

  it('configures the gateway as a file would, with a workload for the batch work', async () => {
    const { ended, seen } = demo({ forSeconds: 0, listen: '127.0.0.1:1234', admin: '127.0.0.1:5678' });
    await ended;
    expect(seen.config).toMatchObject({
      listen: '127.0.0.1:1234',
      admin: { listen: '127.0.0.1:5678' },
      workloads: [{ name: 'batch', match: { header: { 'x-workload': 'batch' } } }, { name: 'interactive' }],
    });
  });

  it('closes the engine and passes the fault on when the gateway cannot start', async () => {
    let engineUrl = '';
    const { ended } = demo({
      startGateway: async (config) => {
        engineUrl = config.upstreams[0]?.url ?? '';
        throw new Error('the port is taken');
      },
    });
    await expect(ended).rejects.toThrow('the port is taken');
    await expect(fetch(`${engineUrl}/health`)).rejects.toThrow();
  });
});
