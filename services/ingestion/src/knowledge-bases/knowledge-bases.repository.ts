import type { EmbeddingModel } from '@lectern/contracts';
import { newId, type Database, type Transaction } from '@lectern/database';

export interface NewKnowledgeBase {
  name: string;
  description: string;
  spaceId: string;
}

/** The tenant has a knowledge base of this name. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError';
}

const operation = 'create_knowledge_base';

export class KnowledgeBasesRepository {
  constructor(private readonly database: Database) {}

  /** What an earlier call with the same key was answered. */
  storedAnswer(tenantId: string, key: string, signal: AbortSignal): Promise<unknown> {
    return this.database.withTenant(tenantId, (transaction) => readAnswer(transaction, tenantId, key), {
      readOnly: true,
      signal,
    });
  }

  /** The id of a model's space, which is made when it is new: in a transaction of its own, since that locks tables. */
  async ensureSpace(tenantId: string, model: EmbeddingModel, signal: AbortSignal): Promise<string> {
    const [row] = await this.database.withTenant(
      tenantId,
      (transaction) =>
        transaction.query<{ id: string }>(
          'SELECT ensure_embedding_space($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS id',
          [
            newId(),
            model.provider,
            model.model,
            model.revision,
            model.dimension,
            model.normalised,
            model.floor,
            model.minSimilarity,
            model.denseWeight,
            model.queryPrefix,
            model.passagePrefix,
            model.maxTokens,
          ],
        ),
      { signal },
    );
    if (!row) throw new Error('the embedding space was not stored');
    return row.id;
  }

  /**
   * Stores a knowledge base and, under the key, the answer that tells of it. Gives the stored answer when the key was
   * used in the meantime; throws {@link NameTakenError} when only the name was.
   */
  create(tenantId: string, base: NewKnowledgeBase, key: string, signal: AbortSignal): Promise<unknown> {
    const { name, description, spaceId } = base;
    const createdAt = new Date();
    const answer = {
      knowledgeBase: { id: newId(), name, description, documentCount: 0, createdAt: createdAt.toISOString() },
    };
    return this.database.withTenant(
      tenantId,
      async (transaction) => {
        const reserved = await transaction.query(
          `INSERT INTO idempotency_keys (tenant_id, operation, key, response) VALUES ($1, $2, $3, $4)
           ON CONFLICT DO NOTHING RETURNING key`,
          [tenantId, operation, key, JSON.stringify(answer)],
        );
        if (reserved.length === 0) return readAnswer(transaction, tenantId, key);
        const { id } = answer.knowledgeBase;
        const made = await transaction.query(
          `INSERT INTO knowledge_bases (tenant_id, id, name, description, created_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (tenant_id, name) DO NOTHING RETURNING id`,
          [tenantId, id, name, description, createdAt],
        );
        if (made.length === 0) throw new NameTakenError();
        await transaction.query(
          `INSERT INTO knowledge_base_spaces (tenant_id, kb_id, space_id, state) VALUES ($1, $2, $3, 'active')`,
          [tenantId, id, spaceId],
        );
        return answer;
      },
      { signal },
    );
  }
}

async function readAnswer(transaction: Transaction, tenantId: string, key: string): Promise<unknown> {
  const [row] = await transaction.query<{ response: unknown }>(
    'SELECT response FROM idempotency_keys WHERE tenant_id = $1 AND operation = $2 AND key = $3',
    [tenantId, operation, key],
  );
  return row?.response;
}
