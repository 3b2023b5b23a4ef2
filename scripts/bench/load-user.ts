export interface Target {
  readonly host: string;
  readonly port: number;
}

/** One client of the load, on one kept connection. */
export interface LoadUser {
  close(): void;
}

export interface LoadSink {
  /** The first answer's head arrived. */
  opened(): void;
  /** An event of a stream, or a whole answer, that took so long. */
  arrived(latencyUs: number): void;
  fault(sentence: string): void;
}

/** A request's head up to what differs with the request. */
export function headOf(target: Target, user: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({
    Host: `${target.host}:${target.port}`,
    Authorization: `Bearer ${user}`,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}`;
}
