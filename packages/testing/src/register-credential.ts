import { createClientCertificate, type LabFederation } from '@greeting/identity-provider/lab'
import type { ClientCredential } from './entra-client.ts'
import type { Graph } from './graph.ts'
import type { ClientWithoutSecret } from './registrations.ts'

/** What the registration of a credential uses. */
type Registry = {
  readonly graph: Graph
  readonly federation: Pick<LabFederation, 'issuer' | 'token'>
  readonly clock: { readonly now: () => Date }
}

type Client = Omit<ClientWithoutSecret, 'kind'>

const register: Readonly<
  Record<
    ClientWithoutSecret['kind'],
    (client: Client, registry: Registry) => Promise<ClientCredential>
  >
> = {
  certificate: async ({ applicationId }, { clock, graph }) => {
    const certificate = await createClientCertificate(clock.now())
    await graph.setCertificate(applicationId, certificate.certificate)
    return { certificate }
  },
  federated: async ({ applicationId, displayName }, { federation, graph }) => {
    const subject = `client:${displayName}`
    await graph.trust(applicationId, { issuer: federation.issuer, subject })
    return { federatedToken: () => federation.token({ subject }) }
  },
}

/** Registers a credential of a client over Microsoft Graph, as an administrator does. */
export const registerCredential = (
  kind: ClientWithoutSecret['kind'],
  client: Client,
  registry: Registry,
): Promise<ClientCredential> => register[kind](client, registry)
