/** A package whose modules are bundled with all that they import. */
export type Program = {
  /** Files from the root of the repository, by the name of their module in `lib/`. */
  readonly entries: Readonly<Record<string, string>>
  /**
   * Files of which each row becomes one file, with all that they import and no earlier row has. A
   * start pays for each file, and for what it does not need. `main.ts` awaits, and stays apart.
   */
  readonly together: readonly (readonly string[])[]
  /** Folders of files that the modules serve, by their place in the package. */
  readonly served: Readonly<Record<string, string>>
  /** Packages of the registry whose files are served. `tools/build/served` has their terms. */
  readonly servedFrom: readonly string[]
}

/** A package of this repository, as it is built. */
export type PackageRow = {
  /** Folder of the package, from the root of the repository. */
  readonly path: string
  /** Files that do work when they are imported. No other file does. */
  readonly entryPoints: readonly string[]
  /** Files of the repository that the package needs, besides its source. */
  readonly assets: readonly string[]
  readonly keywords: readonly string[]
  /** The oldest Node on which the package runs. */
  readonly node: string
  /** Present when `require()` finds CommonJS modules. They contain these packages, which have none. */
  readonly commonJs?: { readonly inlined: readonly string[] }
  /** Absent for a library, whose dependencies stay outside. */
  readonly program?: Program
}

const directory = 'packages/directory/src/storage/sqlite/sqlite-worker.ts'
const provider = 'services/identity-provider/src'
const api = 'services/greeting-api/src'
const authorizer = 'services/authorizer/src'
const testing = 'packages/testing/src'

const look = { 'lib/look': 'packages/http-service/src/look' }
const viewer = { ...look, 'lib/static': `${api}/docs/static` }
const portal = { ...look, static: 'packages/portal/src/static' }
/** Loaded at the first request for a page, and not before. */
const pages = ['packages/portal/src/portal-app.ts', `${provider}/portal-host/portal-host.ts`]
const operations = [`${provider}/management/operations/operations-app.ts`]

const library = { assets: [], entryPoints: [] }
const service = { assets: [], entryPoints: ['./lib/main.js'], node: '>=24' }
const oauth = ['oauth2', 'entra', 'azure-ad', 'client-credentials', 'jwt']

/** The packages that leave the repository, and the authorizer, which only its image contains. */
export const packageRows: readonly PackageRow[] = [
  {
    ...library,
    path: 'packages/guard',
    keywords: [...oauth, 'express', 'fastify', 'hono', 'middleware', 'bearer', 'roles'],
    node: '>=22',
    commonJs: { inlined: [] },
  },
  {
    ...library,
    path: 'packages/client',
    keywords: [...oauth, 'access-token', 'token-cache', 'fetch', 'daemon'],
    node: '>=22',
    commonJs: { inlined: ['oauth4webapi'] },
  },
  {
    ...library,
    path: 'packages/testing',
    keywords: [...oauth, 'testing', 'mock', 'vitest', 'jest', 'faults'],
    node: '>=24',
    program: {
      entries: {
        index: `${testing}/index.ts`,
        jest: `${testing}/jest.ts`,
        'node-test': `${testing}/node-test.ts`,
        vitest: `${testing}/vitest.ts`,
        'sqlite-worker': directory,
      },
      together: [[directory], [`${testing}/index.ts`], operations, pages],
      served: portal,
      servedFrom: ['@picocss/pico'],
    },
  },
  {
    ...service,
    path: 'services/greeting-api',
    keywords: [...oauth, 'resource-server', 'example'],
    program: {
      entries: { main: `${api}/main.ts`, 'run-greeting-api': `${api}/run-greeting-api.ts` },
      together: [[`${api}/service.ts`]],
      served: viewer,
      servedFrom: ['swagger-ui-dist'],
    },
  },
  {
    ...service,
    path: 'services/authorizer',
    keywords: [...oauth, 'forward-auth', 'nginx', 'envoy', 'traefik', 'caddy', 'haproxy'],
    program: {
      entries: { main: `${authorizer}/main.ts` },
      together: [[`${authorizer}/service.ts`]],
      served: {},
      servedFrom: [],
    },
  },
  {
    ...service,
    path: 'services/identity-provider',
    keywords: [...oauth, 'authorization-server', 'mock', 'local', 'testing', 'microsoft-graph'],
    program: {
      entries: {
        main: `${provider}/main.ts`,
        'run-identity-provider': `${provider}/run-identity-provider.ts`,
        index: `${provider}/index.ts`,
        lab: `${provider}/lab.ts`,
        'sqlite-worker': directory,
      },
      together: [[directory], [`${provider}/startup/service.ts`], operations, pages],
      served: portal,
      servedFrom: ['@picocss/pico'],
    },
  },
  {
    ...service,
    path: 'cli',
    assets: ['services/greeting-api/registrations.json'],
    keywords: [...oauth, 'cli', 'local', 'testing', 'token'],
    program: {
      entries: {
        main: 'cli/src/main.ts',
        'identity-provider': `${provider}/main.ts`,
        authorizer: `${authorizer}/main.ts`,
        'sqlite-worker': directory,
      },
      // A job runs each minute.
      together: [
        [
          'cli/src/program.ts',
          'cli/src/commands/client/greetings.ts',
          'cli/src/commands/client/client-command.ts',
        ],
        [directory],
        [`${provider}/startup/service.ts`, `${api}/service.ts`],
        operations,
        pages,
      ],
      served: { ...viewer, ...portal },
      servedFrom: ['swagger-ui-dist', '@picocss/pico'],
    },
  },
]

/** The packages that users install. */
export const publishedPaths: readonly string[] = packageRows
  .map(({ path }) => path)
  .filter((path) => path !== 'services/authorizer')
