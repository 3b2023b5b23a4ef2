import type { Snapshot } from '../../live/snapshot-type.ts';
import { byId } from '../dom/element.ts';
import { StateIcon } from '../dom/state-icon.ts';
import { show, writeAttribute, writeText } from '../dom/write.ts';
import { type Connection, connectionSentence } from '../feed/connection.ts';
import { announcement, gatewaySentence, statusOf } from './status.ts';

/** The status line, the sign of the connection, and what is read out when either changes. */
export class StatusView {
  readonly #line = byId('status', HTMLElement);
  readonly #word = byId('status-word', HTMLElement);
  readonly #sentence = byId('status-sentence', HTMLElement);
  readonly #connection = byId('connection', HTMLElement);
  readonly #announcer = byId('announcer', HTMLElement);
  readonly #simulation = byId('simulation', HTMLElement);
  readonly #build = byId('build', HTMLElement);
  readonly #icon = new StateIcon();

  constructor() {
    this.#line.prepend(this.#icon.node);
  }

  write(connection: Connection, snapshot: Snapshot | null, isPaused: boolean): void {
    const nowMs = Date.now();
    const status = statusOf(connection, snapshot, nowMs);
    writeAttribute(this.#line, 'data-tone', status.tone);
    this.#icon.draw(status.icon);
    writeText(this.#word, status.word);
    writeText(this.#sentence, status.sentence);
    const isOld = connection.kind !== 'live';
    writeText(
      this.#connection,
      isPaused && !isOld ? 'Paused' : (connectionSentence(connection, nowMs).split(',')[0] ?? ''),
    );
    writeAttribute(this.#connection, 'data-kind', isPaused && !isOld ? 'paused' : connection.kind);
    writeAttribute(document.body, 'data-old', isOld ? '' : null);
    writeText(this.#announcer, announcement(connection, snapshot));
    if (snapshot !== null) writeText(this.#build, gatewaySentence(snapshot.gateway, nowMs));
    show(this.#simulation, snapshot?.gateway.simulation === true);
  }
}
