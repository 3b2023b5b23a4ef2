import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface NotifiedAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

export interface Notification {
  readonly receiver: string;
  readonly alerts: readonly NotifiedAlert[];
}

/** What Alertmanager tells is kept here, as its webhooks send it. */
export class WebhookReceiver implements AsyncDisposable {
  readonly notifications: Notification[] = [];
  readonly #server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      this.notifications.push(JSON.parse(Buffer.concat(parts).toString()) as Notification);
      response.end();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Everything that was told of one alert, in order. */
  told(alertname: string): (NotifiedAlert & { receiver: string })[] {
    return this.notifications.flatMap(({ receiver, alerts }) =>
      alerts.filter(({ labels }) => labels['alertname'] === alertname).map((alert) => ({ receiver, ...alert })),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
