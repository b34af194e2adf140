import { type Authority, issuerV2 } from '../authority.ts'
import type { DocumentTenant } from './discovery-document.ts'

/** The key set for v1.0 tokens, without an issuer. */
export const keySetDocumentV1 = (keys: readonly object[]): object => ({ keys })

/** The key set for v2.0 tokens. Every key contains its issuer. */
export const keySetDocumentV2 = (
  keys: readonly object[],
  authority: Authority,
  tenant: DocumentTenant,
): object => ({
  keys: keys.map((key) => ({
    ...key,
    cloud_instance_name: 'microsoftonline.com',
    issuer: issuerV2(authority, tenant.inIssuer),
  })),
})
