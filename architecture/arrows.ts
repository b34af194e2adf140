/** A room is a source folder with rules for its imports. The row has the reason for them. */
export type Room = {
  /** Path prefix of the room's source files, from the root of the repository. */
  readonly path: string
  /** Paths of the rooms that this room may import from. Imports from all other rooms are forbidden. */
  readonly mayImport: readonly string[]
  readonly reason: string
}

// Packages use each other only through public exports or HTTP.
/** The row with the longest matching path applies, so a room inside a package has its own row. */
export const rooms: readonly Room[] = [
  {
    path: 'packages/guard',
    mayImport: [],
    reason: 'Users install the guard alone, for their own APIs.',
  },
  {
    path: 'packages/client',
    mayImport: [],
    reason:
      'A token is an opaque string for a client, so it shares no code with the identity provider.',
  },
  {
    path: 'packages/registrations',
    mayImport: [],
    reason:
      'The format of the registrations file, and its comparison with a directory: no network, no clock, no file system.',
  },
  {
    path: 'packages/tracing',
    mayImport: [],
    reason: 'Services and command send their spans in the same way. It knows none of them.',
  },
  {
    path: 'packages/http-service',
    mayImport: ['packages/tracing'],
    reason:
      'What both services do alike: settings, listeners, workers and stopping. It contains no code for either of them or for tokens.',
  },
  {
    path: 'packages/portal',
    mayImport: [
      'packages/guard',
      'packages/http-service',
      'packages/registrations',
      'packages/registrations/src/apply',
      'packages/registrations/src/planning',
    ],
    reason: 'Pages for administrators: a client of the server by an interface that it declares.',
  },
  {
    path: 'packages/lab',
    mayImport: ['packages/guard', 'packages/http-service', 'packages/portal'],
    reason: 'The controls of a test over a server, by an interface that the lab declares.',
  },
  {
    path: 'packages/testing',
    mayImport: ['services/identity-provider', 'services/identity-provider/src/lab'],
    reason:
      'Starts the identity provider by its public exports. Its controls are those of the lab.',
  },
  {
    path: 'services/greeting-api',
    mayImport: ['packages/guard', 'packages/http-service', 'packages/tracing'],
    reason: 'The resource server uses only the key set of the identity provider, over HTTP.',
  },
  {
    path: 'services/identity-provider',
    mayImport: [
      'packages/guard',
      'packages/http-service',
      'packages/lab',
      'packages/portal',
      'packages/registrations',
      'packages/registrations/src/planning',
      'packages/tracing',
    ],
    reason:
      'Its management API is a resource server, and federated issuers have key sets. Tokens are issued without the code that verifies them.',
  },
  {
    path: 'services/identity-provider/src/files',
    mayImport: [],
    reason: 'All secrets are written to the disk in the same way.',
  },
  {
    path: 'services/identity-provider/src/directory',
    mayImport: ['packages/guard'],
    reason:
      'The rules for roles are pure: no network, no store, no private keys. The guard has the rule for safe public keys, which certificates must follow too.',
  },
  {
    path: 'services/identity-provider/src/audit',
    mayImport: ['services/identity-provider/src/clock'],
    reason:
      'Records of changes and of sign-ins, and what else a store keeps for their time: ports, and the buffer before them.',
  },
  {
    path: 'services/identity-provider/src/directory-store',
    mayImport: ['services/identity-provider/src/audit', 'services/identity-provider/src/directory'],
    reason:
      'The live directory: its port to a store, what it keeps in memory, and how a change is decided. It knows no database.',
  },
  {
    path: 'services/identity-provider/src/clock',
    mayImport: [],
    reason:
      'Compares the clocks of server and store, because steps that cannot be undone need a right time. It knows nothing of what they delete.',
  },
  {
    path: 'services/identity-provider/src/issuance',
    mayImport: ['services/identity-provider/src/directory'],
    reason:
      'The decision about a token is a pure function of directory, request, facts and time. One file collects the facts.',
  },
  {
    path: 'services/identity-provider/src/signing',
    mayImport: ['services/identity-provider/src/clock', 'services/identity-provider/src/files'],
    reason: 'The only room with private keys does not depend on requests or clients.',
  },
  {
    path: 'services/identity-provider/src/storage',
    mayImport: [
      'services/identity-provider/src/clock',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/files',
      'services/identity-provider/src/signing',
      'services/identity-provider/src/audit',
      'services/identity-provider/src/directory-store',
    ],
    reason: 'Adapters store the directory and the signing keys, and make no decisions.',
  },
  {
    path: 'services/identity-provider/src/dialect',
    mayImport: [
      'packages/http-service',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/issuance',
    ],
    reason:
      'Requests, tokens and errors in the form of Entra. Another dialect would change only this room.',
  },
  {
    path: 'services/identity-provider/src/registrations',
    mayImport: [
      'packages/registrations',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/files',
      'services/identity-provider/src/directory-store',
    ],
    reason: 'The first registrations are a file and a change: no network, no keys.',
  },
  {
    path: 'services/identity-provider/src/federation',
    mayImport: [
      'packages/guard',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/issuance',
    ],
    reason: 'The guard fetches the keys of other issuers and verifies their tokens.',
  },
  {
    path: 'services/identity-provider/src/certificates',
    mayImport: ['services/identity-provider/src/files'],
    reason:
      'Certificates for HTTPS on this machine. Their keys sign no tokens, and do not depend on clients.',
  },
  {
    path: 'services/identity-provider/src/http',
    mayImport: [
      'packages/http-service',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/dialect',
      'services/identity-provider/src/signing',
      'services/identity-provider/src/audit',
      'services/identity-provider/src/directory-store',
    ],
    reason: 'Routes pass requests to the decision. They do not read settings.',
  },
  {
    path: 'services/identity-provider/src/lab',
    mayImport: [
      'packages/lab',
      'services/identity-provider',
      'services/identity-provider/src/lab-host',
      'services/identity-provider/src/signing',
      'services/identity-provider/src/storage',
    ],
    reason: 'The start of a server with a lab. Only it and the kit load the lab.',
  },
  {
    path: 'services/identity-provider/src/lab-host',
    mayImport: [
      'packages/http-service',
      'packages/lab',
      'services/identity-provider/src/dialect',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/directory-store',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/management',
      'services/identity-provider/src/signing',
    ],
    reason: 'The server, as its lab uses it. Only a start with a lab loads it.',
  },
  {
    path: 'services/identity-provider/src/portal',
    mayImport: [
      'packages/portal',
      'services/identity-provider/src/dialect',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/http',
      'services/identity-provider/src/issuance',
      'services/identity-provider/src/management',
      'services/identity-provider/src/signing',
      'services/identity-provider/src/audit',
    ],
    reason: 'The server, as its portal uses it. Only the first request for the portal loads it.',
  },
  {
    path: 'services/identity-provider/src/backup',
    mayImport: [
      'services/identity-provider/src/files',
      'services/identity-provider/src/signing',
      'services/identity-provider/src/storage',
    ],
    reason: 'A backup copies the store and its key. It runs as a process of its own.',
  },
  {
    path: 'services/identity-provider/src/metrics',
    mayImport: [
      'packages/http-service',
      'services/identity-provider/src/http',
      'services/identity-provider/src/signing',
      'services/identity-provider/src/storage',
      'services/identity-provider/src/audit',
    ],
    reason: 'Metrics read the figures of other rooms, which do not know Prometheus.',
  },
  {
    path: 'services/identity-provider/src/management',
    mayImport: [
      'packages/guard',
      'packages/registrations/src/planning',
      'packages/http-service',
      'services/identity-provider/src/clock',
      'services/identity-provider/src/directory',
      'services/identity-provider/src/files',
      'services/identity-provider/src/signing',
      'services/identity-provider/src/storage',
      'services/identity-provider/src/audit',
      'services/identity-provider/src/directory-store',
    ],
    reason:
      'The management APIs change the directory through the storage port, and rotate the signing keys. The guard protects them. They issue no tokens, but estimate their size as a plan does.',
  },
  {
    path: 'cli',
    mayImport: [
      'packages/client',
      'packages/registrations',
      'packages/registrations/src/apply',
      'packages/registrations/src/planning',
      'packages/tracing',
    ],
    reason: 'The command `greeting`. It starts services as processes, and imports none.',
  },
  {
    path: 'cli/src/administrator',
    mayImport: ['packages/client', 'packages/registrations/src/apply', 'cli'],
    reason: 'Every command of an administrator calls the management API through this client.',
  },
  {
    path: 'packages/registrations/src/planning',
    mayImport: ['packages/registrations'],
    reason: 'A plan is a pure comparison of file and directory: no network, no clock, no terminal.',
  },
  {
    path: 'packages/registrations/src/apply',
    mayImport: ['packages/registrations', 'packages/registrations/src/planning'],
    reason:
      'It applies a plan through a directory that its caller passes in: the command over the network, the portal within the identity provider.',
  },
  {
    path: 'e2e',
    mayImport: ['packages/client', 'packages/guard', 'packages/testing', 'packages/tracing'],
    reason: 'The tests use the system from outside: processes and packages, as their users do.',
  },
  {
    path: 'examples',
    mayImport: ['packages/guard', 'packages/testing'],
    reason: 'Small APIs of users, which use the packages as their users do.',
  },
  {
    path: 'fixtures',
    mayImport: ['services/identity-provider'],
    reason: 'The tests of every room may use it, and no product code.',
  },
  {
    path: 'fixtures/graph',
    mayImport: [
      'cli/src/administrator',
      'packages/client',
      'packages/registrations',
      'packages/registrations/src/apply',
      'packages/registrations/src/planning',
      'packages/testing',
    ],
    reason: 'Tests of plans reach the Graph of the test kit through the client of the command.',
  },
  {
    path: 'runtime',
    mayImport: [],
    reason: 'It runs after npm ci on the installed Node, which may be too old for all other code.',
  },
  {
    path: 'build',
    mayImport: [],
    reason: 'It compiles and packs every package as files, and runs none of them.',
  },
  {
    path: 'packed',
    mayImport: [
      'build',
      'fixtures',
      'packages/client',
      'packages/guard',
      'packages/testing',
      'services/identity-provider',
      'services/identity-provider/src/lab',
    ],
    reason: 'It uses the packed packages from outside, as their users do.',
  },
  {
    path: 'deploy',
    mayImport: ['build', 'fixtures', 'packed'],
    reason: 'It puts the built packages on a machine or a cluster, and starts them as processes.',
  },
  {
    path: 'mutants',
    mayImport: ['architecture', 'packages/guard'],
    reason: 'It breaks source files, and runs the tests that import them.',
  },
  {
    path: 'architecture',
    mayImport: ['build'],
    reason: 'The checks of the rooms depend on no room. Only the build knows the interfaces.',
  },
]
