import { embedQuery, ServiceError, type RequestOf, type ResponseOf, type searchChunks } from '@lectern/contracts';
import { lexicalQuery } from '@lectern/text';
import type { CallContext, ServiceClient } from '@lectern/transport';
import type { SearchConfig } from '../config.js';
import { byScore, fuse, select, type Ranked } from './fusion.js';
import { weighTerms } from './lexical-weights.js';
import { candidatesPerLeg, type Passage, type SearchRepository, type SpaceScope } from './search.repository.js';

type Request = RequestOf<typeof searchChunks>;
type Response = ResponseOf<typeof searchChunks>;

interface SpaceResult {
  ranked: Ranked[];
  exact: boolean;
}

export class SearchService {
  constructor(
    private readonly repository: SearchRepository,
    private readonly client: ServiceClient,
    private readonly config: SearchConfig,
  ) {}

  async search(request: Request, call: CallContext): Promise<Response> {
    const { tenantId } = call.caller;
    const spaces = await this.repository.resolveScope(tenantId, request, call.signal);
    if (!spaces) throw notFound(request);
    const results = await Promise.all(spaces.map((space) => this.searchSpace(space, request, call)));
    const ranked = results.flatMap((result) => result.ranked).toSorted(byScore);
    const { kept, filteredByThreshold } = select(ranked, request.topK);
    const passages = await this.repository.passages(
      tenantId,
      kept.map((hit) => hit.chunkId),
      call.signal,
    );
    return {
      hits: toHits(kept, passages),
      filteredByThreshold,
      scope: {
        knowledgeBaseIds: spaces.flatMap((space) => space.knowledgeBaseIds),
        ...(request.documentId ? { documentId: request.documentId } : {}),
      },
      exhaustive: results.every((result) => result.exact) ? 'exact' : 'approximate',
    };
  }

  private async searchSpace(space: SpaceScope, request: Request, call: CallContext): Promise<SpaceResult> {
    if (space.chunkCount === 0) return { ranked: [], exact: true };
    const { tenantId } = call.caller;
    const terms = lexicalQuery(tenantId, request.query);
    const { provider, model, revision } = space.model;
    const [{ vector }, statistics] = await Promise.all([
      this.client.call(embedQuery, { model: { provider, model, revision }, text: request.query }, call),
      this.repository.termStatistics(tenantId, terms, call.signal),
    ]);
    const weights = weighTerms(terms, statistics, this.config.SEARCH_LEXICAL_CANDIDATES);
    const legs = { space, documentId: request.documentId, vector, weights };
    let exact = space.chunkCount <= this.config.SEARCH_EXACT_UP_TO_CHUNKS;
    let candidates = await this.repository.candidates(tenantId, { ...legs, exact }, call.signal);
    if (!exact && candidates.length < Math.min(candidatesPerLeg, space.chunkCount)) {
      // The walk through the index ended before it had found enough of this scope.
      exact = true;
      candidates = await this.repository.candidates(tenantId, { ...legs, exact }, call.signal);
    }
    return { ranked: fuse(candidates, { ...space.model, bm25Max: weights.bm25Max }), exact };
  }
}

/** Passages that were deleted in between are left out. */
function toHits(kept: readonly Ranked[], passages: readonly Passage[]): Response['hits'] {
  const byId = new Map(passages.map((passage) => [passage.chunkId, passage]));
  return kept
    .flatMap((hit) => {
      const passage = byId.get(hit.chunkId);
      return passage ? [{ hit, passage }] : [];
    })
    .map(({ hit, passage }, position) => {
      const { page, sheet, range, startOffset, endOffset, headingPath, ...rest } = passage;
      return {
        ...rest,
        rank: position + 1,
        similarity: hit.similarity,
        score: hit.score,
        citation: {
          startOffset,
          endOffset,
          headingPath,
          ...(page === null ? {} : { page }),
          ...(sheet === null ? {} : { sheet }),
          ...(range === null ? {} : { range }),
        },
      };
    });
}

function notFound(request: Request): ServiceError {
  return new ServiceError(
    'not_found',
    request.documentId
      ? `There is no document ${request.documentId} in this scope. Call list_documents for the ids.`
      : `There is no knowledge base ${request.knowledgeBaseId}. Call list_knowledge_bases for the ids.`,
  );
}
