import { directoryRooms, identityProviderRooms, type Room } from './identity-provider-arrows.ts'

// Packages use each other only through public exports or HTTP.
/**
 * The rooms of the repository. The row with the longest matching path applies, so a room inside a
 * package has a separate row.
 */
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
    mayImport: ['packages/directory/src/model'],
    reason:
      'The format of the registrations file, and its comparison with a directory: no network, no clock, no file system. Policies have the form of the directory.',
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
      'What both services do alike: settings, listeners and stopping. It contains no code for either of them or for tokens.',
  },
  {
    path: 'packages/http-service/src/guarded',
    mayImport: ['packages/guard', 'packages/http-service', 'packages/tracing'],
    reason: 'What services behind a guard do alike: its settings, its log and its metrics.',
  },
  {
    path: 'packages/portal',
    mayImport: [
      'packages/guard',
      'packages/http-service',
      'packages/registrations',
      'packages/registrations/src/apply',
      'packages/registrations/src/directory',
      'packages/registrations/src/explaining',
      'packages/registrations/src/planning',
    ],
    reason: 'Pages for administrators: a client of the server by an interface that it declares.',
  },
  {
    path: 'packages/portal/test',
    mayImport: [
      'packages/http-service',
      'packages/directory/src/live',
      'packages/directory/src/model',
      'packages/portal',
      'packages/registrations',
      'services/identity-provider',
      'services/identity-provider/src/dialect',
      'services/identity-provider/src/refusals',
    ],
    reason: 'The pages are tested as an administrator sees them, from a server that serves them.',
  },
  {
    path: 'packages/lab',
    mayImport: ['packages/guard', 'packages/http-service', 'packages/portal'],
    reason: 'The controls of a test over a server, by an interface that the lab declares.',
  },
  {
    path: 'packages/testing',
    mayImport: ['services/identity-provider'],
    reason:
      'Starts the identity provider by its public exports. Its controls are those of the lab.',
  },
  {
    path: 'services/greeting-api',
    mayImport: [
      'packages/guard',
      'packages/http-service',
      'packages/http-service/src/guarded',
      'packages/tracing',
    ],
    reason: 'The resource server uses only the key set of the identity provider, over HTTP.',
  },
  {
    path: 'services/authorizer',
    mayImport: [
      'packages/guard',
      'packages/http-service',
      'packages/http-service/src/guarded',
      'packages/registrations',
    ],
    reason: 'The guard as a program, for proxies before APIs in any language. It knows no API.',
  },
  {
    path: 'services/identity-provider',
    mayImport: [
      'packages/directory',
      'packages/directory/src/audit',
      'packages/directory/src/clock',
      'packages/directory/src/files',
      'packages/directory/src/keys',
      'packages/directory/src/live',
      'packages/directory/src/model',
      'packages/directory/src/storage',
      'packages/guard',
      'packages/http-service',
      'packages/lab',
      'packages/portal',
      'packages/registrations',
      'packages/tracing',
    ],
    reason:
      'Its management API is a resource server, and federated issuers have key sets. Tokens are issued without the code that verifies them.',
  },
  ...directoryRooms,
  ...identityProviderRooms,
  {
    path: 'cli',
    mayImport: [
      'packages/client',
      'packages/registrations',
      'packages/registrations/src/apply',
      'packages/registrations/src/directory',
      'packages/registrations/src/explaining',
      'packages/registrations/src/planning',
      'packages/tracing',
    ],
    reason: 'The command `greeting`. It imports no service, but for `greeting start`.',
  },
  {
    path: 'cli/src/system',
    mayImport: [
      'cli',
      'cli/src/administrator',
      'packages/client',
      'packages/registrations',
      'packages/registrations/src/apply',
      'packages/registrations/src/directory',
      'packages/registrations/src/planning',
      'services/greeting-api',
      'services/identity-provider',
    ],
    reason:
      '`greeting start` runs both services in one process. They have separate settings, and meet only over HTTP.',
  },
  {
    path: 'cli/src/administrator',
    mayImport: ['packages/client', 'packages/registrations/src/apply', 'cli'],
    reason: 'Every command of an administrator calls the management API through this client.',
  },
  {
    path: 'packages/registrations/src/directory',
    mayImport: ['packages/registrations'],
    reason: 'The directory as Microsoft Graph shows it: what a plan and an explanation read.',
  },
  {
    path: 'packages/registrations/src/explaining',
    mayImport: [
      'packages/directory/src/model',
      'packages/registrations',
      'packages/registrations/src/directory',
    ],
    reason: 'The token of one client for one API, from the directory alone: no file, no plan.',
  },
  {
    path: 'packages/registrations/src/planning',
    mayImport: [
      'packages/directory/src/model',
      'packages/registrations',
      'packages/registrations/src/directory',
      'packages/registrations/src/explaining',
    ],
    reason:
      'A plan is a pure comparison of file and directory: no network, no clock, no terminal. Only rooms that plan import it.',
  },
  {
    path: 'packages/registrations/src/apply',
    mayImport: [
      'packages/directory/src/model',
      'packages/registrations',
      'packages/registrations/src/directory',
      'packages/registrations/src/planning',
    ],
    reason:
      'It applies a plan through a directory that its caller passes in: the command over the network, the portal within the identity provider.',
  },
  {
    path: 'test/system',
    mayImport: ['packages/client', 'packages/guard', 'packages/testing', 'packages/tracing'],
    reason: 'The tests use the system from outside: processes and packages, as their users do.',
  },
  {
    path: 'examples',
    mayImport: ['packages/client', 'packages/guard', 'packages/testing'],
    reason: 'Small programs of users, which use the packages as their users do.',
  },
  {
    path: 'test/fixtures',
    mayImport: ['services/identity-provider'],
    reason: 'The tests of every room may use it, and no product code.',
  },
  {
    path: 'test/fixtures/directory',
    mayImport: [
      'packages/directory/src/audit',
      'packages/directory/src/clock',
      'packages/directory/src/files',
      'packages/directory/src/keys',
      'packages/directory/src/live',
      'packages/directory/src/model',
      'packages/directory/src/storage',
    ],
    reason: 'Objects, stores and logs in memory, for tests of the directory and of its server.',
  },
  {
    path: 'test/fixtures/portal',
    mayImport: ['services/identity-provider'],
    reason: 'A server with the portal, and a browser without script, for the tests of the pages.',
  },
  {
    path: 'test/fixtures/graph',
    mayImport: [
      'cli/src/administrator',
      'packages/client',
      'packages/registrations',
      'packages/registrations/src/apply',
      'packages/registrations/src/directory',
      'packages/registrations/src/planning',
      'packages/testing',
    ],
    reason: 'Tests of plans reach the Graph of the test kit through the client of the command.',
  },
  {
    path: 'tools/build',
    mayImport: [],
    reason: 'It compiles and packs every package as files, and runs none of them.',
  },
  {
    path: 'test/packages',
    mayImport: [
      'tools/build',
      'tools/release',
      'test/system',
      'test/fixtures',
      'packages/client',
      'packages/guard',
      'packages/testing',
      'services/identity-provider',
    ],
    reason: 'It uses the packed packages from outside, as their users do.',
  },
  {
    path: 'deploy',
    mayImport: ['tools/build', 'test/fixtures', 'test/packages'],
    reason: 'It puts the built packages on a machine or a cluster, and starts them as processes.',
  },
  {
    path: 'docs/site',
    mayImport: [
      'test/system',
      'services/identity-provider',
      'services/identity-provider/src/refusals',
    ],
    reason:
      'It makes a page of each row of the refusals, and its tests use the browser of test/system.',
  },
  {
    path: 'test/mutants',
    mayImport: ['tools/checks', 'packages/guard'],
    reason: 'It breaks source files, and runs the tests that import them.',
  },
  {
    path: 'tools/release',
    mayImport: ['test/packages', 'tools/build'],
    reason: 'It packs what the build made, as the tests of the packages do.',
  },
  {
    path: 'tools',
    mayImport: [],
    reason: 'It runs the tests, and links the pinned Node after npm ci.',
  },
  {
    path: 'tools/checks',
    mayImport: ['tools/build'],
    reason: 'The checks of the rooms depend on no room. Only the build knows the interfaces.',
  },
]
