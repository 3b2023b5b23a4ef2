import { WebSocket } from 'undici';

const ANSWER_LIMIT_MS = 30_000;

interface InspectorAnswer {
  readonly id?: number;
  readonly result?: { readonly usedSize?: number };
  readonly error?: { readonly message: string };
}

/**
 * The live heap of another Node process, by way of its inspector: what is left when everything that nobody
 * holds was collected. A leak of a few bytes per request shows in it, where the size of a process only hints.
 */
export class LiveHeap {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: InspectorAnswer) => void>();
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data)) as InspectorAnswer;
      if (answer.id === undefined) return;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  /** `url`: what a process started with `--inspect` says on standard error. */
  static async of(url: string): Promise<LiveHeap> {
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error(`no inspector answers at ${url}`)));
    });
    return new LiveHeap(socket);
  }

  /** In bytes, after a full garbage collection; the process stands still for the time of it. */
  async measure(): Promise<number> {
    // What a first collection finalizes, a second one frees.
    await this.#ask('HeapProfiler.collectGarbage');
    await this.#ask('HeapProfiler.collectGarbage');
    const { result } = await this.#ask('Runtime.getHeapUsage');
    if (result?.usedSize === undefined) throw new Error('the inspector told no heap size');
    return result.usedSize;
  }

  close(): void {
    this.#socket.close();
  }

  #ask(method: string): Promise<InspectorAnswer> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the inspector did not answer ${method}`)), ANSWER_LIMIT_MS);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        if (answer.error === undefined) resolve(answer);
        else reject(new Error(`${method}: ${answer.error.message}`));
      });
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }
}

/** The inspectors' addresses in what a process and its workers wrote to standard error. */
export function inspectorUrls(stderr: string): string[] {
  return [...stderr.matchAll(/Debugger listening on (ws:\S+)/g)].map(([, url = '']) => url);
}
