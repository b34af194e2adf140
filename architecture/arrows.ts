/** A room of the repository, the rooms it may import from, and why no others. */
export type Room = {
  /** Path prefix of the room's source files, from the root of the repository. */
  readonly path: string
  /** Rooms that this room may import from, by path. Anything else of ours is forbidden. */
  readonly mayImport: readonly string[]
  readonly reason: string
}

/**
 * Packages meet only over their public exports or over HTTP.
 * The longest matching path wins, so a room inside a package has its own row.
 */
export const rooms: readonly Room[] = [
  {
    path: 'packages/guard',
    mayImport: [],
    reason: 'People take the guard away for their own APIs: it stands alone.',
  },
  {
    path: 'packages/client',
    mayImport: [],
    reason: 'A client treats its token as an opaque string; it shares no code with who made it.',
  },
  {
    path: 'packages/registrations',
    mayImport: [],
    reason:
      'The format of the registrations file is independent of every directory: no wire, no clock, no file system.',
  },
  {
    path: 'packages/http-service',
    mayImport: [],
    reason: 'Both services run on it. It knows neither of them, and nothing of tokens.',
  },
  {
    path: 'services/greeting-api',
    mayImport: ['packages/guard', 'packages/http-service'],
    reason: 'The resource server knows the identity provider only by its key set, over HTTP.',
  },
  {
    path: 'services/identity-provider',
    mayImport: ['packages/guard', 'packages/http-service', 'packages/registrations'],
    reason:
      'Its management API is a resource like any other, and federated issuers have key sets. A token is never made with the code that judges it.',
  },
  {
    path: 'services/identity-provider/src/files',
    mayImport: [],
    reason: 'How a secret comes to the disk is the same for every secret: it knows none of them.',
  },
  {
    path: 'services/identity-provider/src/body',
    mayImport: [],
    reason: 'Every body has the same limits on its size; what it means is decided elsewhere.',
  },
  {
    path: 'services/identity-provider/src/directory',
    mayImport: ['packages/guard'],
    reason:
      'Who may have which role is a pure decision: no wire, no store, no private keys. Which public keys may verify is the rule of the guard, for certificates too.',
  },
  {
    path: 'services/identity-provider/src/issuance',
    mayImport: ['services/identity-provider/src/directory'],
    reason:
      'The decision about a token is a pure function of directory, request, facts and time. One file collects the facts.',
  },
  {
    path: 'services/identity-provider/src/signing',
    mayImport: ['services/identity-provider/src/files'],
    reason: 'The only room that touches private keys knows nothing of who asks.',
  },
  {
    path: 'services/identity-provider/src/storage',
    mayImport: [
      'services/identity-provider/src/directory',
      'services/identity-provider/src/signing',
    ],
    reason: 'Adapters keep what the directory and the signing keys say; they decide nothing.',
  },
  {
    path: 'services/identity-provider/src/dialect',
    mayImport: [
      'services/identity-provider/src/directory',
      'services/identity-provider/src/issuance',
    ],
    reason: "Entra's words on the wire: the only room that would change for another dialect.",
  },
  {
    path: 'services/identity-provider/src/registrations',
    mayImport: [
      'packages/registrations',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/files',
      'services/identity-provider/src/storage',
    ],
    reason: 'The first registrations are a file and a change of the directory: no wire, no keys.',
  },
  {
    path: 'services/identity-provider/src/federation',
    mayImport: ['packages/guard', 'services/identity-provider/src/issuance'],
    reason: 'The keys of other issuers are fetched and judged by the guard, as at any resource.',
  },
  {
    path: 'services/identity-provider/src/certificates',
    mayImport: ['services/identity-provider/src/files'],
    reason: 'TLS is of the way in, not of tokens: its keys sign none, and it knows nobody.',
  },
  {
    path: 'services/identity-provider/src/http',
    mayImport: [
      'services/identity-provider/src/body',
      'packages/http-service',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/dialect',
      'services/identity-provider/src/storage',
      'services/identity-provider/src/signing',
    ],
    reason: 'Routes carry questions to the decision and answers back; settings do not reach them.',
  },
  {
    path: 'services/identity-provider/src/management',
    mayImport: [
      'packages/guard',
      'services/identity-provider/src/body',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/files',
      'services/identity-provider/src/signing',
      'services/identity-provider/src/storage',
    ],
    reason:
      'The management APIs change the directory through the storage port, and rotate the signing keys. The guard protects them. They do not know how tokens are made.',
  },
  {
    path: 'cli',
    mayImport: ['packages/client', 'packages/registrations'],
    reason: 'Services are started as processes, never imported.',
  },
  {
    path: 'cli/src/administrator',
    mayImport: ['packages/client', 'cli'],
    reason: 'Every command of an administrator calls the management API through this client.',
  },
  {
    path: 'cli/src/registrations/planning',
    mayImport: ['packages/registrations'],
    reason: 'A plan is a pure comparison of file and directory: no wire, no clock, no terminal.',
  },
  {
    path: 'cli/src/registrations/apply',
    mayImport: [
      'packages/client',
      'cli/src/administrator',
      'cli/src/registrations/planning',
      'packages/registrations',
    ],
    reason: 'Carries out a plan over Microsoft Graph. Questions and output belong to the command.',
  },
  {
    path: 'e2e',
    mayImport: ['packages/client'],
    reason: 'The whole system is met from outside, as processes.',
  },
  {
    path: 'fixtures',
    mayImport: [],
    reason: 'The tests of every room may use it, and no product code.',
  },
  {
    path: 'runtime',
    mayImport: [],
    reason: 'Runs after npm ci on the installed Node, which may be too old for everything else.',
  },
  {
    path: 'build',
    mayImport: [],
    reason: 'It compiles and packs every package as files, and runs none of them.',
  },
  {
    path: 'packed',
    mayImport: ['build', 'fixtures', 'packages/client', 'packages/guard'],
    reason: 'It uses the packed packages from outside, as their users do.',
  },
  {
    path: 'architecture',
    mayImport: [],
    reason: 'The judge of the rooms lives in none of them.',
  },
]
