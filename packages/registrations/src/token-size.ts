/** The field of a request that contains the token, without it. */
const fieldBytes = 'authorization: Bearer '.length
// Header, claims without roles, and signature: 1,229 to 1,377 bytes by the version of the token.
const bytesWithoutRoles = 1400
// Room for the target and the other fields of a request.
const otherFieldsBytes = 512

/** Limits of servers for the header fields of a request, the largest first. */
const limits = [
  {
    maxTokenBytes: 16_384 - otherFieldsBytes - fieldBytes,
    refusal: 'Node and the greeting API refuse header fields above 16 KB in all',
  },
  {
    maxTokenBytes: 8192 - fieldBytes,
    refusal: 'many proxies, such as nginx and Apache, refuse a header field above 8 KB',
  },
] as const

/** The remedy for a token that is too long. */
export const tokenSizeRemedy =
  'Grant fewer roles of this API to one client, or divide the API into several.'

/**
 * Estimates the length of a token with these roles, from the measured length of a token without
 * roles. A long issuer URL or identifier URI adds some bytes.
 */
export const estimateTokenBytes = (roles: readonly string[]): number =>
  bytesWithoutRoles + Math.ceil((roles.reduce((sum, role) => sum + roleBytes(role), 0) * 4) / 3)

/** In the claim, each role has quotes and a comma. */
const roleBytes = (role: string) => Buffer.byteLength(JSON.stringify(role)) + 1

/** The reason why servers refuse a token of this length, with the length in words; undefined for a usual length. */
export function tokenSizeFault(bytes: number): string | undefined {
  const limit = limits.find(({ maxTokenBytes }) => bytes > maxTokenBytes)
  return limit && `${(bytes / 1024).toFixed(1)} KB: ${limit.refusal}`
}

/** True if a change makes a token so long that some servers refuse it, although they accepted it before. */
export const passesLimit = (bytesBefore: number, bytesAfter: number): boolean =>
  limits.some(({ maxTokenBytes }) => bytesBefore <= maxTokenBytes && bytesAfter > maxTokenBytes)
