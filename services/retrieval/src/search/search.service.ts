import { embedQuery, ServiceError, type RequestOf, type ResponseOf, type searchChunks } from '@lectern/contracts';
import { holdsText, lexicalQuery } from '@lectern/text';
import type { CallContext, ServiceClient } from '@lectern/transport';
import type { SearchConfig } from '../config.js';
import { byScore, fuse, select, type Ranked } from './fusion.js';
import { toHits } from './hits.js';
import { chooseLegs, withoutVectorIndex, type Legs } from './legs.js';
import { weighTerms, type LexicalWeights } from './lexical-weights.js';
import { candidatesPerLeg, type Found, type SearchRepository, type SpaceScope } from './search.repository.js';

type Request = RequestOf<typeof searchChunks>;
type Response = ResponseOf<typeof searchChunks>;

interface SpaceResult {
  ranked: Ranked[];
  exact: boolean;
}

/** What is looked for in one embedding space. */
interface Quest {
  space: SpaceScope;
  documentId: string | undefined;
  vector: Float32Array;
  weights: LexicalWeights;
  /** Chunks of the tenant when they were counted last. */
  tenantChunkCount: number;
}

export class SearchService {
  constructor(
    private readonly repository: SearchRepository,
    private readonly client: ServiceClient,
    private readonly config: SearchConfig,
  ) {}

  async search(request: Request, call: CallContext): Promise<Response> {
    if (!holdsText(request.query)) {
      throw new ServiceError('invalid_request', 'query: has no word, number or symbol to search by. Ask in words.');
    }
    const { tenantId } = call.caller;
    const countBound = Math.max(this.config.SEARCH_EXACT_UP_TO_CHUNKS, candidatesPerLeg);
    const spaces = await this.repository.resolveScope(tenantId, request, countBound, call.signal);
    if (!spaces) throw notFound(request);
    const quests = await this.prepare(spaces, request, call);
    const results = await Promise.all(quests.map((quest) => this.searchSpace(quest, call)));
    const ranked = results.flatMap((result) => result.ranked).toSorted(byScore);
    const { kept, filteredByThreshold } = select(ranked, request.topK);
    const chunkIds = kept.map((hit) => hit.chunkId);
    return {
      hits: toHits(kept, await this.repository.passages(tenantId, chunkIds, call.signal)),
      filteredByThreshold,
      scope: {
        knowledgeBaseIds: spaces.flatMap((space) => space.knowledgeBaseIds),
        ...(request.documentId ? { documentId: request.documentId } : {}),
      },
      exhaustive: results.every((result) => result.exact) ? 'exact' : 'approximate',
    };
  }

  /** The question as each of the spaces wants it; nothing is embedded where there is nothing to find. */
  private async prepare(spaces: readonly SpaceScope[], request: Request, call: CallContext): Promise<Quest[]> {
    const filled = spaces.filter((space) => space.chunkCount > 0);
    if (filled.length === 0) return [];
    const { tenantId } = call.caller;
    const terms = lexicalQuery(tenantId, request.query);
    const [statistics, ...embedded] = await Promise.all([
      this.repository.termStatistics(tenantId, terms, call.signal),
      ...filled.map(async (space) => ({ space, vector: await this.embed(space, request.query, call) })),
    ]);
    const weights = weighTerms(terms, statistics);
    const { documentId } = request;
    return embedded.map((one) => ({ ...one, documentId, weights, tenantChunkCount: statistics.chunkCount }));
  }

  private async embed({ model }: SpaceScope, text: string, call: CallContext): Promise<Float32Array> {
    const { provider, model: name, revision } = model;
    const { vector } = await this.client.call(embedQuery, { model: { provider, model: name, revision }, text }, call);
    return vector;
  }

  private async searchSpace(quest: Quest, call: CallContext): Promise<SpaceResult> {
    const { space, weights, tenantChunkCount } = quest;
    const chunkCounts = { scope: space.chunkCount, tenant: tenantChunkCount };
    let legs = chooseLegs(chunkCounts, weights, this.config);
    let found = await this.find(quest, legs, call);
    if (legs.dense === 'index' && endedShort(found, space)) {
      legs = withoutVectorIndex(legs, weights);
      found = await this.find(quest, legs, call);
    }
    return { ranked: fuse(found, { ...space.model, bm25Max: weights.bm25Max }), exact: legs.exact };
  }

  private find(quest: Quest, legs: Legs, call: CallContext): Promise<Found[]> {
    const { space, documentId, vector, weights } = quest;
    const request = { space, documentId, vector, lexicalQuery: weights.query, legs };
    return this.repository.candidates(call.caller.tenantId, request, call.signal);
  }
}

/** A walk through the vector index is given up after a while, before it has found enough of a scope. */
function endedShort(found: readonly Found[], space: SpaceScope): boolean {
  return found.filter((candidate) => candidate.near).length < Math.min(candidatesPerLeg, space.chunkCount);
}

function notFound({ documentId, knowledgeBaseId }: Request): ServiceError {
  return new ServiceError(
    'not_found',
    documentId
      ? `There is no document ${documentId} in this scope. Call list_documents for the ids.`
      : `There is no knowledge base ${knowledgeBaseId}. Call list_knowledge_bases for the ids.`,
  );
}
