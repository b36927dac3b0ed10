// Overwrites one blob until it is killed; takes the directory of the store.
import { createFileBlobStore } from '@lectern/blobs';

const store = await createFileBlobStore(process.argv[2]);
process.send('writing');
for (let i = 0; ; i += 1) await store.put('key', Buffer.alloc(300_000, i % 256));
