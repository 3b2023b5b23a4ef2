import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The largest event is the whole history: well below a megabyte. What never ends is no event. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

export interface EventReading {
  onEvent(event: EventSourceMessage): void;
  /** Anything at all came, a heartbeat say. */
  onLife(): void;
}

/** Server-sent events from the body of an answer: `EventSource` cannot send a token. Resolves when the stream ends. */
export async function readEvents(body: ReadableStream<Uint8Array>, { onEvent, onLife }: EventReading): Promise<void> {
  const parser = createParser({ onEvent, maxBufferSize: MOST_CHARACTERS });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onLife();
    parser.feed(decoder.decode(value, { stream: true }));
  }
}
