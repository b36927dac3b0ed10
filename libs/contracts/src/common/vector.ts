import { z } from 'zod';

/** A dense vector; crosses the wire as float32 bytes. */
export const vectorSchema = z.instanceof(Float32Array);
