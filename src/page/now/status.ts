import type { GatewaySnapshot, Snapshot } from '../../live/snapshot-type.ts';
import type { Connection } from '../feed/connection.ts';
import { connectionSentence } from '../feed/connection.ts';
import { STATUS_FACES, type StateFace } from '../text/states.ts';
import { moment } from '../text/time.ts';
import { throughputHeadline } from './headline.ts';

export interface Status extends StateFace {
  sentence: string;
}

const CONNECTING: Status = { word: 'Connecting', icon: 'wait', tone: 'rest', sentence: 'Waiting for the gateway' };

const SIGNED_OUT: Status = { word: 'Signed out', icon: 'wait', tone: 'rest', sentence: 'The admin token is wanted' };

/** The line that says in words how it goes. Without a connection, what was known is old, and that comes first. */
export function statusOf(connection: Connection, snapshot: Snapshot | null, nowMs: number): Status {
  if (connection.kind === 'lost') {
    const since = snapshot === null ? '' : `. What you see is of ${moment(snapshot.time, nowMs)}`;
    const sentence = `${connectionSentence(connection, nowMs)}${since}`;
    return { word: 'No connection', icon: 'down', tone: 'bad', sentence };
  }
  if (connection.kind === 'sign_in') return SIGNED_OUT;
  if (snapshot === null) return CONNECTING;
  return { ...STATUS_FACES[snapshot.status], sentence: snapshot.status_text };
}

/** Which gateway it is, and since when it counts. */
export function gatewaySentence({ version, started_at: startedAt }: GatewaySnapshot, nowMs: number): string {
  return `Pitot ${version}, running since ${moment(startedAt, nowMs)}.`;
}

/** For the tab among other tabs: the one figure, or why there is none. A figure of another moment is none. */
export function titleOf(connection: Connection, snapshot: Snapshot | null, isPaused: boolean): string {
  if (connection.kind === 'lost') return 'No connection · Pitot';
  if (connection.kind === 'sign_in') return 'Signed out · Pitot';
  if (isPaused) return 'Paused · Pitot';
  if (snapshot === null) return 'Pitot';
  const { value } = throughputHeadline(snapshot);
  return `${value === null ? STATUS_FACES[snapshot.status].word : `${value} tok/s`} · Pitot`;
}

/** What is read out, and only when it is another than before: the state, and no figure that moves. */
export function announcement(connection: Connection, snapshot: Snapshot | null): string {
  if (connection.kind === 'lost') return 'Connection lost, trying again';
  if (connection.kind === 'sign_in') return 'Signed out';
  if (snapshot === null || connection.kind !== 'live') return '';
  const named = snapshot.upstreams.filter(({ state }) => state === 'down' || state === 'below_floor');
  const names = named.map(({ name }) => name).join(', ');
  return names === '' ? STATUS_FACES[snapshot.status].word : `${STATUS_FACES[snapshot.status].word}: ${names}`;
}
