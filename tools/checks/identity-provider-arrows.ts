/** A room is a source folder with rules for its imports, and with their reason. */
export type Room = {
  /** Path prefix of the room's source files, from the root of the repository. */
  readonly path: string
  /** Paths of the rooms that this room may import from. Imports from all other rooms are forbidden. */
  readonly mayImport: readonly string[]
  readonly reason: string
}

/** The rooms of the live directory and its storage. */
export const directoryRooms: readonly Room[] = [
  {
    path: 'packages/directory',
    mayImport: [],
    reason:
      'The live directory and what a server stores with it. It knows no requests, tokens or settings.',
  },
  {
    path: 'packages/directory/src/files',
    mayImport: [],
    reason: 'All secrets are written to the disk in the same way.',
  },
  {
    path: 'packages/directory/src/clock',
    mayImport: [],
    reason:
      'Compares the clocks of server and store, because steps that cannot be undone need a right time. It knows nothing of what they delete.',
  },
  {
    path: 'packages/directory/src/model',
    mayImport: ['packages/guard'],
    reason:
      'The rules for roles are pure: no network, no store, no private keys. The guard has the rule for safe public keys, which certificates must follow too.',
  },
  {
    path: 'packages/directory/src/audit',
    mayImport: ['packages/directory/src/clock'],
    reason:
      'Records of changes and of sign-ins, and what else a store keeps for their time: ports, and the buffer before them.',
  },
  {
    path: 'packages/directory/src/live',
    mayImport: ['packages/directory/src/audit', 'packages/directory/src/model'],
    reason:
      'The live directory: its port to a store, what it keeps in memory, and how a change is decided. It knows no database.',
  },
  {
    path: 'packages/directory/src/keys',
    mayImport: [],
    reason:
      'The rows of the signing keys, and the port to their store. The private keys in them are encrypted.',
  },
  {
    path: 'packages/directory/src/storage',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/clock',
      'packages/directory/src/files',
      'packages/directory/src/keys',
      'packages/directory/src/live',
      'packages/directory/src/model',
    ],
    reason: 'Adapters store the directory and the signing keys, and make no decisions.',
  },
]

/** The rooms inside the identity provider. */
export const identityProviderRooms: readonly Room[] = [
  {
    path: 'services/identity-provider/src/refusals',
    mayImport: [],
    reason:
      'Each refusal of the token endpoint is one row: its reason, its phase and its texts. Functions return the reason.',
  },
  {
    path: 'services/identity-provider/src/issuance',
    mayImport: ['packages/directory/src/model', 'services/identity-provider/src/refusals'],
    reason:
      'The decision about a token is a pure function of directory, request, facts and time. One file collects the facts.',
  },
  {
    path: 'services/identity-provider/src/signing',
    mayImport: [
      'packages/directory/src/clock',
      'packages/directory/src/files',
      'packages/directory/src/keys',
      'packages/guard',
      'services/identity-provider/src/certificates',
    ],
    reason: 'The only room with private keys does not depend on requests or clients.',
  },
  {
    path: 'services/identity-provider/src/dialect',
    mayImport: [
      'packages/directory/src/model',
      'packages/http-service',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/refusals',
    ],
    reason:
      'Requests, tokens and errors in the form of Entra. Another dialect would change only this room and the rows of the refusals.',
  },
  {
    path: 'services/identity-provider/src/seed',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/files',
      'packages/directory/src/live',
      'packages/directory/src/model',
      'packages/registrations',
    ],
    reason: 'The first registrations are a file and a change: no network, no keys.',
  },
  {
    path: 'services/identity-provider/src/issuance/federation',
    mayImport: [
      'packages/directory/src/model',
      'packages/guard',
      'services/identity-provider/src/issuance',
    ],
    reason: 'The guard fetches the keys of other issuers and verifies their tokens.',
  },
  {
    path: 'services/identity-provider/src/certificates',
    mayImport: ['packages/directory/src/files'],
    reason:
      'The form of certificates, and those for HTTPS on this machine. Their keys sign no tokens, and do not depend on clients.',
  },
  {
    path: 'services/identity-provider/src/endpoints',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/live',
      'packages/directory/src/model',
      'packages/http-service',
      'services/identity-provider/src/dialect',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/refusals',
      'services/identity-provider/src/signing',
    ],
    reason: 'Routes pass requests to the decision. They do not read settings.',
  },
  {
    path: 'services/identity-provider/src/lab',
    mayImport: [
      'packages/directory/src/keys',
      'packages/directory/src/live',
      'packages/directory/src/model',
      'packages/directory/src/storage',
      'packages/http-service',
      'packages/lab',
      'services/identity-provider/src/dialect',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/management',
      'services/identity-provider/src/signing',
    ],
    reason: 'The server, as its lab uses it. Only a start with a lab loads it.',
  },
  {
    path: 'services/identity-provider/src/portal-host',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/model',
      'packages/portal',
      'services/identity-provider/src/dialect',
      'services/identity-provider/src/endpoints',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/management',
      'services/identity-provider/src/refusals',
      'services/identity-provider/src/signing',
    ],
    reason: 'The server, as its portal uses it. Only the first request for the portal loads it.',
  },
  {
    path: 'services/identity-provider/src/backup',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/files',
      'packages/directory/src/model',
      'packages/directory/src/storage',
      'services/identity-provider/src/signing',
    ],
    reason: 'A backup copies the store and its key. It runs as a process of its own.',
  },
  {
    path: 'services/identity-provider/src/telemetry/audit-export',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/storage',
      'packages/http-service',
      'packages/tracing',
      'services/identity-provider',
      'services/identity-provider/src/endpoints',
    ],
    reason:
      'Audit records leave for other log stores, after the change or the answer that they record. Only a start with such a store loads it.',
  },
  {
    path: 'services/identity-provider/src/telemetry/metrics',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/storage',
      'packages/http-service',
      'services/identity-provider/src/endpoints',
      'services/identity-provider/src/signing',
    ],
    reason: 'Metrics read the figures of other rooms, which do not know Prometheus.',
  },
  {
    path: 'services/identity-provider/src/management',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/clock',
      'packages/directory/src/files',
      'packages/directory/src/keys',
      'packages/directory/src/live',
      'packages/directory/src/model',
      'packages/directory/src/storage',
      'packages/guard',
      'packages/http-service',
      'packages/registrations',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/refusals',
      'services/identity-provider/src/signing',
    ],
    reason:
      'The management APIs change the directory through the storage port, and rotate the signing keys. The guard protects them. They issue no tokens, but estimate their size. A proof of possession has the rules of client assertions.',
  },
]
