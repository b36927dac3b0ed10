/** Names the server in handshakes and service information. The version equals the package's, which a test checks. */
export const product = { name: 'lectern', title: 'Lectern', version: '1.0.0' } as const;
