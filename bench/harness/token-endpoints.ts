import type { Contender } from './contender.ts'
import { postgresql, type Store, sqlite, startIdentityProvider } from './identity-provider.ts'
import type { IssuanceFault } from './issuance-proof.ts'
import { opensslSpeed } from './openssl-speed.ts'
import { startPeer } from './peer-process.ts'
import type { Scene } from './scene.ts'
import { tokenEndpoint } from './token-endpoint.ts'

const onOpenssl = ['openssl-rsa2048-sign'] as const
const ours = 'Greeting, token endpoint'

const identityProvider = (id: string, title: string, store: Store): Contender[] => [
  tokenEndpoint({
    id,
    title: `Greeting's identity provider, ${title}`,
    heat: ours,
    needs: [],
    comparedWith: onOpenssl,
    serverCores: 1,
    slowToStart: store !== sqlite,
    start: (lab, cores) => startIdentityProvider(store, lab, cores),
  }),
  tokenEndpoint({
    id: `${id}-two-cores`,
    title: `Greeting's identity provider, ${title}, two cores`,
    heat: ours,
    needs: [],
    comparedWith: [...onOpenssl, id],
    serverCores: 2,
    slowToStart: true,
    start: (lab, cores) => startIdentityProvider(store, lab, cores),
  }),
]

type Peer = {
  /** Also the name of its file in `servers/`. */
  readonly id: string
  readonly title: string
  /** How it is told for whom the token shall be. */
  readonly form: (scene: Scene) => Readonly<Record<string, string>>
  readonly knownFor?: readonly IssuanceFault[]
}

const peer = ({ id, title, form, knownFor = [] }: Peer): Contender =>
  tokenEndpoint({
    id,
    title,
    heat: 'others, token endpoint',
    needs: [],
    comparedWith: onOpenssl,
    serverCores: 1,
    knownFor,
    start: async (lab, cores) => {
      const { url, pid, stop } = await startPeer(id, lab, cores)
      const { clientId, clientSecret } = lab.scene
      return {
        tokenEndpoint: `${url}/token`,
        keySetUrl: `${url}/jwks`,
        form: {
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: clientSecret,
          ...form(lab.scene),
        },
        pid,
        stop,
      }
    },
  })

/** Everybody's client-credentials grant with RS256 access tokens, and the signature alone. */
export const tokenEndpoints: readonly Contender[] = [
  opensslSpeed,
  ...identityProvider('identity-provider-sqlite', 'SQLite', sqlite),
  ...identityProvider('identity-provider-postgresql', 'PostgreSQL', postgresql),
  peer({
    id: 'node-http-sign',
    title: 'bare `node:http` that signs and checks nothing',
    form: () => ({}),
    knownFor: ['a wrong secret is taken'],
  }),
  peer({
    id: 'oidc-provider',
    title: 'node-oidc-provider',
    form: ({ audience }) => ({ resource: audience }),
  }),
  peer({
    id: 'oauth2-mock-server',
    title: 'oauth2-mock-server (checks no secret)',
    form: ({ audience }) => ({ scope: `${audience}/.default` }),
    knownFor: ['a wrong secret is taken', 'the same token is given twice'],
  }),
]
