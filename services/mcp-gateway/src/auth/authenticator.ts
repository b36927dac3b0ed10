import { timingSafeEqual } from 'node:crypto';
import { defaultTenantName, hashToken, managedScopes } from '@lectern/database';
import type { Logger } from '@lectern/telemetry';
import { HttpError } from '../http/http-error.js';
import type { RequestTime } from '../http/request-time.js';
import { invalidToken, readBearer } from './bearer.js';
import type { Principal, TokenStore } from './token-store.js';

/** How long a verified token is believed, in milliseconds: a revoked one is dead after that. */
const trustMs = 1000;
const maxRemembered = 10_000;

/** Milliseconds after which a database that has not answered counts as away. */
const lookUpMs = 5_000;

interface Remembered {
  readonly principal: Principal;
  readonly until: number;
}

/** Turns the credential of a request into who calls. Only what was found is remembered, and only for a moment. */
export class Authenticator {
  private readonly remembered = new Map<string, Remembered>();
  private readonly fixedDigest: Buffer | undefined;

  constructor(
    private readonly tokens: TokenStore,
    private readonly logger: Logger,
    fixedToken: string | undefined,
  ) {
    this.fixedDigest = fixedToken === undefined ? undefined : hashToken(fixedToken);
  }

  /** Throws the {@link HttpError} to answer with: 401, or 503 while tokens can't be looked up, at last at the deadline. */
  async authenticate(
    authorization: string | undefined,
    time: RequestTime,
  ): Promise<{ principal: Principal; token: string }> {
    const token = readBearer(authorization);
    const digest = hashToken(token);
    const principal = this.recall(digest) ?? (await this.find(digest, time));
    if (!principal) throw invalidToken();
    return { principal, token };
  }

  private recall(digest: Buffer): Principal | undefined {
    const entry = this.remembered.get(digest.toString('base64'));
    return entry && entry.until > Date.now() ? entry.principal : undefined;
  }

  private async find(digest: Buffer, time: RequestTime): Promise<Principal | undefined> {
    const principal = await time.bound(this.lookUp(digest)).catch((error: unknown) => {
      // A client that is gone says nothing about the database.
      if (time.signal.aborted && !time.isPastDeadline) throw error;
      this.logger.warn({ err: error }, 'tokens could not be looked up');
      throw new HttpError(503, 'temporarily_unavailable', 'Tokens can not be checked at the moment. Try again.', {
        'retry-after': '1',
      });
    });
    if (principal) this.remember(digest, principal);
    return principal;
  }

  private async lookUp(digest: Buffer): Promise<Principal | undefined> {
    const signal = AbortSignal.timeout(lookUpMs);
    if (!this.fixedDigest || !timingSafeEqual(this.fixedDigest, digest)) return this.tokens.find(digest, signal);
    const tenantId = await this.tokens.findTenant(defaultTenantName, signal);
    if (!tenantId) throw new Error('the default tenant does not exist; run migrate');
    return { tenantId, subject: 'fixed-token', scopes: [...managedScopes] };
  }

  private remember(digest: Buffer, principal: Principal): void {
    if (this.remembered.size >= maxRemembered) this.remembered.clear();
    this.remembered.set(digest.toString('base64'), { principal, until: Date.now() + trustMs });
  }
}
