import { describe, expect, it } from '@jest/globals';
import type { Scope } from '@lectern/contracts';
import { accessTo, type AccessMode } from './access.js';
import { catalog } from './catalog/index.js';

const everything: AccessMode = { toolsets: ['all'], readOnly: false };

function access(name: string, scopes: Scope[], mode: AccessMode = everything): string {
  return accessTo(
    catalog.find((tool) => tool.name === name)!,
    { scopes },
    mode,
  );
}

describe('accessTo', () => {
  it('allows by the scope of the tool or the admin scope of its family', () => {
    expect(access('list_documents', ['kb:read'])).toBe('allowed');
    expect(access('delete_document', ['kb:admin'])).toBe('allowed');
    expect(access('delete_document', ['kb:read', 'kb:write'])).toBe('insufficient_scope');
    expect(access('list_documents', ['memories:admin'])).toBe('insufficient_scope');
  });

  it('hides what the mode leaves out before it looks at scopes', () => {
    expect(access('create_knowledge_base', [], { toolsets: ['all'], readOnly: true })).toBe('hidden');
    expect(access('create_knowledge_base', [], { toolsets: ['kb'], readOnly: false })).toBe('hidden');
    expect(access('get_ingestion_status', ['kb:read'], { toolsets: ['kb', 'localbase'], readOnly: false })).toBe(
      'hidden',
    );
    expect(access('list_documents', ['kb:read'], { toolsets: ['memory', 'kb'], readOnly: true })).toBe('allowed');
  });
});
