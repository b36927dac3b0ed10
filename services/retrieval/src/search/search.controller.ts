import { searchChunks, type RequestOf } from '@lectern/contracts';
import { Handles, type CallContext } from '@lectern/transport';
import { Controller } from '@nestjs/common';
import { SearchService } from './search.service.js';

@Controller()
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  @Handles(searchChunks)
  search(request: RequestOf<typeof searchChunks>, call: CallContext) {
    return this.searches.search(request, call);
  }
}
