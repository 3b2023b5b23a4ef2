import type { Dashboard } from '../panel.ts';
import { CURVE } from './curve.ts';
import { HEADLINE } from './headline.ts';
import { INSTRUMENT } from './instrument.ts';
import { NOW } from './now.ts';
import { OUTCOMES } from './outcomes.ts';
import { GATEWAY_PROCESS } from './process.ts';
import { SPEED } from './speed.ts';
import { THROUGHPUT } from './throughput.ts';

export const OPERATOR: Dashboard = {
  uid: 'pitot-operator',
  title: 'Pitot · Operator',
  description: 'How much does the system produce, how fast is each user served, and is what we read true?',
  rows: [HEADLINE, NOW, CURVE, THROUGHPUT, SPEED, OUTCOMES, INSTRUMENT, GATEWAY_PROCESS],
};
