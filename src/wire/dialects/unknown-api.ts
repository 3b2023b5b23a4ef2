import type { MessageReader } from '../message-answer.ts';

/** An answer on a path of ours in a shape that is not: its end is the end of the body, and nothing else is known. */
export class UnknownApi implements MessageReader {
  readonly api = 'other';
  complete = false;

  message(): void {}

  end(whole: boolean): void {
    this.complete = whole;
  }
}
