import type { Child } from './children.ts';

/**
 * Question and answer with a forked process, one at a time. The answer's type is what the other side, a file
 * of the same bench, declares.
 * @throws Error when it ends, reports a fault, or takes over `limitMs`.
 */
export function ask<Question extends object, Answer>(child: Child, question: Question, limitMs: number) {
  return new Promise<Answer>((resolve, reject) => {
    const { process } = child;
    const settle = (conclude: () => void) => {
      clearTimeout(timer);
      process.off('message', answered).off('exit', ended);
      conclude();
    };
    const answered = (message: unknown) => settle(() => resolve(message as Answer));
    const ended = () => settle(() => reject(new Error(`${child.name} ended while it was asked.`)));
    const late = () => settle(() => reject(new Error(`${child.name} did not answer within ${limitMs / 1000} s.`)));
    const timer = setTimeout(late, limitMs);
    process.once('message', answered).once('exit', ended);
    process.send(question);
  });
}

/** The other side: answers every question, and ends with the process that asks. */
export function answerWith<Question>(answer: (question: Question) => Promise<object> | object): void {
  process.on('message', async (question) => {
    process.send?.(await answer(question as Question));
  });
  process.on('disconnect', () => process.exit());
}
