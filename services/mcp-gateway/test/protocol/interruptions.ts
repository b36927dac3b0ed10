import { withAdmin } from '@lectern/database';
import { eventually } from '@lectern/testing';
import type { CallContext } from '@lectern/transport';
import type { GatewayFixture } from '../gateway-fixture.js';
import { ids, untilAborted } from '../stub-services.js';
import { call, type Era, type Sent } from './eras.js';
import { post } from './wire.js';

/** Takes longer than any request here may. */
const endless = 'SELECT pg_sleep(300)';

/** Rows in which something comes between a request and its answer. */
export interface Interruption {
  /** Whether a stream has begun by then, so that a client of plain JSON can't get there. */
  readonly inStream: boolean;
  /** Seconds that a request may take. */
  readonly timeoutSeconds: number;
  /** What the client gets, or what becomes of its request, in the words of the page. */
  observe(gateway: GatewayFixture, era: Era): Promise<string>;
}

const silent = (era: Era): Sent => call(era, 'list_documents');
/** Reports its progress once; then it looks again, and that look is what hangs. */
const reporting = (era: Era): Sent =>
  call(
    era,
    'upload_text_document',
    { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.md', content: 'x' },
    { _meta: { progressToken: 'p1' } },
  );

export const interruptions: Readonly<Record<string, Interruption>> = {
  'deadline passed before the first byte': {
    ...{ inStream: false, timeoutSeconds: 1 },
    observe: (gateway, era) => pastDeadline(gateway, silent(era)),
  },
  'deadline passed after the first byte': {
    ...{ inStream: true, timeoutSeconds: 3 },
    observe: (gateway, era) => pastDeadline(gateway, reporting(era)),
  },
  'client gone before the first byte': {
    ...{ inStream: false, timeoutSeconds: 60 },
    observe: (gateway, era) => clientGone(gateway, silent(era), false),
  },
  'client gone after the first byte': {
    ...{ inStream: true, timeoutSeconds: 60 },
    observe: (gateway, era) => clientGone(gateway, reporting(era), true),
  },
};

async function pastDeadline(gateway: GatewayFixture, sent: Sent): Promise<string> {
  let stopped = false;
  hangAtLast(gateway, (context) => untilAborted(context).finally(() => (stopped = true)));
  const answer = await post(gateway.url, await gateway.token('kb:admin'), sent).answer;
  await eventually('the service stopped', () => stopped);
  return answer;
}

/** The service behind the gateway waits for a statement of a real database. */
async function clientGone(gateway: GatewayFixture, sent: Sent, afterFirstByte: boolean): Promise<string> {
  const database = gateway.postgres.database('retrieval');
  hangAtLast(gateway, ({ signal }) =>
    database.withTenant(gateway.tenantId, (transaction) => transaction.query(endless), { signal }),
  );
  const wire = post(gateway.url, await gateway.token('kb:admin'), sent);
  const answer = wire.answer.catch(() => 'nothing');
  if (afterFirstByte) await wire.begun();
  await eventually('the statement runs', async () => (await sleepers(gateway)) === 1);
  wire.hangUp();
  // Well before the operation's own time is up, which would stop it as well.
  await eventually('the statement stops', async () => (await sleepers(gateway)) === 0, 3000);
  return `${await answer}; the SQL statement stops`;
}

/** Lets everything be answered at once but the last thing that one of the calls above asks for. */
function hangAtLast({ journal }: GatewayFixture, hang: (call: CallContext) => Promise<unknown>): void {
  let looks = 0;
  journal.statuses = ['processing'];
  journal.before = async (operation, context) => {
    if (operation === 'get_ingestion_status') looks += 1;
    if (operation === 'list_documents' || looks === 2) await hang(context);
  };
}

async function sleepers({ postgres }: GatewayFixture): Promise<number> {
  const rows = await withAdmin(postgres.adminUrl, (transaction) =>
    transaction.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query = $1`,
      [endless],
    ),
  );
  return rows.length;
}
