import { type IncomingHttpHeaders, request } from 'node:http';
import { type AdminPortParts, createAdminPort } from '../../src/gateway/admin.ts';
import { readPage } from '../../src/gateway/page-files.ts';
import { Users, usersJson } from '../../src/live/users.ts';
import { answerPlanQuery } from '../../src/plan/plan-query.ts';
import { newRecorder } from './recorder.ts';

export interface AdminAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
}

/** A listening admin port on a free port of loopback, with a real recorder; closed with the test. */
export async function openAdmin(change: Partial<AdminPortParts> = {}) {
  const pitot = newRecorder();
  const errors: object[] = [];
  const admin = createAdminPort({
    listen: '127.0.0.1:0',
    token: () => null,
    isPublic: () => false,
    metrics: pitot.recorder.metrics,
    page: readPage(null),
    news: { hasRoom: true, join: () => () => {}, close: () => {} },
    readiness: () => ({ ready: true }),
    snapshot: () => ({ time: '2026-01-02T03:04:05.678Z', status: 'idle' }),
    users: () => usersJson(new Users(pitot.clock)),
    operatingCurve: () => ({ curves: [] }),
    plan: (query) => answerPlanQuery(query, () => ({ plans: [] })),
    log: { error: (fields) => errors.push(fields) },
    ...change,
  });
  const address = await admin.listen().catch((error: unknown) => {
    pitot.recorder.stop();
    throw error;
  });
  return {
    ...pitot,
    address,
    errors,
    ask: (path: string, options: Ask = {}) => ask(address, path, options),
    async [Symbol.asyncDispose]() {
      await admin.close();
      pitot.recorder.stop();
    },
  };
}

/** One exchange with the path sent as it is written. */
function ask(address: string, path: string, { method = 'GET', headers = {} }: Ask): Promise<AdminAnswer> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, headers, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        body += text;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}
