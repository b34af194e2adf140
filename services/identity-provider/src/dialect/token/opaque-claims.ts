import { guidBytes } from '../../issuance/agent-identity.ts'
import type { TokenDecision } from '../../issuance/token-decision.ts'

/** The claims of a token that only this server may interpret. */
export type OpaqueClaims = {
  readonly aio: string
  readonly rh: string
  readonly uti: string
  readonly xms_ftd: string
}

/** Creates the opaque claims of one token, with the same lengths as in Entra (entra E50, entra E53). */
export function createOpaqueClaims(
  randomBytes: (length: number) => Uint8Array,
  decision: Pick<TokenDecision, 'tenant' | 'resource'>,
): OpaqueClaims {
  const { buffer, byteOffset, byteLength } = randomBytes(16 + 36 + 32)
  const random = Buffer.from(buffer, byteOffset, byteLength)
  return {
    uti: random.toString('base64url', 0, 16),
    aio: random.toString('base64', 16, 16 + 36),
    rh: routingHint(decision),
    xms_ftd: random.toString('base64url', 52, 84),
  }
}

/** The claim `rh`: the same in each token of a tenant for an API (entra E255). */
function routingHint({ tenant, resource }: Pick<TokenDecision, 'tenant' | 'resource'>): string {
  const bytes = Buffer.alloc(40)
  guidBytes(tenant.id).copy(bytes, 3)
  guidBytes(resource.application.appId).copy(bytes, 19)
  bytes[0] = 1
  // The part of Entra that has the tenant, twice. Here the first byte of its ID stands for it.
  bytes[1] = bytes[38] = bytes[3] ?? 0
  return `1.${bytes.toString('base64url')}.`
}
