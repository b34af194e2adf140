/** A program whose modules are bundled into few files. */
export type BundledProgram = {
  /** Folders of the packages that are bundled with it, from the root of the repository. */
  readonly inlined: readonly string[]
  /** Files in `src` that become one file with all that they import. `main.ts` awaits, and stays apart. */
  readonly loadedTogether: readonly string[]
}

/** A package of this repository, as it is built. */
export type PackageRow = {
  /** Folder of the package, from the root of the repository. */
  readonly path: string
  /** Packages of this repository that its tarball contains. */
  readonly bundled: readonly string[]
  /** Files that do work when they are imported. No other file does. */
  readonly entryPoints: readonly string[]
  /** Files and folders of the repository that the package needs, besides its source. */
  readonly assets: readonly string[]
  /** Files of packages of the registry that its tarball contains, so that npm does not install them. */
  readonly vendored: readonly { readonly name: string; readonly files: readonly string[] }[]
  readonly keywords: readonly string[]
  /** The oldest Node on which the package runs. */
  readonly node: string
  /** Present when `require()` finds CommonJS modules. They contain these packages, which have none. */
  readonly commonJs?: { readonly inlined: readonly string[] }
  /** Present when `src/main.ts` is bundled. Then the package exports no module. */
  readonly program?: BundledProgram
}

const service = { assets: [], vendored: [], entryPoints: ['./lib/main.js'], node: '>=24' }
const library = { assets: [], vendored: [], bundled: [], entryPoints: [] }
const oauth = ['oauth2', 'entra', 'azure-ad', 'client-credentials', 'jwt']

/** The packages that leave the repository, and those that only lie inside others. */
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
    bundled: [
      'packages/directory',
      'packages/guard',
      'packages/http-service',
      'packages/lab',
      'packages/portal',
      'packages/registrations',
      'packages/tracing',
      'services/identity-provider',
    ],
    keywords: [...oauth, 'testing', 'mock', 'vitest', 'jest', 'faults'],
    node: '>=24',
  },
  { ...library, path: 'packages/registrations', keywords: [], node: '>=24' },
  { ...library, path: 'packages/tracing', keywords: [], node: '>=24' },
  { ...library, path: 'packages/directory', keywords: [], node: '>=24' },
  { ...library, path: 'packages/http-service', keywords: [], node: '>=24' },
  { ...library, path: 'packages/portal', keywords: [], node: '>=24' },
  { ...library, path: 'packages/lab', keywords: [], node: '>=24' },
  {
    ...service,
    path: 'services/greeting-api',
    bundled: ['packages/guard', 'packages/http-service', 'packages/tracing'],
    vendored: [],
    keywords: [...oauth, 'resource-server', 'example'],
  },
  {
    ...service,
    path: 'services/authorizer',
    bundled: [
      'packages/guard',
      'packages/http-service',
      'packages/registrations',
      'packages/tracing',
    ],
    keywords: [...oauth, 'forward-auth', 'nginx', 'envoy', 'traefik', 'caddy', 'haproxy'],
  },
  {
    ...service,
    path: 'services/identity-provider',
    bundled: [
      'packages/directory',
      'packages/guard',
      'packages/http-service',
      'packages/lab',
      'packages/portal',
      'packages/registrations',
      'packages/tracing',
    ],
    keywords: [...oauth, 'authorization-server', 'mock', 'local', 'testing', 'microsoft-graph'],
  },
  {
    ...service,
    path: 'cli',
    bundled: [
      'packages/client',
      'packages/directory',
      'packages/guard',
      'packages/http-service',
      'packages/lab',
      'packages/portal',
      'packages/registrations',
      'packages/tracing',
      'services/authorizer',
      'services/greeting-api',
      'services/identity-provider',
    ],
    assets: ['services/greeting-api/registrations.json'],
    vendored: [],
    keywords: [...oauth, 'cli', 'local', 'testing', 'token'],
    // A job runs each minute.
    program: {
      inlined: ['packages/client'],
      loadedTogether: [
        'program.ts',
        'commands/client/greetings.ts',
        'commands/client/client-command.ts',
      ],
    },
  },
]

/** The packages that users install. The others are only bundled. */
export const publishedPaths: readonly string[] = [
  'packages/guard',
  'packages/client',
  'packages/testing',
  'services/greeting-api',
  'services/identity-provider',
  'cli',
]
