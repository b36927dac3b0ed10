import { embedQuery, ServiceError, type EmbeddingModel, type RequestOf } from '@lectern/contracts';
import { fakeModel, fakeVector } from '@lectern/testing';
import { Handles } from '@lectern/transport';
import { Controller, Module, type DynamicModule } from '@nestjs/common';

/** Another space than that of {@link fakeModel}: half as many dimensions, and another scale. */
export const otherModel: EmbeddingModel = {
  ...fakeModel,
  revision: '2',
  dimension: fakeModel.dimension / 2,
  floor: 0.3,
  denseWeight: 0.4,
};

/** The deterministic vector of a text in the space of a fake model. */
export function vectorOf(model: Pick<EmbeddingModel, 'revision'>, text: string): Float32Array {
  const vector = fakeVector(text);
  if (model.revision === fakeModel.revision) return vector;
  const folded = vector.subarray(0, otherModel.dimension).map((value, index) => value + vector[index * 2 + 1]!);
  const norm = Math.hypot(...folded) || 1;
  return folded.map((value) => value / norm);
}

/** Stands in for the embedding service. */
export class FakeEmbedding {
  readonly asked: RequestOf<typeof embedQuery>[] = [];
  down = false;
}

@Controller()
class FakeEmbeddingController {
  constructor(private readonly embedding: FakeEmbedding) {}

  @Handles(embedQuery)
  async embed(request: RequestOf<typeof embedQuery>) {
    if (this.embedding.down) throw new ServiceError('unavailable', 'No model is loaded.', { retryAfterMs: 1_000 });
    this.embedding.asked.push(request);
    return { vector: vectorOf(request.model, request.text), truncated: false };
  }
}

@Module({})
export class FakeEmbeddingModule {
  static with(embedding: FakeEmbedding): DynamicModule {
    return {
      module: FakeEmbeddingModule,
      controllers: [FakeEmbeddingController],
      providers: [{ provide: FakeEmbedding, useValue: embedding }],
    };
  }
}
