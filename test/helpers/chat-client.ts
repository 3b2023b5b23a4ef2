import { type Agent, type IncomingMessage, request } from 'node:http';

/** What a client saw of one streamed answer. */
export interface ChatAnswer {
  /** 0: there was no answer. */
  status: number;
  /** The answer ended by its framing, and what it streamed by its last word. */
  isWhole: boolean;
  closesConnection: boolean;
  /** `x-pitot-error`: the gateway answered itself. */
  code: string | null;
  /** What the system called it when the connection failed. */
  fault: string | null;
  beganMs: number;
  endedMs: number;
}

export interface ChatAsk {
  /** Chunks that a `PacedUpstream` is asked for. */
  chunks: number;
  agent: Agent;
  /** Sent as `x-request-id`. */
  id?: string;
  onHead?: () => void;
}

/** One streamed chat request over node:http. Never rejects: a failure is a result like any other. */
export function chat(origin: string, { chunks, agent, id, onHead }: ChatAsk): Promise<ChatAnswer> {
  const beganMs = performance.now();
  return new Promise((resolve) => {
    const done = (seen: Partial<ChatAnswer>) => {
      resolve({ ...NOTHING_SEEN, ...seen, beganMs, endedMs: performance.now() });
    };
    const headers = {
      'content-type': 'application/json',
      'x-chunks': String(chunks),
      ...(id === undefined ? {} : { 'x-request-id': id }),
    };
    const sent = request(`${origin}/v1/chat/completions`, { method: 'POST', agent, headers }, (answer) => {
      onHead?.();
      read(answer, done);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => done({ fault: error.code ?? error.message }));
    sent.end('{"model":"paced","stream":true,"messages":[]}');
  });
}

const NOTHING_SEEN = { status: 0, isWhole: false, closesConnection: false, code: null, fault: null };

function read(answer: IncomingMessage, done: (seen: Partial<ChatAnswer>) => void): void {
  const head = {
    status: answer.statusCode ?? 0,
    closesConnection: answer.headers.connection === 'close',
    code: String(answer.headers['x-pitot-error'] ?? '') || null,
  };
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (piece: string) => {
    text += piece;
  });
  answer.on('error', (error: NodeJS.ErrnoException) => done({ ...head, fault: error.code ?? error.message }));
  answer.on('end', () => done({ ...head, isWhole: answer.complete && text.endsWith('data: [DONE]\n\n') }));
}

/** So many clients, each sending its next request when its last was answered, until stopped. */
export class ChatClients {
  readonly answers: ChatAnswer[] = [];
  #isStopped = false;
  readonly #running: Promise<unknown>;

  constructor(origin: string, options: { clients: number; agent: Agent; chunks: number }) {
    const loop = async () => {
      while (!this.#isStopped) {
        const answer = await chat(origin, options);
        this.answers.push(answer);
        // A refused connection is known at once: without a pause this would spin.
        if (answer.status === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    this.#running = Promise.all(Array.from({ length: options.clients }, loop));
  }

  /** Waits for what is under way. */
  async stop(): Promise<ChatAnswer[]> {
    this.#isStopped = true;
    await this.#running;
    return this.answers;
  }
}
