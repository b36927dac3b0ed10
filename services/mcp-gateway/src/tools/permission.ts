/** How much harm a tool can do. Hints, read-only mode, confirmation and metrics follow from it. */
export const permissions = ['read-only', 'write', 'danger'] as const;
export type Permission = (typeof permissions)[number];
