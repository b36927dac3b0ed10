import { describeModel, embedPassages, type RequestOf, type ResponseOf } from '@lectern/contracts';
import { fakeModel, fakeVector } from '@lectern/testing';
import { Handles } from '@lectern/transport';
import { Controller, Module, type DynamicModule } from '@nestjs/common';

type Results = ResponseOf<typeof embedPassages>['results'];

/** How the fake service answers, and what it was asked. */
export class FakeEmbedding {
  /** Texts of each request so far. */
  readonly requests: string[][] = [];
  /** Called before each answer: may wait, throw, or give other results. */
  intercept: (texts: string[]) => Promise<Results | undefined> = async () => undefined;

  async embed(texts: string[]): Promise<Results> {
    this.requests.push(texts);
    return (await this.intercept(texts)) ?? texts.map((text) => ({ ok: true, vector: fakeVector(text) }));
  }

  reset(): void {
    this.requests.length = 0;
    this.intercept = async () => undefined;
  }
}

@Controller()
export class FakeEmbeddingController {
  constructor(private readonly embedding: FakeEmbedding) {}

  @Handles(describeModel)
  async describe() {
    return { model: fakeModel };
  }

  @Handles(embedPassages)
  async embed({ texts }: RequestOf<typeof embedPassages>) {
    return { results: await this.embedding.embed(texts) };
  }
}

@Module({})
export class FakeEmbeddingModule {
  static create(): { module: DynamicModule; embedding: FakeEmbedding } {
    const embedding = new FakeEmbedding();
    return {
      module: {
        module: FakeEmbeddingModule,
        controllers: [FakeEmbeddingController],
        providers: [{ provide: FakeEmbedding, useValue: embedding }],
      },
      embedding,
    };
  }
}
