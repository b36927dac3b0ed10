import { z } from 'zod';

/** A dense vector; crosses the wire as float32 bytes. */
export const vectorSchema = z.custom<Float32Array>((value) => value instanceof Float32Array, 'takes a vector');
