import { SignIn } from './controls/sign-in.ts';
import { ThemeSwitch } from './controls/theme-switch.ts';
import type { CurvesAnswer } from './curve/curve-points.ts';
import { ask } from './feed/ask.ts';
import { Feed } from './feed/feed.ts';
import { AdminToken } from './feed/token.ts';
import { Page } from './page.ts';
import { PlannerView } from './planner/planner-view.ts';
import { ViewState } from './state/view-state.ts';

/** A curve changes by one window of five seconds at a time. */
const CURVE_MS = 10_000;
const SECOND_MS = 1_000;

const token = new AdminToken(() => sessionStorage);
const state = new ViewState();
const page = new Page(state);
const planner = new PlannerView(state, token);
new ThemeSwitch(() => page.palette.forget());

const feed = new Feed(token, {
  history: (event) => page.history(event),
  snapshot: (event) => page.snapshot(event),
  connection: (connection) => {
    signIn.write(connection);
    page.connection(connection);
    if (connection.kind !== 'live') return;
    void learnCurves();
    planner.refresh();
  },
});
const signIn = new SignIn({
  token,
  given: () => feed.connect(),
  // Somebody else may look next: nothing stays of what was shown.
  signedOut: () => location.reload(),
});

async function learnCurves(): Promise<void> {
  if (feed.connection.kind !== 'live' || document.hidden) return;
  const answer = await ask<CurvesAnswer>('api/operating-curve', token);
  if (answer.kind === 'answer') page.learned(answer.body);
}

setInterval(() => void learnCurves(), CURVE_MS);
// The seconds until the next attempt are told as they pass.
setInterval(() => {
  if (feed.connection.kind === 'lost') page.redraw();
}, SECOND_MS);
window.addEventListener('online', () => feed.hurry());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) feed.hurry();
});
feed.connect();
